! Allocatable arrays that are first the result of an intrinsic function: GCC 12 leaves the distances of their elements unset.
module first_results
  implicit none
  integer, allocatable :: list(:)
  logical, allocatable :: wet(:,:)
contains
  subroutine find(n, h)
    integer, intent(in) :: n
    real(8), intent(in) :: h(n)
    integer :: i
    list = pack([(i, i = 1, n)], h > 4)
    wet = reshape(h > 2, [2, n/2])
  end subroutine find

  subroutine step(n, h)
    integer, intent(in) :: n
    real(8), intent(inout) :: h(n)
    integer, allocatable :: turned(:)
    integer :: i
    turned = cshift(list, 1)
    !@parallelRegion
    do i = 1, size(list)
      h(list(i)) = h(list(i)) + turned(i)
      if (wet(2, (list(i) + 1)/2)) turned(i) = -turned(i)
    end do
    print '(10i4)', turned, turned(2:3)
    call double(turned)
    print '(10i4)', turned
  end subroutine step

  subroutine double(whole)
    integer, intent(inout) :: whole(:)
    integer :: i
    !@parallelRegion
    do i = 1, size(whole)
      whole(i) = 2*whole(i)
    end do
  end subroutine double

  subroutine run
    real(8) :: h(12)
    integer :: i
    h = [(modulo(5*i, 12), i = 1, 12)]
    call find(12, h)
    call step(12, h)
    print '(12f6.1)', h
  end subroutine run
end module first_results
