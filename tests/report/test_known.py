"""Pairs whose figures are known because the second was made from the first step by step."""

import random
from collections.abc import Mapping

import pytest

from hfpy.report.productivity.figures import Figures, compare
from hfpy.report.productivity.tree import Tree, read_text


def figures(before: Mapping[str, str], after: Mapping[str, str]) -> Figures:
    """The figures of two trees, given as file name → text; the sums are checked."""
    sides = [Tree(tuple(read_text(name, text) for name, text in side.items())) for side in (before, after)]
    f = compare(*sides)
    assert f.kept + f.replaced == f.reference_lines == sides[0].count
    assert f.kept + f.new == f.hybrid_lines == sides[1].count
    assert sum(f.kinds.values()) == f.new == sum(p.new for p in f.hybrid_files)
    assert f.kept == sum(p.kept for p in f.reference_files)
    assert 0 <= f.moved <= f.kept
    return f


def counts(f: Figures) -> tuple[int, int, int, int]:
    return f.kept, f.moved, f.replaced, f.new


def routine(name: str, seed: int, lines: int = 8) -> str:
    """A subroutine of ``lines`` + 5 lines, of which others with another seed have the frame only."""
    chance = random.Random(seed)
    body = [f"    a({n}) = a({n}) * {chance.random():.9f} + b({chance.randrange(10**6)})" for n in range(lines)]
    head = [f"  subroutine {name}(a, b)", "    implicit none", "    real, intent(inout) :: a(:), b(:)"]
    return "\n".join([*head, "    if (size(a) == 0) return", *body, f"  end subroutine {name}"])


LENGTH = 13


def module(name: str, *routines: str) -> str:
    """A module of 4 lines around routines."""
    return "\n".join([f"module {name}", "  implicit none", "contains", *routines, f"end module {name}"]) + "\n"


ONE, TWO, THREE, FOUR = (routine(name, seed) for seed, name in enumerate(("one", "two", "three", "four")))
CODE = {"a.f90": module("a", ONE, TWO), "b.f90": module("b", THREE, FOUR)}
ALL = 8 + 4 * LENGTH


def test_the_same() -> None:
    f = figures(CODE, CODE)
    assert counts(f) == (ALL, 0, 0, 0)
    assert f.new_lines == ()


def test_case_spacing_comments_and_continuation_do_not_count() -> None:
    changed = CODE["a.f90"].upper().replace(" + ", "  &  ! more\n\n  & + ").replace("END SUBROUTINE", "endsubroutine")
    f = figures(CODE, {**CODE, "a.f90": f"! a header\n\n{changed}"})
    assert counts(f) == (ALL, 0, 0, 0)
    assert f.hybrid_raw == f.reference_raw + 2 + 2 * 2 * 8


def test_free_and_fixed_form() -> None:
    fixed = "".join(f"      {line.strip()}\n" for line in CODE["a.f90"].splitlines())
    assert counts(figures({"a.f90": CODE["a.f90"]}, {"a.f": fixed})) == (4 + 2 * LENGTH, 0, 0, 0)


def test_a_renamed_file_in_another_folder() -> None:
    f = figures({f"old/{n}": t for n, t in CODE.items()}, {"new/x.h90": CODE["a.f90"], "new/y.h90": CODE["b.f90"]})
    assert counts(f) == (ALL, 0, 0, 0)
    assert {p.name: p.counterpart for p in f.hybrid_files} == {"new/x.h90": "old/a.f90", "new/y.h90": "old/b.f90"}


def test_a_routine_moved_to_another_file() -> None:
    f = figures(CODE, {"a.f90": module("a", ONE), "b.f90": module("b", THREE, TWO, FOUR)})
    assert counts(f) == (ALL, LENGTH, 0, 0)
    (two,) = [r for r in f.hybrid_routines if r.name == "b::two"]
    assert (two.file, two.counterpart, two.moved, two.new) == ("b.f90", "a::two", LENGTH, 0)


def test_routines_that_change_places_in_a_file() -> None:
    assert counts(figures(CODE, {**CODE, "a.f90": module("a", TWO, ONE)})) == (ALL, LENGTH, 0, 0)


def test_a_moved_routine_with_a_new_one_in_its_place() -> None:
    """The frame of the new routine is not taken for that of the one that moved."""
    f = figures(CODE, {"a.f90": module("a", ONE, routine("five", 5)), "b.f90": module("b", THREE, FOUR, TWO)})
    assert counts(f) == (ALL, LENGTH, 0, LENGTH)
    assert {r.name: r.new for r in f.hybrid_routines if r.new} == {"a::five": LENGTH}


