"""What no pass changes leaves hfpy byte for byte as it came."""

import re
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate
from tests.support import storage_order, translate_text

ROOT = Path(__file__).parents[2]
FORTRAN = (".f90", ".F90", ".f", ".F", ".h90", ".H90")
NOT_OURS = {".git", "build", "shared", ".venv", "venv"}
SOURCES = sorted(
    p for p in ROOT.rglob("*") if p.suffix in FORTRAN and not NOT_OURS & set(p.relative_to(ROOT).parts) and p.is_file()
)
DIRECTIVE = re.compile(rb"^(?:[ \t]*!?|[cC*])@ ?[\w&]")


def passed_through(data: bytes, name: str, folder: Path, **options: object) -> bytes:
    """The bytes that come out of a translation of one file."""
    path = folder / name
    path.write_bytes(data)
    done = translate([path], Options(backend="sequential", jobs=1, **options))  # type: ignore[arg-type]
    errors = [d for d in done.diagnostics if d.severity == "error"]
    assert not errors, errors
    (generated,) = done.files
    assert generated.name == name
    return generated.text.encode("utf-8", "surrogateescape")


def without_directives(data: bytes) -> bytes:
    """A source in which no line is a directive (continued ones and name lists included)."""
    kept, inside, continued = [], False, False
    for line in data.split(b"\n"):
        directive = DIRECTIVE.match(line) is not None
        listed = inside
        if directive and b"domaindepend" in line.lower():
            inside = b"@end" not in line.lower().replace(b" ", b"") if directive else inside
        if not (directive or listed or continued):
            kept.append(line)
        continued = (directive or continued) and line.rstrip().endswith(b"&")
        if re.match(rb"^[ \t]*!?@end\s*domaindepend", line.lower()):
            inside = False
    return b"\n".join(kept)


def test_there_are_sources() -> None:
    assert len(SOURCES) > 100


@pytest.mark.parametrize("path", SOURCES, ids=[str(p.relative_to(ROOT)) for p in SOURCES])
def test_sources_of_the_repository_pass_through(path: Path, tmp_path: Path) -> None:
    data = without_directives(path.read_bytes())
    name = path.stem.replace(".", "_") + {".h90": ".F90", ".H90": ".F90"}.get(path.suffix, path.suffix)
    assert passed_through(data, name, tmp_path) == data


NASTY = {
    "tabs.f90": b"module m\n\timplicit\tnone\n\tinteger\t::\ti\t! tab\there\n\t\nend\tmodule m\n",
    "semicolons.f90": b"subroutine s ; integer :: a,b; a=1;b=2 ;; if(a>b)a=b;end subroutine s\n",
    "long.f90": b"subroutine s\n! " + b"x" * 500 + b"\ncharacter(999) :: c\nc = '" + b"y" * 400 + b"'\nend subroutine\n",  # noqa: E501
    "crlf.f90": b"module m\r\n  integer :: a = &\r\n    & 3 ! comment\r\n\r\nend module m\r\n",
    "mixed_ends.f90": b"module m\r\n  integer :: a\n  integer :: b\r\nend module m",
    "no_newline.f90": b"module m\nend module m",
    "blank_end.f90": b"module m\nend module m\n\n\n   \n\t",
    "strings.f90": b"subroutine s\nprint *, 'a ! b', \"c & d\", 'it''s', '@parallelRegion{x}', \"!@if{y}\"\n"
    b"print *, 'continued &\n  &string ! not a comment', \"and 'quotes'\" ! a comment with 'one quote\nend\n",
    "cpp.F90": b"subroutine s(a, &\n#ifdef X\n & b, &\n#else\n ! nothing\n#endif\n & c)\n  integer :: a, c\n"
    b"#define LONG(x) x + \\\n  x\n  a = c &\n#if defined(Y) && \\\n  defined(Z)\n   + 1 &\n#endif\n   + 2\nend subroutine s\n",  # noqa: E501
    "half.F90": b"#ifdef A\nsubroutine one(x)\n#else\nsubroutine two(x)\n#endif\n  real :: x\n  x = 1\nend subroutine\n",  # noqa: E501
    "fixed.f": b"C comment with ' quote\n* another\n      SUBROUTINE S(A,\n     1             B)\n      REAL A, B\n"
    b"c     tab next\n\tA = 1\n   10 B = 2 +\n     &    A                                                        SEQ00010\n      END\n",  # noqa: E501
    "fixed_bang.f": b"! free comment\n      program p\n!     x\n      i = 1 ! inline\nd     debug line\n      end\n",
    "labels.f90": b"subroutine s(a)\n  real :: a\n  if (a) 10, 20, 30\n10 a = 1\n20 continue\n30 format (1x, 'a', &\n   & i3)\n"  # noqa: E501
    b"   do 40, while (a < 3)\n 40 a = a + 1\nend\n",
    "utf8.f90": "! Größe, 長さ, ∂u/∂t — naïve\nsubroutine s ! été\n print *, 'Zürich 🌍'\nend subroutine\n".encode(),
    "bom.f90": b"\xef\xbb\xbfmodule m\nend module m\n",
    "latin1.f90": b"! Gr\xf6\xdfe\nsubroutine s\n print *, '\xe9t\xe9'\nend subroutine\n",
    "formfeed.f90": b"module m\n\x0c\nend module m\n\x0b",
    "empty.f90": b"",
    "comments.f90": b"! only\n\n   ! comments\n",
    "old.f90": b"      real*8 function f(x)\n      real*8 x\n      f = x\n      end\n",
    "names.f90": b"subroutine s\n  integer :: if, do, end, call, module, real\n  if = 1; do = 2\n  end = if + do\n  call = end\n"  # noqa: E501
    b"  real = 3\n  if (if == 1) if = 2\nend subroutine\n",
    "unparsable.f90": b"module m\ncontains\nsubroutine s\n  this is ~~ no Fortran at all (((\nend subroutine\nend module m\n",  # noqa: E501
    "submodule.f90": b"module p\n interface\n  module subroutine q(a)\n   real :: a\n  end subroutine\n end interface\nend module\n"  # noqa: E501
    b"submodule (p) r\ncontains\n module procedure q\n  a = 1\n end procedure\nend submodule r\n",
    "amp.f90": b"integer function f(a)\n  integer :: a\n  f = a + &\n\n      ! comment between\n  &  1 + &  ! and behind\n  2\nend function f\n",  # noqa: E501
    "coarray.f90": b"program p\n integer :: a[*]\n a[1] = this_image()\n sync all\n select rank (x)\n end select\nend program\n",  # noqa: E501
    "cuda.F90": b"module k\ncontains\n attributes(global) subroutine g(a)\n  real, device :: a(*)\n  a(1) = 1\n end subroutine\n"  # noqa: E501
    b" subroutine h\n  call g<<<1,2>>>(a)\n end subroutine\nend module\n",
}  # fmt: skip


