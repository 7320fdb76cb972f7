! Arrays of objects, and sections of them, as arguments of routines in kernels.
module nested_lists
  implicit none
  integer, parameter :: nx = 6, nl = 5
  type :: layer
    real(8) :: t(0:2)
    real(8) :: q
    integer :: kind
  end type layer
  type :: column
    type(layer) :: l(nl)
    type(layer) :: g(2, -1:0)
  end type column
contains
  real(8) function content(ls) result(s)
    type(layer), intent(in) :: ls(:)
    integer :: k
    s = 0
    do k = 1, size(ls)
      s = s + ls(k)%q*k + sum(ls(k)%t)
    end do
    s = s + 100*size(ls, 1) + ubound(ls, 1) + sum(ls%q)
  end function content
  real(8) function some(ls, n) result(s)
    integer, intent(in) :: n
    type(layer), intent(in) :: ls(n)
    integer :: k
    s = 0
    do k = 1, n
      s = s*0.5d0 + ls(k)%q + ls(n + 1 - k)%t(2)
    end do
  end function some
  real(8) function three(ls)
    type(layer), intent(in) :: ls(3)
    three = ls(1)%q + 3*ls(2)%q + 5*ls(3)%t(1)
  end function three
  subroutine shift(ls)
    type(layer), intent(inout) :: ls(0:)
    integer :: k
    do k = 1, ubound(ls, 1)
      ls(k)%t(0) = ls(k - 1)%t(0)*0.5d0 + ls(k)%kind + lbound(ls, 1)
    end do
    call pair(ls, ls(2)%q)
  end subroutine shift
  subroutine pair(ls, q)
    type(layer), intent(inout) :: ls(:)
    real(8), intent(in) :: q
    ls(size(ls))%t(2) = q + ls(1)%t(0)
    ls(:)%kind = ls(:)%kind + 1
  end subroutine pair
  subroutine plane(g)
    type(layer), intent(inout) :: g(:, 0:)
    integer :: i, j
    do j = 0, ubound(g, 2)
      do i = 1, size(g, 1)
        g(i, j)%q = g(i, j)%q + i*10 + j
      end do
    end do
  end subroutine plane
  subroutine run()
    type(column) :: cols(nx)
    type(layer) :: own(nx, nl)
    real(8) :: a(nx)
    integer :: i, k
    do i = 1, nx
      do k = 1, nl
        cols(i)%l(k) = layer([i*1d0 + k, i*2d0 - k, i*0.25d0*k], i*0.5d0 + k, mod(i*k, 7))
        own(i, k) = cols(i)%l(k)
      end do
      do k = 1, 2
        cols(i)%g(k, -1) = layer([1d0, 2d0, 3d0*i], i*k, k)
        cols(i)%g(k, 0) = layer([4d0*i, 5d0, 6d0*k], i - k, i)
      end do
    end do
    !@parallelRegion
    do i = 1, nx
      a(i) = content(cols(i)%l) + content(cols(i)%l(2:4)) + content(own(i, :)) + content(own(i, nl:1:-2))
      a(i) = a(i) + some(cols(i)%l, 3) + some(cols(i)%l(2:), nl - 1) + some(own(i, :), 2)
      a(i) = a(i) + three(cols(i)%l) + three(own(i, 2:4)) + three(cols(i)%l(1:5:2))
    end do
    !@end parallelRegion
    print *, a
    !@parallelRegion
    do i = 1, nx
      call shift(cols(i)%l)
      call shift(own(i, 2:))
      call plane(cols(i)%g)
    end do
    !@end parallelRegion
    do i = 1, nx
      print *, (cols(i)%l(k)%t, cols(i)%l(k)%kind, own(i, k)%t, own(i, k)%kind, k = 1, nl), cols(i)%g%q
    end do
  end subroutine run
end module nested_lists
