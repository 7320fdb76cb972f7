module null_values
  ! What is read in free format may leave elements as they are: they are what kernels have set.
  implicit none
contains
  subroutine run
    real(8) :: x(8), y(8), z(8), w(8)
    x = 0
    y = 0
    z = 0
    w = 0
    call filled(8, x, y, z, w)
    print '(8f7.1)', x, y, z, w
  end subroutine run

  subroutine filled(n, x, y, z, w)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n), z(n), w(n)
    integer :: i, unit
    namelist /given/ w
    !@parallelRegion
    do i = 1, n
      x(i) = i
      y(i) = 10*i
      z(i) = 100*i
      w(i) = 1000*i
    end do
    open (newunit=unit, status='scratch')
    write (unit, '(a)') '-1, , -3, 2*, -6 /', '3* -7. , , -8. /', '2* , 5., 4*', '11.', ' &given w(3) = 4. /'
    rewind (unit)
    read (unit, *) x
    read (unit, fmt=*) y
    read (unit, *) z
    read (unit, nml=given)
    close (unit)
    !@parallelRegion
    do i = 1, n
      x(i) = x(i) + 0.5d0
      y(i) = y(i) + 0.5d0
      z(i) = z(i) + 0.5d0
      w(i) = w(i) + 0.5d0
    end do
  end subroutine filled
end module null_values
