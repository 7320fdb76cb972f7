! Loops that OpenMP, OpenACC or the language calls parallel; every value depends on its place.
module taken
  implicit none
  integer, parameter :: nx = 9, ny = 7, nz = 5
  real(8) :: field(0:nx+1,ny)
contains
  subroutine run_taken()
    real(8) :: a(nx,ny), b(nx,ny), c(nx,ny,nz), w(nz), total, top, x, edge(ny)
    integer :: i, j, k, n, to(nx), last
    logical :: even(nx)
    n = nx
    x = 7
    !$acc data create(a)
    !$omp parallel do private(i) &
    !$omp& shared(a, b) default(none) collapse(2) ! both
    do j = 1, ny
      do i = 1, n
        a(i,j) = 10*i + j
        b(i,j) = 0.5d0
      end do
    end do
    !$omp end parallel do
    total = 0
    top = -1
    !$OMP PARALLEL DO REDUCTION(+:total) reduction(max:top) schedule(dynamic, 2) private(x)
    do j = 2, ny - 1
      x = 0
      !$omp simd reduction(+:x)
      do i = 2, nx - 1
        x = x + a(i-1,j) + a(i+1,j)
      end do
      total = total + x
      top = max(top, x)
      b(1,j) = x
    end do
    ! A column for each point.
    !$acc parallel loop gang vector private(w) copyout(c) copyin(a)
    do j = 1, ny
      !$acc loop vector
      do i = 1, nx
        !$acc loop seq
        do k = 1, nz
          w(k) = a(i,j) * k + i
        end do
        do k = 1, nz
          c(i,j,k) = w(nz+1-k) - j
        end do
      end do
    end do
    ! The loop over k carries values: no part of the region.
    !$acc parallel loop
    do i = 1, nx
      do j = 1, ny
        do k = 2, nz
          c(i,j,k) = c(i,j,k) + c(i,j,k-1)
        end do
      end do
    end do
    !$acc kernels
    field = 3
    do j = 1, ny
      do i = 1, nx
        field(i,j) = b(i,j) + j
      end do
    end do
    do j = 1, ny
      edge(j) = sum(field(:,j)) + j**2
    end do
    !$acc end kernels
    !$acc kernels
    do i = 2, nx
      b(i,1) = b(i-1,1) + a(i,1)
    end do
    !$acc end kernels
    !$acc end data
    do concurrent (j = 1:ny, i = 1:nx, a(i,j) > 30)
      a(i,j) = a(i,j) - 100*j
    end do
    to = [(mod(4*i, nx) + 1, i = 1, nx)]
    !$omp parallel do
    do i = 1, nx
      b(to(i),2) = i
    end do
    do concurrent (i = 2:nx:2)
      x = a(i,1) * 2
      b(i,3) = x + i
    end do
    even = .false.
    block_of_them: do concurrent (i = 1:nx)
      if (mod(i, 2) == 1) cycle block_of_them
      even(i) = .true.
    end do block_of_them
    ! What stays: a value that is used behind, points that meet, an update that needs an order.
    !$omp parallel do lastprivate(last)
    do i = 1, nx
      last = i * 3
      b(i,4) = last
    end do
    !$omp parallel do
    do i = 1, nx
      !$omp atomic
      edge(1 + mod(i, 3)) = edge(1 + mod(i, 3)) + i
    end do
    !$omp parallel do num_threads(2)
    do j = 1, ny
      edge(j) = edge(j) + whole(c(:,j,:))
    end do
    print '(9f12.3)', a, b, c, edge, total, top, field(1:3,:)
    print *, last, even
  end subroutine run_taken

  real(8) function whole(x)
    real(8), intent(in) :: x(nx,nz)
    whole = x(3,2) - x(2,3)
  end function whole
end module taken
