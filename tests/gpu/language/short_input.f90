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
      read (text, *, end=10) (a(got), got = 1, n)
10    continue
      !@parallelRegion
      do i = 1, n
        b(i) = b(i) + 2*a(i)
        a(i) = a(i) - 1
      end do
      print '(2i4, 12f8.2)', k, got, a
      print '(12f8.2)', b
    end do
  end subroutine run
end module short_input
