module late_data
  ! Values that "data" statements among the executable ones give: arrays have them at the start, and keep what is set.
  implicit none
contains
  subroutine run
    real(8) :: b(8)
    integer :: turn
    do turn = 1, 3
      call filled(8, b)
      print '(8f7.1)', b
      call counted(8, b)
      print '(8f7.1)', b
    end do
  end subroutine run

  subroutine filled(n, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: b(n)
    real(8) :: w(3), last
    integer :: i
    b = 0
    data w, last /2*2.d0, 5.d0, 7.d0/
    !@parallelRegion
    do i = 1, n
      b(i) = w(mod(i, 3) + 1) + last
    end do
    w(2) = 4
    last = last + 1
  end subroutine filled

  subroutine counted(n, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: b(n)
    real(8) :: total(8)
    integer :: i
    if (n > 8) return
    data total(1:4) /4*100.d0/, (total(i), i = 5, 8) /4*200.d0/
    !@parallelRegion
    do i = 1, n
      total(i) = total(i) + b(i)
      b(i) = total(i)
    end do
  end subroutine counted

end module late_data
