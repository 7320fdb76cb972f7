! Named constants of derived type, and arrays of them: kernels have constants that are numbers for their components.
module species_data
  implicit none
  private
  integer, parameter, public :: wp = selected_real_kind(12)
  integer, parameter :: ns = 3
  integer :: turn
  real(wp), parameter :: base = 0.125_wp
  real, parameter :: short(2) = [0.1, 0.2]
  type, public :: decay
    real(wp) :: w(0:1) = [0.5_wp, 0.25_wp]
    integer :: n = 3
    logical :: on = .true.
  end type
  type, public :: species
    character(len=8) :: label
    real(wp) :: rate, c(3) = -1
    integer :: kind = 2
    type(decay) :: d
    real(wp) :: m(2,2) = reshape([1._wp, 2._wp, 3._wp, 4._wp], [2, 2])
    complex(wp) :: z = (1._wp, -2._wp)
  end type
  type, public :: pair
    type(species) :: s(2)
    real(wp) :: w
  end type
  type :: single  ! arrays of one element are arrays
    real(wp) :: c(1)
  end type
  type(single), parameter :: alone(1) = [single([0.5_wp])]
  type(species), parameter, public :: fixed = species("fixed", 1.5_wp, [1, 2, 3], 1, decay([7._wp, 8._wp], 4, .false.))
  type(species), parameter :: listed(0:*) = [species("a", base), &
    species(rate=2*sqrt(base), label="b", c=[real(kind=wp) :: 0.1, 5.7, 6], kind=int(7.9)), fixed]
  type(species), parameter, public :: twice(2) = species("same", 0.75_wp, d=decay(n=ns))
  type(pair), parameter :: both = pair([fixed, listed(1)], listed(1)%c(2) + fixed%d%w(1))
  real(wp), parameter :: half = fixed%rate*2 + listed(1)%kind, halves(2) = [both%w, 1._wp]
  type(decay), parameter :: made(4) = [(decay(short(2)*turn, turn**2, turn > 2), turn = 1, 4)]
  type(decay), parameter, public :: grid(2,2) = reshape([decay(n=1), decay(n=2), decay(n=3), decay(n=4)], [2, 2])
  public :: point, total, change
contains
  subroutine point(x, k)
    real(wp), intent(inout) :: x
    integer, intent(in) :: k
    real(wp) :: v(3)
    type(decay) :: own
    real(wp) :: tmp(fixed%d%n), more(0:listed(1)%kind)
    real(wp), dimension(-1:made(2)%n, both%s(1)%kind) :: wide
    x = x*fixed%rate + listed(mod(k, 3))%c(2) + listed(1)%d%w(0) + fixed%d%n
    if (fixed%d%on .or. made(1 + mod(k, 4))%on) x = x + made(1 + mod(k, 4))%w(1)
    v = listed(mod(k, 3))%c
    call add(alone(1)%c, x)
    x = x + sum(alone%c(1)) + sum(alone(1)%c(1:1)) + alone(1)%c(1) + size(alone(1)%c)
    x = x + sum(v) + both%w + both%s(2)%kind + sum(both%s(1)%c(2:3)) + real(listed(1)%z)
    own = listed(mod(k, 3))%d
    own%n = own%n + 1
    x = x + own%n*own%w(1) + listed(0)%m(2, 1 + mod(k, 2))
    tmp = half
    more = fixed%c(2)
    wide = x
    wide(made(2)%n, 1) = halves(1 + mod(k, 2))
    select case (k)
    case (listed(0)%kind)
      x = x + tmp(4)
    case (fixed%d%n:6)
      x = x + more(listed(1)%kind)
    case default
      x = x + sum(wide)*0.01_wp
    end select
    where (tmp > listed(2)%rate) tmp = listed(mod(k, 3))%kind
    x = x + sum(tmp)
  end subroutine
  pure real(wp) function total(s, d)
    type(species), intent(in) :: s
    type(decay), intent(in) :: d(:)
    integer :: i
    total = s%rate + s%c(2)
    do i = 1, size(d)
      total = total + d(i)%n*d(i)%w(0)
    end do
  end function
  pure subroutine add(c, x)
    real(wp), intent(in) :: c(1)
    real(wp), intent(inout) :: x
    x = x + c(1)
  end subroutine
  pure subroutine change(c, x)
    real(wp), intent(in) :: c(3)
    real(wp), intent(inout) :: x
    x = x + c(1) - 2*c(3)
  end subroutine
