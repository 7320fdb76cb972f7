"""Arrays on the device under several names: dummies for one actual argument, components, pointers, arrays that are
reached through calls which only the run decides.

Each program prints what its twin prints. In emulation host and device have memories of their own, so a missing copy
shows; the directives of OpenACC and OpenMP run on the host's memory here, so they only show that texts compile and run.
"""

from __future__ import annotations

import pytest

from tests.storage.programs import asked_ways, in_turn, program
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET, Corpus, Variant, translate_text

VARIANTS = (CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET)

# S8: `first` and `last` are one array; the alphabetical order of the dummies must not matter.
SAME = """module NAME
  implicit none
contains
  subroutine step(n, FIRST, LAST)
    integer, intent(in) :: n
    real(8), intent(in), target :: FIRST(:)
    real(8), intent(inout), target :: LAST(:)
    integer :: i
<i
    LAST(i) = FIRST(i) + 1
>
  end subroutine step
  subroutine run()
    real(8), target :: x(4)
    real(8), pointer :: p(:)
    x = [1, 2, 3, 4]
    call step(4, x, x)
    print *, x
    p => x
    call step(4, p, x)
    print *, x
  end subroutine run
end module NAME
"""
POINTERS = """module NAME
  implicit none
contains
  subroutine step(first, last)
    real(8), pointer, intent(in) :: first(:)
    real(8), pointer, intent(in) :: last(:)
    integer :: i
<i
    last(i) = 2*first(i) + i
>
  end subroutine step
  subroutine run()
    real(8), target :: x(4)
    real(8), pointer :: p(:), q(:)
    x = [1, 2, 3, 4]
    p => x
    q => x
    call step(p, q)
    print *, x, p, q
  end subroutine run
end module NAME
"""

# S9: components that a caller has brought to the device as dummies.
COMPONENTS = """module NAME
  implicit none
  integer, parameter :: n = 4
  type fields
    KIND :: a(:), b(:)
  end type fields
  type(fields), target :: f
contains
  subroutine add(ARGUMENT)
    DECLARED
    integer :: i
<i
    f%b(i) = f%b(i) + f%a(i)
>
  end subroutine add
  subroutine outer(a, b)
    real(8), intent(inout), target :: a(n), b(n)
    @domainDependant{attribute(transferHere)}
    a, b
    @end domainDependant
    call add(ACTUAL)
    call show(ACTUAL)
    call change(ACTUAL)
    call add(ACTUAL)
    call show(ACTUAL)
  end subroutine outer
  subroutine show(ARGUMENT)
    DECLARED
    print *, f%b(1), f%b(2), f%b(n)
  end subroutine show
  subroutine change(ARGUMENT)
    DECLARED
    f%a(2) = 100 + f%b(1)
  end subroutine change
  subroutine run()
    integer :: i
    allocate(f%a(n), f%b(n))
    do i = 1, n
      f%a(i) = i
      f%b(i) = 0
    end do
    call outer(f%a, f%b)
    call show(ACTUAL)
  end subroutine run
end module NAME
"""
MODULE_COMPONENTS = COMPONENTS.replace("ARGUMENT", "").replace("    DECLARED\n", "").replace("ACTUAL", "")

# The routine that holds the arrays has host statements and kernels, both with components.
OWN = """module NAME
  implicit none
  integer, parameter :: n = 4
  type inner
    real(8) :: b(n)
  end type inner
  type fields
    real(8) :: a(n)
    type(inner) :: part
  end type fields
contains
  subroutine work(f, a, b)
    type(fields), intent(inout), target :: f
    real(8), intent(inout), target :: a(n), b(n)
    integer :: i, s
    @domainDependant{attribute(transferHere)}
    a, b
    @end domainDependant
    do s = 1, 2
<i
      b(i) = b(i) + a(i)
>
      print *, f%part%b(1), F % PART % B(n)
      f%a(2) = s
      if (s > 1) f%part%b(3) = 7
    end do
  end subroutine work
  subroutine run()
    type(fields), target :: f
    f%a = [1, 2, 3, 4]
    f%part%b = 0
    call work(f, f%a, f%part%b)
    print *, f%a, f%part%b
  end subroutine run
end module NAME
"""

