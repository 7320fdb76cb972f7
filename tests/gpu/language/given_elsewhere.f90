module given_elsewhere
  ! Called routines, and host statements, that give pointers other targets between what they set by them.
  implicit none
  integer, parameter :: n = 6
  type cell
    real(8), pointer :: p(:) => null()
    type(cell), pointer :: next => null()
  end type cell
  type pair
    type(cell) :: first, second
  end type pair
  real(8), target :: a(n), b(n)
  real(8), pointer :: p(:)
  type(cell), target :: one, two
contains
  subroutine run()
    type(pair) :: both
    type(cell), pointer :: now
    integer :: i, j
    !@parallelRegion
    do i = 1, n
      a(i) = i
      b(i) = 10*i
    end do
    p => a
    call turned()
    call shown()
    p => a
    if (a(1) > 0) call turned()
    call shown()
    p => a
    if (n > 2) then
      b(1) = b(1) + 3
      if (n > 3) then
        p(2) = 2
        p => b
        p(3) = p(2) + 1
      end if
    end if
    call shown()
    p => a
    a(6) = answer() + p(1)
    call shown()
    one%p => a
    two%p => b
    call moved(one)
    call shown()
    one%p => a
    do j = 1, 2
      one%p(j) = -j
      one = two
    end do
    call shown()
    both%first%p => a
    both%second%p => b
    do j = 1, 2
      both%first%p(j + 2) = 10*j
      both%first = both%second
    end do
    call shown()
    one%p => a
    one%next => two
    two%next => null()
    now => one
    do while (associated(now))
      now%p(5) = 5
      now => now%next
    end do
    call shown()
    now => one
    call passed(now)
    call shown()
    call made(one)
    call shown()
    p => b
    one%p => b
    if (n > 2) then
      p(1) = 3
      if (n > 3) one%p(2) = one%p(1)
    end if
    call shown()
  end subroutine run

  subroutine shown()
    integer :: i
    !@parallelRegion
    do i = 1, n
      a(i) = 2*a(i) + b(i)
      b(i) = b(i) + 0.5d0
    end do
    print '(6f10.2)', a, b
  end subroutine shown

  subroutine turned()
    p(2) = 7
    p => b(2:)
    p(1) = 8
  end subroutine turned

  function answer() result(found)
    real(8) :: found
    p(3) = 4
    p => b
    p(4) = 6
    found = p(5)
  end function answer

  subroutine moved(x)
    type(cell), intent(inout) :: x
    x%p(3) = 66
    call set(x%p)
    x%p(2) = 77
  end subroutine moved

  subroutine set(q)
    real(8), pointer, intent(inout) :: q(:)
    q => b
  end subroutine set

  subroutine passed(x)
    type(cell), pointer :: x
    x%p(4) = 44
    x => x%next
    x%p(4) = 45
  end subroutine passed

  subroutine made(x)
    type(cell), intent(out) :: x
    x%p => a
    x%p(1) = 11
  end subroutine made
end module given_elsewhere
