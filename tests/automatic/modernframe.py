"""The text around the loops of ``modern.py``: types, procedures, and the routines that get loops.

``LONG`` dimensions have 30 elements, short ones 12. A name in braces is filled in by ``modern.py``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """A name for the elements of an area in memory: {L}, {S} and {K} mean a long, a short and a tiny index (4).
    ``single`` says that programs name no sections of it: GNU Fortran 12 makes wrong copies of those of components.
    """

    area: str
    text: str
    kind: str = "int"
    single: bool = False

    @property
    def wide(self) -> bool:
        """Whether a long index chooses a line of integers."""
        return "{S}" in self.text and "{L}" in self.text and self.kind == "int"


@dataclass(frozen=True)
class Routine:
    """A routine that gets loops: its text, the names it has, and terms, statements and array values of its own."""

    text: str
    views: tuple[View, ...]
    terms: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    before: tuple[str, ...] = ()  # statements between the nests


MODULE_VIEWS = (
    View("ga", "ga({L})"),
    View("gt", "gt({L})"),
    View("g2", "g2({S},{L})"),
    View("gt2", "gt2({S},{L})"),
    View("gb", "shared({L})"),
    View("os", "os({L})%n"),
    View("os", "os({L})%at%y"),
    View("os", "os({L})%w({S})"),
    View("os", "os({L})%at", "point"),
    View("o", "o%g({S},{L})"),
    View("o", "o%c({L})%w({S})"),
    View("o", "o%al({L})"),
    View("o", "mp({L})", single=True),
    View("op", "o%p({L})"),
    View("kp", "kp%v({L})", "i8"),
    View("tl", "tl({L})", "tally"),
    View("tl", "tl({L})%v"),
    View("pts", "pts({L})", "point"),
    View("pts", "pts({L})%x"),
    View("big", "big%f%g({S},{L})"),
    View("big", "big%f%al({L})"),
)

LOCALS = """
    integer :: i, j, ll, s, t, u, t1, t2, t3
    integer(8) :: l8
    integer, allocatable :: wk(:), wl(:)
    integer, pointer :: pl(:), pq(:,:)
    type(point) :: pa, pb
    type(cell) :: ce
    type(tally) :: ta
    character(len=8) :: str
"""
START = """
    s = 1; t = 2; u = 3; t1 = 4; t2 = 5; t3 = 6; l8 = 7; pa = point(1, 2); pb = pa; str = 'abc'
    wk = [1, 2, 3]; wl = wk; pl => gt; pq => gt2; ce = os(3)
"""
FINISH = """
    print '(a,9i9)', '{routine}', s, t, u, modulo(sum(wk) + size(wl), 99991){more}
"""

FIRST = Routine(
    """
  module subroutine first(n, m, x, y, z, mm, ra, opt)
    integer, intent(in) :: n, m
    integer, intent(inout) :: x(0:), y(12,n+6), z(*)
    integer, contiguous, intent(inout) :: mm(:,:)
    real(8), intent(inout), optional :: ra(:)
    integer, intent(in), optional :: opt
"""
    + LOCALS
    + START
    + "{nests}"
    + FINISH
    + """
  end subroutine first
""",
    (
        View("x", "x({L})"),
        View("y", "y({S},{L})"),
        View("z", "z({L})"),
        View("mm", "mm({L},{S})"),
        View("ra", "ra({L})", "r8"),
        *MODULE_VIEWS,
    ),
    ("size(x)", "ubound(x, 1)", "merge(3, 4, present(opt))", "linesum(x)", "clip({el}, opt)", "starsum(z, 9)"),
    ("if (present(ra)) ra({i}) = 0.5d0*modulo({v}, 64)",),
    ("y(3,:) = modulo(y(4,:) + {v}, 997)", "mm = mm(:,ubound(mm, 2):1:-1)", "x(3:9) = x(2:8)"),
)

SECOND = Routine(
    """
  subroutine second(n, m)
    integer, intent(in) :: n, m
