! Names of an associate for parts of what others name, within kernels.
module parts_of_parts
  implicit none
  integer, parameter :: n = 40
  type field
    real(8) :: v(-3:n) = 0, w(n, 4) = 0
  end type field
contains
  subroutine sections(a, b)
    real(8), intent(inout) :: a(0:n), b(n)
    integer :: i, k
    k = 3
    !@parallelRegion
    do i = 1, 12
      associate (x => b(2:30))
        associate (y => x(4:), z => a(n:1:-1))
          associate (w => y, u => z(2:20), v => y(10:26:2))
            b(i) = 0.5d0*a(i) + x(i + 15) + y(i + 12)
            a(i) = w(i + 11)*2 + b(i)
            if (i < 10) a(i + 12) = v(i) + u(2*i - 1)
          end associate
        end associate
      end associate
    end do
    !@end parallelRegion
  end subroutine sections
  subroutine rows(f, g)
    type(field), intent(inout) :: f
    real(8), intent(inout) :: g(n, 0:3)
    integer :: i, k
    k = 2
    !@parallelRegion
    do i = 1, n - 5
      associate (w => f%w, row => g(i, :))
        associate (x => w(i, :), part => row(2:))
          associate (e => x(3), last => part(3))
            x(1) = row(1) + last
            x(k) = part(1)*2 + i
            e = x(1) - x(k)
          end associate
          part(2) = sum(x)
        end associate
      end associate
    end do
    !@end parallelRegion
  end subroutine rows
  subroutine run
    real(8) :: a(0:n), b(n), g(n, 0:3)
    type(field) :: f
    integer :: i
    do i = 1, n
      a(i) = mod(7*i, 11)
      b(i) = mod(5*i, 13)
      g(i, :) = [real(kind=8) :: i, mod(3*i, 5), 2*i, mod(i, 3)]
    end do
    a(0) = 9
    call sections(a, b)
    call rows(f, g)
    print '(5f14.4)', a, b
    print '(5f14.4)', f%w, g
  end subroutine run
end module parts_of_parts
