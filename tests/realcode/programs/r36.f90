! row 36: labelled loops, two loops that end on one label
module r36
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3), s
    integer :: i, j, k, l
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do 10 j = 1, 3
      do 10 i = 1, 4
        s = 0
        do 20 k = 1, 3
        do 20 l = 1, 2
   20   s = s + k*l + i
        a(i,j) = s*j
   10 continue
    !@end parallelRegion
    do 30 i = 1, 4
      a(i,1) = -a(i,1)
   30 continue
    print '(es24.16)', a
  end subroutine run
end module r36
