! a module's array on the device while routines that do not name it, or name it on the host only, run; one that no
! directive brings there; the results of functions; a local that stays
module state_modules_data
  implicit none
  integer, parameter :: n = 4, m = 3
  real(8) :: field(n,m), other(n,m)
  real(8), allocatable :: grown(:,:)
  real(8) :: left(n,m)
end module state_modules_data
module state_modules_host
  use state_modules_data
  implicit none
contains
  subroutine bump()
    field(2,2) = field(2,2)*2
    if (allocated(grown)) grown = grown + 0.25d0
  end subroutine bump
  function total() result(s)
    real(8) :: s
    s = sum(field) + sum(grown)
  end function total
end module state_modules_host
module state_modules
  use state_modules_data, only: n, m, field, other, grown, left
  use state_modules_host
  implicit none
contains
  subroutine run()
    integer :: i, j
    do j = 1, m; do i = 1, n
      field(i,j) = i + 0.1d0*j; other(i,j) = i*j
    end do; end do
    allocate(grown(n,m))
    grown = 1
    call driver()
    call leave(2)
    call take(0.5d0)
    other = other + returned(3)
    print '(es24.16)', field, other, grown, left, named_after()
    do i = 1, 3
      print '(es24.16)', remembered(i)
    end do
  end subroutine run
  subroutine driver()
    call named()
    call unnamed()
    call named()
  end subroutine driver
  subroutine named()
    integer :: i
    call kernel()
    print '(a,es24.16)', 'named ', field(1,1)
    field(1,2) = field(1,2) + 100
    do i = 1, n
      if (field(i,3) > 2) field(i,3) = field(i,3) - 1
    end do
    call kernel()
  end subroutine named
  subroutine unnamed()
    call kernel()
    call bump()
    call kernel()
    print '(a,es24.16)', 'unnamed ', total()
    if (total() > 0) call bump()
  end subroutine unnamed
  subroutine kernel()
    integer :: x, y
    do y = 1, m; do x = 1, n
    field(x,y) = field(x,y)*1.5d0 + other(x,y)
    grown(x,y) = grown(x,y) + field(x,y)
    end do; end do
  end subroutine kernel
  subroutine leave(by)
    integer, intent(in) :: by
    integer :: x, y
    do y = 1, m; do x = 1, n
    left(x,y) = by*x + 0.1d0*y
    end do; end do
  end subroutine leave
  subroutine take(factor)
    real(8), intent(in) :: factor
    integer :: x, y
    do y = 1, m; do x = 1, n
    if (x > 1) left(x,y) = left(x,y)*factor
    field(x,y) = field(x,y) + left(x,y)
    end do; end do
  end subroutine take
  function returned(by) result(r)
    integer, intent(in) :: by
    real(8) :: r(n,m)
    integer :: x, y
    do y = 1, m; do x = 1, n
    r(x,y) = by*field(x,y)
    end do; end do
  end function returned
  function named_after()
    real(8) :: named_after(n,m)
    integer :: x, y
    do y = 1, m; do x = 1, n
    named_after(x,y) = field(x,y) - left(x,y)
    end do; end do
    named_after(1,1) = 0.5d0*named_after(1,1)
  end function named_after
  function remembered(by) result(s)
    integer, intent(in) :: by
    real(8) :: s
    real(8), allocatable, save :: kept(:)
    integer :: x
    if (.not. allocated(kept)) then
      allocate(kept(n))
      kept = 0.5d0
    end if
    do x = 1, n
    kept(x) = kept(x)*by + field(x,1)
    end do
    s = sum(kept)
  end function remembered
end module state_modules
