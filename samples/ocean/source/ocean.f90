!> A tide that carries a tracer past islands: free surface, momentum and MUSCL advection on a staggered grid.
!! Plain Fortran in the manner of ocean models: one program, masks, no directive of any kind.
!! ocean FILE [JPI JPJ JPK NSTEPS NFRAMES]
program ocean
  implicit none
  integer, parameter :: wp = selected_real_kind(12)
  real(wp), parameter :: pi = 3.14159265358979323846_wp
  real(wp), parameter :: grav = 9.81_wp, dx = 100.0_wp, dy = 100.0_wp, dt = 5.0_wp, depth = 10.0_wp
  real(wp), parameter :: coriolis = 1.0e-4_wp, drag = 1.5e-3_wp, viscosity = 8.0_wp
  real(wp), parameter :: head = 0.30_wp, tide = 0.10_wp, period = 7200.0_wp, inflow = 0.7_wp

  integer :: jpi, jpj, jpk, nsteps, nframes
  integer :: ji, jj, jk, step, frame
  real(wp) :: dz, time, level, slope, course, reach, ahead, behind, stress, lap, across, top
  real(wp), allocatable :: ssh(:,:), ssha(:,:), uu(:,:), vv(:,:), ua(:,:), va(:,:)
  real(wp), allocatable :: tmask(:,:,:), umask(:,:,:), vmask(:,:,:), share(:)
  real(wp), allocatable :: tracer(:,:,:), un(:,:,:), vn(:,:,:), wn(:,:,:)
  real(wp), allocatable :: zwx(:,:,:), zwy(:,:,:), slpx(:,:,:), slpy(:,:,:)
  character(len=256) :: file

  call settings
  allocate (ssh(jpi,jpj), ssha(jpi,jpj), uu(jpi,jpj), vv(jpi,jpj), ua(jpi,jpj), va(jpi,jpj))
  allocate (tmask(jpi,jpj,jpk), umask(jpi,jpj,jpk), vmask(jpi,jpj,jpk), share(jpk))
  allocate (tracer(jpi,jpj,jpk), un(jpi,jpj,jpk), vn(jpi,jpj,jpk), wn(jpi,jpj,jpk+1))
  allocate (zwx(jpi,jpj,jpk+1), zwy(jpi,jpj,jpk+1), slpx(jpi,jpj,jpk+1), slpy(jpi,jpj,jpk+1))
  dz = depth/jpk

  ! land is where the bottom is higher than a level: two islands, a coast in the north, shoals around them
  do jk = 1, jpk
    do jj = 1, jpj
      do ji = 1, jpi
        tmask(ji,jj,jk) = 1.0_wp
        level = real(jk, wp)/jpk
        top = hill(ji, jj, 0.35_wp, 0.42_wp, 0.09_wp) + hill(ji, jj, 0.62_wp, 0.58_wp, 0.07_wp)
        if (top > 0.85_wp - 0.5_wp*level) tmask(ji,jj,jk) = 0.0_wp
        if (jj == 1 .or. jj >= jpj - jpj/10 + int(2*sin(ji*0.15_wp))) tmask(ji,jj,jk) = 0.0_wp
      end do
    end do
  end do
  umask(:,:,:) = 0.0_wp
  vmask(:,:,:) = 0.0_wp
  do jk = 1, jpk
    do jj = 1, jpj - 1
      do ji = 1, jpi - 1
        umask(ji,jj,jk) = tmask(ji,jj,jk)*tmask(ji+1,jj,jk)
        vmask(ji,jj,jk) = tmask(ji,jj,jk)*tmask(ji,jj+1,jk)
      end do
    end do
  end do
  do jk = 1, jpk
    share(jk) = 1.2_wp - 0.4_wp*(jk - 0.5_wp)/jpk
  end do
  do jk = 1, jpk
    do jj = 1, jpj
      do ji = 1, jpi
        tracer(ji,jj,jk) = max(hill(ji, jj, 0.12_wp, 0.45_wp, 0.12_wp), 0.9_wp*hill(ji, jj, 0.12_wp, 0.75_wp, 0.06_wp)) &
          & *tmask(ji,jj,jk)*(1.0_wp - 0.5_wp*(jk - 1)/jpk)
      end do
    end do
  end do
  ssh(:,:) = 0.0_wp
  uu(:,:) = inflow*umask(:,:,1)
  vv(:,:) = 0.0_wp

  open (unit=20, file=trim(file), access='stream', form='unformatted', status='replace')
  write (20) jpi, jpj, jpk
  call frame_out(0.0_wp)
  frame = 1

  do step = 1, nsteps
    time = step*dt

    ! free surface, from the transports of the last step
    do jj = 2, jpj - 1
      do ji = 2, jpi - 1
        if (tmask(ji,jj,1) < 0.5_wp) cycle
        across = (uu(ji,jj) - uu(ji-1,jj))/dx + (vv(ji,jj) - vv(ji,jj-1))/dy
        ssh(ji,jj) = ssh(ji,jj) - dt*depth*across
      end do
    end do
    ! open boundaries: the sea is higher in the west, by a tide
    level = head + tide*sin(2.0_wp*pi*time/period)
    do jj = 1, jpj
      ssh(1,jj) = level*tmask(1,jj,1)
      ssh(jpi,jj) = 0.0_wp
    end do

    ! momentum: pressure, rotation, viscosity, friction at the bottom
    do jj = 2, jpj - 1
      do ji = 2, jpi - 1
        ua(ji,jj) = 0.0_wp
        if (umask(ji,jj,1) < 0.5_wp) cycle
        across = 0.25_wp*(vv(ji,jj) + vv(ji+1,jj) + vv(ji,jj-1) + vv(ji+1,jj-1))
        lap = (uu(ji+1,jj) - 2.0_wp*uu(ji,jj) + uu(ji-1,jj))/dx**2 &
          & + (uu(ji,jj+1) - 2.0_wp*uu(ji,jj) + uu(ji,jj-1))/dy**2
        stress = drag*sqrt(uu(ji,jj)**2 + across**2)/depth
        ua(ji,jj) = (uu(ji,jj) + dt*(coriolis*across - grav*(ssh(ji+1,jj) - ssh(ji,jj))/dx + viscosity*lap)) &
          & /(1.0_wp + dt*stress)
      end do
    end do
    do jj = 2, jpj - 1
      do ji = 2, jpi - 1
        va(ji,jj) = 0.0_wp
        if (vmask(ji,jj,1) < 0.5_wp) cycle
        across = 0.25_wp*(uu(ji,jj) + uu(ji,jj+1) + uu(ji-1,jj) + uu(ji-1,jj+1))
        lap = (vv(ji+1,jj) - 2.0_wp*vv(ji,jj) + vv(ji-1,jj))/dx**2 &
          & + (vv(ji,jj+1) - 2.0_wp*vv(ji,jj) + vv(ji,jj-1))/dy**2
        stress = drag*sqrt(vv(ji,jj)**2 + across**2)/depth
        va(ji,jj) = (vv(ji,jj) - dt*(coriolis*across + grav*(ssh(ji,jj+1) - ssh(ji,jj))/dy - viscosity*lap)) &
          & /(1.0_wp + dt*stress)
      end do
    end do
    do jj = 1, jpj
      ua(1,jj) = ua(2,jj)*umask(1,jj,1)
      ua(jpi,jj) = ua(jpi-1,jj)*tmask(jpi,jj,1)
      va(1,jj) = 0.0_wp
      va(jpi,jj) = 0.0_wp
    end do
    do ji = 1, jpi
      ua(ji,1) = 0.0_wp
      ua(ji,jpj) = 0.0_wp
      va(ji,1) = 0.0_wp
      va(ji,jpj) = 0.0_wp
    end do
    uu(:,:) = ua(:,:)
    vv(:,:) = va(:,:)

    ! velocities level by level, and the vertical one from the bottom up
    do jk = 1, jpk
      do jj = 1, jpj
        do ji = 1, jpi
          un(ji,jj,jk) = uu(ji,jj)*share(jk)*umask(ji,jj,jk)
          vn(ji,jj,jk) = vv(ji,jj)*share(jk)*vmask(ji,jj,jk)
        end do
      end do
    end do
    wn(:,:,:) = 0.0_wp
    do jk = jpk, 2, -1
      do jj = 2, jpj - 1
        do ji = 2, jpi - 1
          across = (un(ji,jj,jk) - un(ji-1,jj,jk))/dx + (vn(ji,jj,jk) - vn(ji,jj-1,jk))/dy
          wn(ji,jj,jk) = (wn(ji,jj,jk+1) - dz*across)*tmask(ji,jj,jk)
        end do
      end do
    end do

    ! the tracer along the horizontal: gradients, limited slopes, fluxes from upstream, divergence
    zwx(:,:,:) = 0.0_wp
    zwy(:,:,:) = 0.0_wp
    do jk = 1, jpk
      do jj = 1, jpj - 1
        do ji = 1, jpi - 1
          zwx(ji,jj,jk) = umask(ji,jj,jk)*(tracer(ji+1,jj,jk) - tracer(ji,jj,jk))
          zwy(ji,jj,jk) = vmask(ji,jj,jk)*(tracer(ji,jj+1,jk) - tracer(ji,jj,jk))
        end do
      end do
    end do
    slpx(:,:,:) = 0.0_wp
    slpy(:,:,:) = 0.0_wp
    do jk = 1, jpk
      do jj = 2, jpj
        do ji = 2, jpi
          slpx(ji,jj,jk) = (zwx(ji,jj,jk) + zwx(ji-1,jj,jk))*(0.25_wp + sign(0.25_wp, zwx(ji,jj,jk)*zwx(ji-1,jj,jk)))
          slpy(ji,jj,jk) = (zwy(ji,jj,jk) + zwy(ji,jj-1,jk))*(0.25_wp + sign(0.25_wp, zwy(ji,jj,jk)*zwy(ji,jj-1,jk)))
        end do
      end do
    end do
    do jk = 1, jpk
      do jj = 2, jpj
        do ji = 2, jpi
          slpx(ji,jj,jk) = sign(1.0_wp, slpx(ji,jj,jk)) &
            & *min(abs(slpx(ji,jj,jk)), 2.0_wp*abs(zwx(ji-1,jj,jk)), 2.0_wp*abs(zwx(ji,jj,jk)))
          slpy(ji,jj,jk) = sign(1.0_wp, slpy(ji,jj,jk)) &
            & *min(abs(slpy(ji,jj,jk)), 2.0_wp*abs(zwy(ji,jj-1,jk)), 2.0_wp*abs(zwy(ji,jj,jk)))
        end do
      end do
    end do
    do jk = 1, jpk
      do jj = 2, jpj - 1
        do ji = 2, jpi - 1
          course = sign(0.5_wp, un(ji,jj,jk))
          reach = course - 0.5_wp*un(ji,jj,jk)*dt/dx
          ahead = tracer(ji+1,jj,jk) + umask(ji,jj,jk)*reach*slpx(ji+1,jj,jk)
          behind = tracer(ji,jj,jk) + umask(ji,jj,jk)*reach*slpx(ji,jj,jk)
          zwx(ji,jj,jk) = un(ji,jj,jk)*((0.5_wp - course)*ahead + (0.5_wp + course)*behind)
          course = sign(0.5_wp, vn(ji,jj,jk))
          reach = course - 0.5_wp*vn(ji,jj,jk)*dt/dy
          ahead = tracer(ji,jj+1,jk) + vmask(ji,jj,jk)*reach*slpy(ji,jj+1,jk)
          behind = tracer(ji,jj,jk) + vmask(ji,jj,jk)*reach*slpy(ji,jj,jk)
          zwy(ji,jj,jk) = vn(ji,jj,jk)*((0.5_wp - course)*ahead + (0.5_wp + course)*behind)
        end do
      end do
    end do
    do jk = 1, jpk
      do jj = 3, jpj - 2
        do ji = 3, jpi - 2
          across = (un(ji,jj,jk) - un(ji-1,jj,jk))/dx + (vn(ji,jj,jk) - vn(ji,jj-1,jk))/dy
          slope = (zwx(ji,jj,jk) - zwx(ji-1,jj,jk))/dx + (zwy(ji,jj,jk) - zwy(ji,jj-1,jk))/dy
          tracer(ji,jj,jk) = tracer(ji,jj,jk) - dt*tmask(ji,jj,jk)*(slope - tracer(ji,jj,jk)*across)
        end do
      end do
    end do

    ! and along the vertical
    zwx(:,:,:) = 0.0_wp
    do jk = 2, jpk
      do jj = 1, jpj
        do ji = 1, jpi
          zwx(ji,jj,jk) = tmask(ji,jj,jk)*(tracer(ji,jj,jk-1) - tracer(ji,jj,jk))
        end do
      end do
    end do
    slpx(:,:,:) = 0.0_wp
    do jk = 2, jpk
      do jj = 1, jpj
        do ji = 1, jpi
          slope = (zwx(ji,jj,jk) + zwx(ji,jj,jk+1))*(0.25_wp + sign(0.25_wp, zwx(ji,jj,jk)*zwx(ji,jj,jk+1)))
          slpx(ji,jj,jk) = sign(1.0_wp, slope)*min(abs(slope), 2.0_wp*abs(zwx(ji,jj,jk+1)), 2.0_wp*abs(zwx(ji,jj,jk)))
        end do
      end do
    end do
    zwx(:,:,1) = 0.0_wp
    do jk = 1, jpk - 1
      do jj = 2, jpj - 1
        do ji = 2, jpi - 1
          course = sign(0.5_wp, wn(ji,jj,jk+1))
          reach = course - 0.5_wp*wn(ji,jj,jk+1)*dt/dz
          ahead = tracer(ji,jj,jk+1) + reach*slpx(ji,jj,jk+1)
          behind = tracer(ji,jj,jk) + reach*slpx(ji,jj,jk)
          zwx(ji,jj,jk+1) = wn(ji,jj,jk+1)*((0.5_wp + course)*ahead + (0.5_wp - course)*behind)
        end do
      end do
    end do
    do jk = 1, jpk
      do jj = 2, jpj - 1
        do ji = 2, jpi - 1
          across = (wn(ji,jj,jk) - wn(ji,jj,jk+1))/dz
          slope = (zwx(ji,jj,jk) - zwx(ji,jj,jk+1))/dz
          tracer(ji,jj,jk) = tracer(ji,jj,jk) - dt*tmask(ji,jj,jk)*(slope - tracer(ji,jj,jk)*across)
        end do
      end do
    end do

    if (step*nframes >= frame*nsteps) then
      top = 0.0_wp
      do jj = 1, jpj
        do ji = 1, jpi
          top = max(top, abs(uu(ji,jj)), abs(vv(ji,jj)))
        end do
      end do
      print '(a,i7,a,f9.2,a,f8.4)', '  step', step, '   hours', time/3600, '   fastest current', top
      call frame_out(time)
      frame = frame + 1
    end if
  end do
  close (20)

contains

  !> What the command line says.
  subroutine settings
    character(len=32) :: word
    integer :: n, values(5)
    values = [240, 160, 12, 2000, 4]
    call get_command_argument(1, file)
    if (file == '') file = 'ocean.dat'
    do n = 1, 5
      call get_command_argument(n + 1, word)
      if (word /= '') read (word, *) values(n)
    end do
    jpi = values(1)
    jpj = values(2)
    jpk = values(3)
    nsteps = values(4)
    nframes = values(5)
  end subroutine settings

  !> A bell of height 1 around a place, given as shares of the basin's sides, with a radius as share of its width.
  pure function hill(ji, jj, x, y, radius)
    integer, intent(in) :: ji, jj
    real(wp), intent(in) :: x, y, radius
    real(wp) :: hill
    hill = exp(-((ji - x*jpi)**2 + (jj - y*jpj)**2)/(radius*jpi)**2)
  end function hill

  !> The state at one time.
  subroutine frame_out(now)
    real(wp), intent(in) :: now
    write (20) now, ssh, uu, vv, tracer
  end subroutine frame_out

end program ocean
