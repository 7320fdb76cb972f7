! Arrays that may have gaps, and whose shape alone regions use.
module asked
  implicit none
contains
  subroutine work(u, v)
    real(8), intent(in) :: u(:,:)
    real(8), intent(inout) :: v(:)
    integer :: i
    !@parallelRegion
    do i = 1, size(v)
      v(i) = v(i) + i*size(u, 1) + ubound(u, 2)
    end do
  end subroutine work
  subroutine pointed(p, v)
    real(8), pointer, intent(in) :: p(:)
    real(8), intent(inout) :: v(:)
    integer :: i
    !@parallelRegion
    do i = 1, size(v)
      v(i) = v(i) + 10*i*size(p)
    end do
  end subroutine pointed
  subroutine run()
    real(8), target :: a(6,5), v(4)
    real(8), pointer :: p(:)
    a = 1; v = 0
    call work(a(1:5:2,2:4), v)
    call work(a, v)
    p => a(:,3)
    call pointed(p, v)
    print *, v
    p => a(2,:)
    call pointed(p, v(1:4:2))
    print *, v
  end subroutine run
end module asked