# S17: calls that the run decides.
HOOKS = """module NAME
  implicit none
  integer, parameter :: n = 4
  real(8) :: v(n)
  abstract interface
    subroutine nothing()
    end subroutine nothing
  end interface
  procedure(nothing), pointer :: hook => null()
  type object
    integer :: number = 1
  contains
    procedure :: show => show_object
    procedure :: total
  end type object
  interface assignment(=)
    module procedure taken
  end interface
  interface operator(.with.)
    module procedure with
  end interface
contains
  subroutine print_v()
    print *, v
  end subroutine print_v
  subroutine change_v()
    v(2) = v(2) + 10
  end subroutine change_v
  subroutine show_object(this)
    class(object), intent(in) :: this
    print *, this%number, v
  end subroutine show_object
  function total(this) result(s)
    class(object), intent(in) :: this
    real(8) :: s
    s = this%number*sum(v)
  end function total
  subroutine taken(to, from)
    type(object), intent(inout) :: to
    real(8), intent(in) :: from
    to%number = int(from + v(1))
  end subroutine taken
  function with(one, other) result(s)
    type(object), intent(in) :: one
    integer, intent(in) :: other
    real(8) :: s
    s = one%number + other + v(n)
  end function with
  subroutine called(procedure_given)
    procedure(nothing) :: procedure_given
    call procedure_given()
  end subroutine called
  subroutine step()
    integer :: i
<i
    v(i) = v(i) + i
>
  end subroutine step
  subroutine outer()
    type(object) :: q
    real(8) :: s
    integer :: k
    @domainDependant{attribute(transferHere)}
    v
    @end domainDependant
    call step()
    BODY
    call step()
  end subroutine outer
  subroutine run()
    v = 0
    call outer()
    print *, v
  end subroutine run
end module NAME
"""
BODIES = {
    "pointer": "hook => print_v\n    call hook()",
    "pointer_that_writes": "hook => change_v\n    CALL HOOK()\n    call print_v()",
    "dummy": "call called(print_v)\n    call called(change_v)",
    "bound": "q%number = 3\n    call q%show()",
    "bound_function": "s = q%total()\n    print *, s",
    "assignment": "q = 2.5d0\n    print *, q%number",
    "operator": "s = q .with. 3\n    print *, s",
}


# The procedures, and the statements that set pointers, are in files without directives.
PLAIN = {
    "data": """module NAME_data
  implicit none
  integer, parameter :: n = 4
  real(8), target :: v(n)
  real(8), pointer :: view(:) => null()
  abstract interface
    subroutine nothing()
    end subroutine nothing
  end interface
  procedure(nothing), pointer :: hook => null()
end module NAME_data
""",
    "hooks": """module NAME_hooks
  use NAME_data
  implicit none
contains
  subroutine print_v()
    print *, v
  end subroutine print_v
  subroutine print_view()
    print *, view(2), view(n)
    view(1) = view(1) + 0.25d0
  end subroutine print_view
  subroutine set_up()
    hook => print_v
    view => v
  end subroutine set_up
end module NAME_hooks
""",
}
OTHER_FILES = """module NAME
  use NAME_data
  use NAME_hooks, only: print_view
  implicit none
contains
  subroutine step()
    integer :: i
<i
    v(i) = v(i) + i
>
  end subroutine step
  subroutine outer()
    integer :: s
    @domainDependant{attribute(transferHere)}
    v
    @end domainDependant
    do s = 1, 2
      call step()
      call hook()
      call print_view()
    end do
  end subroutine outer
  subroutine run()
    use NAME_hooks, only: set_up
    v = 0
    call set_up()
    call outer()
    print *, v
  end subroutine run
end module NAME
"""
# A final procedure runs where no call is written.
FINAL = """module m
  implicit none
  integer, parameter :: n = 4
  real(8) :: v(n)
  type watcher
    integer :: number = 0
  contains
    final :: done
  end type watcher
contains
  subroutine done(this)
    type(watcher), intent(inout) :: this
    STATEMENT
  end subroutine done
  subroutine work()
    type(watcher) :: w
    integer :: i
    @parallelRegion{domName(i), domSize(n)}
    v(i) = v(i) + i
    @end parallelRegion
    w%number = 1
  end subroutine work
end module m
"""


