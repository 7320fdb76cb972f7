!> A dry thermal rising from heated ground: a small weather model.
!>
!>   weather [FILE [NX NY NZ [NSTEPS [NFRAMES [NKEEP]]]]]
!>
!> With NKEEP the state is kept in FILE.restart every NKEEP steps, and the same command goes on from there.
program weather
  use grid, only: grid_init, dt
  use simulation, only: simulate
  implicit none

  character(len=256) :: file
  integer :: nx, ny, nz, nsteps, nframes, nkeep

  file = "weather.dat"
  if (command_argument_count() > 0) call get_command_argument(1, file)
  nx = integer_argument(2, 56)
  ny = integer_argument(3, 44)
  nz = integer_argument(4, 48)
  nsteps = integer_argument(5, 1080)
  nframes = integer_argument(6, 3)
  nkeep = integer_argument(7, 0)
  if (nsteps < 1 .or. nframes < 1 .or. nkeep < 0) then
    write(*,*) "weather: at least one step and one frame are needed"
    stop 1
  end if

  call grid_init(nx, ny, nz)
  write(*, "(a,i0,a,i0,a,i0,a,i0,a,f6.3,a)") "weather: ", nx, " x ", ny, " x ", nz, " points, ", &
    nsteps, " steps of ", dt, " s"
  call simulate(trim(file), nsteps, nframes, nkeep)
  write(*, "(a,a)") "weather: wrote ", trim(file)

contains

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
      write(*,*) "weather: not a number: ", trim(text)
      stop 1
    end if
  end function integer_argument

end program weather