end module
! Arrays of constants whose values are no lists of numbers.
module lists
  implicit none
  integer :: turn
  real(8), parameter :: a(3) = [1d0, 2.5d0, 4d0]
  real(8), parameter :: b(3) = 0.5d0, c(4) = [a, 7d0], d(2) = [integer :: 2.7, 3.9], f(3) = 2*a - c(2:4)
  integer, parameter :: e(3) = [1.9, 2.2, -3.7]
  real(8), parameter :: g(2,3) = reshape([a, c(2:4)], [2, 3]), h(3) = [[1d0, 2d0], 9d0], w(3) = sqrt(a)
  real(8), parameter :: p(5) = [(a(1 + mod(turn, 3))*turn, turn = 1, 5)]
  real(8), parameter :: q(0:2) = a(3:1:-1), r = a(2)*c(4), t = sum(a) + product(g(1,:)), v(0:1) = g(2,3:1:-2)
  logical, parameter :: on(3) = a > 2
  real(8), parameter :: long(3000) = [(0.5d0*turn + 1d0/turn, turn = 1, 3000)]  ! too long to be written anew
contains
  pure real(8) function mixed(i)
    integer, intent(in) :: i
    integer :: k
    k = 1 + mod(i, 2)
    mixed = a(k) + 3*b(k+1) + 5*c(k+2) + 7*d(k) + 11*e(k+1) + 13*f(k) + 17*g(k,k+1) + 19*h(k+1) + 23*p(k+3)
    mixed = mixed + 29*q(k) + 31*r + 37*t + 41*w(k) + 43*v(k-1) + merge(1, 0, on(k)) + sum(c) + long(70*i)
    block  ! other variables of these names
      real(8) :: f(3)
      f = i
      mixed = mixed + f(2)*100
    end block
    associate (f => g, b => k)
      mixed = mixed + f(1,k)*1000 + b
    end associate
  end function mixed
end module
module constant_objects
  use lists, only: mixed
  use species_data, only: wp, constant => fixed, twice, grid, point, total, change, decay
  implicit none
  type(decay), parameter :: here(3) = [decay(n=5), decay([1._wp, 2._wp]), decay(on=.false., n=twice(1)%d%n)]
contains
  subroutine s(n, q)
    integer, intent(in) :: n
    real(wp), intent(inout) :: q(n)
    type(decay), parameter :: last = decay([3, 4], 2*constant%kind)
    integer :: i, k
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      k = 1 + mod(i, 2)
      call point(q(i), i)
      q(i) = q(i) + mixed(i)
      q(i) = q(i)*0.25_wp + here(1 + mod(i, 3))%n + last%w(mod(i, 2)) + grid(k,2)%n*grid(1,k)%w(1)
      q(i) = q(i) + total(constant, here) + total(twice(k), grid(:,k))
      call change(twice(k)%c, q(i))
      call change(constant%c(:), q(i))
      q(i) = q(i) + maxval(here%n) + sum(grid(:,k)%w(0)) + constant%c(here(2)%n)
      associate (t => twice(k), w => twice(k)%c)
        if (t%d%on) q(i) = q(i) + t%d%w(k-1)*w(2) + lbound(w, 1)
      end associate
    end do
    !@end parallelRegion
  end subroutine s
  subroutine run()
    real(wp) :: q(40)
    integer :: i, it
    do i = 1, 40
      q(i) = mod(7*i, 11)
    end do
    do it = 1, 2
      call s(40, q)
      print '(8f16.8)', q(::3)
    end do
  end subroutine run
end module constant_objects