"""
    + LOCALS
    + """
    integer, allocatable, target :: a(:), e(:,:), c3(:,:,:)
    integer :: b(-2:30), d(12,30)
    integer, pointer :: p(:), p2(:,:), ps
    integer(8) :: i8(30)
    integer(2) :: i2(30)
    real(4) :: r4(30)
    real(8) :: r8(12,30)
    complex(8) :: zz(30)
    complex(8), target :: zt(30)
    real(8), pointer :: zp(:)
    type(cell), target :: ct(30)
    type(cell), pointer :: cp(:)
    integer, pointer :: cn(:)
    logical :: lg(30)
    logical(1) :: l1(30)
    character(len=1) :: ch(30)
    character(len=5) :: st(30)
    type(cell), allocatable :: cs(:)
    type(point), allocatable :: pp(:)
"""
    + START
    + """
    allocate(a(30), source=[(3*i, i = 1, 30)])
    allocate(e(30,12)); e = reshape([(modulo(7*i, 61), i = 1, 360)], [30, 12])
    allocate(c3, source=reshape([(modulo(5*i, 71), i = 1, 12*4*30)], [12, 4, 30]))
    b = [(modulo(i*i, 53), i = -2, 30)]
    d = transpose(e); i8 = 4*b(1:30); i2 = int(b(1:30), 2); r4 = 0.25*b(1:30); r8 = 0.5d0*d
    zz = [(cmplx(i, -i, 8), i = 1, 30)]; lg = b(1:30) > 20; l1 = .not. lg; ch = achar(97 + modulo(b(1:30), 26))
    st = ch//'xy'//ch
    cs = os(1:30); pp = os%at
    p => a; p2(1:30,1:12) => gt2
    if (m > 9) p => gt
    p(1:) => p
    ps => gt(5)
    zt = zz; zp => zt%im; ct = cs; cp => ct; cn => ct%n
{nests}"""
    + FINISH
    + """
    print '(9i9)', total(a), total(b), total([d]), total([e]), total([c3]), total(int(i8)), total(int(i2)), total(p), ps
    print '(9i9)', total(int(4*r4)), total(int([r8]*2)), total(int(real(zz))), total(int(aimag(zz)))
    print '(9i9)', total(merge(1, 0, lg)), total(merge(3, 0, l1)), total(iachar(ch)), total(iachar(st(:)(2:2)))
    print '(9i9)', total(cs%n), total(cs%at%x), (total(cs(i)%w), i = 1, 3), total(pp%x), total(pp%y)
    print '(9i9)', (total(cs(i)%q), i = 1, 3)
    print '(9i9)', total(int(2*real(zt))), total(int(2*aimag(zt))), total(int(2*zp)), total(cn), total(cp%n)
    print '(9i9)', total(ct%n), total(ct%at%x), total(ct%at%y), (total(ct(i)%w), i = 1, 4)
  end subroutine second
