"""What a called routine does to variables that all points share is judged as if its statements stood in the region.

Each body is put into a region in many ways: as it is, through one call and through three, in a function within an
expression, under other names of an import, with keywords and optional arguments, through dummies that are bound to the
variables, in an internal procedure, in variables of a common block, in saved locals.
"""

from __future__ import annotations

import itertools

import pytest

from hfpy.diagnostics import Diagnostic
from tests.support import CUDA_C, OPENMP, translate_text

# Bodies over the shared `total` and `flag`, the point's `x`, its number `k`; `y` is the point's result. What is said
# of them in a region, and what through calls: variables that a point sets first are private there, but not here.
BODIES = {
    "sum": ("total = total + x", "error", "error"),
    "sum_turned": ("total = x + total", "error", "error"),
    "max": ("total = max(total, x)", "error", "error"),
    "if_max": ("if (x > total) total = x", "error", "error"),
    "count": ("flag = flag + 1", "error", "error"),
    "count_some": ("if (k > 2) flag = flag + 1", "error", "error"),
    "set_first": ("total = 2*x\n y = total + 1", "", "error"),
    "set_only": ("total = x", "", "error"),
    "set_some": ("if (x > 1) total = x", "error", "error"),
    "two_values": ("if (x > 1) flag = 1\n if (x < 0) flag = 2", "error", "error"),
    "flag": ("if (x > 1) flag = 1", "", "note"),
    "flag_inner": ("do j = 1, 2\n if (x > j) flag = -1\n end do", "", "note"),
    "constant": ("flag = 3", "", "note"),
    "one_point": ("if (k == 1) flag = flag + 2", "", ""),
    "read_only": ("y = x + total", "", ""),
    "write_and_read": ("y = x + total\n if (k == 2) total = 5", "error", "error"),
    "loop_variable": ("do flag = 1, 3\n y = y + flag\n end do", "", "error"),
}
LOCALS = "integer :: j"
DUMMIES = "real(8), intent(in) :: x\n integer, intent(in) :: k\n real(8), intent(inout) :: y"
SHARED = "real(8) :: total = 0\n integer :: flag = 0"
CALL = "call work(a(i), i, b(i))"


def module(region: str, routines: str, shared: str = SHARED, extra: str = "", inner: str = "") -> str:
    return f"""module m
 {extra}
 implicit none
 {shared}
contains
 subroutine run(n, a, b)
 integer, intent(in) :: n
 real(8), intent(in) :: a(n)
 real(8), intent(inout) :: b(n)
 integer :: j
 {inner.partition("contains")[0]}
 @parallelRegion{{domName(i), domSize(n)}}
 {region}
 @end parallelRegion
 {"".join(inner.partition("contains")[1:])}
 end subroutine run
 {routines}
end module m
"""


def routine(body: str, name: str = "work", args: str = "x, k, y", declared: str = DUMMIES) -> str:
    return f"subroutine {name}({args})\n {declared}\n {LOCALS}\n {body}\nend subroutine {name}\n"


def inline(body: str) -> str:
    text = body.replace("x", "a(i)").replace("maa(i)", "max") if "max" in body else body.replace("x", "a(i)")
    return module(text.replace("y", "b(i)").replace("k ", "i "), "")


def one_call(body: str) -> str:
    return module(CALL, routine(body))


def three_calls(body: str) -> str:
    steps = routine("call second(x, k, y)") + routine("if (n > 0) call third(y, k, x)\n", "second").replace(
        "n >", "k >"
    )
    third = routine(body, "third", "y, k, x")
    return module(CALL, steps + third)


def in_function(body: str) -> str:
    declared = DUMMIES.replace("intent(inout) :: y", "intent(in) :: z")
    text = f"function work(x, k, z) result(y)\n {declared}\n real(8) :: y\n"
    return module("b(i) = 1 + work(a(i), i, b(i))", f"{text} {LOCALS}\n y = z\n {body}\nend function work\n")


def renamed(body: str) -> str:
    """The variables are those of another module, under other names in each routine."""
    other = "module store\n implicit none\n real(8) :: sum_of_all = 0\n integer :: mark = 0\nend module store\n"
    use = "use store, only: total => sum_of_all, flag => mark"
    text = routine(body).replace("subroutine work(x, k, y)\n", f"subroutine work(x, k, y)\n {use}\n", 1)
    return other + module(CALL, text, "", "use store, only: here => sum_of_all")


def keywords(body: str) -> str:
    extra = DUMMIES + "\n real(8), intent(in), optional :: unused"
    return module("call work(y=b(i), k=i, x=a(i))", routine(body, "work", "x, unused, k, y", extra))


