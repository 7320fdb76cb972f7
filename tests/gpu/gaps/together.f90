! Arrays with gaps beside what has elements in common with them, or lies in the gaps.
module together
  implicit none
  real(8) :: g(6,6)
contains
  subroutine both(a, b, c)
    real(8), intent(in) :: a(:), b(:)
    real(8), intent(inout) :: c(:)
    integer :: i
    !@parallelRegion
    do i = 1, size(c)
      c(i) = c(i) + a(i)*b(i)
    end do
  end subroutine
  subroutine outer(a)
    real(8), intent(inout) :: a(:)
    integer :: i
    !@parallelRegion
    do i = 1, size(a)
      a(i) = a(i) + 1
    end do
    ! the gaps belong to others, which may change
    g(2::2,1) = g(2::2,1)*3
    call inner(g(2::2,1))
    g(2::2,1) = g(2::2,1) + 0.5d0
    call inner(a(2:))
    !@parallelRegion
    do i = 1, size(a)
      a(i) = a(i)*2
    end do
  end subroutine
  subroutine inner(a)
    real(8), intent(inout) :: a(:)
    integer :: i
    !@parallelRegion
    do i = 1, size(a)
      a(i) = a(i) + i
    end do
  end subroutine
  subroutine flat(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      a(i) = a(i) + i
    end do
  end subroutine
  subroutine onward(a)
    real(8), intent(inout) :: a(:,:)
    integer :: i, j
    !@parallelRegion
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i,j) = a(i,j) + i
      end do
    end do
    call flat(size(a), a)
    a(1,1) = a(1,1)*2
    call plain(a)
    !@parallelRegion
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i,j) = a(i,j)*i
      end do
    end do
  end subroutine
  subroutine plain(a)
    real(8), intent(inout) :: a(2,*)
    a(1,1:2) = a(1,1:2) + a(2,2)
  end subroutine
  subroutine empty(a)
    real(8), intent(inout) :: a(:,:)
    integer :: i, j
    !@parallelRegion
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i,j) = a(i,j) + i
      end do
    end do
  end subroutine
  subroutine run()
    real(8) :: c(3), x(6,6)
    integer :: i, j
    do j = 1, 6
      do i = 1, 6
        g(i,j) = i + 10*j
        x(i,j) = i*j
      end do
    end do
    c = 1
    call both(g(1:3,2), g(1:5:2,4), c)
    call both(x(1,1:3), x(1:3,5), g(2,1:5:2))
    print *, c, g(2,:)
    call outer(g(1::2,1))
    print *, g
    call onward(x(2:5:3,2:4))
    call onward(x(2:3,5:6))
    print *, x
    call empty(x(2:5:2,3:2))
    call empty(x(4:3,1:2))
    print *, sum(x)
  end subroutine run
end module together