""",
    (
        View("a", "a({L})"),
        View("a gt", "p({L})"),
        View("b", "b({L})"),
        View("d", "d({S},{L})"),
        View("d", "d({S},{L})"),
        View("e", "e({L},{S})"),
        View("c3", "c3({S},{K},{L})"),
        View("gt2", "p2({L},{S})"),
        View("i8", "i8({L})", "i8"),
        View("i2", "i2({L})", "i2"),
        View("r4", "r4({L})", "r4"),
        View("r8", "r8({S},{L})", "r8"),
        View("zz", "zz({L})", "complex"),
        View("zz", "zz({L})%im", "r8"),
        View("lg", "lg({L})", "logical"),
        View("l1", "l1({L})", "logical"),
        View("ch", "ch({L})", "char"),
        View("st", "st({L})(3:3)", "char"),
        View("st", "st({L})", "string"),
        View("cs", "cs({L})%w({S})"),
        View("cs", "cs({L})%at%x"),
        View("cs", "cs({L})%q({S})"),
        View("pp", "pp({L})", "point"),
        View("zt", "zt({L})", "complex"),
        View("zt", "zt({L})%im", "r8"),
        View("zt", "zp({L})", "r8"),
        View("ct", "ct({L})%n"),
        View("ct", "ct({L})%w({S})"),
        View("ct", "ct({L})%at", "point"),
        View("ct", "cn({L})", single=True),
        View("ct", "cp({L})%at%x"),
        View("ct", "cp({L})%w({S})"),
        *MODULE_VIEWS,
    ),
    ("size(a)", "lbound(b, 1)", "ubound(p2, 2)", "linesum(b)", "merge(1, 0, associated(p, gt))"),
    ("cs({i})%q = modulo({arr12}, 997)", "cs({i})%q = {arr12}; cs({i})%at = point({v}, y={k})"),
    (
        "call move_alloc(a, wl); allocate(a(30), source=wl(30:1:-1)); p => a",
        "a = a(30:1:-1); if (m > 9) p => a",
        "p => gt",
        "p(1:30) => g3(1:30,1)",
        "a = [a(2:30), 5]; p => a",
        "deallocate(a); allocate(a(30), source={k}); p => a",
        "where (d > 30) d = d/2",
        "e = reshape(d, shape(e), order=[2, 1])",
        "c3(:,2,:) = d",
        "p2(1:30,1:12) => gt2; p2 = modulo(p2 + spread(b(1:30), 2, 12), 997)",
        "forall (i = 1:30, lg(i)) b(i) = d(3,i)",
        "cs(3:5) = cs(4:6)",
        "cs%n = [(i, i = 1, 30)]",
        "do concurrent (i = 1:30, j = 1:12, lg(i)); d(j,i) = i + j; end do",
        "ps => gt({s})",
        "cn => ct%w({s})",
        "cn => cp%at%y",
        "cp => ct(30:1:-1)",
        "cp(1:) => ct; cn => cp%n",
        "zp => zt%re",
        "zp => zt(30:1:-1)%im",
    ),
)

METHOD = Routine(
    """
  subroutine method(self, n, m, other, pos)
    class(field), intent(inout) :: self
    integer, intent(in) :: n, m
    class(field), intent(inout), target :: other
    integer, intent(inout), optional :: pos(:)
"""
    + LOCALS
    + START
    + "{nests}"
    + FINISH
    + """
    print '(9i9)', self%total(), other%total()
  end subroutine method
""",
    (
        View("self", "self%g({S},{L})"),
        View("self", "self%c({L})%w({S})"),
        View("self", "self%c({L})%n"),
        View("self", "self%al({L})"),
        View("selfp", "self%p({L})"),
        View("other", "other%g({S},{L})"),
        View("other", "other%c({L})%at", "point"),
        View("other", "other%c({L})%w({S})"),
        View("pos", "pos({L})"),
        *(v for v in MODULE_VIEWS if v.area not in ("o", "op", "big")),
    ),
    ("size(self%al)", "self%plain({x})", "linesum(pos)"),
    ("call self%put({i}, ({v}))",),
    (
        "self%al = self%al(30:1:-1)",
        "self%c = other%c",
        "self%g = modulo(self%g + other%g, 997)",
        "self%c(2:9)%n = self%al(1:8)",
    ),
)

INSIDE = Routine(
    """
    subroutine inside(m)
      integer, intent(in) :: m
"""
    + LOCALS
    + START
    + "{nests}"
    + FINISH
    + """
    end subroutine inside
""",
    (
        View("ha", "ha({L})"),
        View("hd", "hd({S},{L})"),
        View("ha hb", "hp({L})"),
        View("hs", "hs({L})%at", "point"),
        View("hs", "hs({L})%w({S})"),
        View("hc", "hc({L})", "char"),
        *MODULE_VIEWS,
    ),
    ("hosted({x})", "size(ha)", "ubound(hp, 1)"),
    ("call sethost({i}, ({v}))",),
    ("hp => hb", "hp(1:30) => ha(30:1:-1)", "ha = ha(30:1:-1)", "hd(:,3:5) = hd(:,4:6)", "hp => ha"),
)

TEXT = """module kinds_{number}
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: big = int64, r8 = real64
  enum, bind(c)
    enumerator :: red = 1, green = 3, blue
  end enum
  integer, protected, save :: level = 4
  integer :: shared_values(30)
  data shared_values /10*3, 10*5, 10*7/
contains
  subroutine raise(by)
    integer, intent(in) :: by
    level = modulo(level + by, 9) + 1
  end subroutine raise
end module kinds_{number}

