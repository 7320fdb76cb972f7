"""Names that a region lists in ``private``, ``independent``, ``distinct`` or ``local``: those that mean something, and
those that do not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.diagnostics import Diagnostic
from hfpy.options import DomainSpec, Options
from hfpy.parse.fixes import replacement_of
from hfpy.pipeline import translate

PROGRAM = """module below
  implicit none
  real(8) :: level(100)
contains
  subroutine put(x, at, much)
    real(8), intent(inout) :: x
    integer, intent(in) :: at
    real(8), intent(in) :: much
    real(8), save :: kept(100)
    level(at) = x
    kept(at) = much
    x = kept(at)
  end subroutine
end module
module m
  use below, only: put
  implicit none
  type fields
    real(8), pointer :: flux(:)
  end type
  real(8) :: outer(4)
contains
  subroutine work(n, a, idx, all)
    integer, intent(in) :: n, idx(n)
    real(8), intent(inout) :: a(n)
    type(fields), intent(in) :: all
    real(8) :: column(4), total
    integer :: k
    associate (alias => column)
    @parallelRegion{domName(i), domSize(n), ATTRIBUTE}
    do k = 1, 4
      alias(k) = a(i)*k
    end do
    total = sum(alias)
    a(idx(i)) = total
    all%flux(i) = total
    call put(a(i), i, total)
    @end parallelRegion
    end associate
  end subroutine
end module
"""


def found(tmp_path: Path, attribute: str, backend: str = "openmp", text: str = PROGRAM) -> list[Diagnostic]:
    """What is said of the names that a region of the program lists."""
    path = tmp_path / "m.h90"
    path.write_text(text.replace("ATTRIBUTE", attribute))
    target = "cpu" if backend == "openmp" else "gpu"
    done = translate([path], Options(target=target, backend=backend))
    return [d for d in done.diagnostics if d.code in ("HF202", "HF250")]


@pytest.mark.parametrize("backend", ["openmp", "cuda-c", "openacc"])
@pytest.mark.parametrize(
    ("attribute", "name", "hint"),
    [
        ("private(colum)", "colum", "column"),
        ("PRIVATE(column, Colunm)", "colunm", "column"),
        ("independent(flx)", "flx", ""),
        ("independent(a, levels)", "levels", ""),
        ("distinct(idxx)", "idxx", "idx"),
        ("local(totl)", "totl", "total"),
        ("private(kept)", "kept", ""),  # of a called routine: what the region has of its own is asked for
        ("local(level)", "level", ""),
    ],
)
def test_names_that_mean_nothing(attribute: str, name: str, hint: str, backend: str, tmp_path: Path) -> None:
    (said,) = found(tmp_path, attribute, backend)
    assert (said.code, said.severity) == ("HF250", "error")
    assert said.message.startswith(f"'{name}' in '{attribute.partition('(')[0].lower()}'")
    line = (tmp_path / "m.h90").read_text().splitlines()[said.place.line - 1]
    start = said.place.column - 1
    assert line[start : start + said.place.length].lower() == name
    assert said.hint == f"did you mean '{hint}'?" if hint else "did you mean" not in said.hint
    for fix in said.fixes:
        made = replacement_of(fix, (tmp_path / "m.h90").read_text().splitlines())
        assert made is not None and (made.column, made.length, made.text) == (start, len(name), hint)
    assert bool(said.fixes) == bool(hint)


@pytest.mark.parametrize("backend", ["openmp", "cuda-c"])
@pytest.mark.parametrize(
    "attribute",
    [
        "private(column)",
        "private(alias)",  # a name of associate
        "private(outer)",  # the module's
        "local(Total)",
        "distinct(idx)",
        "independent(a, flux, level, kept, much)",  # a component; of a module, a routine that is called, its dummy
    ],
)
def test_names_that_mean_something(attribute: str, backend: str, tmp_path: Path) -> None:
    assert found(tmp_path, attribute, backend) == []


@pytest.mark.parametrize("suffix", ["h90", "H90"])
def test_a_branch_that_is_not_taken_may_declare_it(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"m.{suffix}"
    branch = "#ifdef DOUBLE\n    real(8) :: elsewhere(4)\n#endif\n    real(8) :: column"
    path.write_text(PROGRAM.replace("ATTRIBUTE", "private(elsewhere)").replace("    real(8) :: column", branch))
    done = translate([path], Options())
    assert [(d.severity, d.place.line) for d in done.diagnostics if d.code == "HF250"] == [("warning", 33)]


def test_modules_without_source_may_have_any_name(tmp_path: Path) -> None:
    text = PROGRAM.replace("  use below, only: put\n", "  use below, only: put\n  use foreign\n")
    assert found(tmp_path, "independent(unseen)", text=text) == []
    text = PROGRAM.replace("  use below, only: put\n", "  use below, only: put\n  use foreign, only: seen\n")
    assert found(tmp_path, "independent(seen)", text=text) == []
    assert len(found(tmp_path, "independent(unseen)", text=text)) == 1


def test_implicit_types(tmp_path: Path) -> None:
    text = PROGRAM.replace("  implicit none\n", "").replace(
        "    real(8) :: column(4), total\n", "    real(8) column(4)\n"
    )
    assert found(tmp_path, "local(total)", text=text) == []
    assert len(found(tmp_path, "local(totals)", text=text)) == 1


def test_what_another_target_computes(tmp_path: Path) -> None:
    attribute = "appliesTo(GPU), private(colum)"
    assert found(tmp_path, attribute) == []
    assert len(found(tmp_path, attribute, "cuda-c")) == 1


@pytest.mark.parametrize(
    ("attribute", "entry", "name"),
    [("independent(all%flux)", "all%flux", "flux"), ("distinct(idx(i))", "idx(i)", "idx"), ("private(2)", "2", "2")],
)
def test_what_is_no_name(attribute: str, entry: str, name: str, tmp_path: Path) -> None:
    (said,) = found(tmp_path, attribute)
    assert (said.code, said.message) == ("HF202", f"'{entry}' in '{attribute.partition('(')[0]}' is no name")
    assert said.hint.endswith(f" {name}")


def test_lines_that_go_on(tmp_path: Path) -> None:
    (said,) = found(tmp_path, "private(column), &\n    local(total, a), distinct(one)")
    assert (said.place.line, said.place.column) == (31, 31)


SIZES = """subroutine work(n, a)
  integer n
  real(8) a(n)
  @parallelRegion{domName(i)SIZE}
  a(i) = a(i) + 1
  @end parallelRegion
end subroutine
"""


@pytest.mark.parametrize(
    ("size", "name"), [("", "nx"), (", domSize(m)", "m"), (", domSize(n), endAt(n-NS)", "ns"), (", domSize(n)", "")]
)
def test_bounds_that_mean_nothing(size: str, name: str, tmp_path: Path) -> None:
    """Where nothing but a directive, or the project's domains, has a name, the implicit rules make no size of it."""
    (tmp_path / "m.h90").write_text(SIZES.replace("SIZE", size))
    options = Options(domains={"i": DomainSpec(("NX", "n"), ())})
    said = [d for d in translate([tmp_path / "m.h90"], options).diagnostics if d.severity == "error"]
    assert [(d.code, d.message.split()[0]) for d in said] == ([("HF250", f"'{name}'")] if name else [])
    assert all(d.hint.startswith("write domSize") for d in said if name == "nx")
