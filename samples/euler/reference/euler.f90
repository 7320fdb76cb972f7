!> Two-dimensional dry compressible flow between two walls, by finite volumes: a small dynamical core.
!>
!>   euler [FILE [NX NZ [NSTEPS [NFRAMES]]]]
!>
!> Prognostic are the deviations of density, momenta and density times potential temperature from a
!> neutral atmosphere at rest. Directions are split; x and z change places with every step. Values at
!> faces come from four cells (fourth order) and a hyperviscosity keeps them smooth; time is advanced in
!> three stages. Along x the domain is periodic and divided among the processes of MPI.
program euler
  use mpi
  implicit none

  integer, parameter :: r8 = kind(1.0d0)

  ! The four variables, and what the scheme reads of each.
  integer, parameter :: nvar = 4, rho = 1, mom_x = 2, mom_z = 3, rho_th = 4
  integer, parameter :: hs = 2                     ! width of the halo
  integer, parameter :: width = 4                  ! cells that give the value at a face

  ! What is computed.
  integer, parameter :: rising = 1, falling = 2, meeting = 3
  integer, parameter :: experiment = meeting       ! which bubbles there are
  logical, parameter :: viscous = .true.           ! whether there is hyperviscosity
  logical, parameter :: sheared = .false.          ! whether there is wind at the start

  real(r8), parameter :: pi = 3.14159265358979323846_r8
  real(r8), parameter :: grav = 9.81_r8
  real(r8), parameter :: cp = 1004.0_r8, cv = 717.0_r8, rd = cp - cv
  real(r8), parameter :: p_ground = 1.0e5_r8
  real(r8), parameter :: kappa = cp / cv
  real(r8), parameter :: c_p = rd ** kappa * p_ground ** (1.0_r8 - kappa)   ! p = c_p * (rho*theta)**kappa
  real(r8), parameter :: th_ground = 300.0_r8
  real(r8), parameter :: length_x = 2.0e4_r8, length_z = 1.0e4_r8
  real(r8), parameter :: fastest = 400.0_r8        ! sound and wind [m/s]
  real(r8), parameter :: courant = 0.8_r8
  real(r8), parameter :: beta = 0.05_r8            ! hyperviscosity
  real(r8), parameter :: near = 7.0_r8 / 12.0_r8, far = -1.0_r8 / 12.0_r8

  character(len=256) :: file
  integer :: nx_all, nx, nz, nsteps, nframes, first_i
  integer :: rank, ranks, left, right, ierr, unit
  real(r8) :: dx, dz, dt, time
  real(r8) :: mass, energy, mass_start, energy_start
  logical :: x_first
  integer :: frame

  real(r8), allocatable :: q(:,:,:), q_stage(:,:,:)          ! deviations, with halos
  real(r8), allocatable :: flux(:,:,:), tend(:,:,:)
  real(r8), allocatable :: ref_rho(:), ref_rho_th(:)         ! the atmosphere at rest: at cells
  real(r8), allocatable :: face_rho(:), face_rho_th(:), face_p(:)   ! and at faces
  real(r8), allocatable :: send_left(:,:,:), send_right(:,:,:), recv_left(:,:,:), recv_right(:,:,:)

  call start()
  call atmosphere_at_rest()
  call bubbles()
  call totals(q, mass_start, energy_start)
  call open_file()
  call write_frame(q)

  call integrate()
  call report(nsteps)
  call finish()

