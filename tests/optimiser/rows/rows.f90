! Regions whose rows go to routines of their own, and some whose rows must not. Plain Fortran: without the
! directives it prints what it has to print.
module fields
  implicit none
  integer, parameter :: wp = kind(1.0d0), ng = 2, nv = 3
  real(wp), allocatable :: shared_field(:,:), never(:,:)
  real(wp) :: fixed_field(-1:12,9)
  real(wp), parameter :: weights(-2:2) = [0.1_wp, 0.2_wp, 0.4_wp, 0.2_wp, 0.1_wp]
contains
  ! Private array in a module procedure, arrays as arguments, bounds from arguments; constants of its own.
  subroutine in_module(nx, nz, a, b)
    integer, intent(in) :: nx, nz
    real(wp), intent(in) :: a(1-ng:nx+ng,nz)
    real(wp), intent(inout) :: b(nx,nz)
    integer, parameter :: n = 2 * ng
    real(wp), parameter :: c = 0.25_wp
    real(wp) :: cells(n), r
    integer :: i, k, s

    !@parallelRegion
    do k = 1, nz
      do i = 1, nx
        do s = 1, n
          cells(s) = a(i-ng-1+s,k)
        end do
        r = c * sum(cells)
        b(i,k) = r + cells(1) * cells(n)
      end do
    end do
  end subroutine in_module

  ! A loop over a stencil, no private array, a sum in a scalar; a module's allocatable array and one that is fixed.
  subroutine of_module(nx, nz)
    integer, intent(in) :: nx, nz
    integer :: i, k, s
    real(wp) :: sum_of

    !@parallelRegion
    do k = 1, nz
      do i = 1, nx
        sum_of = 0
        do s = -2, 2
          sum_of = sum_of + weights(s) * fixed_field(i+min(s, 0),k)
        end do
        shared_field(i,k) = shared_field(i,k) + sum_of
      end do
    end do
  end subroutine of_module

  ! Reductions, and a private array beside them.
  subroutine reduced(nx, nz, a, total, highest)
    integer, intent(in) :: nx, nz
    real(wp), intent(in) :: a(nx,nz)
    real(wp), intent(out) :: total, highest
    real(wp) :: pair(2)
    integer :: i, k

    total = 0
    highest = -huge(1.0_wp)
    !@parallelRegion{reduction(+:total), reduction(max:highest)}
    do k = 1, nz
      do i = 1, nx
        pair(1) = a(i,k)
        pair(2) = real(nint(4 * pair(1)), wp)
        total = total + pair(2)
        highest = max(highest, pair(1))
      end do
    end do
  end subroutine reduced

  ! Targets: two arguments that are one array must not become two arrays.
  subroutine two_names(nx, nz, a, b, c)
    integer, intent(in) :: nx, nz
    real(wp), intent(in), target :: a(nx,nz)
    real(wp), intent(inout), target :: b(nx,nz)
    real(wp), intent(inout) :: c(nx,nz)
    real(wp) :: v(2)
    integer :: i, k

    !@parallelRegion
    do k = 1, nz
      do i = 1, nx
        v(1) = a(i,k)
        b(i,k) = 2 * v(1)
        v(2) = a(i,k)
        c(i,k) = v(1) + 100 * v(2)
      end do
    end do
  end subroutine two_names

  ! Pointers, a local one and one of a caller's.
  subroutine by_pointers(nx, nz, p, q)
    integer, intent(in) :: nx, nz
    real(wp), pointer, intent(in) :: p(:,:), q(:,:)
    real(wp) :: v(2)
    integer :: i, k

    !@parallelRegion
    do k = 1, nz
      do i = 1, nx
        v(1) = p(i,k)
        q(i,k) = v(1) + 1
        v(2) = p(i,k)
        q(i,k) = v(1) + 10 * v(2)
      end do
    end do
  end subroutine by_pointers

  ! An allocatable array that no point uses stays where it is.
  subroutine not_allocated(nx, nz, use_it, a)
    integer, intent(in) :: nx, nz
    logical, intent(in) :: use_it
    real(wp), intent(inout) :: a(nx,nz)
    real(wp) :: v(2)
    integer :: i, k

    !@parallelRegion
    do k = 1, nz
      do i = 1, nx
        v(:) = a(i,k) + [1, 2]
        if (use_it) v(1) = v(1) + never(i,k)
        if (a(i,k) < 0) cycle
        a(i,k) = v(1) * v(2)
      end do
    end do
  end subroutine not_allocated

  ! Arrays of assumed shape, with a lower bound.
  subroutine assumed(a, b)
    real(wp), intent(in) :: a(0:,:)
    real(wp), intent(inout) :: b(0:,:)
    real(wp) :: v(3)
    integer :: i, k, s

    !@parallelRegion
    do k = 1, size(b, 2)
      do i = 0, ubound(b, 1)
        do s = 1, 3
          v(s) = a(i,k) * s
        end do
        b(i,k) = b(i,k) + v(1) * v(2) - v(3)
      end do
    end do
  end subroutine assumed

  ! The same of arrays that have no gaps.
  subroutine contiguously(nx, nz, a, b)
    integer, intent(in) :: nx, nz
    real(wp), intent(in), contiguous :: a(0:,:)
    real(wp), intent(inout), contiguous :: b(0:,:)
    real(wp) :: v(3)
    integer :: i, k, s

    !@parallelRegion
    do k = 1, nz
      do i = 0, nx - 1
        do s = 1, 3
          v(s) = a(i,k) * s
        end do
        b(i,k) = b(i,k) + v(1) * v(2) - v(3)
      end do
    end do
  end subroutine contiguously
end module fields

