! Names that rows need, from everywhere. Plain Fortran: without the directives it prints what it has to print.
module grid
  implicit none
  integer, parameter :: wp = kind(1.0d0)
  integer :: i, k, nx, nz
  real(wp), allocatable :: q(:,:), r(:,:)
end module grid

module work
  implicit none
contains
  ! iterators, kinds and arrays by a use of the routine's own
  subroutine by_use()
    use grid, only: wp, i, k, nx, nz, q, r
    real(wp) :: v(2)
    !@parallelRegion
    do k = 1, nz
      do i = 1, nx
        v(1) = q(i,k)
        v(2) = r(i,k)
        r(i,k) = v(1) - v(2)
      end do
    end do
    i = 0
    k = 0
  end subroutine by_use

  subroutine by_use_of_all()
    use grid
    integer :: ii, kk
    real(wp) :: v(2)
    !@parallelRegion
    do kk = 1, nz
      do ii = 1, nx
        v(1) = q(ii,kk)
        v(2) = r(ii,kk)
        r(ii,kk) = v(1) + v(2)
      end do
    end do
  end subroutine by_use_of_all

  subroutine renamed()
    use grid, only: wp, mx => nx, mz => nz, p => q, r
    integer :: i, k
    real(wp) :: v(2)
    !@parallelRegion
    do k = 1, mz
      do i = 1, mx
        v(1) = p(i,k)
        v(2) = 2 * v(1)
        r(i,k) = r(i,k) + v(2)
      end do
    end do
  end subroutine renamed

  ! host arguments in an internal procedure
  subroutine outer(nx, nz, u, w)
    integer, intent(in) :: nx, nz
    real(8), intent(in) :: u(0:nx+1,nz)
    real(8), intent(inout) :: w(nx,nz)
    call inner()
    call inner_again(2.0d0)
  contains
    subroutine inner()
      integer :: i, k, s
      real(8) :: c(3)
      !@parallelRegion
      do k = 1, nz
        do i = 1, nx
          do s = 1, 3
            c(s) = u(i-2+s,k)
          end do
          w(i,k) = w(i,k) + c(1) - 2 * c(2) + c(3)
        end do
      end do
    end subroutine inner
    subroutine inner_again(f)
      real(8), intent(in) :: f
      integer :: i, k
      real(8) :: c(2)
      !@parallelRegion
      do k = 1, nz
        do i = 1, nx   ! a comment
          c(:) = f * u(i:i+1,k)

          w(i,k) = w(i,k) &
            + c(1) * c(2) ! another
        end do
      end do
    end subroutine inner_again
  end subroutine outer

  ! a function
  function total(nx, nz, u) result(t)
    integer, intent(in) :: nx, nz
    real(8), intent(in) :: u(nx,nz)
    real(8) :: t
    integer :: i, k
    integer(8) :: c(2)
    t = 0
    !@parallelRegion{reduction(+:t)}
    do k = 1, nz
      do i = 1, nx
        c(1) = nint(4 * u(i,k), 8)
        c(2) = c(1) / 2
        t = t + c(2)
      end do
    end do
  end function total
end module work

function alone(nx, nz, u)
  implicit none
  integer, intent(in) :: nx, nz
  real(8), intent(inout) :: u(nx,nz)
  real(8) :: alone
  integer :: i, k
  real(8) :: c(2)
  alone = 3
  !@parallelRegion
  do k = 1, nz; do i = 1, nx
      c(1) = u(i,k); c(2) = 2
      u(i,k) = c(1) * c(2)
  end do; end do
  !@parallelRegion
  do k = 1, nz
    points: do i = 1, nx
      c(1) = u(i,k); c(2) = 2
      if (c(1) > 5) cycle points
      u(i,k) = c(1) * c(2)
    end do points
  end do
end function alone

program p
  use grid
  use work
  implicit none
  real(8), external :: alone
  real(8) :: a(0:6,3), b(5,3), t, c(2), y
  logical :: done
  nx = 5; nz = 3
  allocate(q(0:6,0:4), r(nx,nz))
  do k = 0, 4; do i = 0, 6; q(i,k) = i + 0.5d0 * k * i; end do; end do
  r = 1
  call by_use(); print '(5f9.2)', r
  call by_use_of_all(); print '(5f9.2)', r
  call renamed(); print '(5f9.2)', r
  a = q(:,1:3); b = 0.25d0
  call outer(5, 3, a, b); print '(5f9.2)', b
  print '(f9.2)', total(5, 3, b)
  print '(f9.2)', alone(5, 3, b); print '(5f9.2)', b
  t = 7
  done = .false.
  do while (.not. done)
    !@parallelRegion
    do k = 1, nz
      do i = 1, nx
        c(1) = b(i,k)
        c(2) = c(1) + i
        y = c(2)
        b(i,k) = y * 0.5d0
      end do
    end do
    t = t - 3
    if (t < 0) exit
  end do
  print '(5f9.2)', b
  call host_names()
contains
  subroutine host_names()
    print '(f9.2)', t
  end subroutine host_names
end program p
