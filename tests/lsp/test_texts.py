"""Texts as they are typed: an edit costs one routine, and what is found is what a new reading finds."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.lsp import texts
from hfpy.lsp.looking import Looked
from hfpy.lsp.server import Opened, Server
from hfpy.lsp.shown import shown
from hfpy.lsp.texts import Outdated, Text
from hfpy.model.source import changed_rows
from hfpy.options import Options
from tests.lsp.conftest import SOURCE

PATH = Path("/nowhere/heat.h90")
OPTIONS = Options(parse_limit=20)
WRONG = SOURCE.replace("domSize(nx,ny)", "domSise(nx,ny)")


def many(count: int, source: str = SOURCE) -> str:
    return "".join(source.replace("heat", f"heat{n}") for n in range(count))


def read(text: str, before: Text | None = None, path: Path = PATH) -> Text:
    return Text.read(path, text, OPTIONS, before)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The units that are parsed, by name."""
    names: list[str] = []
    once = texts.unit_for

    def counted(index, number, *rest):  # type: ignore[no-untyped-def]
        names.append(index.units[number].name)
        return once(index, number, *rest)

    monkeypatch.setattr(texts, "unit_for", counted)
    return names


def test_an_edit_parses_one_routine(parsed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """In a file of thousands of lines a keystroke in a routine reads that routine and no more."""
    text = many(200, WRONG)
    before = read(text)
    assert len(parsed) == 600 and before.parsed == 600 and len(before.found) == 200
    parsed.clear()
    lexed: list[int] = []
    lines = texts.logical_lines
    monkeypatch.setattr(texts, "logical_lines", lambda p, rows, **k: lexed.append(len(rows)) or lines(p, rows, **k))
    monkeypatch.setattr(texts, "index_text", lambda *_: pytest.fail("the file is read as a whole"))
    rows = text.split("\n")
    row = rows.index("module heat150") + 8
    rows[row] = rows[row].replace("domSise", "domSize")
    after = read("\n".join(rows), before)
    assert parsed == ["spread"] and lexed == [9] and not after.whole
    assert len(after.found) == 199
    rows.insert(row + 1, "    @parallelRegion{domNam(k)}")
    later = read("\n".join(rows), after)
    assert parsed == ["spread", "spread"] and not later.whole
    assert row + 1 in {d.place.line for d in later.found}
    assert read("\n".join(rows), later).parsed == 0
    monkeypatch.undo()
    assert later.found == read("\n".join(rows)).found


def test_comments_between_routines(parsed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """They cost nothing, and all after them is some lines further down."""
    text = many(20, WRONG)
    before = read(text)
    parsed.clear()
    with monkeypatch.context() as patched:
        patched.setattr(texts, "index_text", lambda *_: pytest.fail("the file is read as a whole"))
        changed = text.replace("  subroutine twice", "\n  ! what twice does\n  subroutine twice", 3)
        for count in (1, 2, 3):
            step = text.replace("  subroutine twice", "\n  ! what twice does\n  subroutine twice", count)
            before = read(step, before)
        assert not parsed and not before.whole
    assert before.found == read(changed).found
    last = before.part_at(len(before.lines) - 3)
    assert (
        last is not None
        and last.routine.name == "twice"
        and before.lines[last.first] == "  subroutine twice(nx, ny, t, new)"
    )


def test_a_new_routine_parses_what_is_new(parsed: list[str]) -> None:
    text = many(20)
    before = read(text)
    parsed.clear()
    new = "  subroutine third()\n  end subroutine third\n"
    after = read(text.replace("end module heat7\n", f"{new}end module heat7\n"), before)
    assert after.whole and parsed == ["third"]
    parsed.clear()
    read(text.replace("  integer, intent(in) :: nx, ny\n", "  integer, intent(in) :: nx,  ny\n", 1), after)
    assert parsed == ["spread"]


PREPROCESSED = """module m
  implicit none
contains
#ifdef A
  subroutine s(x)
    real, intent(inout) :: x
    x = 1
  end subroutine
#else
  subroutine s(x)
    real, intent(inout) :: x
    x = 1
    @parallelRegion{domName(i), domSize(3)}
    x = y
    @end parallelRegion
  end subroutine
#endif
end module
"""
FIXED = "\n".join("      " + row.strip() if row else row for row in SOURCE.replace("@", "!@").split("\n"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.h90", many(3)),
        ("a.f90", many(3).replace("@", "!@")),
        ("a.f", FIXED),
        ("a.h90", PREPROCESSED),
        ("a.F90", PREPROCESSED.replace("@", "!@")),
        ("a.F", many(3).replace("@", "!@").replace("module", "MODULE", 1)),
        (
            "a.f90",
            "program p\n  integer :: i\n  do i = 1, 3\n    print *, i\n  end do\ncontains\n"
            + SOURCE[35:-17]
            + "end program\n",
        ),
    ],
)
def test_as_a_new_reading(name: str, text: str) -> None:
    """After hundreds of random edits what is found is always that of the whole text."""
    draw = random.Random(7)
    pieces = [
        "  @end parallelRegion",
        "end",
        "  end do",
        "  x = (1",
        "  contains",
        "  do i = 1, 2",
        "",
        "#endif",
        "#define A 1",
    ]
    pieces += [
        "  subroutine new",
        "  !@parallelRegion",
        "  ! words",
        "  @parallelRegion{domName(i), domSise(3)}",
        "  y = 'open",
        " x = & ",
    ]
    pieces += ["      LOOP", "#define LOOP do i=1,3", "  module other", "  end module", "  if (x) then", "    f(x) = 3"]
    path = Path("/nowhere") / name
    rows, known = text.split("\n"), None
    within = 0
    for _ in range(120):
        before = list(rows)
        for _ in range(draw.choice([1, 1, 1, 2])):
            place = draw.randrange(len(rows))
            match draw.randrange(4):
                case 0:
                    rows.insert(place, draw.choice(pieces))
                case 1 if len(rows) > 3:
                    del rows[place]
                case 2:
                    rows[place] = rows[place].replace("i", "k", 1)
                case _:
                    rows[place] += draw.choice([" ", "!", "&", ")", "x", " ! #"])
        known = read("\n".join(rows), known, path)
        within += not known.whole
        assert known.found == read("\n".join(rows), None, path).found
        if draw.random() < 0.6:
            rows = before
    assert within >= 1


ROUTINE = "module m\n  integer :: z\ncontains\n  subroutine s(x)\n    real :: x\n{}  end subroutine\nend module\n"
BEFORE = "module a\ncontains\n  subroutine q\n    real :: x\n    x = 1\n    x = 2\n  end subroutine\nend module\n"
OPEN_IF = "contains\n  subroutine s\n{}  !@parallelRegion{{domName(i), domSize(3)}}\n  end subroutine\n"
CLOSED_BY_ANOTHER = "  subroutine a\n{}  end subroutine a\nmodule h\n  end program\n"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        pytest.param("a.f90", ROUTINE.format(""), ROUTINE.format("    f(x) = 3\n"), id="a name of the host's"),
        pytest.param(
            "a.f90", BEFORE + ROUTINE.format(""), BEFORE + ROUTINE.format("    f(x) = 3\n"), id="in a second module"
        ),
        pytest.param("a.f90", OPEN_IF.format("  if (x) then\n"), OPEN_IF.format(""), id="lines of two units"),
        pytest.param(
            "a.h90", CLOSED_BY_ANOTHER.format("    call b\n"), CLOSED_BY_ANOTHER.format(""), id="a place above"
        ),
    ],
)
def test_edits_whose_meaning_is_around_them(name: str, before: str, after: str) -> None:
    """An edit of one routine is read with the lines of the units around it, and moves what is said of these."""
    path = Path("/nowhere") / name
    assert read(after, read(before, None, path), path).found == read(after, None, path).found


