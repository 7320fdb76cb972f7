! Arrays of objects in elements of arrays of objects, and arrays in them, where points have different objects.
module nested_elements
  implicit none
  integer, parameter :: nx = 6, nl = 4
  type :: layer
    real(8) :: t(0:2), q
    integer(2) :: flags(2)
    logical :: wet
    complex(8) :: wave(2)
  end type layer
  type :: profile
    real(4) :: z(-1:nl - 2)
  end type profile
  type :: column
    type(layer) :: l(nl)
    type(profile) :: p
    real(8) :: m(2, -1:1)
    integer :: n
  end type column
  type :: pair
    type(column) :: one(3:5)
  end type pair
  type(column), save :: cols(nx)
contains
  real(8) function total(x)
    real(8), intent(in) :: x(3)
    integer :: k
    total = 0
    do k = 1, size(x)
      total = total + k*x(k)
    end do
  end function total
  subroutine smooth(x, f)
    real(8), intent(inout) :: x(3)
    real(8), intent(in) :: f
    x(2) = x(2)*f + x(1) - x(3)
  end subroutine smooth
  subroutine fill(c, s)
    type(column), intent(out) :: c
    integer, intent(in) :: s
    integer :: k
    do k = 1, nl
      c%l(k)%t = [s*1d0 + k, s*2d0 - k, s*0.25d0*k]
      c%l(k)%q = s*0.125d0 + k
      c%l(k)%flags = [int(k, 2), int(s, 2)]
      c%l(k)%wet = mod(s + k, 3) == 0
      c%l(k)%wave = [(1d0, 2d0)*s, (3d0, -1d0)*k]
    end do
    c%p%z = [(real(s*k, 4), k = 1, nl)]
    c%m = reshape([(s*0.5d0**k, k = 1, 6)], [2, 3])
    c%n = mod(s, nl) + 1
  end subroutine fill
  subroutine show(c)
    type(column), intent(in) :: c(:)
    integer :: i, k
    do i = 1, size(c)
      do k = 1, nl
        print *, i, k, c(i)%l(k)%t, c(i)%l(k)%q, c(i)%l(k)%flags, c(i)%l(k)%wet
      end do
      print *, c(i)%p%z, c(i)%m
    end do
  end subroutine show
  subroutine single(a)
    real(8), intent(out) :: a(nx)
    integer :: i, k
    a = 0
    !@parallelRegion{domName(i)}
    do i = 1, nx
      do k = 1, cols(i)%n
        cols(i)%l(k)%t(1) = cols(i)%l(k)%t(0) + k*cols(i)%l(k)%q
        a(i) = a(i) + cols(i)%l(k)%t(1)*cols(i)%l(nl + 1 - k)%q
        cols(i)%l(k)%wet = a(i) > 30 .or. cols(i)%l(k)%wet
        cols(i)%l(k)%flags(2) = int(k + cols(i)%l(k)%flags(1), 2)
      end do
    end do
    !@end parallelRegion
  end subroutine single
  subroutine several(a)
    real(8), intent(out) :: a(nx)
    integer :: i
    !@parallelRegion
    do i = 1, nx
      a(i) = sum(cols(i)%m) + maxval(cols(i)%l(2)%t) + sum(cols(i)%m(2, :))
      a(i) = a(i) + 10*size(cols(i)%m, 2) + size(cols(i)%m) + lbound(cols(i)%l(1)%t, 1) + ubound(cols(i)%p%z, dim=1)
      cols(i)%m(:, 0) = cols(i)%m(:, 0)*2 + cols(i)%l(1)%t(1:2)
      cols(i)%l(3)%t = cols(i)%l(2)%t + 1
      cols(i)%p%z(:) = real(a(i), 4) + cols(i)%p%z
      where (cols(i)%l(1)%t > 6)
        cols(i)%l(1)%t = cols(i)%l(2)%t
      elsewhere
        cols(i)%l(1)%t = -cols(i)%l(1)%t
      end where
    end do
    !@end parallelRegion
  end subroutine several
  subroutine called(a)
    real(8), intent(out) :: a(nx)
    integer :: i
    !@parallelRegion
    do i = 1, nx
      a(i) = total(cols(i)%l(2)%t)
      call smooth(cols(i)%l(4)%t, 0.5d0)
    end do
    !@end parallelRegion
  end subroutine called
  subroutine parts(f)
    type(pair), intent(inout) :: f
    integer :: i
    !@parallelRegion
    do i = 3, 5
      f%one(i)%l(2)%q = f%one(i)%l(1)%wave(1)%re + aimag(f%one(i)%l(1)%wave(2))
      f%one(i)%l(3)%wave(2) = f%one(i)%l(1)%wave(1)*(0d0, 1d0)
      f%one(i)%n = f%one(i)%n + 1
    end do
    !@end parallelRegion
    print *, f%one%n, (f%one(i)%l(2)%q, f%one(i)%l(3)%wave(2), i = 3, 5)
  end subroutine parts
  subroutine run()
    real(8) :: a(nx)
    type(pair) :: f
    integer :: i
    do i = 1, nx
      call fill(cols(i), i)
    end do
    do i = 3, 5
      call fill(f%one(i), 2*i)
    end do
    call single(a)
    print *, a
    call several(a)
    print *, a
    call called(a)
    print *, a
    call parts(f)
    call show(cols)
  end subroutine run
end module nested_elements
