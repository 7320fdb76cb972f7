"""Arrays with an order of their own, passed by calls that do not name a procedure: pointers, dummies, bindings,
operators; and by generic names, told apart by every property of the arguments.
"""

from __future__ import annotations

import pytest

from tests.storage.programs import program
from tests.support import (
    CUDA_C,
    CUDA_FORTRAN,
    LAYOUT,
    LAYOUT_CUDA_C,
    LAYOUT_OPENMP,
    OPENACC,
    SEQUENTIAL,
    Corpus,
    Variant,
    some_soon,
)

HEAD = """\
module NAME
  implicit none
  private
  public :: run
TYPES
contains
ROUTINES
  subroutine run()
    real(8) :: a(4,3), b(4,3)
    integer :: i, j
LOCALS
    do j = 1, 3
      do i = 1, 4
        a(i,j) = i + 10*j
      end do
    end do
    b = 0
<ij
    b(i,j) = a(i,j) + 1
>
CALLS
<ij
    b(i,j) = b(i,j)*2 + a(i,j)
>
    print '(4f9.1)', a, b
  end subroutine run
end module NAME
"""
STEP = """\
  subroutine step(a, b)
    real(8), intent(inout) :: a(4,3), b(4,3)
    integer :: i, j
<ij
    b(i,j) = b(i,j) + a(i,j)*i
>
    a(2,1) = a(2,1) + 100
  end subroutine step
"""
OTHER = STEP.replace("step", "other").replace("a(i,j)*i", "a(i,j)*j").replace("a(2,1)", "a(1,2)")
SHAPED = STEP.replace("real(8), intent(inout) :: a(4,3), b(4,3)", "real(8), intent(inout) :: a(:,:), b(:,:)")
CLASS = """\
  type worker
    real(8) :: s = 3
CONTENT
  end type worker
"""
METHOD = STEP.replace("step(a, b)", "step(this, a, b)").replace(
    "    integer :: i, j\n", "    class(worker), intent(in) :: this\n    integer :: i, j\n"
)


def _text(types: str = "", routines: str = STEP, locals_: str = "", calls: str = "") -> str:
    text = HEAD.replace("TYPES", types.rstrip()).replace("ROUTINES", routines.rstrip())
    return text.replace("LOCALS", locals_).replace("CALLS", calls)


