! Arrays whose elements are those of others in another order: implied loops, spread, cshift, eoshift; norm2.
module rearranged
  implicit none
contains
  subroutine rows(n, a, b, c)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n,4), c(n,2,4)
    real(8), intent(in) :: b(n,4)
    integer :: i, k, m
    real(8) :: v(4)
    real(4) :: f(3)
    logical :: l(4)
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      k = 3
      v = [(b(i,k)*k, k = 1, 4)]
      a(i,:) = v + [b(i,4), (real(k, 8), k = 6, 2, -2)]
      a(i,1) = a(i,1) + sum([(b(i,k), k = 2, k)]) + k
      a(i,:) = a(i,:)*[((b(i,k) + m, k = 1, 2), m = 1, 2)]
      v = [a(i,2:3), b(i,1:4:3)]
      a(i,:) = [(a(i,5-k) + v(k), k = 1, 4)]
      c(i,:,:) = c(i,:,:) + spread(b(i,:), 1, 2)
      c(i,:,:) = c(i,:,:) - spread(source=c(i,:,3), dim=2, ncopies=4)
      a(i,:) = cshift(a(i,:), i - 3)
      v = cshift(v, -1)
      c(i,:,:) = cshift(c(i,:,:), shift=1, dim=2)
      a(i,:) = a(i,:) + eoshift(v, 1) + eoshift(array=b(i,:), shift=-i, boundary=-0.5d0)
      c(i,:,:) = c(i,:,:)*eoshift(c(i,:,:), 1, 2.d0, 2)
      l = b(i,:) > 3
      l = eoshift(l, 2)
      where (l) v = v + 0.125d0
      a(i,2) = a(i,2) + norm2(b(i,:)) + norm2(v - 1) + norm2(c(i,:,:))
      f = real(b(i,1:3))
      a(i,3) = a(i,3) + norm2(f) + norm2(v*0)
    end do
    !@end parallelRegion
  end subroutine rows

  subroutine run()
    integer, parameter :: n = 9
    real(8) :: a(n,4), b(n,4), c(n,2,4)
    integer :: i, k
    do k = 1, 4
      do i = 1, n
        a(i,k) = i*0.25d0 - k
        b(i,k) = 1.1d0*k + i*i*0.3d0
        c(i,:,k) = [i*1.d0, -k*2.5d0]
      end do
    end do
    call rows(n, a, b, c)
    print *, a
    print *, c
  end subroutine run
end module rearranged
