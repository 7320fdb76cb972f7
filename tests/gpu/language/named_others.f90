! arrays, functions and subroutines of the program that are called like intrinsic ones
module named_others
  implicit none
  real(8) :: sum(12), iparity(12), popcnt(12)
  integer :: count(12), trailz(12), maxloc(12)
  real(8) :: seed = 1
contains
  subroutine run()
    real(8) :: a(12), b(12), c(12), total(8)
    integer :: i, which(12)
    total = 0
    do i = 1, 12
      a(i) = 1.5d0*i; b(i) = 0; c(i) = i - 4.5d0
      which(i) = mod(5*i, 12) + 1
      count(i) = mod(7*i, 12) + 1
      trailz(i) = 13 - i; maxloc(i) = mod(11*i, 12) + 1
      sum(i) = 100*i; iparity(i) = 3*i; popcnt(i) = 0
    end do
    call named_others_steps(12, a, b, c, which, total)
    print '(6f14.5)', a, b, c, popcnt, total, sum, iparity
  end subroutine run
  subroutine named_others_steps(n, a, b, c, which, total)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n), c(n), total(8)
    integer, intent(inout) :: which(n)
    integer :: i
    real(8) :: last
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = a(i)*2
      which(i) = n + 1 - which(i)
      count(i) = n + 1 - count(i)
      trailz(i) = which(i)
      sum(i) = sum(i) + i
    end do
    !@end parallelRegion
    total(1) = maxval(a)
    total(2) = sum(count(3)) + sum(trailz(5))
    call random_number(b)
    call move_alloc(a, c)
    call system_clock(a)
    call flush(b(4))
    total(3) = dot_product(b, c) + product(a)
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      b(i) = b(i) + sum(maxloc(i)) + sign(c(i), a(i))
      popcnt(i) = sum(count(i)) + leadz(a(i))
    end do
    !@end parallelRegion
    total(4) = all(popcnt) + norm2(b)
    last = 0
    do i = 1, n
      last = abs(last) + a(i)/1000
      c(i) = c(i) + last
    end do
    do i = 1, n
      call cpu_time(c(i))
    end do
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      iparity(i) = iparity(i) + max(a(i), c(trailz(i)))
    end do
    !@end parallelRegion
    total(5) = exponent(iparity(5)) + rand(b(3))
    total(6) = seed + any(n)
    call exit(total(7))
    call get_command(total(8:8))
    call abort(iparity)
  end subroutine named_others_steps
  function maxval(x) result(r)
    real(8), intent(inout) :: x(:)
    real(8) :: r
    r = x(2)
    x(2) = x(2) + 50
  end function maxval
  subroutine random_number(x)
    real(8), intent(inout) :: x(:)
    integer :: i
    do i = 1, size(x)
      x(i) = x(i)/2 + i
    end do
  end subroutine random_number
  subroutine move_alloc(from, to)
    real(8), intent(in) :: from(:)
    real(8), intent(inout) :: to(:)
    to = to + from
  end subroutine move_alloc
  subroutine system_clock(x)
    real(8), intent(inout) :: x(*)
    x(3) = x(3) + x(1)
  end subroutine system_clock
  subroutine flush(x)
    real(8), intent(inout) :: x
    x = x*3
  end subroutine flush
  function dot_product(x, y) result(r)
    real(8), intent(inout) :: x(:), y(:)
    real(8) :: r
    r = x(1)*y(1)
    y(1) = y(1) + 1
    x(6) = x(6) - 1
  end function dot_product
  function product(x) result(r)
    real(8), intent(in) :: x(:)
    real(8) :: r
    r = x(1) + x(12)
    seed = seed + r
  end function product
  pure function sign(x, y) result(r)
    real(8), intent(in) :: x, y
    real(8) :: r
    r = x - y
  end function sign
  elemental function leadz(x) result(r)
    real(8), intent(in) :: x
    real(8) :: r
    r = x/16
  end function leadz
  pure function max(x, y) result(r)
    real(8), intent(in) :: x, y
    real(8) :: r
    r = x*y
  end function max
  function all(x) result(r)
    real(8), intent(inout) :: x(:)
    real(8) :: r
    r = x(4)
    x(5) = -1
  end function all
  function norm2(x) result(r)
    real(8), intent(inout) :: x(12)
    real(8) :: r
    r = x(7)
    x(7) = 0
  end function norm2
  function abs(x) result(r)
    real(8), intent(in) :: x
    real(8) :: r
    r = x*1.5d0 + 0.25d0
  end function abs
  subroutine cpu_time(x)
    real(8), intent(inout) :: x
    seed = seed*1.5d0
    x = x + seed
  end subroutine cpu_time
  function exponent(x) result(r)
    real(8), intent(inout) :: x
    real(8) :: r
    r = x
    x = 7
  end function exponent
  function rand(x) result(r)
    real(8), intent(inout) :: x
    real(8) :: r
    r = x
    x = 9
  end function rand
  function any(n) result(r)
    integer, intent(in) :: n
    real(8) :: r
    r = sum(n) + iparity(1)
    sum(1) = 4
  end function any
  subroutine exit(x)
    real(8), intent(inout) :: x
    x = x + 2
  end subroutine exit
  subroutine get_command(x)
    real(8), intent(inout) :: x(:)
    x = x + 4
  end subroutine get_command
  subroutine abort(x)
    real(8), intent(inout) :: x(12)
    x(8) = x(8)*2
  end subroutine abort
end module named_others
