! row 51: a fixed-form routine called between regions
module r51
  implicit none
contains
  subroutine run()
    real(8) :: a(4), b(4)
    integer :: i
    !@parallelRegion{domName(i), domSize(4)}
    do i = 1, 4
      a(i) = i
    end do
    !@end parallelRegion
    call r51fix(4, a, b)
    print '(es24.16)', b
  end subroutine run
end module r51
