module entered_too
  implicit none
contains
  subroutine run()
    real(8) :: a(40), b(40)
    integer :: i, k
    a = [(i*0.5d0, i = 1, 40)]
    b = 0
    do k = 1, 3
      call work(40, k, a, b)
      print '(5f12.4)', b(::4)
    end do
  end subroutine
  subroutine work(n, k, a, b)
    integer, intent(in) :: n, k
    real(8), intent(inout) :: a(n), b(n)
    integer :: i
    if (k - 2) 25, 30, 35
    
25  do i = 1, n
      b(i) = a(i) + i
    end do
    
    return
    
30  do i = 1, n
      b(i) = 2*a(i) + i
    end do
    
    if (b(3) > 4) goto 25
    return
35  continue
    
    do i = 1, n
      b(i) = 3*a(i) + i
    end do
    
  end subroutine
end module entered_too
