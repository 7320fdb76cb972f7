! Arrays of a kernel that routines see in another shape than they have: elements correspond in the order of storage.
module other_shapes
  implicit none
  integer, parameter :: n = 7
  real(8) :: table(4,6) = 0
contains
  subroutine run()
    real(8) :: c(n), d(n), e(n), f(4,3,n)
    integer :: g(n), i, step
    do i = 1, n
      c(i) = 0.5d0*i
      g(i) = mod(5*i, n)
    end do
    do i = 1, 24
      table(1 + mod(i-1, 4), 1 + (i-1)/4) = 0.25d0*i
    end do
    f = 1
    do step = 1, 2
      call points(4, 3, c, d, e, f, g)
      print '(7es22.14)', c, d, e
      print '(12f14.6)', f
      print '(7i12)', g
    end do
  end subroutine run

  subroutine points(m, l, c, d, e, f, g)
    integer, intent(in) :: m, l
    real(8), intent(inout) :: c(n), d(n), e(n), f(4,3,n)
    integer, intent(inout) :: g(n)
    real(8) :: w(4,2,3), own(m,2*l), s(2,5)
    integer :: h(3,2), i, k
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      w = 0
      own = c(i)
      s = 1
      call plane(6, 4, c(i), w)                       ! (6,4) for (4,2,3)
      do k = 1, 3
        call line(8, c(i) + k, w(1,1,k))              ! a plane from its first element
      end do
      call line(3, 100.d0, w(2,1,2))                  ! within a column, and on into the next
      call wide(2, w(3,2,1))                          ! (5,*) from an element
      call line(8, 1000.d0, w(:,:,3))                 ! a section that is a plane
      call line(8, 10.d0, w(:,:,2:3))                 ! the beginning of two of them
      d(i) = w(1,1,1) + 2*w(4,2,1) + 3*w(2,1,2) + 5*w(4,2,3) + 7*sum(w)
      call plane(m + 2, 4, c(i), own)                 ! (m+2,4) for (m,2*l)
      call through(m, 2*l, own)                       ! and on, in a third shape
      call line(5, c(i), s(2,:))                      ! a section with gaps, of one dimension
      call rows(2, 2, s(:,2:4:2))                     ! and of two
      call spread_out(w(2:4,1,:))                     ! by way of a dummy that has the gaps
      e(i) = own(1,1) + 2*own(4,1) + 3*own(2,3) + 5*own(4,6) + sum(s) + 9*s(1,4) + sum_of(24, table) &
        + sum_of(8, table(3,2))
      call line(12, c(i), f(1,1,i))                   ! what a point has of an array in memory
      call numbers(6, h)
      g(i) = g(i) + h(1,1) + 2*h(3,1) + 3*h(2,2)
      g(i) = g(i) + int(sum_of(24, 2*w) + sum_of(12, w(:,1,:) + w(:,2,:)))
      call square(c(i), h)
      g(i) = g(i) + 11*h(3,2)
    end do
    !@end parallelRegion
  end subroutine points

  subroutine plane(rows, columns, x, out)
    integer, intent(in) :: rows, columns
    real(8), intent(in) :: x
    real(8), intent(inout) :: out(rows,columns)
    integer :: i, j
    do j = 1, columns
      do i = 1, rows
        out(i,j) = out(i,j) + x*i + 0.125d0*j
      end do
    end do
  end subroutine plane

  subroutine line(many, x, out)
    integer, intent(in) :: many
    real(8), intent(in) :: x
    real(8), intent(inout) :: out(many)
    integer :: i
    do i = 1, many
      out(i) = out(i) + x + 0.5d0*i
    end do
  end subroutine line

  subroutine wide(columns, out)
    integer, intent(in) :: columns
    real(8), intent(inout) :: out(5,0:*)
    integer :: i, j
    do j = 0, columns - 1
      do i = 1, 5
        out(i,j) = 3*out(i,j) - i + 16*j
      end do
    end do
  end subroutine wide

  subroutine through(rows, columns, a)
    integer, intent(in) :: rows, columns
    real(8), intent(inout) :: a(rows,columns)
    a(2,3) = -a(2,3)
    call line(columns*rows, 0.25d0, a)
    call block(a)
  end subroutine through

  subroutine block(a)
    real(8), intent(inout) :: a(2,2:4,4)
    a(2,3,1) = a(2,3,1) + 40
    a(:,4,2:3) = 2*a(:,4,2:3)
  end subroutine block

  subroutine spread_out(a)
    real(8), intent(inout) :: a(:,:)
    call nine(3, a)
    call line(3, 5.d0, a(2,:))
  end subroutine spread_out

  subroutine nine(many, a)
    integer, intent(in) :: many
    real(8), intent(inout) :: a(many,3)
    a(1,1) = a(1,1) + 11
    a(3,2) = a(3,2) - 13
    a(2,3) = 2*a(2,3)
  end subroutine nine

  subroutine rows(many, columns, a)
    integer, intent(in) :: many, columns
    real(8), intent(inout) :: a(many,columns)
    a(2,1) = a(2,1) + 3
    a(1,2) = a(1,2) - 7
  end subroutine rows

  real(8) function sum_of(many, a)
    integer, intent(in) :: many
    real(8), intent(in) :: a(many)
    integer :: i
    sum_of = 0
    do i = 1, many
      sum_of = sum_of + i*a(i)
    end do
  end function sum_of

  subroutine numbers(many, a)
    integer, intent(in) :: many
    integer, intent(out) :: a(many)
    integer :: i
    do i = 1, many
      a(i) = i*i
    end do
  end subroutine numbers

  subroutine square(x, a)
    real(8), intent(in) :: x
    integer, intent(inout) :: a(2,3)
    a(2,3) = a(1,2) + int(x)
  end subroutine square
end module other_shapes