module types_{number}
  use kinds_{number}, only: wide => big
  implicit none
  type :: point
    integer :: x = 0
    integer :: y = 0
  contains
    procedure :: length => point_length
    procedure, private :: point_add
    generic :: operator(+) => point_add
  end type point
  type :: tally
    integer :: v = 0
    integer :: turns = 0
  contains
    procedure, private :: taken
    generic :: assignment(=) => taken
  end type tally
  type :: cell
    type(point) :: at
    integer :: n = 0
    integer :: w(12) = 1
    integer, allocatable :: q(:)
  end type cell
  type :: keyed
    integer(8) :: v(30)
  end type keyed
  type :: field
    integer, allocatable :: g(:,:)
    type(cell) :: c(30)
    integer, allocatable :: al(:)
    integer, pointer :: p(:) => null()
  contains
    procedure :: put => field_put
    procedure :: get => field_get
    procedure, non_overridable :: plain
    procedure :: total => field_total
  end type field
  type, extends(field) :: more
    integer :: extra(30) = 2
  contains
    procedure :: get => more_get
  end type more
  type :: holder
    class(field), allocatable :: f
  end type holder
  interface assignment(=)
    procedure :: from_number
  end interface
  interface operator(.with.)
    procedure :: point_with
  end interface
  interface weight
    module procedure weight_int, weight_real, weight_point
  end interface weight
contains
  pure integer function point_length(self)
    class(point), intent(in) :: self
    point_length = abs(self%x) + abs(self%y)
  end function point_length
  pure type(point) function point_add(a, b)
    class(point), intent(in) :: a
    type(point), intent(in) :: b
    point_add%x = modulo(a%x + b%x, 997)
    point_add%y = modulo(a%y - b%y, 997)
  end function point_add
  elemental subroutine taken(self, v)
    class(tally), intent(inout) :: self
    integer, intent(in) :: v
    self%v = modulo(v, 997)
    self%turns = modulo(self%turns + v, 31)
  end subroutine taken
  elemental subroutine from_number(self, v)
    type(point), intent(inout) :: self
    integer, intent(in) :: v
    self%x = modulo(v, 997)
    self%y = modulo(self%y + v, 31)
  end subroutine from_number
  elemental type(point) function point_with(a, b)
    type(point), intent(in) :: a, b
    point_with = point(modulo(a%x + 2*b%y, 997), modulo(b%x, 997))
  end function point_with
  elemental integer function weight_int(v)
    integer, intent(in) :: v
    weight_int = modulo(v, 13)
  end function weight_int
  elemental integer function weight_real(v)
    real(8), intent(in) :: v
    weight_real = int(2*v) + 1
  end function weight_real
  elemental integer function weight_point(v)
    type(point), intent(in) :: v
    weight_point = v%x - v%y
  end function weight_point
  subroutine field_put(self, at, v)
    class(field), intent(inout) :: self
    integer, intent(in) :: at, v
    self%al(at) = modulo(self%al(at) + v, 997)
    self%c(at)%n = v - modulo(v, 5)
    self%c(at)%n = modulo(self%c(at)%n, 997)
  end subroutine field_put
  pure integer function field_get(self, at)
    class(field), intent(in) :: self
    integer, intent(in) :: at
    field_get = self%al(at) + self%c(at)%w(3)
  end function field_get
  pure integer function more_get(self, at)
    class(more), intent(in) :: self
    integer, intent(in) :: at
    more_get = self%extra(at) + self%field%g(2,at)
  end function more_get
  pure integer function plain(self, at)
    class(field), intent(in) :: self
    integer, intent(in) :: at
    plain = self%g(1,at) + self%c(at)%at%length()
  end function plain
  pure integer function field_total(self)
    class(field), intent(in) :: self
    integer :: l
    field_total = 0
    do l = 1, 30
      field_total = modulo(field_total + l*(self%al(l) + 3*self%c(l)%n + 5*self%c(l)%at%x + 7*sum(self%g(:,l))), 99991)
      field_total = modulo(field_total + l*(dot_product(self%c(l)%w, [1,2,3,4,5,6,7,8,9,10,11,12])), 99991)
    end do
    if (associated(self%p)) field_total = field_total + sum(self%p)
    select type (self)
    type is (more)
      field_total = modulo(field_total + sum(self%extra), 99991)
    end select
  end function field_total
end module types_{number}

