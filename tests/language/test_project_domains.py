"""Domains of the project: sizes for directives that give none, and what `hfpy domains` proposes."""

from pathlib import Path

import pytest

from hfpy import cli
from hfpy.analyze.loops.proposed import Proposal, proposals
from hfpy.options import DomainSpec, Options
from hfpy.parse.application import read_application
from tests.support import Translated, translate_text

DOMAINS = {"i": DomainSpec(("nx",), ("ii",)), "J": DomainSpec(("ny", "ny+1")), "k": DomainSpec((), ("kk",))}
SOURCE = """module m
  implicit none
contains
  subroutine s(nx, ny, nz, t, u)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: TARRAY, u(nx,ny)
    integer :: k
    BLOCK
    TEXT
  end subroutine s
end module m
"""
BODY = "do k = 1, nz\nt(k) = u * k\nend do\n@end parallelRegion"


def translated(text: str, block: str = "", array: str = "t(nx,ny,nz)", **options: object) -> Translated:
    source = SOURCE.replace("TEXT", text).replace("BLOCK", block).replace("TARRAY", array)
    return translate_text(source, domains=DOMAINS, **{"opt": 0, **options})


@pytest.mark.parametrize("names", ["i,j", "ii,j", "II, J"])
def test_sizes_of_the_project(names: str) -> None:
    done = translated(f"@parallelRegion{{domName({names}), startAt(2,1)}}\n{BODY}").require()
    first = names.split(",")[0].lower()
    assert f"do {first} = 2, nx" in done.text and "do j = 1, ny" in done.text and f"t({first},j,k) =" in done.text


def test_dependants() -> None:
    block = "@domainDependant{domName(i,j), attribute(autoDom)}\nt\n@end domainDependant"
    done = translated(f"@parallelRegion{{domName(i,j)}}\n{BODY}", block, "t(nz)").require()
    assert "t(nx,ny,nz)" in done.text


def test_sizes_with_values() -> None:
    done = translated(f"@parallelRegion{{domName(i,j)}}\n{BODY}", opt=2, specialise=(("nx", 8),)).require()
    assert "do i = 1, 8" in done.text and "do i = 1, nx" in done.text


@pytest.mark.parametrize(("names", "unknown"), [("i,q", "q"), ("k,i", "k"), ("kk", "kk")])
def test_sizes_that_nothing_names(names: str, unknown: str) -> None:
    for text in (f"@parallelRegion{{domName({names})}}\nu = 1\n@end parallelRegion",):
        found = translated(text).errors[0]
        assert found.code == "HF208" and f"name '{unknown}' in [domains]" in found.hint
    block = f"@domainDependant{{domName({names}), attribute(autoDom)}}\nt\n@end domainDependant"
    assert translated("t = 1", block).errors[0].code == "HF208"


def test_an_entry_that_is_no_size() -> None:
    source = SOURCE.replace("TEXT", f"@parallelRegion{{domName(i)}}\n{BODY}").replace("BLOCK", "")
    domains = {"i": DomainSpec(("nx +",))}
    assert translate_text(source.replace("TARRAY", "t(nz)"), domains=domains).codes()[:1] == ["HF202"]


PROGRAM = """module fields
  implicit none
  integer :: nx, ny, nz
  real(8), allocatable :: u(:,:,:)
contains
  subroutine make
    allocate(u(0:nx+1,ny,nz))
  end subroutine make
  subroutine work(t, n, ims, ime, its, ite, w)
    integer, intent(in) :: n, ims, ime, its, ite
    real(8), intent(inout) :: t(nx,ny,0:nz), w(ims:ime), x
    integer :: i, ii, j, k, m
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          u(i,j,k) = t(i,j,k-1) + u(i-1,j,k)
        end do
        do ii = 2, nx
          t(ii,j,k) = 1
        end do
      end do
    end do
    do i = its, ite
      w(i) = 2
    end do
    do m = 1, 3
      x = m
    end do
  end subroutine work
end module fields
"""


def test_proposals(tmp_path: Path) -> None:
    path = tmp_path / "fields.f90"
    path.write_text(PROGRAM)
    application, _ = read_application([path], Options(domains={"z": DomainSpec(("0:nz",))}), everything=True)
    found = proposals(application)
    assert [(p.name, p.sizes, p.iterators, p.uses, p.loops, p.place.line) for p in found] == [
        ("i", ("nx", "0:nx+1"), ("i", "ii"), 4, 3, 15),
        ("j", ("ny",), ("j",), 4, 1, 14),
        ("z", ("nz", "0:nz"), ("k",), 4, 1, 13),
    ]
    assert found[2].stated == "z"
    assert isinstance(found[0], Proposal)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "fields.f90"
    path.write_text(PROGRAM)
    assert cli.run(["domains", str(path)]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "[domains]" and rows[1].startswith('i = { size = ["nx", "0:nx+1"], iterators = ["i", "ii"]')
    path.write_text("end\n")
    assert cli.run(["domains", str(path)]) == 0
    assert capsys.readouterr().out.startswith("# no loop")


def test_a_domain_of_another_targets_layout_is_not_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = SOURCE.replace("TEXT", f"@parallelRegion{{domName(i,j), domSize(nx,ny)}}\n{BODY}").replace("BLOCK", "")
    (tmp_path / "m.h90").write_text(source.replace("TARRAY", "t(nx,ny,nz)"))
    domains = "".join(f'[domains.{n}]\nsize = "{s}"\n' for n, s in (("i", "nx"), ("j", "ny"), ("k", "nz"), ("l", "nl")))
    (tmp_path / "hfpy.toml").write_text(
        f'[project]\nname = "m"\nsources = ["m.h90"]\n{domains}[layout]\ncpu = "k i j"\n'
    )
    for target in ("cpu", "gpu"):
        assert cli.run(["check", str(tmp_path), "--target", target]) == 0
        shown = "".join(capsys.readouterr())
        assert "domain 'l'" in shown and "domain 'k'" not in shown, target
