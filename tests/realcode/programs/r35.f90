! row 35: data statements with implied do and repeat counts
module r35
  implicit none
  real(8) :: table(4,3)
  integer :: n_, m_
  data ((table(n_,m_), n_=1, 4), m_=1, 2) /8*0.5d0/, (table(n_,3), n_=1, 4) /1.d0, 2*2.d0, 3.d0/
contains
  subroutine run()
    real(8) :: a(4,3)
    integer :: i, j, w(5)
    real(8) :: c
    data w /2*1, 3*7/, c /0.25d0/
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        a(i,j) = table(i,j)*c + w(i)
      end do
    end do
    !@end parallelRegion
    print '(es24.16)', a
  end subroutine run
end module r35
