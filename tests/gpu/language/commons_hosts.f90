! common blocks of modules and of hosts, read by routines that regions call: by use, by renaming, in internal procedures
module commons_hosts_data
  implicit none
  real(8) :: table(2:4,3), rate
  integer :: first
  common /commons_hosts_a/ table, rate, first
  real(8) :: beside = 0.25d0, more(0:2) = 2
end module commons_hosts_data

module commons_hosts_work
  implicit none
contains
  subroutine advance(n, a)
    use commons_hosts_data, only: speed => rate
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = a(i)*speed + through(i)
    end do
    !@end parallelRegion
  end subroutine advance

  ! mentions no block: what it calls does
  real(8) function through(i)
    integer, intent(in) :: i
    real(8) :: local(3)
    call filled(local)
    through = local(1 + mod(i, 3)) + alone()
  end function through

  subroutine filled(v)
    real(8), intent(out) :: v(3)
    real(8) :: t(2:4,3), r
    common /commons_hosts_a/ t, r
    integer :: k
    v = t(2,:)*r
    do k = lbound(t, 1), ubound(t, 1)
      v(size(t, 2)) = v(size(t, 2)) + total(t(k,:), 3)
    end do
  end subroutine filled

  real(8) function total(x, n)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    total = sum(x)
  end function total

  real(8) function alone()
    use commons_hosts_data, only: first, beside, more
    alone = first + beside + more(0)*more(2)
  end function alone

  subroutine host(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    real(8) :: u(2:4,3), q
    integer :: f
    common /commons_hosts_a/ u, q, f
    call inner(1)
    u(2,2) = u(2,2) + 1
    call inner(2)
  contains
    subroutine inner(m)
      integer, intent(in) :: m
      integer :: i
      !@parallelRegion{domName(i), domSize(n)}
      do i = m, n
        if (mod(i, 2) == 0) then
          a(i) = a(i) + m*through(i)
        else
          a(i) = a(i) - within(i)
        end if
      end do
      !@end parallelRegion
    end subroutine inner
  end subroutine host

  real(8) function within(i)
    integer, intent(in) :: i
    real(8) :: p(9), q
    common /commons_hosts_b/ p, q
    within = p(i)*q
  end function within
end module commons_hosts_work

module commons_hosts
  implicit none
contains
  subroutine run()
    use commons_hosts_data
    use commons_hosts_work
    real(8) :: a(9), b(9), c
    common /commons_hosts_b/ b, c
    integer :: i, k, step
    a = [(0.5d0*i, i = 1, 9)]
    do step = 1, 3
      do k = 1, 3
        do i = 2, 4
          table(i,k) = 0.125d0*(i + step) - k
        end do
      end do
      rate = 1 + 0.5d0*step
      first = 3 - step
      b = [(i - 2d0*step, i = 1, 9)]
      c = -step
      call advance(9, a)
      print '(3es22.14)', a
      beside = beside + step
      more(2) = more(2) - beside
      call host(9, a)
      print '(3es22.14)', a
    end do
  end subroutine run
end module commons_hosts