module {name}
  use types_{number}
  use kinds_{number}, only: raise, level, shared => shared_values, green, blue
  implicit none
  type, extends(more) :: most
  contains
    procedure :: apply
  end type most
  integer :: ga(30), g2(12,30)
  integer, target :: gt(30), gt2(12,30), g3(30,4)
  type(most), target, save :: o
  type(cell), save :: os(30)
  type(point), save :: pts(30)
  type(holder), save :: big, hold(3)
  type(keyed), save :: kp
  type(tally), save :: tl(30)
  integer, allocatable :: perm(:), idx(:)
  integer, pointer :: mp(:)
  interface
    module subroutine first(n, m, x, y, z, mm, ra, opt)
      integer, intent(in) :: n, m
      integer, intent(inout) :: x(0:), y(12,n+6), z(*)
      integer, contiguous, intent(inout) :: mm(:,:)
      real(8), intent(inout), optional :: ra(:)
      integer, intent(in), optional :: opt
    end subroutine first
    module integer function farsum(x)
      integer, intent(in) :: x(:)
    end function farsum
  end interface
contains
  pure integer function total(x)
    integer, intent(in) :: x(:)
    integer :: l
    total = 0
    do l = 1, size(x)
      total = modulo(total + l*x(l), 99991)
    end do
  end function total
  elemental integer function twice(v)
    integer, intent(in) :: v
    twice = 2*v + 1
  end function twice
  pure integer function clip(v, lo, hi) result(r)
    integer, intent(in) :: v
    integer, intent(in), optional :: lo, hi
    r = v
    if (present(lo)) r = max(r, lo)
    if (present(hi)) r = min(r, hi)
  end function clip
  pure recursive integer function fib(v) result(r)
    integer, intent(in) :: v
    r = 1
    if (v > 1) r = fib(v - 1) + fib(v - 2)
  end function fib
  pure integer function byval(v)
    integer, value :: v
    v = modulo(v, 7)
    byval = v*v
  end function byval
  pure function row_of(v, k) result(r)
    integer, intent(in) :: v, k
    integer :: r(k), l
    do l = 1, k
      r(l) = modulo(v + l*l, 97)
    end do
  end function row_of
  function grown(x) result(r)
    integer, intent(in) :: x(:)
    integer, allocatable :: r(:)
    r = [x(2:), x(1)]
  end function grown
  pure type(point) function mk(x, y)
    integer, intent(in) :: x
    integer, intent(in), optional :: y
    mk%x = modulo(x, 997)
    if (present(y)) mk%y = modulo(y, 997)
  end function mk
  pure integer function linesum(x) result(r)
    integer, intent(in) :: x(0:)
    integer :: l
    r = 0
    do l = 0, ubound(x, 1)
      r = modulo(r + (l + 1)*x(l), 997)
    end do
  end function linesum
  pure integer function sizesum(k, x) result(r)
    integer, intent(in) :: k
    integer, intent(in) :: x(k)
    r = sum(x) - x(k)
  end function sizesum
  pure integer function starsum(x, k) result(r)
    integer, intent(in) :: x(*), k
    r = modulo(sum(x(1:k)*[1, 2, 3, 4, 5, 6, 7, 8, 9]), 997)
  end function starsum
  subroutine row(v, r)
    integer, intent(in) :: v
    integer, intent(inout) :: r(:)
    integer :: l
    do l = 2, size(r)
      r(l) = modulo(r(l-1) + v, 997)
    end do
  end subroutine row
  subroutine sized(k, r, v)
    integer, intent(in) :: k
    integer, intent(inout) :: r(k)
    integer, intent(in), optional :: v
    r = modulo(r(k:1:-1), 997)
    if (present(v)) r(2) = modulo(v, 997)
  end subroutine sized
  subroutine starred(v, r, k)
    integer :: v, r(*), k
    r(1:k) = modulo(r(1:k) + v, 997)
  end subroutine starred
  subroutine gappy(r, v)
    integer, contiguous, intent(inout) :: r(:)
    integer, value :: v
    v = modulo(v, 50)
    r(1) = v
    r(size(r)) = v + 1
  end subroutine gappy
  elemental subroutine swap(a, b)
    integer, intent(inout) :: a, b
    integer :: c
    c = a; a = b; b = c
  end subroutine swap
  subroutine maybe(out, v, k)
    integer, intent(out) :: out
    integer, intent(in), optional :: v
    integer, intent(in) :: k
    out = modulo(k, 31)
    if (present(v)) out = modulo(v + k, 997)
  end subroutine maybe
  subroutine into(c, v)
    type(cell), intent(inout) :: c
    integer, intent(in) :: v
    c%n = modulo(v, 997)
    c%w(2:5) = modulo(v, 31)
    c%at = v
  end subroutine into
  subroutine apply(self, n, m, other, pos)
    class(most), intent(inout) :: self
    integer, intent(in) :: n, m
    class(field), intent(inout), target :: other
    integer, intent(inout), optional :: pos(:)
    call method(self, n, m, other, pos)
  end subroutine apply
{second}{method}
  subroutine run
    integer, target :: ha(30), hb(30)
    integer, pointer :: hp(:)
    integer :: hd(12,30), i, n, m, xa(40), ya(600), za(60), mm(30,12), pos(30)
    real(8) :: ra(30)
    character(len=1) :: hc(30)
    type(cell), allocatable :: hs(:)
    n = {n}; m = {m}
    perm = [(modulo(7*i, 25), i = 1, 24), 25, 26, 27, 28, 29, 30]
    idx = [(modulo(i*i, 23) + 1, i = 1, 30)]
    ga = [(modulo(5*i, 37), i = 1, 30)]; gt = [(60 - i, i = 1, 30)]
    g2 = reshape([(modulo(11*i, 83), i = 1, 360)], [12, 30]); gt2 = modulo(3*g2, 59); g3 = 7
    kp%v = 3*gt
    do i = 1, 30
      os(i) = cell(point(i, 2*i), 3*i, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, i], [i, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    end do
    pts = os%at
    allocate(most :: big%f)
    call set(big%f, 2)
    call set(o, 3)
    do i = 1, 3
      if (i == 2) then
        allocate(more :: hold(i)%f)
      else
        allocate(field :: hold(i)%f)
      end if
      call set(hold(i)%f, i)
    end do
    allocate(o%p(30)); o%p = 9; mp => o%c%n; big%f%p => g3(:,1)
    ha = ga + 1; hb = 2*ga; hd = g2; hp => ha; xa = 5; ya = [(modulo(i, 77), i = 1, 600)]; za = 3
    mm = 4; pos = ha; ra = 0.5d0*ha
    hc = achar(97 + modulo(hb, 26)); hs = os(30:1:-1)
    call raise(m)
{calls}
    print '(9i9)', total(ga), total([g2]), total(gt), total([gt2]), total([g3])
    print '(9i9)', total(shared), total(os%n), total(os%at%x)
    print '(9i9)', total(os%at%y), (total(os(i)%w), i = 1, 5), total(int(kp%v)), total(pts%x), total(pts%y)
    print '(9i9)', o%total(), big%f%total(), (hold(i)%f%total(), i = 1, 3), sum(o%extra), total(o%p)
    print '(9i9)', total(tl%v), total(tl%turns)
    print '(9i9)', total(ha), total(hb), total([hd]), total(xa), total(ya), total(za)
    print '(9i9)', total([mm]), total(pos), total(int(2*ra))
    print '(9i9)', total(iachar(hc)), total(hs%n), total(hs%at%x), (total(hs(i)%w), i = 1, 4), size(o%al)
      contains
    subroutine set(f, v)
      class(field), intent(inout) :: f
      integer, intent(in) :: v
      integer :: l
      f%g = modulo(v*g2, 91); f%al = modulo(v*gt, 67)
      do l = 1, 30
        f%c(l) = cell(point(l, v), l*v, f%g(:,l), [v, l])
      end do
    end subroutine set
    pure integer function hosted(at)
      integer, intent(in) :: at
      hosted = ha(at) + hd(3,at)
    end function hosted
    subroutine sethost(at, v)
      integer, intent(in) :: at, v
      ha(at) = modulo(v, 997)
    end subroutine sethost
{inside}
  end subroutine run
end module {name}

submodule ({name}) far_{number}
  implicit none
contains
  module procedure farsum
    farsum = sum(x) + ga(3)
  end procedure farsum
{first}
end submodule far_{number}
"""
