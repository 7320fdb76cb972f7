module stride
  implicit none
  integer, parameter :: n = 19, m = 3, block = 4
contains
  subroutine run()
    real(8) :: a(n,m)
    integer :: i, j
    do j = 1, m; do i = 1, n
      a(i,j) = (i + 0.1d0*j)*2 + block*((i - 1)/block) + 1
    end do; end do
    print '(es24.16)', a
  end subroutine run
end module stride
