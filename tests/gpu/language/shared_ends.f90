! Loops that end on a label together, or on a statement that does something, around and in regions.
module shared_ends
  implicit none
  integer, parameter :: n = 9, k = 7, l = 5
contains
  subroutine run
    real(8) :: a(n,k,l), b(n,k,l), c(n), s
    integer :: i, j, m, t
    do 10 m = 1, l
    do 10 j = 1, k
    do 10 i = 1, n
      b(i,j,m) = 0
10  a(i,j,m) = i + 10*j + 100*m
    c = 1
    do 20 m = 2, l
      c(1) = m
      do 20, j = 2, k
        c(1) = c(1) + j
        !@parallelRegion
        do 20 i = 1, n
          if (mod(i, 3) == 0) goto 20
          b(i,j,m) = b(i,j-1,m-1) + a(i,j,m)*c(1)
20  continue
    do 30 m = 2, l
      !@parallelRegion
      do 30 i = 1, n
        if (i > 3) then
          a(i,1,m) = a(i,1,m-1) + 1
          go to 30
        end if
        a(i,2,m) = a(i,2,m-1)*2
30  if (i == 5) a(i,3,m) = -a(i,3,m-1)
    s = 0
    do 40 t = 1, 3
      !@parallelRegion
      do 50 m = 1, l
      do 50 i = 1, n
50      a(i,1,m) = a(i,1,m) + b(i,2,m)*t
      s = s + b(t,3,t)
40  b(t,3,t) = a(t,1,t)
    do 60 t = 1, 3
      !@parallelRegion
      do i = 1, n
        c(i) = c(i) + a(i,1,t)
      end do
      do 60 j = 2, k
        c(j) = c(j)*0.5d0
        !@parallelRegion
        do 60 m = 1, l
        do 60 i = 1, n
60      b(i,j,m) = b(i,j-1,m) + c(i)
    do 70 j = 1, k
      !@parallelRegion
      do i = 1, n
        c(i) = c(i) + i + j
      end do
      do 70 i = 1, n
        a(i,j,1) = c(i) + a(i,max(1,j - 1),1)
70  continue
    !@parallelRegion
    do j = 1, k
      do i = 1, n
        a(i,j,1) = 2*a(i,j,1)
      end do
    end do
    print '(9f10.2)', s
    print '(9f10.2)', c
    print '(9f10.2)', a
    print '(9f10.2)', b
  end subroutine run
end module shared_ends
