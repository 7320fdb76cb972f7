! objects as values of functions, as constructors (with components left out, in one another, of what they set), as
! arguments that routines set, and as variables of blocks: each becomes its numbers
module object_values
  implicit none
  type vec
    real(8) :: x = 0.5d0, y = -1.5d0
    integer :: tag = 3
  end type
  type ray
    type(vec) :: from, along
    real(8) :: t(2) = [1.25d0, 2.25d0]
  end type
  interface operator(+)
    module procedure plus
  end interface
contains
  pure function plus(a, b) result(c)
    type(vec), intent(in) :: a, b
    type(vec) :: c
    c%x = a%x + b%x
    c%y = a%y + b%y
  end function
  pure type(vec) function scaled(f, a)
    real(8), intent(in) :: f
    type(vec), intent(in) :: a
    scaled = a
    if (f > 1.5d0) return
    scaled%x = f*a%x
    scaled%y = f*a%y
  end function
  pure function both(a, b) result(c)
    type(vec), intent(in) :: a, b
    type(vec) :: c, d
    d = scaled(2d0*a%x, b)
    c = scaled(0.25d0, vec(d%x + a%x, d%y))
    c%tag = d%tag + 1
  end function
  pure real(8) function norm(a)
    type(vec), intent(in) :: a
    norm = sqrt(a%x**2 + a%y**2) + a%tag
  end function
  pure function made(i) result(r)
    integer, intent(in) :: i
    type(ray) :: r
    r%from = vec(i*0.5d0, tag=i)
    r%t(2) = i
  end function
  subroutine turn(v)
    type(vec), intent(inout) :: v
    v = vec(v%x - 1, v%y + v%x, v%tag)
  end subroutine
  subroutine below(p, q, s)
    real(8), intent(in) :: p, q
    real(8), intent(out) :: s
    type(vec) :: v, w
    v = both(vec(p, q), vec(y=q))
    call turn(v)
    w = v
    w = vec(w%x*2, w%y*2)
    s = norm(w) + norm(both(v, w))
    if (norm(scaled(0.5d0, v)) > 2) s = s + 100
  end subroutine
  subroutine run()
  integer, parameter :: n = 24
  real(8) :: x(n), y(n), s(n)
  integer :: i, k
  type(vec) :: a, b, c, arr(n)
  type(ray) :: r
  do i = 1, n
    x(i) = i*0.125d0
    y(i) = 3 - i*0.25d0
    arr(i)%x = i
    arr(i)%y = -i
    arr(i)%tag = -i
  end do
  !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
    call below(x(i), y(i), s(i))
    end do
  !@end parallelRegion
  print '(4es24.16)', s
  !@parallelRegion{domName(i), domSize(n), private(a, b, c)}
    do i = 1, n
    a = vec(x(i), y(i))
    b = vec(y(i), x(i), i)
    do k = 1, 3
      a = scaled(0.5d0 + 0.01d0*k, a)
      a%x = a%x + k
    end do
    c = both(a, scaled(y(i), b))
    s(i) = norm(c) + norm(plus(a, b))
    if (norm(plus(a, b)) > 4) then
      s(i) = s(i) + 10
    end if
    if (norm(scaled(2d0, b)) > 5) then
      s(i) = s(i) + 20
    end if
    end do
  !@end parallelRegion
  print '(4es24.16)', s
  !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
    arr(i) = both(arr(i), vec(x(i), y(i)))
    end do
  !@end parallelRegion
  print '(4es24.16)', (arr(i)%x, arr(i)%y, real(arr(i)%tag,8), norm(arr(i)), i=1,n)
  !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
    block
      type(vec) :: t, u
      if (i > 3) t%x = x(i)
      u = vec(t%y, t%x)
      call turn(u)
      s(i) = norm(u) - t%x
      t = arr(i)
      t = arr(t%tag + modulo(i, 5))
      s(i) = s(i) + norm(t)
    end block
    end do
  !@end parallelRegion
  print '(4es24.16)', s
  !@parallelRegion{domName(i), domSize(n), private(r)}
    do i = 1, n
    r = made(i)
    call turn(r%along)
    s(i) = r%t(1) + r%t(2) + norm(r%from) + norm(r%along)
    r%along = both(r%from, r%along)
    s(i) = s(i) + norm(r%along)
    end do
  !@end parallelRegion
  print '(4es24.16)', s
  end subroutine run
end module object_values
