! Named constants whose values ask what is declared of themselves.
module declared_constants
  implicit none
  integer, dimension(2,2), parameter :: table = reshape([1, 3, 3, 2], shape(table))
  real(8), parameter :: eps = 4*epsilon(eps), most = huge(most)/2
  integer, parameter :: first(3) = [1, 2, 2 + size(first)]
contains
  subroutine step(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    real(8) :: w(4)
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      w = i
      w(table(2,1)) = 5
      a(i) = a(i) + table(mod(i,2)+1, 2) + eps + first(3)*w(3) + w(2)
      if (a(i) > most) a(i) = 0
    end do
    !@end parallelRegion
  end subroutine step
  subroutine run()
    real(8) :: a(6)
    a = 1
    call step(6, a)
    print *, a
  end subroutine run
end module declared_constants
