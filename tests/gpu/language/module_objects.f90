! Objects of modules that routines called by kernels read: they are arguments of these in the kernels.
module laws
  implicit none
  type law
    real(8) :: rate, c(3)
    integer :: n
  end type
  type pair
    type(law) :: l(2)
    real(8) :: w
  end type
  type(law) :: one, hidden
  type(law), save :: many(4), grid(0:2,2)
  type(pair) :: both
contains
  subroutine called(x, i, more)
    real(8), intent(inout) :: x
    integer, intent(in) :: i
    real(8), intent(in), optional :: more
    integer :: k
    k = 1 + mod(i, 3)
    x = x + many(k)%rate + one%c(k)*many(2)%c(k) + grid(k-1,2)%n
    if (present(more)) x = x + more
    if (x > 20d0) call clip(x)
  end subroutine
  subroutine clip(x)
    real(8), intent(inout) :: x
    x = x - limit() - hidden%rate*level(2)
  end subroutine
  real(8) function limit()
    limit = both%l(2)%c(1) + both%w
  end function
  pure real(8) function level(k)
    integer, intent(in) :: k
    level = both%l(k)%rate
  end function
  elemental real(8) function quick(x)
    real(8), intent(in) :: x
    quick = x*one%rate
  end function
  subroutine outer(n, q)
    integer, intent(in) :: n
    real(8), intent(inout) :: q(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      call called(q(i), i)
      q(i) = q(i) + limit()
    end do
    !@end parallelRegion
  end subroutine
  subroutine start
    integer :: i, j
    one = law(1.5d0, [7d0, 8d0, 9d0], 2)
    hidden = law(0.25d0, [1d0, 1d0, 1d0], 2)
    both%w = 3
    do i = 1, 2
      both%l(i) = law(0.5d0*i, [i*3d0, 2d0, 1d0], i)
      do j = 0, 2
        grid(j,i) = law(0d0, [0d0, 0d0, 0d0], i + 3*j)
      end do
    end do
    call fill(1)
  end subroutine
  subroutine fill(m)
    integer, intent(in) :: m
    integer :: i
    do i = 1, 4
      many(i) = law(0.1d0*i*m, [i*1d0, i*2d0, i*3d0], i)
    end do
  end subroutine
end module
module module_objects
  implicit none
  real(8) :: one = 4
contains
  subroutine s(n, q)
    use laws, only: work => called, fast => quick
    integer, intent(in) :: n
    real(8), intent(inout) :: q(n)
    integer :: i, many
    many = 2
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      q(i) = fast(q(i)) + many + one
      if (q(i) > 3) call work(q(i), i, more=0.25d0)
      call work(more=one, i=i+many, x=q(i))
    end do
    !@end parallelRegion
  end subroutine s
  subroutine run()
    use laws, only: start, fill, outer, called
    real(8) :: q(40), x
    integer :: i, it
    call start
    do i = 1, 40
      q(i) = mod(7*i, 11)
    end do
    do it = 1, 3
      call fill(it)
      call outer(40, q)
      call s(40, q)
      x = 1
      call called(x, it)
      print '(8f14.6)', x, q(::3)
    end do
  end subroutine run
end module module_objects
