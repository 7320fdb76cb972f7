! Surface fluxes and turbulence in columns.
!
!   columns [FILE [NX NY NZ [NSTEPS]]]
program columns
  use pp_size, only: nx, ny, nz
  use columns_run, only: run_columns
  implicit none

  character(len=256) :: file
  character(len=32) :: text
  integer :: sizes(4), n

  file = "columns.dat"
  sizes = [64, 48, 40, 240]
  if (command_argument_count() > 0) call get_command_argument(1, file)
  do n = 1, min(4, command_argument_count() - 1)
    call get_command_argument(n + 1, text)
    read(text, *) sizes(n)
  end do
  nx = sizes(1)
  ny = sizes(2)
  nz = sizes(3)
  call run_columns(trim(file), sizes(4))
end program columns
