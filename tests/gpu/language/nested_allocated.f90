! Elements of an allocatable array in an object, with arrays of objects in them, in another order than it is declared.
module nested_allocated
  implicit none
  integer, parameter :: nl = 3
  type :: layer
    real(8) :: t(0:2)
  end type layer
  type :: column
    type(layer) :: l(nl)
    real(8) :: m(2)
  end type column
  type :: field
    type(column), allocatable :: c(:, :)
  end type field
contains
  subroutine run()
    type(field) :: f
    real(8) :: b(5, 3)
    integer :: i, j, k, m
    allocate (f%c(0:4, 3))
    do j = 1, 3
      do i = 0, 4
        do k = 1, nl
          f%c(i, j)%l(k)%t = [i + 10d0*j, 0.5d0*k, 0.25d0*i]
        end do
        f%c(i, j)%m = [i*j, k]
      end do
    end do
    !@parallelRegion
    do j = 1, 3
      do i = 1, 5
        b(i, j) = f%c(i - 1, j)%m(1)
        do k = 1, nl
          do m = 0, 2
            b(i, j) = b(i, j)*0.5d0 + f%c(i - 1, j)%l(k)%t(m)
            f%c(i - 1, j)%l(k)%t(m) = b(i, j)
          end do
        end do
      end do
    end do
    !@end parallelRegion
    print *, b
    print *, (((f%c(i, j)%l(k)%t, k = 1, nl), i = 0, 4), j = 1, 3)
  end subroutine run
end module nested_allocated
