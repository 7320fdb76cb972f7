!> A gas on a staggered grid: some forty small loop nests a step. The OpenMP directives are the version by hand, one
!> parallel region a routine, with `nowait` where nothing of the next nest depends on one; `!@parallelRegion` are what
!> hfpy takes (`--drop-directives` leaves the others out).
module hydro
  implicit none
  integer, parameter :: r8 = selected_real_kind(12)
contains

  !> Pressure and speed of sound of an ideal gas.
  subroutine ideal_gas(nx, ny, density, energy, pressure, sound)
    integer, intent(in) :: nx, ny
    real(r8), intent(in) :: density(-1:nx+2,-1:ny+2), energy(-1:nx+2,-1:ny+2)
    real(r8), intent(inout) :: pressure(-1:nx+2,-1:ny+2), sound(-1:nx+2,-1:ny+2)
    real(r8) :: volume, by_energy, by_volume, squared
    integer :: i, j
    !$omp parallel private(volume, by_energy, by_volume, squared, i)
    !$omp do
    !@parallelRegion
    do j = 1, ny
      !$omp simd private(volume, by_energy, by_volume, squared)
      do i = 1, nx
        volume = 1.0_r8/density(i,j)
        pressure(i,j) = 0.4_r8*density(i,j)*energy(i,j)
        by_energy = 0.4_r8*density(i,j)
        by_volume = -density(i,j)*pressure(i,j)*volume
        squared = volume*volume*(pressure(i,j)*by_energy - by_volume)
        sound(i,j) = sqrt(squared)
      end do
    end do
    !$omp end parallel
  end subroutine ideal_gas

  !> Two cells beside the grid, mirrored.
  subroutine mirror(nx, ny, field)
    integer, intent(in) :: nx, ny
    real(r8), intent(inout) :: field(-1:nx+2,-1:ny+2)
    integer :: i, j
    !$omp parallel private(i)
    !$omp do
    !@parallelRegion
    do j = 1, ny
      field(0,j) = field(1,j)
      field(-1,j) = field(2,j)
      field(nx+1,j) = field(nx,j)
      field(nx+2,j) = field(nx-1,j)
    end do
    !$omp do
    !@parallelRegion
    do i = -1, nx + 2
      field(i,0) = field(i,1)
      field(i,-1) = field(i,2)
      field(i,ny+1) = field(i,ny)
      field(i,ny+2) = field(i,ny-1)
    end do
    !$omp end parallel
  end subroutine mirror

  !> Artificial viscosity where the gas is compressed.
  subroutine viscous(nx, ny, density, pressure, u, v, q)
    integer, intent(in) :: nx, ny
    real(r8), intent(in), dimension(-1:nx+2,-1:ny+2) :: density, pressure
    real(r8), intent(in), dimension(-1:nx+3,-1:ny+3) :: u, v
    real(r8), intent(inout) :: q(-1:nx+2,-1:ny+2)
    real(r8) :: du, dv, px, py, p2, limit
    integer :: i, j
    !$omp parallel private(du, dv, px, py, p2, limit, i)
    !$omp do
    !@parallelRegion
    do j = 1, ny
      !$omp simd private(du, dv, px, py, p2, limit)
      do i = 1, nx
        du = u(i+1,j) + u(i+1,j+1) - u(i,j) - u(i,j+1)
        dv = v(i,j+1) + v(i+1,j+1) - v(i,j) - v(i+1,j)
        px = pressure(i+1,j) - pressure(i-1,j)
        py = pressure(i,j+1) - pressure(i,j-1)
        p2 = max(px*px + py*py, 1.0e-16_r8)
        limit = (0.5_r8*du*px*px + 0.5_r8*dv*py*py)/p2
        if (limit > 0.0_r8 .or. du + dv >= 0.0_r8) then
          q(i,j) = 0.0_r8
        else
          q(i,j) = 2.0_r8*density(i,j)*limit*limit
        end if
      end do
    end do
    !$omp end parallel
  end subroutine viscous

  !> The longest stable step.
  subroutine longest_step(nx, ny, density, sound, q, u, v, dt)
    integer, intent(in) :: nx, ny
    real(r8), intent(in), dimension(-1:nx+2,-1:ny+2) :: density, sound, q
    real(r8), intent(in), dimension(-1:nx+3,-1:ny+3) :: u, v
    real(r8), intent(out) :: dt
    real(r8) :: speed, flow
    integer :: i, j
    dt = 1.0_r8
    !$omp parallel private(speed, flow, i)
    !$omp do reduction(min:dt)
    !@parallelRegion{reduction(min:dt)}
    do j = 1, ny
      !$omp simd private(speed, flow) reduction(min:dt)
      do i = 1, nx
        speed = sqrt(sound(i,j)**2 + 2.0_r8*q(i,j)/density(i,j))
        flow = max(abs(u(i,j)), abs(u(i+1,j)), abs(v(i,j)), abs(v(i,j+1)))
        dt = min(dt, 0.4_r8/(nx*(speed + flow) + 1.0e-12_r8))
      end do
    end do
    !$omp end parallel
  end subroutine longest_step

  !> Work of the pressure on the cells.
  subroutine work_of_pressure(nx, ny, dt, density0, density1, energy0, energy1, pressure, q, u, v)
    integer, intent(in) :: nx, ny
    real(r8), intent(in) :: dt
    real(r8), intent(in), dimension(-1:nx+2,-1:ny+2) :: density0, energy0, pressure, q
    real(r8), intent(inout), dimension(-1:nx+2,-1:ny+2) :: density1, energy1
    real(r8), intent(in), dimension(-1:nx+3,-1:ny+3) :: u, v
    real(r8) :: change, total
    integer :: i, j
    !$omp parallel private(change, total, i)
    !$omp do
    !@parallelRegion
    do j = 1, ny
      !$omp simd private(change, total)
      do i = 1, nx
        total = 0.5_r8*dt*(u(i+1,j) + u(i+1,j+1) - u(i,j) - u(i,j+1))*nx &
          + 0.5_r8*dt*(v(i,j+1) + v(i+1,j+1) - v(i,j) - v(i+1,j))*ny
        change = 1.0_r8/(1.0_r8 + total)
        energy1(i,j) = energy0(i,j) - (pressure(i,j) + q(i,j))/density0(i,j)*total
        density1(i,j) = density0(i,j)*change
      end do
    end do
    !$omp end parallel
  end subroutine work_of_pressure

  !> Velocities at the corners from the pressure around them.
  subroutine accelerate(nx, ny, dt, density, pressure, q, u0, v0, u1, v1)
    integer, intent(in) :: nx, ny
    real(r8), intent(in) :: dt
    real(r8), intent(in), dimension(-1:nx+2,-1:ny+2) :: density, pressure, q
    real(r8), intent(in), dimension(-1:nx+3,-1:ny+3) :: u0, v0
    real(r8), intent(inout), dimension(-1:nx+3,-1:ny+3) :: u1, v1
    real(r8) :: mass
    integer :: i, j
    !$omp parallel private(mass, i)
    !$omp do
    !@parallelRegion
    do j = 1, ny + 1
      !$omp simd private(mass)
      do i = 1, nx + 1
        mass = 0.5_r8*dt/(0.25_r8*(density(i-1,j-1) + density(i,j-1) + density(i,j) + density(i-1,j)))
        u1(i,j) = u0(i,j) - mass*nx*(pressure(i,j) - pressure(i-1,j) + pressure(i,j-1) - pressure(i-1,j-1) &
          + q(i,j) - q(i-1,j) + q(i,j-1) - q(i-1,j-1))
        v1(i,j) = v0(i,j) - mass*ny*(pressure(i,j) - pressure(i,j-1) + pressure(i-1,j) - pressure(i-1,j-1) &
          + q(i,j) - q(i,j-1) + q(i-1,j) - q(i-1,j-1))
      end do
    end do
    !$omp end parallel
  end subroutine accelerate

  !> Volumes that flow through the faces.
  subroutine volumes(nx, ny, dt, u0, v0, u1, v1, flow_x, flow_y)
    integer, intent(in) :: nx, ny
    real(r8), intent(in) :: dt
    real(r8), intent(in), dimension(-1:nx+3,-1:ny+3) :: u0, v0, u1, v1
    real(r8), intent(inout), dimension(-1:nx+3,-1:ny+3) :: flow_x, flow_y
    integer :: i, j
    !$omp parallel private(i)
    !$omp do
    !@parallelRegion
    do j = 1, ny
      !$omp simd
      do i = 1, nx + 1
        flow_x(i,j) = 0.25_r8*dt*nx*(u0(i,j) + u0(i,j+1) + u1(i,j) + u1(i,j+1))
      end do
    end do
    !$omp end do nowait
    !$omp do
    !@parallelRegion
    do j = 1, ny + 1
      !$omp simd
      do i = 1, nx
        flow_y(i,j) = 0.25_r8*dt*ny*(v0(i,j) + v0(i+1,j) + v1(i,j) + v1(i+1,j))
      end do
    end do
    !$omp end parallel
  end subroutine volumes

  !> Mass and energy carried along x.
  subroutine carry_x(nx, ny, flow, density, energy, mass, heat, before, behind)
    integer, intent(in) :: nx, ny
    real(r8), intent(in) :: flow(-1:nx+3,-1:ny+3)
    real(r8), intent(inout), dimension(-1:nx+2,-1:ny+2) :: density, energy, before, behind
    real(r8), intent(inout), dimension(-1:nx+3,-1:ny+3) :: mass, heat
    real(r8) :: slope
    integer :: i, j
    !$omp parallel private(slope, i)
    !$omp do
    !@parallelRegion
    do j = 1, ny
      !$omp simd private(slope)
      do i = 1, nx
        before(i,j) = 1.0_r8 + flow(i+1,j) - flow(i,j)
      end do
    end do
    !$omp end do nowait
    !$omp do
    !@parallelRegion
    do j = 1, ny
      !$omp simd private(slope)
      do i = 1, nx
        behind(i,j) = 1.0_r8
      end do
    end do
    !$omp end do nowait
    !$omp do
    !@parallelRegion
    do j = 1, ny
      !$omp simd private(slope)
      do i = 1, nx + 1
        if (flow(i,j) > 0.0_r8) then
          slope = 0.5_r8*(density(i,j) - density(i-1,j))*(1.0_r8 - flow(i,j))
          mass(i,j) = flow(i,j)*(density(i-1,j) + slope)
          heat(i,j) = mass(i,j)*energy(i-1,j)
        else
          slope = 0.5_r8*(density(i,j) - density(i-1,j))*(1.0_r8 + flow(i,j))
          mass(i,j) = flow(i,j)*(density(i,j) - slope)
          heat(i,j) = mass(i,j)*energy(i,j)
        end if
      end do
    end do
    !$omp do
    !@parallelRegion
    do j = 1, ny
      !$omp simd private(slope)
      do i = 1, nx
        energy(i,j) = (energy(i,j)*density(i,j)*before(i,j) + heat(i,j) - heat(i+1,j)) &
          /(density(i,j)*before(i,j) + mass(i,j) - mass(i+1,j))
        density(i,j) = (density(i,j)*before(i,j) + mass(i,j) - mass(i+1,j))/behind(i,j)
      end do
    end do
    !$omp end parallel
  end subroutine carry_x

  !> Mass and energy carried along y.
  subroutine carry_y(nx, ny, flow, density, energy, mass, heat, before, behind)
    integer, intent(in) :: nx, ny
    real(r8), intent(in) :: flow(-1:nx+3,-1:ny+3)
    real(r8), intent(inout), dimension(-1:nx+2,-1:ny+2) :: density, energy, before, behind
    real(r8), intent(inout), dimension(-1:nx+3,-1:ny+3) :: mass, heat
    real(r8) :: slope
    integer :: i, j
    !$omp parallel private(slope, i)
    !$omp do
    !@parallelRegion
    do j = 1, ny
      !$omp simd private(slope)
      do i = 1, nx
        before(i,j) = 1.0_r8 + flow(i,j+1) - flow(i,j)
      end do
    end do
    !$omp end do nowait
    !$omp do
    !@parallelRegion
    do j = 1, ny
      !$omp simd private(slope)
      do i = 1, nx
        behind(i,j) = 1.0_r8
      end do
    end do
    !$omp end do nowait
    !$omp do
    !@parallelRegion
    do j = 1, ny + 1
      !$omp simd private(slope)
      do i = 1, nx
        if (flow(i,j) > 0.0_r8) then
          slope = 0.5_r8*(density(i,j) - density(i,j-1))*(1.0_r8 - flow(i,j))
          mass(i,j) = flow(i,j)*(density(i,j-1) + slope)
          heat(i,j) = mass(i,j)*energy(i,j-1)
        else
          slope = 0.5_r8*(density(i,j) - density(i,j-1))*(1.0_r8 + flow(i,j))
          mass(i,j) = flow(i,j)*(density(i,j) - slope)
          heat(i,j) = mass(i,j)*energy(i,j)
        end if
      end do
    end do
    !$omp do
    !@parallelRegion
    do j = 1, ny
      !$omp simd private(slope)
      do i = 1, nx
        energy(i,j) = (energy(i,j)*density(i,j)*before(i,j) + heat(i,j) - heat(i,j+1)) &
          /(density(i,j)*before(i,j) + mass(i,j) - mass(i,j+1))
        density(i,j) = (density(i,j)*before(i,j) + mass(i,j) - mass(i,j+1))/behind(i,j)
      end do
    end do
    !$omp end parallel
  end subroutine carry_y

  !> Momentum carried along x by the mass that flows.
  subroutine carry_momentum(nx, ny, density, mass, u, node, flux, carried)
    integer, intent(in) :: nx, ny
    real(r8), intent(in) :: density(-1:nx+2,-1:ny+2)
    real(r8), intent(in) :: mass(-1:nx+3,-1:ny+3)
    real(r8), intent(inout), dimension(-1:nx+3,-1:ny+3) :: u, node, flux, carried
    integer :: i, j
    !$omp parallel private(i)
    !$omp do
    !@parallelRegion
    do j = 2, ny
      !$omp simd
      do i = 2, nx
        flux(i,j) = 0.25_r8*(mass(i,j-1) + mass(i,j) + mass(i+1,j-1) + mass(i+1,j))
      end do
    end do
    !$omp end do nowait
    !$omp do
    !@parallelRegion
    do j = 2, ny
      !$omp simd
      do i = 2, nx
        node(i,j) = 0.25_r8*(density(i,j-1) + density(i,j) + density(i-1,j-1) + density(i-1,j))
      end do
    end do
    !$omp do
    !@parallelRegion
    do j = 2, ny
      !$omp simd
      do i = 2, nx
        carried(i,j) = flux(i,j)*merge(u(i,j), u(i+1,j), flux(i,j) > 0.0_r8)
      end do
    end do
    !$omp do
    !@parallelRegion
    do j = 2, ny
      !$omp simd
      do i = 3, nx
        u(i,j) = (u(i,j)*node(i,j) + carried(i-1,j) - carried(i,j))/(node(i,j) + flux(i-1,j) - flux(i,j))
      end do
    end do
    !$omp end parallel
  end subroutine carry_momentum

  !> The new fields become those of the next step.
  subroutine take_over(nx, ny, density0, density1, energy0, energy1, u0, u1, v0, v1)
    integer, intent(in) :: nx, ny
    real(r8), intent(inout), dimension(-1:nx+2,-1:ny+2) :: density0, energy0
    real(r8), intent(in), dimension(-1:nx+2,-1:ny+2) :: density1, energy1
    real(r8), intent(inout), dimension(-1:nx+3,-1:ny+3) :: u0, v0
    real(r8), intent(in), dimension(-1:nx+3,-1:ny+3) :: u1, v1
    integer :: i, j
    !$omp parallel private(i)
    !$omp do
    !@parallelRegion
    do j = 1, ny
      !$omp simd
      do i = 1, nx
        density0(i,j) = density1(i,j)
      end do
    end do
    !$omp end do nowait
    !$omp do
    !@parallelRegion
    do j = 1, ny
      !$omp simd
      do i = 1, nx
        energy0(i,j) = energy1(i,j)
      end do
    end do
    !$omp end do nowait
    !$omp do
    !@parallelRegion
    do j = 1, ny + 1
      !$omp simd
      do i = 1, nx + 1
        u0(i,j) = u1(i,j)
      end do
    end do
    !$omp end do nowait
    !$omp do
    !@parallelRegion
    do j = 1, ny + 1
      !$omp simd
      do i = 1, nx + 1
        v0(i,j) = v1(i,j)
      end do
    end do
    !$omp end parallel
  end subroutine take_over

  !> Mass and energy of all cells.
  subroutine totals(nx, ny, density, energy, mass, total)
    integer, intent(in) :: nx, ny
    real(r8), intent(in), dimension(-1:nx+2,-1:ny+2) :: density, energy
    real(r8), intent(out) :: mass, total
    integer :: i, j
    mass = 0.0_r8
    total = 0.0_r8
    !$omp parallel private(i)
    !$omp do reduction(+:mass, total)
    !@parallelRegion{reduction(+:mass), reduction(+:total)}
    do j = 1, ny
      !$omp simd reduction(+:mass, total)
      do i = 1, nx
        mass = mass + density(i,j)
        total = total + density(i,j)*energy(i,j)
      end do
    end do
    !$omp end parallel
  end subroutine totals
end module hydro
