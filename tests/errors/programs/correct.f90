! Correct Fortran that is easily taken for faulty: see test_compiler_faults.py
module base_m
  use, intrinsic :: iso_c_binding, only: c_double, c_ptr
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, parameter :: dp = c_double
  enum, bind(c)
    enumerator red, green
  end enum
  type :: base_t
    real(dp) :: x = 0
    real(dp), allocatable :: w(:)
    procedure(op_i), pointer, nopass :: f => null()
  contains
    procedure :: get => get_x
    procedure, private :: add_r
    generic :: operator(+) => add_r
    final :: clean
  end type
  type, extends(base_t) :: child_t
    integer :: k(3)
  end type
  abstract interface
    pure real(dp) function op_i(a)
      import dp
      real(dp), intent(in) :: a
    end function
  end interface
  interface
    module subroutine sep(a, n)
      integer, intent(in) :: n
      real(dp), intent(inout) :: a(n)
    end subroutine
    module real(dp) function sepf(a)
      real(dp), intent(in) :: a
    end function
    subroutine cfun(p) bind(c, name="cfun")
      import :: c_ptr
      type(c_ptr), value :: p
    end subroutine
  end interface
  interface swap
    module procedure swap_r, swap_i
  end interface
  interface assignment(=)
    module procedure from_i
  end interface
  real(dp), protected :: kept = 1
contains
  subroutine clean(this)
    type(base_t), intent(inout) :: this
    this%x = 0
  end subroutine
  function get_x(this) result(r)
    class(base_t), intent(in) :: this
    real(dp) :: r
    r = this%x
  end function
  function add_r(a, b) result(c)
    class(base_t), intent(in) :: a
    real(dp), intent(in) :: b
    type(base_t) :: c
    c%x = a%x + b
  end function
  subroutine swap_r(a, b)
    real(dp), intent(inout) :: a, b
    real(dp) :: t
    t = a; a = b; b = t
  end subroutine
  subroutine swap_i(a, b)
    integer, intent(inout) :: a, b
    integer :: t
    t = a; a = b; b = t
  end subroutine
  subroutine from_i(a, i)
    type(base_t), intent(out) :: a
    integer, intent(in) :: i
    a%x = i
  end subroutine
end module
submodule (base_m) body_m
  implicit none
  integer :: counter = 0
contains
  module procedure sep
    counter = counter + 1
    a(1:n) = counter * kept + sepf(a(1))
  end procedure
  module procedure sepf
    sepf = a * 2
  end procedure
end submodule
module old_m
  implicit real(8) (a-h, o-z)
  common /blk/ cx, cy, icount
contains
  subroutine noimp(n, q)
    dimension q(n)
    do 10 i = 1, n
      q(i) = cx + zed
10  continue
    icount = icount + int(q(1))
  end subroutine
end module
module use_m
  use base_m, only: dp, bt => base_t, child_t, swap, sep, op_i, green, operator(+), assignment(=), error_unit
  use old_m, noi => noimp
  implicit none
  character(len=:), allocatable :: txt

contains
  subroutine work(n, a, o, u, f, s, z, p)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n)
    type(bt), intent(in) :: o
    class(*), intent(in) :: u
    procedure(op_i) :: f
    character(*), intent(in) :: s
    complex(dp), intent(inout) :: z
    real(dp), pointer, intent(in) :: p(:)
    integer :: i, ios, e, arr(2, 2), j
    logical, dimension(n) :: mask
    type(child_t) :: ch
    class(bt), allocatable :: poly
    procedure(op_i), pointer :: g
    character(10) :: line, names(3)
    real(dp) :: loc, d(2), eq1, eq2
    equivalence (eq1, eq2)
    external :: given
    real(dp), external :: givenf
    intrinsic :: sin
    namelist /nml/ loc, i
    data d /2*0d0/, (arr(i, 1), i = 1, 2) /1, 2/
    !@parallelRegion{domName(j), domSize(n)}
    do j = 1, n
      a(j) = a(j) + 1
    end do
    !@end parallelRegion
    p(1) = 1
    g => f
    loc = g(a(1)) + f(loc) + givenf(loc)
    call given(a, n)
    call swap(a(1), a(2))
    call swap(i, e)
    call sep(a, n)
    call sep(a(2:), n - 1)
    call sep(a(2), n - 1)
    call noi(n, a)
    poly = o
    poly = o + 1d0
    ch = child_t(x=1d0, k=[1, 2, 3])
    call takes(ch%get(), s(1:2), line(2:3), names(1)(1:2), names, z%re, [1d0, 2d0], arr(:, 1), size(a))
    select type (q => u)
    type is (integer)
      i = q
    class is (bt)
      loc = q%x
    class default
      i = 0
    end select
    select case (i)
    case (green)
      e = 1
    end select
    write (line, fmt=100, iostat=ios) i, (a(i), i = 1, n)
    write (error_unit, nml=nml)
100 format (i5, 3f8.3)
    mask = [(mod(i, 2) == 0, i = 1, n)]
    where (mask)
      a = 0
    elsewhere
      a = huge(a)
    end where
    if (any(mask) .and. .not. all(mask)) a = sin(a)
    outer: do
      exit outer
    end do outer
    block
      use base_m, only: kept
      real(dp) :: inner
      inner = kept
      a(1) = inner
    end block
    associate (m => a(1:2), k => n)
      m(1) = k
    end associate
    call opt(c=3)
    call opt(a(1), c=n)
    call opt(c=n, b=s)
    call rec(n)
    call elem(a, loc)
    call elem(a(1:2), d)
    call ptr(p)
    call desc(a)
    call val(n)
    call any2(s, a, o)
    call fun_arg(sin_d)
    call fun_arg(f)
    txt = 'abc'
    deallocate (poly, stat=ios, errmsg=line)
    open (newunit=e, file=s, iostat=ios)
    inquire (file=s, exist=mask(1))
    read (e, *, iostat=ios, end=99) a, i
    close (e)
    call execute_command_line(s, exitstat=ios)
    call get_command_argument(1, line)
  
99  return
  contains
    integer function tabs_f()
      tabs_f = n
    end function
  end subroutine
  subroutine takes(r, c1, c2, c3, cs, re, v, iv, n)
    real(dp), intent(in) :: r, re, v(:)
    character(*), intent(in) :: c1, c3, cs(:)
    character(2), intent(out) :: c2
    integer, intent(in) :: iv(:), n
    c2 = c1
  end subroutine
  subroutine opt(a, b, c)
    real(dp), optional, intent(in) :: a
    character(*), optional, intent(in) :: b
    integer, intent(in) :: c
  end subroutine
  recursive subroutine rec(k)
    integer, intent(in) :: k
    if (k > 0) call rec(k - 1)
  end subroutine
  elemental subroutine elem(a, b)
    real(dp), intent(inout) :: a
    real(dp), intent(in) :: b
    a = a + b
  end subroutine
  subroutine ptr(x)
    real(dp), pointer, intent(in) :: x(:)
    x(1) = 2
  end subroutine
  subroutine desc(x)
    real(dp), intent(inout), contiguous :: x(:)
    x = x
  end subroutine
  subroutine val(k)
    integer, value :: k
    k = k + 1
  end subroutine
  subroutine any2(x, y, z)
    class(*), intent(in) :: x, y(:)
    class(*), optional, intent(in) :: z
  end subroutine
  subroutine fun_arg(f)
    procedure(op_i) :: f
  end subroutine
  pure real(dp) function sin_d(a)
    real(dp), intent(in) :: a
    sin_d = sin(a)
  end function
end module
