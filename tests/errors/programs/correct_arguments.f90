! Arguments that fit, though they look as if they did not: see test_compiler_faults.py
module deep_m
  implicit none
  private
  integer, parameter, public :: wp = selected_real_kind(12)
  real(wp), public, allocatable, target :: field(:,:)
  type, public :: grid_t
    integer :: nx, ny
    real(wp), pointer :: lat(:) => null()
    type(grid_t), pointer :: next => null()
  end type
  public :: init, apply_all, gen
  interface gen
    procedure gen_r, gen_c
  end interface
contains
  subroutine init(g, nx)
    type(grid_t), intent(out) :: g
    integer, intent(in) :: nx
    g%nx = nx
    allocate (g%lat(nx), source=0._wp)
    allocate (field(nx, nx))
  end subroutine
  subroutine apply_all(g, f, flag)
    type(grid_t), intent(in) :: g
    interface
      function f(x)
        import wp
        real(wp), intent(in) :: x
        real(wp) :: f
      end function
    end interface
    logical, optional, intent(in) :: flag
    integer :: i
    do i = 1, g%nx
      g%lat(i) = f(g%lat(i))
    end do
    g%next%nx = 3
  end subroutine
  subroutine gen_r(x)
    real(wp), intent(inout) :: x(*)
  end subroutine
  subroutine gen_c(x)
    character(len=1), intent(in) :: x(*)
  end subroutine
end module
module user_m
  use deep_m, g_t => grid_t
  use, non_intrinsic :: deep_m, only: setup => init
  implicit none
  integer, dimension(:), allocatable :: idx
  real(wp), dimension(3,3), save :: mat = reshape([1._wp, 2._wp, 3._wp, 4._wp, 5._wp, 6._wp, 7._wp, 8._wp, 9._wp], [3, 3])
  procedure(fun_i), pointer :: hook
  abstract interface
    real(wp) function fun_i(x)
      import
      real(wp), intent(in) :: x
    end function
  end interface
contains
  subroutine run(n, m, a, b, grid, name, l8)
    integer, intent(in) :: n, m
    real(wp), intent(inout) :: a(n, *)
    real(wp), intent(in), target :: b(0:n, m)
    type(g_t), intent(inout), target :: grid
    character(len=*), intent(in) :: name
    logical(1), intent(in) :: l8
    real(wp), pointer :: pb(:, :)
    real(wp) :: buf(n*m), s, st_f, x_, y_
    integer(8) :: big
    integer :: i, j, k, status
    character(len=n) :: auto
    character(len=:), allocatable :: dyn
    type(g_t), pointer :: walk
    st_f(x_, y_) = x_ + y_*s
    s = 1
    big = 2_8**40
    !@parallelRegion{domName(i,j), domSize(n,m)}
    do j = 1, m
      do i = 1, n
        a(i, j) = b(i, j) + st_f(b(i, j), s)
        call point(a(i, j), i, x=s)
      end do
    end do
    !@end parallelRegion
    pb => b
    call setup(grid, n)
    call apply_all(grid, hook)
    call apply_all(grid, outer_fun, flag=.true.)
    call gen(buf)
    call vec(buf, n*m)
    call vec(a, n)
    call vec(a(1, 2), n)
    call vec(mat, 9)
    call vec(mat(:, 2), 3)
    call vec(grid%lat, n)
    call vec([s, s], 2)
    call shaped(b)
    call shaped(b(1:, :))
    call shaped(transpose(b))
    call shaped(pb)
    call shaped(mat)
    call shaped(field)
    call shaped(spread(buf, 1, 2))
    call rank1(mat(idx, 1))
    call rank1(mat([1, 2], 1))
    call rank1(reshape(mat, [9]))
    call rank1(b(1, :))
    call rank1(pack(b, b > 0))
    call ints(int(big), n + 1, (n), -m, size(b, 1), 3)
    call lg(logical(l8), .true., n > m .and. l8)
    call chars(name, 'a'//name, trim(name), name(1:1), auto)
    dyn = name
    call chars(dyn, dyn(2:), repeat('a', 3), char(65), dyn)
    walk => grid
    do while (associated(walk))
      call setup(walk, n)
      walk => walk%next
    end do
    s = total(b) + total(mat, mat > 0) + outer_fun(s) + real(big, wp) + sum(field)
    field(1:n, 1) = b(1:n, 1)
    read (name, *, iostat=status) s, (buf(i), i = 1, n)
    write (auto, '(a)') name
    call inner(k)
    if (n > 1) return
    forall (i = 1:n, j = 1:m, b(i, j) > 0) a(i, j) = 0
  contains
    subroutine inner(n)
      integer, intent(out) :: n
      n = m
      k = n + i
    end subroutine
    function total(x, mask) result(t)
      real(wp), intent(in) :: x(:, :)
      logical, intent(in), optional :: mask(:, :)
      real(wp) :: t
      t = sum(x)
    end function
  end subroutine
  subroutine point(v, i, x)
    real(wp), intent(inout) :: v
    integer, intent(in) :: i
    real(wp), intent(in) :: x
    v = v + x*i
  end subroutine
  subroutine vec(x, n)
    integer, intent(in) :: n
    real(wp), intent(in) :: x(n)
  end subroutine
  subroutine shaped(x)
    real(wp), intent(in) :: x(:, :)
  end subroutine
  subroutine rank1(x)
    real(wp), intent(in) :: x(:)
  end subroutine
  subroutine ints(a, b, c, d, e, f)
    integer, intent(in) :: a, b, c, d, e, f
  end subroutine
  subroutine lg(a, b, c)
    logical, intent(in) :: a, b, c
  end subroutine
  subroutine chars(a, b, c, d, e)
    character(*), intent(in) :: a, b, c, d, e
  end subroutine
  function outer_fun(x) result(y)
    real(wp), intent(in) :: x
    real(wp) :: y
    y = x
  end function
end module
