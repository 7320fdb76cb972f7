! Sections with gaps for dummies of assumed shape whose routines have regions.
module sections
  implicit none
  integer, parameter :: dp = kind(1d0)
  type cell
    real(dp) :: x, y
    integer :: n
  end type cell
  real(dp) :: field(0:13, 0:9, 4)
contains
  ! a stencil: addressed from the point
  subroutine smooth(u, v)
    real(dp), intent(in) :: u(:,:)
    real(dp), intent(inout) :: v(:,:)
    integer :: i, j
    !@parallelRegion
    do j = 2, size(u, 2) - 1
      do i = 2, size(u, 1) - 1
        v(i,j) = v(i,j) + 0.25_dp*(u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1))
      end do
    end do
  end subroutine smooth
  ! one dimension, own lower bound
  subroutine ramp(a, f)
    real(dp), intent(inout) :: a(0:)
    real(dp), intent(in) :: f
    integer :: i
    !@parallelRegion
    do i = 0, ubound(a, 1)
      a(i) = f*a(i) + i
    end do
  end subroutine ramp
  ! only set
  subroutine filled(a)
    real(dp), intent(out) :: a(:,:)
    integer :: i, j
    !@parallelRegion
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i,j) = 100*i + j
      end do
    end do
  end subroutine filled
  ! a reduction, the host between two regions
  subroutine scaled(a, total)
    real(dp), intent(inout) :: a(:,:)
    real(dp), intent(out) :: total
    real(dp) :: s
    integer :: i, j
    s = 0
    !@parallelRegion{reduction(+:s)}
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        s = s + a(i,j)*(i + 2*j)
      end do
    end do
    a(1,2) = a(1,2) + 1
    a(2,:) = a(2,:)*2
    print *, 'between', a(1,1), sum(a(:,2))
    !@parallelRegion
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i,j) = a(i,j) + s/1000
      end do
    end do
    total = s + sum(a)
  end subroutine scaled
  ! handed on, whole and in part
  subroutine handed(a, b)
    real(dp), intent(inout) :: a(:,:), b(:,:)
    integer :: i, j
    !@parallelRegion
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        b(i,j) = b(i,j) + a(i,j)/2
      end do
    end do
    call smooth(a, b)
    call ramp(a(:,2), 0.5_dp)
    call ramp(b(3,:), 0.25_dp)
    call filled(b(2:4:2,1:3))
    call ramp(b(size(b,1):1:-1,1), 2.0_dp)
    !@parallelRegion
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i,j) = a(i,j) + b(i,j)
      end do
    end do
  end subroutine handed
  ! the whole array is there already
  subroutine around()
    integer :: i, j, k
    !@parallelRegion
    do k = 1, 4
      do j = 0, 9
        do i = 0, 13
          field(i,j,k) = field(i,j,k) + 0.001_dp*(i - j + k)
        end do
      end do
    end do
    call smooth(field(1:12,1:8,1), field(1:12,1:8,2))
    call ramp(field(5,3,:), 1.5_dp)
    call smooth(field(:,2,:), field(:,4,:))
    !@parallelRegion
    do k = 1, 4
      do j = 0, 9
        do i = 0, 13
          field(i,j,k) = field(i,j,k)*1.5_dp
        end do
      end do
    end do
  end subroutine around
  pure function mean(a) result(m)
    real(dp), intent(in) :: a(:)
    real(dp) :: m
    integer :: i
    m = 0
    do i = 1, size(a)
      m = m + a(i)
    end do
    m = m/size(a)
  end function mean
  pure subroutine shifted(a)
    real(dp), intent(inout) :: a(:)
    a(2:) = a(2:) + a(1)
  end subroutine shifted
  ! routines in kernels, array statements, questions about the shape
  subroutine kernels(a, b, c)
    real(dp), intent(inout) :: a(:,:), b(:,:)
    real(dp), intent(in), optional :: c(0:)
    integer :: j
    !@parallelRegion
    do j = 1, size(a, 2)
      a(:,j) = a(:,j) + b(:,j)*j
      if (present(c)) a(2,j) = a(2,j) + c(2)*size(c)
      where (a(:,j) > 3) b(:,j) = -a(:,j)
      call shifted(b(:,j))
      b(1,j) = mean(a(:,j)) + maxval(b(:,j)) + size(a, 1)
    end do
  end subroutine kernels
  subroutine cells(x)
    real(dp), intent(inout) :: x(:)
    integer :: i
    !@parallelRegion
    do i = 1, size(x)
      x(i) = x(i)**2 + i
    end do
  end subroutine cells
  subroutine numbers(n)
    integer, intent(inout) :: n(:)
    integer :: i
    !@parallelRegion
    do i = 1, size(n)
      n(i) = n(i) + 7*i
    end do
  end subroutine numbers
  subroutine halves(a, b)
    real(dp), intent(inout) :: a(:,:), b(:,:)
    integer :: i, j
    !@parallelRegion
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i,j) = a(i,j) + b(i,j)
      end do
    end do
  end subroutine halves
  subroutine run()
    real(dp) :: a(0:13, 0:9), b(0:13, 0:9), t(24), total
    type(cell) :: c(11)
    integer :: i, j, k
    do j = 0, 9
      do i = 0, 13
        a(i,j) = sin(1.0_dp*i + 7.0_dp*j)
        b(i,j) = cos(2.0_dp*i - 3.0_dp*j)
        do k = 1, 4
          field(i,j,k) = sin(0.3_dp*i*k + j)
        end do
      end do
    end do
    call smooth(a, b)
    call smooth(a(1:12,1:8), b(1:12,1:8))
    call smooth(b(0:13:2,:), a(0:6,:))
    call smooth(a(13:0:-1,:), b(13:0:-1,9:0:-1))
    print *, 'smooth', sum(a), sum(b), a(3,4), b(5,7)
    t = [(real(i, dp), i = 1, 24)]
    call ramp(t(1:24:3), 2.0_dp)
    call ramp(t(2:24:3), 3.0_dp)
    call ramp(t(24:4:-5), 0.5_dp)
    call ramp(a(4,:), 0.5_dp)
    call ramp(a(:,4), 0.5_dp)
    print *, 'ramp', t, a(4,:), sum(a)
    call filled(a(2:5,3:4))
    call filled(b(0:13:13,0:9:9))
    call filled(b(3:3,2:8))
    print *, 'filled', sum(a), sum(b), a(2:5,3), b(13,9), b(3,:)
    call scaled(a(1:5,1:5), total)
    print *, 'scaled', total, sum(a), sum(a*b)
    call handed(a(2:9,1:8), b(4:11,2:9))
    print *, 'handed', sum(a), sum(b), a(5,5), b(6,6)
    call around()
    print *, 'around', sum(field), field(5,3,:), field(3,2,2)
    call kernels(a(3:7,2:6), b(3:11:2,2:6))
    call kernels(a(3:7,2:6), b(3:11:2,2:6), t(1:13:4))
    call kernels(a(3:7,2:6), b(3:11:2,2:6))
    print *, 'kernels', sum(a), sum(b), a(4,4), b(5,5)
    do i = 1, 11
      c(i) = cell(0.5_dp*i, 2.0_dp*i, i)
    end do
    call cells(c%x)
    call cells(c(2:10:2)%y)
    call numbers(c%n)
    call numbers(c(9:1:-4)%n)
    print *, 'cells', c
    call halves(a(0:6,:), a(7:13,:))
    call halves(a(:,0:9:2), a(:,1:9:2))
    call halves(field(1,:,:), field(2,:,:))
    print *, 'halves', sum(a), a(3,3), sum(field), field(1,2,3)
  end subroutine run
end module sections
