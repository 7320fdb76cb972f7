! Local arrays of points whose sizes were worked out from variables that have other values since, or parts that change.
module changed_sizes
  implicit none
  type :: sheet
    real(8), allocatable :: level(:), thick(:)
  end type sheet
contains
  subroutine step(n, x)
    integer, intent(inout) :: n
    real(8), intent(inout) :: x(4)
    real(8) :: w(0:2*n), v(n, 3)
    integer :: i, k, last
    last = n
    n = 2
    !@parallelRegion{private(w, v)}
    do i = 1, 4
      w = i
      v = 2*i
      do k = 1, last
        w(k) = w(k-1) + x(i)
        v(k, n) = w(k) + n
      end do
      x(i) = sum(w) + ends(v(:, 2)) + size(w) + ubound(v, 1) + lbound(w, 1)
    end do
  end subroutine step

  pure real(8) function ends(a)
    real(8), intent(in) :: a(:)
    ends = a(1) + 10*a(size(a))
  end function ends

  subroutine columns(s)
    type(sheet), intent(inout) :: s
    real(8) :: sums(0:size(s%level) - 1)
    integer :: i, k
    !@parallelRegion{private(sums)}
    do i = 1, size(s%thick)
      sums(0) = 0
      do k = 1, ubound(s%level, 1)
        sums(k) = sums(k-1) + s%level(k)*s%thick(i)
      end do
      s%thick(i) = maxval(sums)
    end do
  end subroutine columns

  subroutine run
    type(sheet) :: s
    real(8) :: x(4)
    integer :: n, k
    n = 5
    x = [1, 2, 3, 4]
    call step(n, x)
    allocate (s%level(0:6), s%thick(5))
    s%level = [(0.5d0*k, k = 0, 6)]
    s%thick = [1, 2, 3, 4, 5]
    call columns(s)
    print '(9f12.4)', x, s%thick
  end subroutine run
end module changed_sizes