contains

  !> Command line, division of the domain, arrays.
  subroutine start()
    call mpi_init(ierr)
    call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
    call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)

    file = "euler.dat"
    if (command_argument_count() > 0) call get_command_argument(1, file)
    nx_all = integer_argument(2, 400)
    nz = integer_argument(3, 200)
    nsteps = integer_argument(4, 1200)
    nframes = integer_argument(5, 3)
    if (nx_all / ranks < 2 * hs .or. nz < 2 * hs .or. nsteps < 1 .or. nframes < 1) then
      if (rank == 0) print "(a)", "euler: at least 4 x 4 cells a process, a step and a frame are needed"
      call mpi_abort(MPI_COMM_WORLD, 1, ierr)
    end if

    first_i = rank * nx_all / ranks
    nx = (rank + 1) * nx_all / ranks - first_i
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
    dx = length_x / nx_all
    dz = length_z / nz
    dt = courant * min(dx, dz) / fastest
    time = 0.0_r8
    x_first = .true.

    allocate(q(1-hs:nx+hs, 1-hs:nz+hs, nvar), q_stage(1-hs:nx+hs, 1-hs:nz+hs, nvar))
    allocate(flux(nx+1, nz+1, nvar), tend(nx, nz, nvar))
    allocate(ref_rho(1-hs:nz+hs), ref_rho_th(1-hs:nz+hs))
    allocate(face_rho(nz+1), face_rho_th(nz+1), face_p(nz+1))
    allocate(send_left(hs, nz, nvar), send_right(hs, nz, nvar), recv_left(hs, nz, nvar), recv_right(hs, nz, nvar))
    if (rank == 0) print "(a,i0,a,i0,a,i0,a,f7.4,a)", "euler: ", nx_all, " x ", nz, " cells, ", nsteps, " steps of ", dt, " s"
  end subroutine start

  !> The command line argument at a position as a number, or a default.
  integer function integer_argument(position, default) result(number)
    integer, intent(in) :: position, default

    character(len=32) :: text
    integer :: status

    number = default
    if (command_argument_count() < position) return
    call get_command_argument(position, text)
    read(text, *, iostat=status) number
    if (status /= 0) then
      if (rank == 0) print "(a,a)", "euler: not a number: ", trim(text)
      call mpi_abort(MPI_COMM_WORLD, 1, ierr)
    end if
  end function integer_argument

  !> Density and density times potential temperature of a neutral atmosphere at a height.
  subroutine at_rest(z, r, rt)
    real(r8), intent(in) :: z
    real(r8), intent(out) :: r, rt

    real(r8) :: exner, p

    exner = 1.0_r8 - grav * z / (cp * th_ground)
    p = p_ground * exner ** (cp / rd)
    rt = (p / c_p) ** (1.0_r8 / kappa)
    r = rt / th_ground
  end subroutine at_rest

  subroutine atmosphere_at_rest()
    integer :: k

    do k = 1 - hs, nz + hs
      call at_rest((k - 0.5_r8) * dz, ref_rho(k), ref_rho_th(k))
    end do
    do k = 1, nz + 1
      call at_rest((k - 1) * dz, face_rho(k), face_rho_th(k))
      face_p(k) = c_p * face_rho_th(k) ** kappa
    end do
  end subroutine atmosphere_at_rest

  !> The deviation of potential temperature at a place.
  real(r8) function warmth(x, z)
    real(r8), intent(in) :: x, z

    warmth = 0.0_r8
    if (experiment == rising) warmth = bubble(x, z, 3.0_r8, 0.5_r8, 2000.0_r8, 2000.0_r8)
    if (experiment == falling) warmth = bubble(x, z, -15.0_r8, 0.5_r8, 5000.0_r8, 2000.0_r8)
    if (experiment == meeting) warmth = bubble(x, z, 20.0_r8, 0.5_r8, 2000.0_r8, 2000.0_r8) &
      + bubble(x, z, -20.0_r8, 0.48_r8, 8000.0_r8, 2000.0_r8)
  end function warmth

  real(r8) function bubble(x, z, amplitude, centre, height, radius)
    real(r8), intent(in) :: x, z, amplitude, centre, height, radius

    real(r8) :: distance

    distance = sqrt(((x - centre * length_x) / radius) ** 2 + ((z - height) / radius) ** 2)
    bubble = 0.0_r8
    if (distance < 1.0_r8) bubble = amplitude * cos(0.5_r8 * pi * distance) ** 2
  end function bubble

  !> The initial state.
  subroutine bubbles()
    integer :: i, k
    real(r8) :: x, z

    q = 0.0_r8
    q_stage = 0.0_r8
    do k = 1, nz
      z = (k - 0.5_r8) * dz
      do i = 1, nx
        x = (first_i + i - 0.5_r8) * dx
        q(i,k,rho_th) = ref_rho(k) * warmth(x, z)
        if (sheared) q(i,k,mom_x) = ref_rho(k) * 10.0_r8 * z / length_z
      end do
    end do
  end subroutine bubbles

  !> All time steps, with the frames in between.
  subroutine integrate()
    integer :: n, last

    last = 0
    do frame = 1, nframes
      do n = last + 1, frame * nsteps / nframes
        call step()
        if (n == nsteps / 2) call report(n)
      end do
      last = frame * nsteps / nframes
      call write_frame(q)
    end do
  end subroutine integrate

  !> One time step: both directions, the other one first the next time.
  subroutine step()
    if (x_first) then
      call sweep_x(q, q_stage)
      call sweep_z(q, q_stage)
    else
      call sweep_z(q, q_stage)
      call sweep_x(q, q_stage)
    end if
    x_first = .not. x_first
    time = time + dt
  end subroutine step

  !> Three stages along x.
  subroutine sweep_x(now, stage)
    real(r8), intent(inout), dimension(1-hs:nx+hs, 1-hs:nz+hs, nvar) :: now, stage

    call halo_x(now)
    call tendency_x(now, flux, tend)
    call combine(stage, 0.0_r8, now, 1.0_r8, dt, tend)
    call halo_x(stage)
    call tendency_x(stage, flux, tend)
    call combine(stage, 0.25_r8, now, 0.75_r8, 0.25_r8 * dt, tend)
    call halo_x(stage)
    call tendency_x(stage, flux, tend)
    call combine(now, 1.0_r8 / 3.0_r8, stage, 2.0_r8 / 3.0_r8, 2.0_r8 / 3.0_r8 * dt, tend)
  end subroutine sweep_x

  !> Three stages along z.
  subroutine sweep_z(now, stage)
    real(r8), intent(inout), dimension(1-hs:nx+hs, 1-hs:nz+hs, nvar) :: now, stage

    call walls_z(now)
    call tendency_z(now, flux, tend)
    call combine(stage, 0.0_r8, now, 1.0_r8, dt, tend)
    call walls_z(stage)
    call tendency_z(stage, flux, tend)
    call combine(stage, 0.25_r8, now, 0.75_r8, 0.25_r8 * dt, tend)
    call walls_z(stage)
    call tendency_z(stage, flux, tend)
    call combine(now, 1.0_r8 / 3.0_r8, stage, 2.0_r8 / 3.0_r8, 2.0_r8 / 3.0_r8 * dt, tend)
  end subroutine sweep_z

  !> One stage: a weighted mean of two states, and a tendency.
  subroutine combine(a, weight_a, b, weight_b, step_length, tendency)
    real(r8), intent(inout) :: a(1-hs:nx+hs, 1-hs:nz+hs, nvar)
    real(r8), intent(in) :: b(1-hs:nx+hs, 1-hs:nz+hs, nvar), tendency(nx, nz, nvar)
    real(r8), intent(in) :: weight_a, weight_b, step_length

    integer :: i, k, v

    do v = 1, nvar
      do k = 1, nz
        do i = 1, nx
          a(i,k,v) = weight_a * a(i,k,v) + weight_b * b(i,k,v) + step_length * tendency(i,k,v)
        end do
      end do
    end do
  end subroutine combine

  !> Fluxes through the faces between columns, and what they change.
  subroutine tendency_x(state, f, change)
    real(r8), intent(in) :: state(1-hs:nx+hs, 1-hs:nz+hs, nvar)
    real(r8), intent(out) :: f(nx+1, nz+1, nvar), change(nx, nz, nvar)

    real(r8) :: cells(width), at_face(nvar), third(nvar)
    real(r8) :: r, u, w, th, p, hyper
    integer :: i, k, v, s

    hyper = -beta * dx / (16.0_r8 * dt)
    do k = 1, nz
      do i = 1, nx + 1
        do v = 1, nvar
          do s = 1, width
            cells(s) = state(i-hs-1+s,k,v)
          end do
          at_face(v) = far * cells(1) + near * cells(2) + near * cells(3) + far * cells(4)
          third(v) = -cells(1) + 3.0_r8 * cells(2) - 3.0_r8 * cells(3) + cells(4)
          if (.not. viscous) third(v) = 0.0_r8
        end do
        r = at_face(rho) + ref_rho(k)
        u = at_face(mom_x) / r
        w = at_face(mom_z) / r
        th = (at_face(rho_th) + ref_rho_th(k)) / r
        p = c_p * (r * th) ** kappa
        f(i,k,rho) = r * u - hyper * third(rho)
        f(i,k,mom_x) = r * u * u + p - hyper * third(mom_x)
        f(i,k,mom_z) = r * u * w - hyper * third(mom_z)
        f(i,k,rho_th) = r * u * th - hyper * third(rho_th)
      end do
    end do

    do v = 1, nvar
      do k = 1, nz
        do i = 1, nx
          change(i,k,v) = -(f(i+1,k,v) - f(i,k,v)) / dx
        end do
      end do
    end do
  end subroutine tendency_x

  !> Fluxes through the faces between levels, what they change, and weight.
  subroutine tendency_z(state, f, change)
    real(r8), intent(in) :: state(1-hs:nx+hs, 1-hs:nz+hs, nvar)
    real(r8), intent(out) :: f(nx+1, nz+1, nvar), change(nx, nz, nvar)

    real(r8) :: cells(width), at_face(nvar), third(nvar)
    real(r8) :: r, u, w, th, p, hyper
    integer :: i, k, v, s

    hyper = -beta * dz / (16.0_r8 * dt)
    do k = 1, nz + 1
      do i = 1, nx
        do v = 1, nvar
          do s = 1, width
            cells(s) = state(i,k-hs-1+s,v)
          end do
          at_face(v) = far * cells(1) + near * cells(2) + near * cells(3) + far * cells(4)
          third(v) = -cells(1) + 3.0_r8 * cells(2) - 3.0_r8 * cells(3) + cells(4)
          if (.not. viscous) third(v) = 0.0_r8
        end do
        r = at_face(rho) + face_rho(k)
        u = at_face(mom_x) / r
        w = at_face(mom_z) / r
        th = (at_face(rho_th) + face_rho_th(k)) / r
        p = c_p * (r * th) ** kappa - face_p(k)
        if (k == 1 .or. k == nz + 1) then          ! nothing goes through a wall
          w = 0.0_r8
          third(rho) = 0.0_r8
        end if
        f(i,k,rho) = r * w - hyper * third(rho)
        f(i,k,mom_x) = r * w * u - hyper * third(mom_x)
        f(i,k,mom_z) = r * w * w + p - hyper * third(mom_z)
        f(i,k,rho_th) = r * w * th - hyper * third(rho_th)
      end do
    end do

    do v = 1, nvar
      do k = 1, nz
        do i = 1, nx
          change(i,k,v) = -(f(i,k+1,v) - f(i,k,v)) / dz
          if (v == mom_z) change(i,k,v) = change(i,k,v) - grav * state(i,k,rho)
        end do
      end do
    end do
  end subroutine tendency_z

  !> Halos along x: from the neighbours.
  subroutine halo_x(state)
    real(r8), intent(inout) :: state(1-hs:nx+hs, 1-hs:nz+hs, nvar)

    integer :: requests(4)
    integer :: k, v, s

    call mpi_irecv(recv_left, hs*nz*nvar, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1), ierr)
    call mpi_irecv(recv_right, hs*nz*nvar, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2), ierr)

    do v = 1, nvar
      do k = 1, nz
        do s = 1, hs
          send_left(s,k,v) = state(s,k,v)
          send_right(s,k,v) = state(nx-hs+s,k,v)
        end do
      end do
    end do

    call mpi_isend(send_left, hs*nz*nvar, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(3), ierr)
    call mpi_isend(send_right, hs*nz*nvar, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(4), ierr)
    call mpi_waitall(4, requests, MPI_STATUSES_IGNORE, ierr)

    do v = 1, nvar
      do k = 1, nz
        do s = 1, hs
          state(s-hs,k,v) = recv_left(s,k,v)
          state(nx+s,k,v) = recv_right(s,k,v)
        end do
      end do
    end do
  end subroutine halo_x

  !> Halos along z: no flow through the walls, the wind along them without friction.
  subroutine walls_z(state)
    real(r8), intent(inout) :: state(1-hs:nx+hs, 1-hs:nz+hs, nvar)

    integer :: i, v

    do v = 1, nvar
      do i = 1 - hs, nx + hs
        if (v == mom_z) then
          state(i,1-hs:0,v) = 0.0_r8
          state(i,nz+1:nz+hs,v) = 0.0_r8
        else if (v == mom_x) then
          state(i,1-hs:0,v) = state(i,1,v) / ref_rho(1) * ref_rho(1-hs:0)
          state(i,nz+1:nz+hs,v) = state(i,nz,v) / ref_rho(nz) * ref_rho(nz+1:nz+hs)
        else
          state(i,1-hs:0,v) = state(i,1,v)
          state(i,nz+1:nz+hs,v) = state(i,nz,v)
        end if
      end do
    end do
  end subroutine walls_z

  !> Mass and energy of the whole domain.
  subroutine totals(state, total_mass, total_energy)
    real(r8), intent(in) :: state(1-hs:nx+hs, 1-hs:nz+hs, nvar)
    real(r8), intent(out) :: total_mass, total_energy

    real(r8) :: r, u, w, th, p, t, mine(2), all(2)
    real(r8) :: m, e
    integer :: i, k

    m = 0.0_r8
    e = 0.0_r8
    do k = 1, nz
      do i = 1, nx
        r = state(i,k,rho) + ref_rho(k)
        u = state(i,k,mom_x) / r
        w = state(i,k,mom_z) / r
        th = (state(i,k,rho_th) + ref_rho_th(k)) / r
        p = c_p * (r * th) ** kappa
        t = th * (p / p_ground) ** (rd / cp)
        m = m + r * dx * dz
        e = e + r * (0.5_r8 * (u * u + w * w) + cv * t + grav * (k - 0.5_r8) * dz) * dx * dz
      end do
    end do
    mine = [m, e]
    call mpi_allreduce(mine, all, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    total_mass = all(1)
    total_energy = all(2)
  end subroutine totals

  subroutine report(steps)
    integer, intent(in) :: steps

    call totals(q, mass, energy)
    if (rank == 0) print "(a,i6,a,f9.2,2(a,es10.2))", "step ", steps, "  time ", time, &
      "  mass ", (mass - mass_start) / mass_start, "  energy ", (energy - energy_start) / energy_start
  end subroutine report

  !> The header of the file: numbers of cells, and their size.
  subroutine open_file()
    integer :: status

    if (rank == 0) then
      open(newunit=unit, file=file, form="unformatted", access="stream", status="replace", iostat=status)
      if (status /= 0) then
        print "(a,a)", "euler: cannot write to ", trim(file)
        call mpi_abort(MPI_COMM_WORLD, 1, ierr)
      end if
      write(unit) nx_all, nz, dx, dz
      close(unit)
    end if
    frame = 0
  end subroutine open_file

  !> Time, then density, both winds and potential temperature, one process after the other.
  subroutine write_frame(state)
    real(r8), intent(in) :: state(1-hs:nx+hs, 1-hs:nz+hs, nvar)

    integer :: i, k, turn, size_of_field, begin
    real(r8) :: row(nx, nvar)

    size_of_field = 8 * nx_all * nz
    begin = 1 + 4 * 2 + 8 * 2 + frame * (8 + nvar * size_of_field)
    do turn = 0, ranks - 1
      if (turn == rank) then
        open(newunit=unit, file=file, form="unformatted", access="stream", status="old", position="append")
        if (rank == 0) write(unit, pos=begin) time
        do k = 1, nz
          do i = 1, nx
            row(i,rho) = state(i,k,rho)
            row(i,mom_x) = state(i,k,mom_x) / (ref_rho(k) + state(i,k,rho))
            row(i,mom_z) = state(i,k,mom_z) / (ref_rho(k) + state(i,k,rho))
            row(i,rho_th) = (state(i,k,rho_th) + ref_rho_th(k)) / (ref_rho(k) + state(i,k,rho)) - th_ground
          end do
          write(unit, pos=begin + 8 + 8 * ((k - 1) * nx_all + first_i)) row(:,rho)
          write(unit, pos=begin + 8 + size_of_field + 8 * ((k - 1) * nx_all + first_i)) row(:,mom_x)
          write(unit, pos=begin + 8 + 2 * size_of_field + 8 * ((k - 1) * nx_all + first_i)) row(:,mom_z)
          write(unit, pos=begin + 8 + 3 * size_of_field + 8 * ((k - 1) * nx_all + first_i)) row(:,rho_th)
        end do
        close(unit)
      end if
      call mpi_barrier(MPI_COMM_WORLD, ierr)
    end do
  end subroutine write_frame

  !> The totals at the end of the file.
  subroutine finish()
    if (rank == 0) then
      open(newunit=unit, file=file, form="unformatted", access="stream", status="old", position="append")
      write(unit) mass_start, energy_start, mass, energy
      close(unit)
      print "(a,a)", "euler: wrote ", trim(file)
    end if
    deallocate(q, q_stage, flux, tend, ref_rho, ref_rho_th, face_rho, face_rho_th, face_p)
    deallocate(send_left, send_right, recv_left, recv_right)
    call mpi_finalize(ierr)
  end subroutine finish

end program euler
