! local arrays of points whose sizes ask components and functions: the host has them, too
module asked_sizes
  implicit none
  type depths
    integer :: top = -1, levels = 5
  end type depths
  type patch
    type(depths) :: depth
    integer, allocatable :: starts(:)
  end type patch
contains
  pure integer function twice(n)
    integer, intent(in) :: n
    twice = 2*n
  end function twice
  subroutine run()
    type(patch) :: p
    real(8) :: a(5,4)
    allocate (p%starts(2))
    p%starts = [2, 3]
    a = 1.5d0
    call fill(p, 4, a)
    print *, a
  end subroutine run
  subroutine fill(p, n, a)
    type(patch), intent(in) :: p
    integer, intent(in) :: n
    real(8), intent(inout) :: a(p%depth%levels,n)
    real(8) :: w(p%depth%levels + 1), v(p%depth%top:p%starts(2)), u(twice(n), 0:p%starts(1))
    integer :: i, k
    !@parallelRegion{domName(i), domSize(n), private(u, v, w)}
    do i = 1, n
      w = i
      v = 2*i
      u = 3*i
      do k = 2, p%depth%levels
        w(k) = w(k-1) + a(k,i)
      end do
      do k = 1, p%depth%levels
        a(k,i) = w(p%depth%levels + 1 - k) + sum(v) + 100*size(u) + 1000*lbound(v, 1) + u(1,0)
      end do
    end do
    !@end parallelRegion
  end subroutine fill
end module asked_sizes
