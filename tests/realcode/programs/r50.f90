! row 50: equivalence, complex, implicit typing, contiguous
module r50
contains
  subroutine run()
    implicit real(8) (a-h, o-z)
    dimension b(4,3)
    complex(8) :: c(4,3), w
    real(8) :: flat(12), grid(4,3)
    equivalence (flat, grid)
    do n = 1, 12
      flat(n) = 0.1d0*n
    end do
    w = (0.5d0, -1.d0)
    factor = 3
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        b(i,j) = factor*grid(i,j)
        c(i,j) = cmplx(b(i,j), i, 8)*w + conjg(w)
        b(i,j) = b(i,j) + aimag(c(i,j))
      end do
    end do
    !@end parallelRegion
    call last(b)
    print '(2es24.16)', c
    print '(es24.16)', b, flat
  end subroutine run
  subroutine last(b)
    real(8), contiguous, intent(inout) :: b(:,:)
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        b(i,j) = -b(i,j)
      end do
    end do
    !@end parallelRegion
  end subroutine last
end module r50
