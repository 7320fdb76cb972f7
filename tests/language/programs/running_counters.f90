! integers that count in the loops of regions: each point gets the value that they have there
module running_counters
  implicit none
  integer, parameter :: nv = 3
  type grid
    integer :: nx = 7, ny = 6
  end type grid
contains
  subroutine run()
    type(grid) :: g
    real(8) :: q(nv,7,6), buf(500)
    integer :: i, j, n, k
    do j = 1, g%ny
      do i = 1, g%nx
        do n = 1, nv
          q(n,i,j) = n + mod(5*i + 3*j, 11)/8d0
        end do
      end do
    end do
    buf = 0
    k = 4
    call packed(g, q, buf, k)
    print '(i6)', k
    do n = 3, -1, -1
      k = 20
      call unpacked(g%nx, g%ny, n, q, buf, k)
      print '(i6)', k
    end do
    call downwards(g, q, buf)
    print '(5es22.14)', q, buf
  end subroutine run
  subroutine packed(g, q, buf, counted)
    type(grid), intent(in) :: g
    real(8), intent(in) :: q(nv,g%nx,g%ny)
    real(8), intent(inout) :: buf(:)
    integer, intent(inout) :: counted
    integer :: i, j, n, k
    k = counted
    !@parallelRegion
    do j = 1, g%ny
      do i = 1, g%nx
        do n = 1, nv
          k = k + 1
          buf(k) = q(n,i,j) + 10*k
        end do
      end do
    end do
    !@parallelRegion{domName(i,j), domSize(g%nx,g%ny)}
    do j = 2, g%ny, 2
      do i = g%nx, 1, -1
        k = k + 2
        buf(k) = q(1,i,j)
        k = 1 + k
        buf(k) = q(2,i,j) - k
      end do
    end do
    !@end parallelRegion
    counted = k
  end subroutine packed
  subroutine unpacked(nx, ny, nz, q, buf, k)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: q(nv,nx,ny)
    real(8), intent(in) :: buf(:)
    integer, intent(inout) :: k
    integer :: i, j, n
    !@parallelRegion{domName(i,j), domSize(nx,ny)}
    do j = 1, ny
      do i = 1, nx
        do n = 1, nz
          q(n,i,j) = buf(k) + k
          k = k + 1
        end do
        q(1,i,j) = q(1,i,j) + k
        do n = nz, 1, -1
          k = k + 1
          q(n,i,j) = q(n,i,j) - buf(k)
        end do
      end do
    end do
    !@end parallelRegion
  end subroutine unpacked
  subroutine downwards(g, q, buf)
    type(grid), intent(in) :: g
    real(8), intent(in) :: q(:,:,:)
    real(8), intent(inout) :: buf(:)
    integer :: i, j, k, counted
    k = size(buf) + 1; counted = 0
    !@parallelRegion
    do j = 1, size(q, 3)
      do i = 1, size(q, 2)
        k = k - 2
        buf(k) = q(1,i,j)*counted
        counted = counted + 1
      end do
    end do
    buf(1) = k
    buf(2) = counted
  end subroutine downwards
end module running_counters