def test_a_declaration_of_the_host_changes_its_routines() -> None:
    """Whether ``f(x) = 3`` is a statement function or an assignment says the module around the routine."""
    path, text = Path("/nowhere/a.f90"), ROUTINE.format("    f(x) = 3\n")
    declared = text.replace("z", "f(3)")
    for before, after in ((text, declared), (declared, text)):
        known, anew = read(after, read(before, None, path), path), read(after, None, path)
        bodies = [[(p.routine.body, p.routine.spec.statement_functions) for p in x.parts] for x in (known, anew)]
        assert bodies[0] == bodies[1]
    again = read(text.replace("z", "y"), read(text, None, path), path)
    assert again.parsed == 2, "another name around it, which it might use"
    quiet = text.replace("z", "z\n  implicit none")
    assert read(quiet.replace("z", "y"), read(quiet, None, path), path).parsed == 1


def test_outdated() -> None:
    """Reading ends where the text has changed again."""
    left = iter([True, True, False])
    with pytest.raises(Outdated):
        Text.read(PATH, many(5), OPTIONS, None, lambda: next(left))


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        (lambda t: t, ["HF504"]),
        (lambda t: "! more\n" + t, ["HF504"]),
        (lambda t: t.replace("call spread", "call  spread"), ["HF504"]),
        (lambda t: t.replace("integer :: i, j", "integer :: i, j, k"), []),
        (lambda t: t.replace("(i-1,j)", "(i-2,j)"), []),
        (lambda t: t.replace("domSize(nx,ny)", "domSise(nx,ny)"), ["HF201"]),
    ],
)
def test_what_a_project_said(change: Callable[[str], str], codes: list[str], tmp_path: Path) -> None:
    """What was found in a project stays with routines that are as they were, where they are now."""
    from tests.support import translate_text

    wrong = SOURCE.replace("= 0.5d0 * t(i,j)", "= new(i-1,j)")
    looked = translate_text({"heat.h90": wrong}, folder=tmp_path).errors
    path = Path(looked[0].place.file)
    text = Text.read(path, change(wrong), OPTIONS)
    found = shown(text, looked, wrong.split("\n")[:-1])
    assert [d.code for d in found] == codes
    assert all("new(i" in text.lines[d.place.line - 1] for d in found if d.code == "HF504")
    assert [d.code for d in shown(replace(text), looked, None)] == [d.code for d in text.found]


