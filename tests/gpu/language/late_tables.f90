module late_tables
  ! A table of a called routine, which gets its values behind the first executable statement.
  implicit none
contains
  subroutine run
    real(8) :: b(8)
    call filled(8, b)
    print '(8f7.2)', b
  end subroutine run

  subroutine filled(n, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: b(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      b(i) = looked(i)
    end do
  end subroutine filled

  real(8) function looked(i)
    integer, intent(in) :: i
    real(8) :: table(2)
    looked = 0
    data table /0.25d0, 0.5d0/
    looked = table(mod(i, 2) + 1)
  end function looked
end module late_tables
