! A box of spectral elements: points of Gauss, Lobatto and Legendre, the derivative on them, which points are one.
module mesh
  implicit none
  integer, parameter :: dp = selected_real_kind(15)
contains

  ! The elements along each direction of a box with 2**levels of them.
  pure function box(levels) result(along)
    integer, intent(in) :: levels
    integer :: along(3)
    integer :: first, second

    first = (levels + 2) / 3
    second = (levels - first + 1) / 2
    along = [2**first, 2**second, 2**(levels - first - second)]
  end function box

  ! Legendre's polynomial of an order, and its derivative, at a place inside of (-1,1).
  pure subroutine legendre(order, x, p, dp_dx)
    integer, intent(in) :: order
    real(dp), intent(in) :: x
    real(dp), intent(out) :: p, dp_dx
    real(dp) :: before, next
    integer :: n

    before = 1
    p = x
    do n = 2, order
      next = ((2*n - 1) * x * p - (n - 1) * before) / n
      before = p
      p = next
    end do
    dp_dx = order * (before - x * p) / (1 - x * x)
  end subroutine legendre

  ! The points z, their weights w, and the matrix d of the derivative: d(i,l) is that of the l-th polynomial at z(i).
  subroutine quadrature(order, z, w, d)
    integer, intent(in) :: order
    real(dp), intent(out) :: z(order+1), w(order+1), d(order+1,order+1)
    real(dp), parameter :: pi = acos(-1.0_dp)
    real(dp) :: p(order+1), value, slope, step
    integer :: i, l, turn

    z(1) = -1
    z(order+1) = 1
    p(1) = (-1)**order
    p(order+1) = 1
    do i = 2, order
      z(i) = -cos(pi * (i - 1) / order)
      do turn = 1, 50
        ! Newton's method for the roots of p', whose derivative follows from Legendre's equation.
        call legendre(order, z(i), value, slope)
        step = slope * (1 - z(i)**2) / (2 * z(i) * slope - order * (order + 1) * value)
        z(i) = z(i) - step
        if (abs(step) < 1e-15_dp) exit
      end do
      call legendre(order, z(i), p(i), slope)
    end do
    w = 2 / (order * (order + 1) * p**2)
    do l = 1, order + 1
      do i = 1, order + 1
        if (i /= l) d(i,l) = p(i) / (p(l) * (z(i) - z(l)))
      end do
      d(l,l) = 0
    end do
    d(1,1) = -order * (order + 1) / 4.0_dp
    d(order+1,order+1) = -d(1,1)
  end subroutine quadrature

  ! The six factors of the geometry at each point: the elements are cubes of one size.
  subroutine geometry(n1, ne, w, factors)
    integer, intent(in) :: n1, ne
    real(dp), intent(in) :: w(n1)
    real(dp), intent(out) :: factors(6,n1,n1,n1,ne)
    integer :: i, j, k, e

    factors = 0
    do e = 1, ne
      do k = 1, n1
        do j = 1, n1
          do i = 1, n1
            factors([1,4,6],i,j,k,e) = w(i) * w(j) * w(k)
          end do
        end do
      end do
    end do
  end subroutine geometry

  ! The points that are one: group g holds points(first(g):first(g+1)-1), in rising order. Points alone are in none.
  subroutine groups(n1, along, first, points)
    integer, intent(in) :: n1, along(3)
    integer, allocatable, intent(out) :: first(:), points(:)
    integer, allocatable :: name(:), held(:), filled(:)
    integer :: order, ex, ey, ez, i, j, k, n, g, count

    order = n1 - 1
    allocate(name(product(along) * n1**3))
    n = 0
    do ez = 0, along(3) - 1
      do ey = 0, along(2) - 1
        do ex = 0, along(1) - 1
          do k = 0, order
            do j = 0, order
              do i = 0, order
                n = n + 1
                name(n) = 1 + order*ex + i + (order*along(1) + 1) * (order*ey + j &
                  + (order*along(2) + 1) * (order*ez + k))
              end do
            end do
          end do
        end do
      end do
    end do
    allocate(held(maxval(name)), filled(maxval(name)))
    held = 0
    do n = 1, size(name)
      held(name(n)) = held(name(n)) + 1
    end do
    count = 0
    filled = 0
    do g = 1, size(held)
      if (held(g) > 1) then
        count = count + 1
        filled(g) = count
      end if
    end do
    allocate(first(count+1), points(sum(held, held > 1)))
    first(1) = 1
    do g = 1, size(held)
      if (held(g) > 1) first(filled(g)+1) = first(filled(g)) + held(g)
    end do
    held = 0
    do n = 1, size(name)
      g = name(n)
      if (filled(g) > 0) then
        points(first(filled(g)) + held(g)) = n
        held(g) = held(g) + 1
      end if
    end do
  end subroutine groups
end module mesh
