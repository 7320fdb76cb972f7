! Macros that the file defines by itself: sizes, values, and one that stands for variables
#define NXM 6
#define NYM 5
#define SCALED(v) (v*factor)
#define Shift offset
#define NK 3
module file_macros
  implicit none
  integer, parameter :: ny = NYM
  real(8) :: offset = 0.5d0
contains
  subroutine run()
    real(8) :: a(NXM,NYM,NK), b(NXM,NYM), factor
    integer :: i, j, k, nk
    factor = 1.25d0
    nk = 2
    do k = 1, 3
      do j = 1, NYM
        do i = 1, NXM
          a(i,j,k) = i + 0.1d0*j + 0.01d0*k*k
        end do
      end do
    end do
    do j = 1, NYM
    do i = 1, NXM
    b(i,j) = Shift*j
    do k = 1, NK
      a(i,j,k) = SCALED(a(i,j,k)) + NXM*b(i,j)*nk
    end do
    end do
    end do
    print '(6es24.16)', a(:,:,2)
  end subroutine run
end module file_macros
