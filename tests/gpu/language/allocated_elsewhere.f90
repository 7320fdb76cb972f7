module allocated_elsewhere
  ! Pointers to what is allocated for them, or to arrays, and what happens to both between kernels.
  implicit none
  integer, parameter :: n = 6
  real(8), target :: a(n), b(n)
  real(8), pointer, contiguous :: p(:), q(:)
contains
  subroutine run()
    integer :: i, j
    allocate(p(n), q(n))
    p = 1
    q = 2
    !@parallelRegion
    do i = 1, n
      a(i) = i
      b(i) = 10*i
      p(i) = p(i) + i
      q(i) = q(i) - i
    end do
    do j = 1, 2
      if (j == 3) p => b
      p(j) = 20
    end do
    call maybe(3)
    call shown()
    call exchanged()
    call shown()
    call renewed()
    !@parallelRegion
    do i = 1, size(p)
      p(i) = 3*p(i)
    end do
    print '(6f10.2)', p
    call longer(n)
    call shown()
    q => p
    if (n > 2) then
      p(1) = 40
      p => b
      p(2) = 41
    end if
    call shown()
    p => q
    call left()
    call shown()
  contains
    subroutine shown()
      !@parallelRegion
      do i = 1, n
        a(i) = a(i) + p(i)
        b(i) = b(i) + 0.5d0
        q(i) = q(i) + 1
      end do
      print '(6f10.2)', a, b, q
    end subroutine shown
  end subroutine run

  subroutine maybe(k)
    integer, intent(in) :: k
    if (k < 3) p => b
    p(3) = 5
  end subroutine maybe

  subroutine exchanged()
    real(8), pointer, contiguous :: other(:)
    p(4) = 6
    other => p
    p => q
    q => other
    p(5) = 7
  end subroutine exchanged

  subroutine renewed()
    deallocate(p)
    allocate(p(4))
    p = 8
    p(2) = 9
  end subroutine renewed

  subroutine longer(k)
    integer, intent(in) :: k
    real(8), pointer, contiguous :: new(:)
    allocate(new(k))
    new = 1
    new(1:size(p)) = p
    deallocate(p)
    p => new
  end subroutine longer

  subroutine left()
    p(5) = 77
    p => a
    p(6) = 78
  end subroutine left
end module allocated_elsewhere