def bound_dummies(body: str) -> str:
    """The routine gets the variables as arguments."""
    more = DUMMIES + "\n real(8), intent(inout) :: total\n integer, intent(inout) :: flag"
    return module("call work(a(i), i, b(i), total, flag)", routine(body, "work", "x, k, y, total, flag", more))


def bound_twice(body: str) -> str:
    """Through two levels, the second under other names."""
    more = DUMMIES + "\n real(8), intent(inout) :: p\n integer, intent(inout) :: q"
    first = routine("call inner(flag=q, total=p, x=x, k=k, y=y)", "work", "x, k, y, p, q", more)
    more = DUMMIES + "\n real(8), intent(inout) :: total\n integer, intent(inout) :: flag"
    second = routine(body, "inner", "x, k, y, total, flag", more)
    return module("call work(a(i), i, b(i), total, flag)", first + second)


def internal(body: str) -> str:
    """The variables are locals of the region's routine, the called one is internal to it."""
    return module(CALL, "", "", inner=f"{SHARED.replace(' = 0', '')}\n contains\n {routine(body)}")


def component(body: str) -> str:
    text = body.replace("total", "st%total").replace("flag = 1, 3", "j = 1, 3").replace("flag", "st%flag")
    return module(CALL, routine(text), "type box\n real(8) :: total\n integer :: flag\n end type\n type(box) :: st")


def component_of_dummy(body: str) -> str:
    text = body.replace("total", "o%total").replace("flag = 1, 3", "j = 1, 3").replace("flag", "o%flag")
    shared = "type box\n real(8) :: total\n integer :: flag\n end type\n type(box) :: st"
    more = DUMMIES + "\n type(box), intent(inout) :: o"
    return module("call work(a(i), i, b(i), st)", routine(text, "work", "x, k, y, o", more), shared)


def common(body: str) -> str:
    return module(
        CALL, routine(body, declared=DUMMIES + "\n real(8) :: total\n integer :: flag\n common /c/ total, flag")
    )


def saved(body: str) -> str:
    return module(CALL, routine(body, declared=DUMMIES + "\n real(8), save :: total\n integer :: flag = 0"), "")


def associated(body: str) -> str:
    text = body.replace("total", "tt").replace("flag = 1, 3", "j = 1, 3").replace("flag", "ff")
    return module(CALL, routine(f"associate (tt => total, ff => flag)\n {text}\n end associate"))


WAYS = (
    one_call, three_calls, in_function, renamed, keywords, bound_dummies, bound_twice, internal, component,
    component_of_dummy, common, saved, associated,
)  # fmt: skip


def reported(source: str, **options: object) -> list[Diagnostic]:
    done = translate_text(source, **{"backend": "openmp", **options})
    return [d for d in done.diagnostics if d.code not in ("HF702",)]


def worst(found: list[Diagnostic]) -> str:
    severities = {d.severity for d in found}
    return next((s for s in ("error", "warning", "note") if s in severities), "")


@pytest.mark.parametrize("name", BODIES)
def test_in_the_region_itself(name: str) -> None:
    body, here, _ = BODIES[name]
    found = reported(inline(body))
    assert worst(found) == here, found


@pytest.mark.parametrize("way", WAYS, ids=lambda w: w.__name__)
@pytest.mark.parametrize("name", BODIES)
def test_through_calls(name: str, way) -> None:
    body, _, expected = BODIES[name]
    found = reported(way(body))
    dummies = way in (bound_dummies, bound_twice)
    if dummies and expected in ("", "note") and name != "read_only":
        return  # as arguments they are written in the region: refused there unless all points set them
    if dummies and name in ("set_first", "set_only", "loop_variable"):  # as if the region itself set them
        assert worst(found) in ("", "note"), [str(d) for d in found]
        return
    if way in (component, component_of_dummy, associated) and name == "loop_variable":
        expected = ""
    assert worst(found) == expected, [str(d) for d in found]
    if expected == "error":
        assert "HF504" in [d.code for d in found]
        assert all(d.hint for d in found)


def through_binding(body: str, shared: str = SHARED, declared: str = DUMMIES) -> str:
    types = "type worker\n contains\n procedure, nopass :: go => work\n end type worker\n type(worker) :: w"
    return module("call w%go(a(i), i, b(i))", routine(body, declared=declared), f"{types}\n {shared}")


def through_pointer(body: str, shared: str = SHARED, declared: str = DUMMIES) -> str:
    text = module("call p(a(i), i, b(i))", routine(body, declared=declared), shared)
    return text.replace(" integer :: j\n", " integer :: j\n procedure(work), pointer :: p\n p => work\n", 1)


def far_below(body: str, shared: str = SHARED, declared: str = DUMMIES) -> str:
    """Through more calls than the engine follows."""
    names = ["work", *(f"step{n}" for n in range(20)), "last"]
    calls = [routine(f"call {b}(x, k, y)", a) for a, b in itertools.pairwise(names)]
    return module(CALL, "".join(calls) + routine(body, "last", declared=declared), shared)


