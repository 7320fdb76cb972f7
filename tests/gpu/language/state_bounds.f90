! bounds of regions that are elements of arrays, which kernels have set before: the host needs them
module state_bounds_store
  implicit none
  integer :: first(11), both(2,3)
  integer, allocatable :: last(:)
  type rows
    integer :: start(11)
    integer :: stop(11)
  end type rows
end module state_bounds_store
module state_bounds
  use state_bounds_store
  implicit none
  integer, parameter :: n = 9, m = 11
contains
  subroutine run()
    real(8) :: a(n,m)
    integer :: i, kb(m)
    type(rows) :: r
    integer, pointer :: p(:)
    integer, target :: t(m)
    allocate(last(m))
    a = 0
    !@parallelRegion{domName(i), domSize(m)}
    do i = 1, m
      kb(i) = 1 + mod(3*i, n)
      first(i) = 1 + mod(2*i, 4)
      last(i) = n - mod(i, 3)
      r%start(i) = 2 + mod(i, 2)
      r%stop(i) = n - mod(i, 4)
      t(i) = 1 + mod(i, 5)
    end do
    !@end parallelRegion
    p => t
    call passed(a, n, m, kb)
    print '(9f8.2)', a
    call here(a, kb)
    print '(9f8.2)', a
    call of_modules(a)
    print '(9f8.2)', a
    call of_objects(a, r)
    print '(9f8.2)', a
    call of_pointers(a, p)
    print '(9f8.2)', a
  end subroutine run
  subroutine passed(z, n, m, kb)
    integer, intent(in) :: n, m, kb(m)
    real(8), intent(inout) :: z(n,m)
    integer :: i, k
    do i = 1, m
      !@parallelRegion{domName(k), domSize(n)}
      do k = kb(i), n
        z(k,i) = k*2
      end do
      !@end parallelRegion
    end do
  end subroutine passed
  subroutine here(z, kb)
    real(8), intent(inout) :: z(n,m)
    integer, intent(inout) :: kb(m)
    integer :: i, k
    !@parallelRegion{domName(i), domSize(m)}
    do i = 1, m
      kb(i) = 1 + mod(kb(i) + 1, n)
    end do
    !@end parallelRegion
    !@parallelRegion
    do k = kb(3), n
      z(k,2) = k*3
    end do
    !@parallelRegion{domName(k), domSize(n)}
    do k = n, kb(4), -max(1, kb(2) - 5)
      z(k,3) = k*4
    end do
    !@end parallelRegion
  end subroutine here
  subroutine of_modules(z)
    real(8), intent(inout) :: z(n,m)
    integer :: i, k
    !@parallelRegion{domName(k,i), domSize(n,m)}
    do i = first(2), last(m) - 1
      do k = first(3), last(5)
        z(k,i) = z(k,i) + k
      end do
    end do
    !@end parallelRegion
  end subroutine of_modules
  subroutine of_objects(z, r)
    real(8), intent(inout) :: z(n,m)
    type(rows), intent(in) :: r
    integer :: i, k
    do i = 1, m, 3
      !@parallelRegion{domName(k), domSize(n)}
      do k = r%start(i), r%stop(i)
        z(k,i) = z(k,i) - 2*k
      end do
      !@end parallelRegion
    end do
  end subroutine of_objects
  subroutine of_pointers(z, p)
    real(8), intent(inout) :: z(n,m)
    integer, pointer, intent(in) :: p(:)
    integer :: k
    !@parallelRegion{domName(k), domSize(n)}
    do k = p(4), min(n, p(7) + p(8))
      z(k,m) = z(k,m) + 100*k
    end do
    !@end parallelRegion
  end subroutine of_pointers
end module state_bounds
