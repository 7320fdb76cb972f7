module host_sizes
  ! Sizes that procedures of the host declare, and their blocks, from an array that kernels have set.
  implicit none
  integer, parameter :: n = 8
  integer :: counts(n)
contains
  subroutine run()
    real(8) :: a(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      counts(i) = 2 + i/3
    end do
    call automatic(a)
    print '(8f8.3)', a
    !@parallelRegion
    do i = 1, n
      counts(i) = counts(i) + 1
      a(i) = a(i) + 0.5d0*i
    end do
    call further(a)
    print '(8f8.3)', a
    !@parallelRegion
    do i = 1, n
      counts(i) = counts(i) - 2
      a(i) = a(i) + 0.25d0*i
    end do
    a(1:sum(counts(1:2))) = values()
    print '(8f8.3)', a
    !@parallelRegion
    do i = 1, n
      counts(i) = counts(i) + 3
      a(i) = a(i) - i
    end do
    block
      real(8) :: work(many())
      work = 3
      a(1:size(work)) = work
    end block
    print '(8f8.3)', a, sum(a)
    print '(a)', text()
  end subroutine run

  subroutine automatic(a)
    real(8), intent(inout) :: a(n)
    real(8) :: work(counts(3))
    work = size(work)
    a = 1
    a(:size(work)) = work
  end subroutine automatic

  subroutine further(a)
    real(8), intent(inout) :: a(n)
    call blocks(a)
  end subroutine further

  subroutine blocks(a)
    real(8), intent(inout) :: a(n)
    block
      real(8) :: work(counts(2):counts(6))
      work = size(work)
      a(lbound(work, 1):ubound(work, 1)) = work
    end block
  end subroutine blocks

  function values() result(found)
    real(8) :: found(counts(1) + counts(2))
    found = 7
  end function values

  pure function many() result(number)
    integer :: number
    number = counts(4)
  end function many

  function text() result(found)
    character(counts(5)) :: found
    found = 'abcdefghij'
  end function text
end module host_sizes
