! row 24: preprocessor lines around arguments, loop heads, inside a continued statement; macros
#define HALF 0.5d0
#define SQUARE(v) ((v)*(v))
#if defined(NEVER_DEFINED) && !defined(ALSO_NEVER)
#error "unreachable"
#endif
module r24
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3), b(4,3)
    integer :: n
    a = reshape([(0.1d0*n, n=1, 12)], [4, 3])
    b = 0
    call step(a, &
#ifdef NEVER_DEFINED
      & 17, &
#endif
      & b)
    print '(es24.16)', b
  end subroutine run
  subroutine step(a, &
#ifdef NEVER_DEFINED
      & extra, &
#endif
      & b)
#ifdef NEVER_DEFINED
    integer, intent(in) :: extra
#endif
    real(8), intent(in) :: a(4,3)
    real(8), intent(inout) :: b(4,3)
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
#ifdef NEVER_DEFINED
      do i = 2, 4
#else
      do i = 1, 4
#endif
        b(i,j) = SQUARE(a(i,j)) &
#ifndef NEVER_DEFINED
          & + HALF*i &
#endif
          & + j
      end do
    end do
    !@end parallelRegion
  end subroutine step
end module r24