BLOCK = """\
    block
      procedure(step), pointer :: p
      p => step
      call p(a, b)
    end block
"""
IMPLICIT = """\
  subroutine through(f, a, b)
    external :: f
    real(8), intent(inout) :: a(4,3), b(4,3)
    call f(a, b)
  end subroutine through
"""
DECLARED = IMPLICIT.replace("external :: f", "procedure(step) :: f")
BODY = IMPLICIT.replace(
    "    external :: f\n",
    """\
    interface
      subroutine f(a, b)
        real(8), intent(inout) :: a(4,3), b(4,3)
      end subroutine f
    end interface
""",
)
FUNCTION = """\
  function total(a) result(s)
    real(8), intent(in) :: a(4,3)
    real(8) :: s
    s = a(2,1)*3 + a(1,2)
  end function total
"""
OPERATOR = """\
  function over(x, y) result(r)
    real(8), intent(in) :: x(4,3), y(4,3)
    real(8) :: r(4,3)
    r = x
    r(2,1) = y(4,1) - 5
    r(1,3) = y(2,2)
  end function over
"""
MAKE = """\
  subroutine make(n, c)
    integer, intent(in) :: n
    real(8), allocatable, intent(out) :: c(:)
    allocate(c(n))
    c = 0.5d0*n
  end subroutine make
"""
ASSIGN = """\
  subroutine spread_line(x, y)
    real(8), intent(inout) :: x(4,3)
    real(8), intent(in) :: y(:)
    x(2,1) = y(2)
    x(1,3) = y(3)*2
  end subroutine spread_line
"""
PARTED = """\
  type parted
    real(8) :: c(4,3,2) = 2
  end type parted
"""
FORMS = {
    "line_as_plane": _text(
        locals_="    real(8) :: w(30)",
        calls="    w = [(0.5d0*i, i = 1, 30)]\n    call step(w(3), b)\n    call step(w(15:26), b)\n"
        "    call step(w, a)\n    print '(5f9.1)', w",
    ),
    "element_of_common": _text(
        locals_="    real(8) :: g(4,3)\n    common /kept_plane/ g",
        calls="    g = reshape([(1d0*i, i = 1, 12)], [4, 3])\n    call step(g(1,1), b)\n    a(1,1) = sum(g)",
    ),
    "element_of_component": _text(
        PARTED,
        locals_="    type(parted) :: x",
        calls="    x%c(:,2,:) = 3\n    x%c(4,:,2) = 5\n    call step(x%c(1,1,2), b)\n    a(1,1) = sum(x%c)",
    ),
    "pointer": _text(locals_="    procedure(step), pointer :: p", calls="    p => step\n    call p(a, b)"),
    "pointers": _text(
        routines=STEP + OTHER,
        locals_="    procedure(step), pointer :: p, q",
        calls="    p => step\n    q => other\n    call p(a, b)\n    call q(b=b, a=a)",
    ),
    "in_block": _text(calls=BLOCK),
    "in_block_shaped": _text(routines=SHAPED, calls=BLOCK),
    "part": _text(
        CLASS.replace("CONTENT", "    procedure(step), pointer, nopass :: p => null()"),
        locals_="    type(worker) :: w",
        calls="    w%p => step\n    call w%p(a, b)",
    ),
    "implicit": _text(routines=STEP + IMPLICIT, calls="    call through(step, a, b)"),
    "declared": _text(routines=STEP + DECLARED, calls="    call through(step, a, b)"),
    "body": _text(routines=STEP + BODY, calls="    call through(step, a, b)"),
    "body_shaped": _text(routines=SHAPED + BODY.replace("(4,3)", "(:,:)"), calls="    call through(step, a, b)"),
    "bound": _text(
        CLASS.replace("CONTENT", "  contains\n    procedure :: go => step"),
        METHOD,
        "    type(worker) :: w",
        "    call w%go(a, b)",
    ),
    "bound_generic": _text(
        CLASS.replace("CONTENT", "  contains\n    procedure :: step, other\n    generic :: go => step, other"),
        METHOD
        + OTHER.replace("other(a, b)", "other(this, b, a, n)").replace(
            "    integer :: i, j\n", "    class(worker), intent(in) :: this\n    integer :: i, j, n\n"
        ),
        "    type(worker) :: w",
        "    call w%go(a, b)\n    call w%go(b, a, 1)",
    ),
    "passed_last": _text(
        CLASS.replace("CONTENT", "  contains\n    procedure, pass(this) :: go => step"),
        METHOD.replace("(this, a, b)", "(a, b, this)"),
        "    type(worker) :: w",
        "    call w%go(a, b)",
    ),
    "inherited": _text(
        CLASS.replace("CONTENT", "  contains\n    procedure :: go => step")
        + "  type, extends(worker) :: own\n  contains\n    procedure :: go => of_own\n  end type own",
        METHOD + METHOD.replace("step", "of_own").replace("class(worker)", "class(own)").replace("*i", "*j"),
        "    class(worker), allocatable :: w",
        "    allocate(own :: w)\n    call w%go(a, b)",
    ),
    "nopass": _text(
        CLASS.replace("CONTENT", "  contains\n    procedure, nopass :: go => step"),
        locals_="    type(worker) :: w",
        calls="    call w%go(a, b=b)",
    ),
    "made_anew": _text(
        CLASS.replace("CONTENT", "  contains\n    procedure, nopass :: go => make"),
        MAKE,
        "    type(worker) :: w\n    real(8), allocatable :: c(:)",
        "    do j = 1, 2\n    call w%go(4*j, c)\n<i\n    c(i) = c(i)*i\n>\n    b(1:4,j) = c(:4)\n    end do",
    ),
    "function_pointer": _text(
        routines=FUNCTION,
        locals_="    procedure(total), pointer :: f",
        calls="    f => total\n    a(1,1) = f(b)",
    ),
    "operator": _text(
        "  interface operator(.over.)\n    module procedure over\n  end interface",
        OPERATOR,
        calls="    b = a .over. b",
    ),
    "assignment": _text(
        "  interface assignment(=)\n    module procedure spread_line\n  end interface",
        ASSIGN,
        locals_="    real(8) :: line(3)",
        calls="    line = [7, 8, 9]\n    b = line",
    ),
}
SINGLE = STEP.replace("step", "step4").replace("real(8)", "real").replace("a(i,j)*i", "a(i,j)*7")
LINE = """\
  subroutine line(a, b)
    real(8), intent(inout) :: a(:), b(:)
    b(1) = a(2) - 4
  end subroutine line
"""
NAMES = "  interface go\n    module procedure {}\n  end interface"
KINDS = "  integer, parameter :: dp = kind(1.0d0)\n"
OTHER_TYPE = """\
  type base
    real(8) :: s = 3
  end type base
  type, extends(base) :: above
    real(8) :: t = 5
  end type above
  type apart
    real(8) :: s = 4
  end type apart
"""