def test_a_renamed_routine() -> None:
    f = figures(CODE, {**CODE, "a.f90": CODE["a.f90"].replace("two", "second")})
    assert counts(f) == (ALL - 2, 0, 2, 2)
    assert f.kinds["signature"] == 2
    assert {r.name: r.counterpart for r in f.hybrid_routines}["a::second"] == "a::two"


def test_a_block_moved_to_a_new_routine() -> None:
    """The body of one routine becomes one of its own, with a call in its place."""
    body = ONE.splitlines()[4:-1]
    short = ONE.replace("\n".join(body), "    call inner(a, b)")
    inner = "\n".join(["  subroutine inner(a, b)", "    real :: a(:), b(:)", *body, "  end subroutine inner"])
    f = figures(CODE, {**CODE, "a.f90": module("a", short, inner, TWO)})
    assert counts(f)[0] == ALL
    assert counts(f)[2:] == (0, 4)
    assert f.kinds == {
        "parallelisation": 0, "layout": 0, "specification": 1, "signature": 3, "duplicated": 0, "other": 0
    }  # fmt: skip


def test_a_line_moved_within_a_routine() -> None:
    lines = ONE.splitlines()
    swapped = "\n".join([*lines[:5], *lines[9:11], *lines[5:9], *lines[11:]])
    assert counts(figures(CODE, {**CODE, "a.f90": module("a", swapped, TWO)})) == (ALL, 2, 0, 0)


def test_frequent_lines_alone_are_no_moved_block() -> None:
    before = {"a.f90": "subroutine a\ndo i = 1, 3\nend do\nend if\nend do\nend subroutine a\n"}
    after = {"z.f90": "subroutine z\ncall z1\nend do\nend if\nend do\ncall z2\nend subroutine z\n"}
    assert counts(figures(before, after)) == (0, 0, 6, 7)


def test_a_copy_of_a_routine() -> None:
    """The reference's routine is there once more under another name, with directives."""
    region = "    @parallelRegion{domName(i), domSize(nx)}\n"
    copy = ONE.replace("one", "one_gpu").replace("    a(3)", f"{region}    a(3)")
    f = figures(CODE, {**CODE, "a.f90": module("a", ONE, copy, TWO)})
    assert counts(f) == (ALL, 0, 0, LENGTH + 1)
    assert (f.kinds["duplicated"], f.kinds["parallelisation"]) == (LENGTH, 1)
    assert {r.name: r.copy_of for r in f.hybrid_routines if r.copy_of} == {"a::one_gpu": "a::one"}


def test_what_was_dropped() -> None:
    f = figures(CODE, {"a.f90": module("a", ONE)})
    assert counts(f) == (4 + LENGTH, 0, ALL - 4 - LENGTH, 0)
    assert {p.name for p in f.reference_files if not p.counterpart} == {"b.f90"}
    assert {p.name for p in f.reference_routines if not p.counterpart} == {"a::two", "b::three", "b::four"}