@pytest.mark.parametrize("way", [through_binding, through_pointer, far_below], ids=lambda w: w.__name__)
@pytest.mark.parametrize("name", [n for n in BODIES if n != "read_only"])
def test_calls_that_are_not_followed(name: str, way) -> None:
    body = BODIES[name][0]
    assert worst(reported(way(body))) == "warning"
    local = DUMMIES + "\n real(8), save :: total\n integer :: flag = 0"
    assert worst(reported(way(body, "", local))) == "warning"
    assert not reported(way(BODIES["read_only"][0]))


@pytest.mark.parametrize("name", [n for n in BODIES if BODIES[n][2] == "error"])
def test_on_the_device_too(name: str) -> None:
    """Where a write in a device routine is refused anyway, the conflict is named, too."""
    found = reported(one_call(BODIES[name][0]), target="gpu", backend="cuda-c")
    assert "HF504" in [d.code for d in found]


def test_witness_and_places() -> None:
    (found,) = reported(one_call("total = total + x"))
    assert found.message == "points i = 1 and i = 2 both write total"
    assert "reduction" in found.hint and "'work'" in found.hint
    (found,) = reported(one_call("total = x\n y = total"))
    assert "each point sets it before" in found.hint
    (found,) = reported(one_call("if (x > 1) total = x"))
    assert "only a condition on data" in found.message and "independent(total)" in found.hint


@pytest.mark.parametrize("way", (one_call, three_calls, renamed, component), ids=lambda w: w.__name__)
def test_what_the_user_states_is_believed(way) -> None:
    source = way("if (x > 1) total = x")
    name = "st" if way is component else "sum_of_all" if way is renamed else "total"
    assert not reported(source.replace("domSize(n)", f"domSize(n), independent({name})"))


@pytest.mark.parametrize("index", ["to(k)", "(k + 1)/2", "mod(k, 3) + 1"])
@pytest.mark.parametrize("shared", ["real(8) :: kept(9)", "real(8), allocatable :: kept(:)"])
def test_arrays_under_conditions_on_data(index: str, shared: str) -> None:
    """As in a region: only conditions on data between two points are an error."""
    text = module(CALL, routine(f"if (x > 0) kept({index}) = x"), f"{shared}\n integer :: to(9)")
    expected = "warning" if index == "to(k)" else "error"
    assert worst(reported(text)) == expected


# -- who sees whose copy

HOST = """module m
 implicit none
contains
 subroutine run(n, a)
 integer, intent(in) :: n
 real(8), intent(inout) :: a(n)
 real(8) :: t, w(3)
 integer :: i
 t = 0
 @parallelRegion{domName(i), domSize(n)ATTRIBUTES}
 REGION
 @end parallelRegion
 contains
 subroutine inner(x)
 real(8), intent(inout) :: x
 INNER
 end subroutine inner
 end subroutine run
end module m
"""


@pytest.mark.parametrize(
    "region, inner, attributes, code",
    [
        ("t = a(i)\n call inner(a(i))", "x = x + t", "", "HF504"),
        ("w = a(i)\n call inner(a(i))", "x = x + w(2)", "", "HF504"),
        ("w = a(i)\n call inner(a(i))", "x = x + w(2)", ", private(w)", "HF504"),
        ("call inner(a(i))", "x = x*i", "", "HF319"),
        ("call inner(a(i))", "t = t + x", ", reduction(+:t)", "HF503"),
        ("t = t + a(i)\n call inner(a(i))", "x = t", ", reduction(+:t)", "HF503"),
        ("call inner(a(i))", "w(1) = x", "", "HF504"),
    ],
)
def test_an_internal_procedure_sees_no_copies(region: str, inner: str, attributes: str, code: str) -> None:
    text = HOST.replace("REGION", region).replace("INNER", inner).replace("ATTRIBUTES", attributes)
    assert [d.code for d in reported(text) if d.severity == "error"] == [code]


@pytest.mark.parametrize("inner", ["x = x + t", "x = x + w(2) + t", "real(8) :: t\n t = 2*x\n x = t"])
def test_what_no_point_writes_is_shared(inner: str) -> None:
    text = HOST.replace("REGION", "call inner(a(i))").replace("INNER", inner).replace("ATTRIBUTES", "")
    assert not reported(text)


@pytest.mark.parametrize("index", ["kk", "kk + k", "k*kk"])
def test_an_index_that_a_called_routine_sets(index: str) -> None:
    """Also under another name in a common block, and in a saved local: it is another one at each point."""
    shared = "integer :: kk\n common /place/ kk"
    other = "integer :: step\n common /place/ step\n step = step - 1"
    more = routine(f"call move()\n y = x\n u({index}) = x") + f"subroutine move()\n {other}\nend subroutine move\n"
    assert worst(reported(module(CALL, more, f"real(8) :: u(99)\n {shared}"))) == "error"


