! Input that ends before its list does, with the label right behind it: what was read before goes to the device.
module short_input
  implicit none
  integer, parameter :: n = 12
contains
  subroutine run
    real(8) :: a(n), b(n)
    character(80) :: text
    integer :: i, k, got
    do k = 1, 3
      write (text, '(8f8.2)') (1.5d0*i*k, i = 1, 3*k - 2)
      !@parallelRegion
      do i = 1, n
        a(i) = i
        b(i) = -k
      end do
      read (text, *, end=10) (a(i), i = 1, n)
10    continue
      !@parallelRegion
      do i = 1, n
        b(i) = b(i) + 2*a(i)
        a(i) = a(i) - 1
      end do
      print '(i4, 12f8.2)', k, a
      print '(12f8.2)', b
      call counted(a, text, got)
      !@parallelRegion
      do i = 1, n
        b(i) = b(i) + 3*a(i)
      end do
      print '(2i6, 12f8.2)', k, got, a
      print '(12f8.2)', b
    end do
  end subroutine run
  ! The label is on a statement that does something, on a loop, on a choice, and on a region.
  subroutine counted(a, text, got)
    real(8), intent(inout) :: a(n)
    character(*), intent(in) :: text
    integer, intent(out) :: got
    real(8) :: c(n)
    integer :: i, m
    !@parallelRegion
    do i = 1, n
      a(i) = a(i) - 2*i
      c(i) = i
    end do
    read (text, *, end=10) (a(m), m = 1, n)
10  got = int(a(1))
    !@parallelRegion
    do i = 1, n
      a(i) = 3*a(i) + c(i)
    end do
    if (got > 0) then
      read (text, *, end=20) (c(m), m = 2, n)
20    do i = 1, 2
        got = got + int(c(i + 1))
      end do
    end if
    !@parallelRegion
    do i = 1, n
      a(i) = a(i) + 0.5d0*c(i)
    end do
    read (text, *, end=30) (c(m), m = 3, n)
30  if (c(3) > 0) then
      got = got + 1000
    end if
    !@parallelRegion
    do i = 1, n
      a(i) = a(i) + 0.25d0*c(i)
      c(i) = i
    end do
    read (text, *, end=40) (c(m), m = 4, n)
    !@parallelRegion
40  do i = 1, n
      a(i) = a(i) - 0.125d0*c(i)
    end do
  end subroutine counted
end module short_input
