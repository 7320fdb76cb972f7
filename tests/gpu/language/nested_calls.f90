! Objects with arrays of objects in them as arguments of routines in kernels, and such arrays.
module nested_calls
  implicit none
  integer, parameter :: nx = 6, nl = 5
  type :: layer
    real(8) :: t(0:2) = 1
    real(8) :: q = 0.5d0
    integer :: kind
  end type layer
  type :: column
    type(layer) :: l(nl)
    type(layer) :: g(2, -1:0)
    real(8) :: m(2, -1:1)
    integer :: n
  end type column
  type(column), save :: cols(nx)
contains
  real(8) function total(c) result(s)
    type(column), intent(in) :: c
    s = sum(c%l%q) + sum(c%l(2:4)%t(1)) + c%l(c%n)%q + c%g(2, 0)%t(2) + maxval(c%g(1, :)%q) + c%m(2, -1)
  end function total
  subroutine step(c, a)
    type(column), intent(inout) :: c
    real(8), intent(inout) :: a
    integer :: k
    do k = 1, nl
      c%l(k)%q = c%l(k)%q*2 + c%m(1, 0)
      c%l(k)%t(0) = c%l(k)%t(2) - c%l(k)%t(1)
      a = a + c%l(k)%q*c%l(k)%t(0)
    end do
    a = a + total(c)
    c%m(2, 1) = a
    call each(c%l(2), a)
    call sweep(ls=c%l, s=a)
    call fresh(c%l(nl))
  end subroutine step
  subroutine each(l, a)
    type(layer), intent(inout) :: l
    real(8), intent(in) :: a
    l%q = l%q + a + sum(l%t)
    l%t(1) = l%q*0.5d0
  end subroutine each
  subroutine sweep(ls, s)
    type(layer), intent(inout) :: ls(nl)
    real(8), intent(inout) :: s
    integer :: k
    do k = 2, size(ls)
      ls(k)%q = ls(k)%q + ls(k - 1)%q*0.5d0
      s = s + ls(k)%q + ls(k)%kind
    end do
    ls(:)%kind = ls(:)%kind + 1
  end subroutine sweep
  subroutine fresh(l)
    type(layer), intent(out) :: l
    l%kind = 3
    l%t(2) = 7
  end subroutine fresh
  subroutine run()
    real(8) :: a(nx)
    integer :: i, k
    do i = 1, nx
      do k = 1, nl
        cols(i)%l(k) = layer([i*1d0 + k, i*2d0 - k, i*0.25d0*k], i*0.5d0 + k, mod(i*k, 7))
      end do
      do k = 1, 2
        cols(i)%g(k, -1) = layer([1d0, 2d0, 3d0*i], i*k, k)
        cols(i)%g(k, 0) = layer([4d0*i, 5d0, 6d0*k], i - k, i)
      end do
      cols(i)%m = reshape([(i*0.5d0**k, k = 1, 6)], [2, 3])
      cols(i)%n = mod(i, nl) + 1
      a(i) = i
    end do
    !@parallelRegion
    do i = 1, nx
      a(i) = a(i) + total(cols(i))
      call each(cols(i)%l(3), a(i))
      call each(cols(i)%g(1 + mod(i, 2), -1), a(i))
    end do
    !@end parallelRegion
    print *, a
    !@parallelRegion
    do i = 1, nx
      call step(cols(i), a(i))
      call sweep(cols(i)%l, a(i))
    end do
    !@end parallelRegion
    do i = 1, nx
      print *, a(i), cols(i)%m, (cols(i)%l(k)%q, cols(i)%l(k)%t, cols(i)%l(k)%kind, k = 1, nl)
      print *, cols(i)%g%q, (cols(i)%g(k, -1)%t, k = 1, 2)
    end do
  end subroutine run
end module nested_calls
