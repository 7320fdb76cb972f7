! pointers that are swapped, set anew and seen through their targets
module state_pointers
  implicit none
  integer, parameter :: n = 5, m = 3
contains
  subroutine run()
    real(8), target :: a(n,m), b(n,m), c(n,m)
    real(8), pointer :: now(:,:), next(:,:), spare(:,:)
    integer :: i, j, t, x, y
    do j = 1, m; do i = 1, n
      a(i,j) = i + 0.1d0*j; b(i,j) = -i; c(i,j) = 7
    end do; end do
    now => a
    next => b
    do t = 1, 3
      do y = 1, m; do x = 1, n
      next(x,y) = now(x,y)*0.5d0 + t
      end do; end do
      print '(a,2es24.16)', 'seen ', a(1,1), b(2,2)
      if (t == 1) a(2,2) = 50
      spare => now
      now => next
      next => spare
      if (t == 2) next => c
    end do
    print '(es24.16)', a, b, c
    nullify(now)
    allocate(now(n,m))
    now = 2
    do y = 1, m; do x = 1, n
    now(x,y) = now(x,y) + a(x,y)
    end do; end do
    print '(es24.16)', now
    deallocate(now)
  end subroutine run
end module state_pointers