@pytest.mark.parametrize("name", list(NASTY))
def test_nasty_files_pass_through(name: str, tmp_path: Path) -> None:
    assert passed_through(NASTY[name], name, tmp_path) == NASTY[name]


@pytest.mark.parametrize("name", [n for n in NASTY if n != "unparsable.f90"])
def test_nasty_files_pass_through_beside_hybrid_ones(name: str, tmp_path: Path) -> None:
    """A directive elsewhere in the project does not touch them, neither does a storage order."""
    hybrid = tmp_path / "other.h90"
    hybrid.write_text(HYBRID)
    order = tmp_path / "storage_order.F90"
    order.write_text(storage_order())
    path = tmp_path / name
    path.write_bytes(NASTY[name])
    done = translate([hybrid, path], Options(backend="openmp", storage_order=order, jobs=1))
    texts = {g.name: g.text for g in done.files}
    assert texts[name].encode("utf-8", "surrogateescape") == NASTY[name]
    assert "!$omp" in texts["other.F90"]


HYBRID = """\
module other_module   ! a comment
  implicit none

\tinteger, parameter :: NX = 3,NY=4   ! tab, and no blanks
contains
  ! over the routine: it's "quoted"
  subroutine untouched( a,b )
    real    a ,b
    a=b ;b =  a+1  ! odd   spacing
#ifdef SOMETHING
    a = 2 * &
      ! in between
      & b
#endif
  end subroutine

  subroutine touched(t, u)
    real, intent(inout)   ::   t(NX,NY)   ! about t
    real                  ::   u          ! about u

    u = 1.0   ! before
    ! before the region
    @parallelRegion{domName(x,y), domSize(NX,NY)}
    ! in the region
    t = t   +   u   ! spacing   kept

    @end parallelRegion
    ! after the region
    u  =  2.0
  end subroutine touched


end module other_module
"""


def is_kept(line: str) -> bool:
    """Comments, blank and preprocessor lines of the user, which no pass has a reason to change."""
    text = line.strip()
    return not text or (text.startswith(("#", "!")) and not text.startswith("!@"))


@pytest.mark.parametrize("backend", ["sequential", "openmp"])
def test_lines_that_need_no_change_are_kept_in_order(backend: str) -> None:
    result = translate_text(HYBRID, backend=backend).require()
    output = result.files["m.F90"].split("\n")
    position = 0
    for line in HYBRID.split("\n"):
        if is_kept(line) or "odd   spacing" in line or "! be" in line:
            assert line in output[position:], f"{line!r} is gone or out of order in\n{result.text}"
            position = output.index(line, position) + 1
    start = HYBRID.index("  subroutine untouched")
    assert HYBRID[start : HYBRID.index("  subroutine touched")] in result.files["m.F90"]
    assert "+   u   ! spacing   kept" in result.text


PROGRAMS = sorted([*ROOT.glob("tests/realcode/programs/*.h90"), *ROOT.glob("tests/defects/programs/*.h90")])


def test_comments_and_blank_lines_of_all_programs_are_kept() -> None:
    for path in PROGRAMS:
        source = path.read_text()
        if "! expect: refused" in source:
            continue
        others = {p.name: p.read_text() for p in path.parent.glob(f"{path.stem}[._]*") if ".ref." not in p.name}
        result = translate_text({**others, path.name: source}, storage_order()).require()
        output = result.files[path.stem + ".F90"].split("\n")
        position = 0
        for line in source.split("\n"):
            if is_kept(line):
                assert line in output[position:], f"{path.name}: {line!r} is gone or out of order"
                position = output.index(line, position) + 1


def test_the_same_input_gives_the_same_bytes() -> None:
    for path in PROGRAMS[:20]:
        if "! expect: refused" in path.read_text():
            continue
        runs = [
            translate_text({path.name: path.read_text()}, storage_order(), backend="openmp").files for _ in range(2)
        ]
        assert runs[0] == runs[1]