! In no module: the row is a procedure of the routine's own.
subroutine alone(nx, nz, a)
  use fields, only: wp
  implicit none
  integer, intent(in) :: nx, nz
  real(wp), intent(inout) :: a(0:nx,nz)
  real(wp) :: v(2), t
  integer :: i, k

  !@parallelRegion
  do k = 1, nz
    do i = 1, nx
      v(1) = a(i,k)
      v(2) = v(1) ** 2
      select case (mod(i, 3))
      case (0)
        t = v(1)
      case default
        t = v(2)
      end select
      a(i,k) = t + sum(v)
    end do
  end do
end subroutine alone

program rows
  use fields
  implicit none
  integer, parameter :: nx = 11, nz = 7
  real(wp), allocatable :: q(:,:,:), flux(:,:,:)
  real(wp) :: a(nx,nz), b(nx,nz), wide(1-ng:nx+ng,nz), c(0:nx,nz), total, highest
  real(wp), target :: t(nx,nz), u(nx,nz)
  real(wp), pointer :: p(:,:), r(:,:)
  real(wp) :: cells(4), of_host
  integer :: i, k, m, s

  allocate(q(1-ng:nx+ng,0:nz,nv), flux(nx,nz,nv), shared_field(0:nx,nz))
  do k = 0, nz
    do i = 1 - ng, nx + ng
      q(i,k,:) = [0.5_wp * i + k, 1.0_wp * i * k, 3.0_wp - i + 0.25_wp * k]
    end do
  end do
  wide = q(:,1:,1)
  b = 0
  call in_module(nx, nz, wide, b)
  call show("in module", b)

  fixed_field = 0.125_wp * reshape([(i, i = 1, size(fixed_field))], shape(fixed_field))
  shared_field = 1
  call of_module(nx, nz)
  call show("of module", shared_field)

  a = q(1:nx,1:nz,2)
  call reduced(nx, nz, a, total, highest)
  print "(a,2f12.4)", "reduced", total, highest

  t = a
  u = 0
  call two_names(nx, nz, t, t, b)
  call show("one array", t + 1000 * b)
  call two_names(nx, nz, t, u, b)
  call show("two arrays", u + 1000 * b)
  t = a
  p => t
  r => t
  call by_pointers(nx, nz, p, r)
  call show("one target", t)
  r => u
  call by_pointers(nx, nz, p, r)
  call show("two targets", u)

  call not_allocated(nx, nz, .false., a)
  call show("not allocated", a)
  c = 0.5_wp
  c(:,2) = 0.25_wp
  call alone(nx, nz, c)
  call show("alone", c)

  call assumed(b(1:10:2,:), a(2:6,:))
  call show("assumed shape", a)
  call contiguously(nx, nz, b, a)
  call show("contiguous", a)

  ! In the main program itself.
  !@parallelRegion
  do k = 1, nz
    do i = 1, nx
      do m = 1, nv
        do s = 1, 4
          cells(s) = q(i-3+s,k,m)
        end do
        flux(i,k,m) = 7 * (cells(2) + cells(3)) - cells(1) - cells(4)
      end do
      flux(i,k,2) = flux(i,k,2) + flux(i,k,1)
    end do
  end do
  call show("main", flux(:,:,2))

  of_host = 3
  call internal(q, flux)
  call show("internal", flux(:,:,1))
  call by_host()
  call show("by host", q(1:nx,1:,3))
  call lower_bounds(1 - ng, 0)
  call show("lower bounds", flux(:,:,3))

contains
  ! Bounds and a factor from the host, iterators of the host's names.
  subroutine internal(state, f)
    real(wp), intent(in) :: state(1-ng:nx+ng,0:nz,nv)
    real(wp), intent(out) :: f(nx,nz,nv)
    real(wp) :: three(nv), v
    integer :: n

    !@parallelRegion
    do k = 1, nz
      do i = 1, nx
        do n = 1, nv
          three(n) = state(i+1,k,n) - state(i-1,k-1,n)
        end do
        v = of_host * three(1)
        f(i,k,1) = v
        f(i,k,2) = v * three(2)
        f(i,k,3) = v + three(3)
      end do
    end do
  end subroutine internal

  ! Allocatable arrays of the host.
  subroutine by_host()
    integer :: i, k
    real(wp) :: pair(2)

    !@parallelRegion
    do k = 1, nz
      do i = 1, nx
        pair(1) = q(i,k,1)
        pair(2) = flux(i,k,1)
        q(i,k,3) = pair(1) - pair(2)
        if (pair(1) > 3) q(i,k,3) = q(i,k,3) + 1
      end do
    end do
  end subroutine by_host

  ! Arrays of the routine's own, allocatable, and with bounds from arguments.
  subroutine lower_bounds(low, from)
    integer, intent(in) :: low, from
    real(wp), allocatable :: local(:,:)
    real(wp) :: other(low:nx,from:nz), pair(0:1)
    integer :: i, k

    allocate(local(low:nx,from:nz))
    local = 2
    !@parallelRegion
    do k = from, nz
      do i = low, nx
        pair(0) = q(i,k,1)
        pair(1) = local(i,k)
        other(i,k) = pair(0) * pair(1)
        local(i,k) = pair(0) + pair(1)
      end do
    end do
    flux(:,:,3) = other(1:,1:) + local(1:nx,1:nz)
  end subroutine lower_bounds

  subroutine show(title, values)
    character(len=*), intent(in) :: title
    real(wp), intent(in) :: values(:,:)
    integer :: j
    print "(a)", title
    do j = 1, size(values, 2)
      print "(12f14.5)", values(:,j)
    end do
  end subroutine show
end program rows