def _of_type(name: str, type_: str, change: str) -> str:
    text = STEP.replace("step(a, b)", f"{name}(x, a, b)").replace("step", name).replace("a(i,j)*i", f"a(i,j)*{change}")
    return text.replace("    integer :: i, j\n", f"    {type_}, intent(in) :: x\n    integer :: i, j\n")


GENERIC = {
    "kinds": _text(NAMES.format("step4, step"), SINGLE + STEP, calls="    call go(a, b)"),
    "kinds_named": _text(KINDS + NAMES.format("step4, step"), SINGLE + STEP, calls="    call go(a, b)").replace(
        "run()\n    real(8)", "run()\n    real(dp)"
    ),
    "ranks": _text(NAMES.format("line, step"), LINE + STEP, calls="    call go(a, b)\n    call go(a(:,2), b(3,:))"),
    "types": _text(
        OTHER_TYPE + NAMES.format("of_base, of_apart"),
        _of_type("of_base", "class(base)", "2") + _of_type("of_apart", "type(apart)", "3"),
        "    type(above) :: x\n    type(apart) :: y",
        "    call go(x, a, b)\n    call go(y, a, b)",
    ),
    "numbers": _text(
        NAMES.format("step, more"),
        STEP + OTHER.replace("other(a, b)", "more(a, b, n)").replace("other", "more").replace(":: i, j", ":: i, j, n"),
        calls="    call go(a, b)\n    call go(a, b, 3)",
    ),
    "one_of_its_name": _text(
        "  interface step\n    module procedure step4, step\n  end interface",
        SINGLE + STEP,
        calls="    call step(a, b)",
    ),
    "of_an_intrinsic": _text(
        "  interface sum\n    module procedure total\n  end interface",
        FUNCTION.replace("real(8), intent(in) :: a(4,3)", "type(worker), intent(in) :: a").replace(
            "a(2,1)*3 + a(1,2)", "a%s*2"
        ),
        "    type(worker) :: w",
        "    a(1,1) = sum(b) + sum(w)",
    ).replace("  interface sum", CLASS.replace("CONTENT\n", "") + "  interface sum", 1),
}
PAIRS = [program(f"f_{name}", text) for name, text in FORMS.items()]
PAIRS += [program(f"g_{name}", text) for name, text in GENERIC.items()]
VARIANTS = (SEQUENTIAL, LAYOUT, LAYOUT_OPENMP, CUDA_C, LAYOUT_CUDA_C, CUDA_FORTRAN, OPENACC)

REFUSED = {"f_body_shaped": "HF603"}  # arrays that may have gaps


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("forms"), {p.name: VARIANTS for p in PAIRS})


@pytest.mark.parametrize("variant", some_soon(VARIANTS))
@pytest.mark.parametrize("name", [p.name for p in PAIRS])
def test_programs(name: str, variant: Variant, corpus: Corpus) -> None:
    if name in REFUSED and variant.options.get("target") == "gpu":
        assert [d.code for d in corpus.translation(name, variant).errors] == [REFUSED[name]]
    else:
        corpus.check_one(name, variant)
