! a routine between kernels and host code knows nothing of a common block whose arrays are on the device
module commons_around
  implicit none
contains
  subroutine run()
    real(8) :: a(5), b(5,2), s
    common /commons_around_a/ s, a, b
    s = 1
    a = [1, 2, 3, 4, 5]
    b = 0.5d0
    call commons_around_top(5, 3)
  end subroutine run
end module commons_around

subroutine commons_around_top(n, m)
  implicit none
  integer, intent(in) :: n, m
  real(8) :: a(5), b(5,2), s
  common /commons_around_a/ s, a, b
  integer :: i, k
  do k = 1, m
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = a(i) + k*b(i,1)
      b(i,2) = a(i) - s
    end do
    !@end parallelRegion
    call commons_around_middle(n, k)
  end do
  print '(5es22.14)', a, b
end subroutine
! works on the device by itself, and knows nothing of the block
subroutine commons_around_middle(n, k)
  implicit none
  integer, intent(in) :: n, k
  real(8) :: w(7)
  integer :: i
  call commons_around_lower(k)
  !@parallelRegion{domName(i), domSize(n)}
  do i = 1, n
    w(i) = i
  end do
  !@end parallelRegion
  if (w(2) > 0) call commons_around_lower(k + 1)
end subroutine
subroutine commons_around_lower(k)
  implicit none
  integer, intent(in) :: k
  real(8) :: t, first(5), second(5,2)
  common /commons_around_a/ t, first, second
  first(k) = first(k)*2 + second(1,2)
  second(k,1) = second(k,1) + 1
  t = t + 1
  call commons_around_deepest
end subroutine
subroutine commons_around_deepest
  real(8) :: g, f(5)
  common /commons_around_a/ g, f
  f(5) = f(5) + f(1)
end subroutine
