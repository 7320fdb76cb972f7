! A picture of the Mandelbrot set: mandelbrot FILE NX TURNS
program mandelbrot
  use fractal, only: escape, sp
  implicit none
  real(sp), parameter :: left = -2.0_sp, right = 0.47_sp, bottom = -1.12_sp, top = 1.12_sp
  integer, allocatable :: picture(:,:)
  character(200) :: word
  integer :: nx, ny, turns, unit
  real(sp) :: dx, dy

  nx = 1024
  turns = 1000
  if (command_argument_count() < 1) error stop 'usage: mandelbrot FILE [NX TURNS]'
  if (command_argument_count() > 2) then
    call get_command_argument(2, word)
    read(word, *) nx
    call get_command_argument(3, word)
    read(word, *) turns
  end if
  ny = int(nx * (top - bottom) / (right - left))
  dx = (right - left) / nx
  dy = (top - bottom) / ny
  allocate(picture(nx,ny))
  call escape(nx, ny, left, bottom, dx, dy, turns, picture)

  call get_command_argument(1, word)
  open(newunit=unit, file=trim(word), access='stream', form='unformatted', status='replace')
  write(unit) nx, ny, picture
  close(unit)
  print '(a,i0,a,i0)', 'sum ', sum(int(picture, selected_int_kind(12))), ', never left ', count(picture == 0)
end program mandelbrot
