! Routines of the host that call themselves, and each other, around kernels.
module recursive_hosts
  implicit none
  integer, parameter :: n = 8
  real(8) :: total(n), pool(2*n + 8)
contains
  recursive subroutine descend(level, a)
    integer, intent(in) :: level
    real(8), intent(inout) :: a(n)
    real(8) :: mine(n), old(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      mine(i) = a(i) + level
      old(i) = total(i)
    end do
    if (level == 2) mine(2) = mine(2) + total(1)
    if (level < 4) call descend(level + 1, mine)
    !@parallelRegion
    do i = 1, n
      a(i) = a(i) + 0.25d0*mine(i) - old(i)*0.01d0
      total(i) = total(i) + mine(i)
    end do
    if (mod(level, 2) == 0) total(1) = total(1) + a(3)
  end subroutine descend

  recursive subroutine even(k, m)
    integer, intent(in) :: k, m
    real(8), allocatable :: room(:)
    integer :: i
    allocate (room(m))
    !@parallelRegion
    do i = 1, m
      room(i) = pool(k + i - 1) + i
    end do
    if (m > 2) call odd(k + m, m/2, room)
    !@parallelRegion
    do i = 1, m
      pool(k + i - 1) = 0.5d0*room(i)
    end do
  end subroutine even

  recursive subroutine odd(k, m, up)
    integer, intent(in) :: k, m
    real(8), intent(inout) :: up(2*m)
    integer :: i
    !@parallelRegion
    do i = 1, m
      pool(k + i - 1) = up(2*i - 1) + up(2*i)
    end do
    pool(k) = pool(k) + 1
    call even(k, m)
    !@parallelRegion
    do i = 1, m
      up(2*i) = up(2*i) - pool(k + i - 1)
    end do
    print '(i3, f14.6)', m, up(2)
  end subroutine odd

  recursive function best(a, lo, hi) result(r)
    real(8), intent(in) :: a(n)
    integer, intent(in) :: lo, hi
    real(8) :: r, part(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      part(i) = a(i)*1.5d0
    end do
    r = maxval(part(lo:hi))
    if (hi - lo > 2) r = r + best(part, lo, (lo + hi)/2) - best(part, (lo + hi)/2 + 1, hi)
  end function best

  subroutine run
    !@domainDependant{attribute(transferHere)}
    !@ total, pool
    !@end domainDependant
    real(8) :: a(n)
    integer :: i
    a = [(0.3d0*i, i = 1, n)]
    total = a
    pool = 1
    do i = 1, 2
      call descend(1, a)
      call even(1, n)
      a(5) = a(5) + best(a, 1, n)
    end do
    print '(4f16.8)', a, total, pool
  end subroutine run
end module recursive_hosts