# -- elements and scalars that are passed on

PASSED = {
    "one_point": ("if (k == 1) y = 5", "b(1)", ""),
    "no_point": ("if (x > k) j = 2", "b(1)", ""),
    "own": ("y = 2*x", "b(i)", ""),
    "all": ("y = x", "b(1)", "error"),
    "all_same": ("y = 1", "b(1)", "note"),
    "data": ("if (x > 0) y = x", "b(1)", "error"),
    "two": ("if (k < 3) y = x", "b(2)", "error"),
    "read_by_others": ("if (k == 1) y = x\n j = int(y)", "b(3)", "error"),
    "before": ("y = y + x", "b(max(i-1,1))", "error"),
    "unread": ("j = k", "b(max(i-1,1))", ""),
}


@pytest.mark.parametrize("levels", [1, 2, 3])
@pytest.mark.parametrize("name", PASSED)
def test_elements_that_are_passed(name: str, levels: int) -> None:
    """What a routine does to an element under a condition is what the statement would do in the region."""
    body, element, expected = PASSED[name]
    names = ["work", "second", "third"][:levels]
    text = "".join(routine(f"call {after}(y=y, x=x, k=k)", name_) for name_, after in itertools.pairwise(names))
    found = reported(module(f"call work(a(i), i, {element})", text + routine(body, names[-1])))
    assert worst(found) == expected, [str(d) for d in found]


@pytest.mark.parametrize("prefix", ["elemental", "pure elemental", "impure elemental"])
@pytest.mark.parametrize("where", ["b(i) = f(a(i))", "b(i) = sum(f(c))", "if (f(a(i)) > 1) b(i) = 0"])
def test_elemental_functions_read_what_others_write(prefix: str, where: str) -> None:
    text = (
        f"{prefix} function f(x) result(y)\n real(8), intent(in) :: x\n real(8) :: y\n y = x + total\nend function f\n"
    )
    source = module(
        f"if (i == 2) call work(a(i), i, b(i))\n {where}", text + routine("total = x"), SHARED + "\n real(8) :: c(3)"
    )
    assert worst(reported(source)) in ("error", "warning")
    assert not reported(source.replace("total = x", "y = x"))


# -- reductions

ADD = "subroutine add(s, x)\n real(8), intent(inout) :: s\n real(8), intent(in) :: x\n BODY\nend subroutine add\n"


@pytest.mark.parametrize(
    "op, body, fine",
    [
        ("+", "s = s + x", True),
        ("+", "if (x > 0) s = x + s", True),
        ("+", "associate (t => s)\n t = t - x\n end associate", True),
        ("max", "if (x > s) s = x", True),
        ("*", "s = s*x", True),
        ("+", "s = s*x", False),
        ("+", "s = x", False),
        ("+", "associate (t => s)\n t = t*x\n end associate", False),
        ("+", "s = s + x\n if (s > 3) s = s + 1", False),
        ("max", "s = min(s, x)", False),
        ("+", "s = s + x\n call out(s)", False),
    ],
)
@pytest.mark.parametrize("levels", [1, 2, 3])
@pytest.mark.parametrize("variable", ["t", "total"])
def test_reductions_through_dummies(op: str, body: str, fine: bool, levels: int, variable: str) -> None:
    names = ["add", "second", "third"][:levels]
    passing = itertools.pairwise(names)
    text = "".join(ADD.replace("add", one).replace("BODY", f"call {after}(x=x, s=s)") for one, after in passing)
    text += ADD.replace("add", names[-1]).replace("BODY", body)
    local = "real(8) :: t\n t = 1\n" if variable == "t" else ""
    source = module(f"call add({variable}, a(i))", text, inner=local)
    source = source.replace("domSize(n)", f"domSize(n), reduction({op}:{variable})")
    found = reported(source)
    assert [d.code for d in found if d.severity == "error"] == ([] if fine else ["HF503"])


@pytest.mark.parametrize("way", (one_call, three_calls, in_function, renamed), ids=lambda w: w.__name__)
def test_a_reduction_variable_that_a_called_routine_knows_by_itself(way) -> None:
    name = "here" if way is renamed else "total"
    source = way("total = total + x").replace("domSize(n)", f"domSize(n), reduction(+:{name})")
    (found,) = reported(source)
    assert (found.code, found.severity) == ("HF503", "error") and "as an argument" in found.hint


def test_variants_are_translated_by_all() -> None:
    """What is accepted is accepted by the backends that the programs are tested with, or refused with a code."""
    for variant in (OPENMP, CUDA_C):
        done = translate_text(one_call("y = x + total"), **variant.options)
        assert not done.errors