def test_changed_rows() -> None:
    assert changed_rows("abc", "abc") == (3, 3, 3)
    assert changed_rows("abc", "abxc") == (2, 2, 3)
    assert changed_rows("aac", "aaac") == (2, 2, 3)
    assert changed_rows("abc", "c") == (0, 2, 0)
    assert changed_rows("", "x") == (0, 0, 1)


def test_what_a_project_said_of_an_older_text_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look that ends while a newer text waits to be read publishes nothing for that file."""
    server = Server()
    path = tmp_path / "a.h90"
    path.write_text("end\n")
    published: list[Path] = []
    monkeypatch.setattr(server, "publish", lambda opened, if_new=False: published.append(opened.path))
    monkeypatch.setattr(Server, "_refreshes", False)
    monkeypatch.setattr(server, "show", lambda path, found: published.append(path))
    text = Text.read(path, "end\n", Options())
    server.opened[path] = Opened(path, path.as_uri(), changes=2, text=text, read_at=1)
    looked = Looked({path: ()}, frozenset([path]))
    server.take(looked)
    assert published == []
    server.opened[path].read_at = 2
    server.take(looked)
    assert published == [path]
    server.close()


def test_a_name_that_is_a_macro_but_for_capitals_concerns_the_whole_file() -> None:
    text = "#define N 3\nsubroutine s(a)\n  real :: a(N)\n  a(1) = 1\nend subroutine\n"
    path = Path("/nowhere/s.F90")
    known = read(text, None, path)
    assert not read(text.replace("= 1", "= 2"), known, path).whole
    assert read(text.replace("= 1", "= n"), known, path).whole
