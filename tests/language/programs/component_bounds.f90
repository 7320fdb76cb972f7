module component_bounds
  implicit none
  type state
    integer :: nx, ny
    real(8), allocatable :: a(:,:), b(:,:)
  end type state
contains
  subroutine step(x, t)
    type(state), intent(inout) :: x
    real(8), intent(in) :: t(:,:)
    integer :: i, j
    !@parallelRegion
    do j = 1, x%ny
      do i = 1, x%nx
        x%a(i,j) = t(i,j) + 1
      end do
    end do
    !@parallelRegion
    do j = 1, size(x%b, 2)
      do i = 1, x%nx
        x%b(i,j) = 2*x%a(i,j) + i
      end do
    end do
  end subroutine step
  subroutine run
    type(state) :: x
    real(8) :: t(7,9)
    integer :: i, j
    x%nx = 6
    x%ny = 9
    allocate(x%a(7,9), x%b(7,9))
    x%a = -1
    x%b = -1
    t = reshape([((3*i + j*j, i=1,7), j=1,9)], [7, 9])
    call step(x, t)
    print '(7f9.1)', x%a, x%b
  end subroutine run
end module component_bounds