# Kernels below a construct, started by calls without arguments, and host statements beside them.
CONSTRUCTS = {
    "do": "do k = 1, 2\n      call step()\n      print *, v(1)\n      v(2) = v(2) + k\n    end do",
    "while": "k = 0\n    do while (k < 2)\n      k = k + 1\n      call step()\n      v(3) = v(1)\n    end do",
    "if": "k = 3\n    if (k > 2) then\n      call step()\n      print *, v\n      v(n) = 0\n    end if",
    "select": "k = 1\n    select case (k)\n    case (1)\n      call step()\n      print *, sum(v)\n    end select",
    "nested": "do k = 1, 2\n    if (k > 1) then\n      call step()\n    end if\n    v(1) = v(1) + 1\n    end do",
    "one_line": "k = 1\n    if (k == 1) call step()\n    if (k == 1) v(1) = v(1) + v(2)",
}


def _same(first: str, last: str) -> str:
    return SAME.replace("FIRST", first).replace("LAST", last)


PROGRAMS = {
    "same": _same("a", "z"),
    "same_reversed": _same("z", "a"),
    "pointers": POINTERS,
    "pointers_reversed": POINTERS.replace("first", "zero").replace("last", "all"),
    "allocatable": MODULE_COMPONENTS.replace("KIND", "real(8), allocatable"),
    "pointer_components": MODULE_COMPONENTS.replace("KIND", "real(8), pointer"),
    "fixed": MODULE_COMPONENTS.replace("KIND :: a(:), b(:)", "real(8) :: a(n), b(n)").replace(
        "    allocate(f%a(n), f%b(n))\n", ""
    ),
    "own": OWN,
    **{f"in_{name}": HOOKS.replace("BODY", body) for name, body in CONSTRUCTS.items()},
    **{f"hook_{name}": HOOKS.replace("BODY", body) for name, body in BODIES.items()},
}
PAIRS = [
    *(program(name, text) for name, text in PROGRAMS.items()),
    program("files", OTHER_FILES, **{f"files_{stem}": text.replace("NAME", "files") for stem, text in PLAIN.items()}),
]


# What directives cannot do: OpenMP has no objects with allocatable or pointer components, and no updates of components.
REFUSED = {
    ("allocatable", "openmp-target"): "HF702",
    ("pointer_components", "openmp-target"): "HF702",
    ("own", "openmp-target"): "HF603",
}
WAYS = {p.name: [v for v in VARIANTS if (p.name, v.label) not in REFUSED] for p in PAIRS}


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("names"), asked_ways(request))


@pytest.mark.parametrize(("name", "variant"), in_turn(WAYS))
def test_programs(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(name, variant)


@pytest.mark.parametrize(("name", "label"), REFUSED)
def test_refused(name: str, label: str) -> None:
    tested = next(p for p in PAIRS if p.name == name)
    variant = next(v for v in VARIANTS if v.label == label)
    assert set(variant.translated(tested).codes()) == {REFUSED[name, label]}


@pytest.mark.parametrize(("statement", "codes"), [("print *, this%number, v", ["HF603"]), ("print *, this%number", [])])
def test_final_procedures_that_use_arrays_on_the_device(statement: str, codes: list[str]) -> None:
    done = translate_text(FINAL.replace("STATEMENT", statement), target="gpu", backend="cuda-c")
    assert done.codes() == codes


THROUGH_POINTER = """module m
  implicit none
  real(8), target :: v(4)
  real(8), pointer :: p(:) => null()
contains
  subroutine top()
    @domainDependant{attribute(transferHere)}
    v
    @end domainDependant
    p => v
    call step()
  end subroutine top
  subroutine step()
    integer :: i
    @parallelRegion{domName(i), domSize(4)}
    p(i) = i
    @end parallelRegion
  end subroutine step
end module m
"""


@pytest.mark.parametrize(
    ("backend", "back"),
    [("openacc", "exit data copyout(v)"), ("openmp-target", "map(from: v)"), ("cuda-c", "call hf_leave(v, 1,")],
)
def test_an_array_that_is_changed_through_a_pointer_comes_back(backend: str, back: str) -> None:
    assert back in translate_text(THROUGH_POINTER, target="gpu", backend=backend).require().text
