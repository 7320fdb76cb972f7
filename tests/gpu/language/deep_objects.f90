! Objects with allocatable and pointer components, one within another.
module deep_objects
  implicit none
  type inner
    real(8), allocatable :: q(:)
    integer :: shift
  end type inner
  type box
    real(8), allocatable :: h(:,:), u(:)
    real(8), pointer :: p(:)
    real(8) :: dx, weights(3)
    type(inner) :: in
  end type box
contains
  subroutine step(n, g, a)
    integer, intent(in) :: n
    type(box), intent(inout) :: g
    real(8), intent(inout) :: a(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      g%u(i) = g%dx*g%h(i,2) + g%weights(3) + size(g%h, 2)
      a(i) = a(i) + g%u(i) + g%in%q(i + g%in%shift)
      g%p(i) = g%p(i) - a(i)
    end do
    !@end parallelRegion
    g%u(1) = g%u(1) + 1
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      g%h(i,1) = g%u(i)
    end do
    !@end parallelRegion
  end subroutine step

  subroutine run()
    integer, parameter :: n = 6
    type(box) :: g
    real(8) :: a(n)
    integer :: i
    allocate(g%h(n,2), g%u(n), g%p(n), g%in%q(0:n))
    g%h = reshape([(i*0.5d0, i = 1, 2*n)], [n, 2])
    g%u = 0
    g%p = 3
    g%dx = 0.25d0
    g%weights = [1, 2, 3]
    g%in%q = [(i*i*1.d0, i = 0, n)]
    g%in%shift = -1
    a = 1
    call step(n, g, a)
    call step(n, g, a)
    print *, g%h, g%u, g%p, a
    deallocate(g%p)
  end subroutine run
end module deep_objects
