! Starting points for the particles: two records of doubles, as the C version of the program writes them.
program make_input
  implicit none
  integer, parameter :: n = 600
  real(8) :: x(n), y(n)
  integer :: i
  do i = 1, n
    x(i) = 1.5d0*cos(0.01d0*i) + 0.001d0*i
    y(i) = 0.5d0*sin(0.02d0*i)
  end do
  open(11, file='../input_x.dat', form='unformatted', access='stream', status='replace')
  write(11) x
  close(11)
  open(11, file='../input_y.dat', form='unformatted', access='stream', status='replace')
  write(11) y
  close(11)
  print *, 'input ok'
end program make_input
