! Arithmetic ifs and computed gotos: in regions, in routines that kernels call, between regions, in loops.
module branches
  implicit none
  real(8) :: held(4,3)
  integer :: way(4,3)
contains
  subroutine run()
    real(8) :: a(4,3), total
    integer :: i, j, turn
    do j = 1, 3
      do i = 1, 4
        held(i,j) = i - j + 0.25d0*(i - 2)
        way(i,j) = 3*i - 2*j
      end do
    end do
    turn = 0
    a = 0
5   continue
    call inside(a, turn)
    turn = turn + 1
    if (turn - 2) 5, 7, 9
7   a(1,1) = a(1,1) + 100
    goto 5
9   continue
    print '(es24.16)', a
    call between(a, total)
    print '(es24.16)', total, a
    call searched(a)
    print '(es24.16)', a
  end subroutine run

  subroutine inside(a, turn)
    real(8), intent(inout) :: a(4,3)
    integer, intent(in) :: turn
    integer :: i, j, k
    real(8) :: x
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        x = 0
        if (held(i,j)) 10, 20, 30
10      x = 1
        goto 40
20      x = 2; if (i*j - 4) 40, 40, 30
30      x = x + 3
40      if (i - j + turn) 50, 50, 60
50      x = x + 10
60      go to (70, 80, 70) way(i,j) - 2
        x = x + 100
        if (i + j > 4) goto (80, 90), i
70      x = x + 0.5d0
80      x = 2*x
90      continue
        do k = 1, 4
          if (k - i) 100, 110, 120
100       x = x + k
          goto 120
110       cycle
120       x = x - 0.125d0*k*j
        end do
        a(i,j) = a(i,j) + chosen(x, held(i,j), i - 2)
      end do
    end do
    !@end parallelRegion
  end subroutine inside

  pure function chosen(x, y, n) result(z)
    real(8), intent(in) :: x, y
    integer, intent(in) :: n
    real(8) :: z
    if (.not. x < 0) go to (1, 2, 3, 2), n + 1
    z = -1
    if (x*y) 4, 4, 5
1   z = x
    return
2   z = x + y
    return
3   z = 10*y
    return
4   z = z - y
5   z = z + 1
  end function chosen

  subroutine between(a, total)
    real(8), intent(inout) :: a(4,3)
    real(8), intent(out) :: total
    integer :: i, j, n
    total = 0
    do n = 1, 5
      !@parallelRegion{domName(i,j), domSize(4,3)}
      do j = 1, 3
        do i = 1, 4
          a(i,j) = a(i,j) + 0.5d0*held(i,j)*n
        end do
      end do
      !@end parallelRegion
      if (a(2,2) - 20) 10, 20, 20
10    total = total + a(1,2)
      go to (30, 40), n
20    total = total + 1000*a(3,1)
      if (n > 3) go to (30, 40), n - 3
30    continue
      !@parallelRegion{domName(i,j), domSize(4,3)}
      do j = 1, 3
        do i = 1, 4
          a(i,j) = 0.75d0*a(i,j) - i
        end do
      end do
      !@end parallelRegion
40    continue
    end do
  end subroutine between

  subroutine searched(a)
    real(8), intent(inout) :: a(4,3)
    integer :: i, j, low, high, mid
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        low = 1
        high = 60
1       mid = (low + high)/2
        if (mid*mid - (13*i + 101*j)) 2, 4, 3
2       low = mid + 1
        if (low - high) 1, 1, 4
3       high = mid - 1
        if (low <= high) goto 1
4       a(i,j) = a(i,j) + mid
      end do
    end do
    !@end parallelRegion
  end subroutine searched
end module branches
