!> Steps of a gas with a dense, hot corner.
!>
!>   hydro [FILE [N [NSTEPS]]]
program main
  use hydro
  implicit none
  character(len=256) :: file
  character(len=32) :: text
  integer :: sizes(2), n

  file = ""
  sizes = [200, 200]
  if (command_argument_count() > 0) call get_command_argument(1, file)
  do n = 1, min(2, command_argument_count() - 1)
    call get_command_argument(n + 1, text)
    read(text, *) sizes(n)
  end do
  call run(sizes(1), sizes(1), sizes(2))

contains

  subroutine run(nx, ny, nsteps)
    integer, intent(in) :: nx, ny, nsteps
    real(r8), allocatable, dimension(:,:) :: density0, density1, energy0, energy1, pressure, q, sound, before, behind
    real(r8), allocatable, dimension(:,:) :: u0, u1, v0, v1, flow_x, flow_y, mass, heat, node, flux, carried
    real(r8) :: dt, total, sum_mass
    integer(8) :: start, finish, rate
    integer :: i, j, step, unit
    allocate(density0(-1:nx+2,-1:ny+2), density1(-1:nx+2,-1:ny+2), energy0(-1:nx+2,-1:ny+2), &
      energy1(-1:nx+2,-1:ny+2), pressure(-1:nx+2,-1:ny+2), q(-1:nx+2,-1:ny+2), sound(-1:nx+2,-1:ny+2), &
      before(-1:nx+2,-1:ny+2), behind(-1:nx+2,-1:ny+2))
    allocate(u0(-1:nx+3,-1:ny+3), u1(-1:nx+3,-1:ny+3), v0(-1:nx+3,-1:ny+3), v1(-1:nx+3,-1:ny+3), &
      flow_x(-1:nx+3,-1:ny+3), flow_y(-1:nx+3,-1:ny+3), mass(-1:nx+3,-1:ny+3), heat(-1:nx+3,-1:ny+3), &
      node(-1:nx+3,-1:ny+3), flux(-1:nx+3,-1:ny+3), carried(-1:nx+3,-1:ny+3))
    do j = -1, ny + 2
      do i = -1, nx + 2
        density0(i,j) = merge(1.0_r8, 0.2_r8, i < nx/3 .and. j < ny/3) + 1.0e-3_r8*mod(7*i + 11*j + 100, 13)
        energy0(i,j) = merge(2.5_r8, 1.0_r8, i < nx/3 .and. j < ny/3)
      end do
    end do
    density1 = density0; energy1 = energy0
    pressure = 0; q = 0; sound = 0; before = 1; behind = 1
    u0 = 0; u1 = 0; v0 = 0; v1 = 0; flow_x = 0; flow_y = 0; mass = 0; heat = 0; node = 1; flux = 0; carried = 0
    call system_clock(start, rate)
    do step = 1, nsteps
      call ideal_gas(nx, ny, density0, energy0, pressure, sound)
      call mirror(nx, ny, pressure)
      call mirror(nx, ny, density0)
      call mirror(nx, ny, energy0)
      call viscous(nx, ny, density0, pressure, u0, v0, q)
      call mirror(nx, ny, q)
      call longest_step(nx, ny, density0, sound, q, u0, v0, dt)
      call work_of_pressure(nx, ny, 0.5_r8*dt, density0, density1, energy0, energy1, pressure, q, u0, v0)
      call ideal_gas(nx, ny, density1, energy1, pressure, sound)
      call mirror(nx, ny, pressure)
      call accelerate(nx, ny, dt, density0, pressure, q, u0, v0, u1, v1)
      call work_of_pressure(nx, ny, dt, density0, density1, energy0, energy1, pressure, q, u1, v1)
      call volumes(nx, ny, dt, u0, v0, u1, v1, flow_x, flow_y)
      call mirror(nx, ny, density1)
      call mirror(nx, ny, energy1)
      call carry_x(nx, ny, flow_x, density1, energy1, mass, heat, before, behind)
      call carry_momentum(nx, ny, density1, mass, u1, node, flux, carried)
      call mirror(nx, ny, density1)
      call mirror(nx, ny, energy1)
      call carry_y(nx, ny, flow_y, density1, energy1, mass, heat, before, behind)
      call carry_momentum(nx, ny, density1, mass, v1, node, flux, carried)
      call take_over(nx, ny, density0, density1, energy0, energy1, u0, u1, v0, v1)
    end do
    call totals(nx, ny, density0, energy0, sum_mass, total)
    call system_clock(finish)
    write(*, "(a,f12.6)") "seconds ", real(finish - start, r8)/rate
    write(*, "(a,2es16.8)") "totals ", sum_mass, total
    if (file == "") return
    open(newunit=unit, file=trim(file), access="stream", form="unformatted", status="replace")
    write(unit) density0, energy0, u0, v0
    close(unit)
  end subroutine run
end program main