KINDS = {
    "parallelisation": ["@parallelRegion{domName(i), domSize(nx)}", "@end parallelRegion", "@if{architecture(CPU)}",
                        "@exit", "!$omp parallel do", "!$acc parallel loop", "@scheme{name(A)}"],
    "layout": ["@domainDependant{domName(i), domSize(nx)}", "q1, q2", "@end domainDependant",
               "!$acc enter data copyin(q1)", "!$acc update self(q1)", "!$omp target update to(q1)"],
    "specification": ["use other, only: q", "real(8), intent(in) :: q(nx)", "integer q3", "real*8 q4(3)",
                      "character(len=*), parameter :: c = 'a :: b'", "allocate(q(nx))", "if (on) deallocate(q)",
                      "type(t) :: q5", "common /blk/ q6", "data q6 / 1 /", "type, extends(t) :: u", "implicit none",
                      "real, pointer :: p(:) => null()"],
    "signature": ["subroutine new_one(q)", "end subroutine new_one", "pure real function f(x)", "end function f",
                  "call new_one(q)", "if (q > 0) call new_one(q)", "recursive subroutine r", "entry e(x)",
                  "end subroutine r"],
    "other": ["q(i) = 7", "if (q > 7) then", "end if", "do q = 1, 7", "print *, 'call me'", "type = 3", "data(i) = 7",
              "real(7) = 1", "q => q2", "#ifdef NEW", "interface_value = 7", "function_value = f(7)",
              "q = [real :: 7]"],
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_kinds(kind: str) -> None:
    new = KINDS[kind]
    text = CODE["b.f90"].replace("end module b", "\n".join([*new, "end module b"]))
    f = figures(CODE, {**CODE, "b.f90": text})
    assert f.kinds[kind] == f.new == len(new)  # type: ignore[index]
    assert {n.kind for n in f.new_lines} == {kind}


def test_the_file_of_the_storage_order_is_data_layout() -> None:
    macros = "#ifdef GPU\n#define AT(i,j,k) i,j,k\n#else\n#define AT(i,j,k) k,i,j\n#endif\n"
    assert figures(CODE, {**CODE, "storage_order.F90": macros}).kinds["layout"] == 5


def test_ranges_of_new_lines() -> None:
    text = CODE["a.f90"].replace(
        "contains\n", "  integer :: n1, &\n    n2\n  ! why\n  integer :: n3\ncontains\n  x = 1\n", 1
    )
    found = figures(CODE, {**CODE, "a.f90": text}).new_lines
    assert [(n.file, n.first, n.last, n.kind) for n in found] == [
        ("a.f90", 3, 6, "specification"), ("a.f90", 8, 8, "other")
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_random_changes(seed: int) -> None:
    """Routines shuffled over files, renamed, some dropped, some new, some with lines changed: each figure is known."""
    chance = random.Random(seed)
    names = [f"r{n}" for n in range(20)]
    texts = {name: routine(name, 100 + n, chance.randrange(6, 20)) for n, name in enumerate(names)}
    before = {f"m{m}.f90": module(f"m{m}", *(texts[n] for n in names[m::4])) for m in range(4)}
    total = 4 * 4 + sum(t.count("\n") + 1 for t in texts.values())

    dropped = chance.sample(names, 2)
    replaced = sum(texts[n].count("\n") + 1 for n in dropped)
    new = 0
    for name in [n for n in names if n not in dropped]:
        if chance.random() < 0.3:  # one line of the body becomes three
            lines = texts[name].split("\n")
            lines[chance.randrange(4, len(lines) - 1)] = f"    w1{name} = 1\n    w2{name} = 2\n    w3{name} = 3"
            texts[name] = "\n".join(lines)
            replaced, new = replaced + 1, new + 3
        if chance.random() < 0.2:  # another name
            texts[name] = texts[name].replace(f"subroutine {name}", f"subroutine other_{name}")
            replaced, new = replaced + 2, new + 2
    texts |= {f"n{n}": routine(f"n{n}", 500 + n) for n in range(3)}
    new += 3 * LENGTH
    order = [n for n in texts if n not in dropped]
    chance.shuffle(order)
    after = {f"m{m}.h90": module(f"m{m}", *(texts[n] for n in order[m::4])) for m in range(4)}

    f = figures(before, after)
    assert (f.kept, f.replaced, f.new) == (total - replaced, replaced, new)


@pytest.mark.parametrize("length", [2, 3])
def test_three_lines_are_a_block(length: int) -> None:
    lines = ONE.splitlines()
    block = lines[5 : 5 + length]
    left = "\n".join(line for line in lines if line not in block)
    other = FOUR.replace("  end subroutine four", "\n".join([*block, "  end subroutine four"]))
    f = figures(CODE, {"a.f90": module("a", left, TWO), "b.f90": module("b", THREE, other)})
    assert counts(f) == ((ALL, 3, 0, 0) if length == 3 else (ALL - 2, 0, 2, 2))


def test_routines_of_one_name_in_several_modules() -> None:
    """Each keeps to its own module, however alike they are."""
    variants = [routine("init", 7).replace("a(0)", f"a({n}0)") for n in range(1, 5)]
    before = {f"m{n}.f90": module(f"m{n}", text) for n, text in enumerate(variants)}
    after = {f"new/m{n}.h90": module(f"m{n}", text) for n, text in enumerate(variants)}
    f = figures(before, after)
    assert counts(f) == (f.reference_lines, 0, 0, 0)
    assert all(r.counterpart == r.name for r in f.hybrid_routines)


def test_files_of_one_name_in_several_folders() -> None:
    same = {f"{folder}/setup.f90": module("setup", ONE) for folder in ("cpu", "gpu")}
    f = figures(same, same)
    assert counts(f) == (f.reference_lines, 0, 0, 0)
    assert all(p.counterpart == p.name for p in f.hybrid_files)


def test_a_label_before_an_end() -> None:
    labelled = ONE.replace("  end subroutine one", "  100 end subroutine one")
    f = figures({"a.f90": module("a", TWO, labelled)}, {"a.f90": module("a", labelled, TWO)})
    assert {r.name for r in f.hybrid_routines} == {"a::one", "a::two"}
    assert counts(f) == (4 + 2 * LENGTH, LENGTH, 0, 0)
