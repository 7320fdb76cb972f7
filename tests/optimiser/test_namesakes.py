"""The column pass and names: operators without blanks around them, kinds in literals, routines of one name in several
modules. Each program prints what its plain twin prints.
"""

from __future__ import annotations

import re

import pytest

from tests.optimiser.test_random import at_level
from tests.storage.programs import asked_ways, in_turn
from tests.support import OPENMP, SEQUENTIAL, Corpus, Pair, Variant, pair, translate_text

VARIANTS = (at_level(OPENMP, 2), at_level(SEQUENTIAL, 2))

# The condition decides from `t` whether a column begins with 1: `t` is read before it is set.
CONDITIONS = {
    "gt": "q(1,i).gt.t(1,i)",
    "upper": "Q(1,i).GT.T(1,i)",
    "and": "q(1,i) > 0.2d0.and.t(1,i) < 3.d0",
    "not": ".not.t(1,i) >= 3.d0",
    "number": "1.lt.t(1,i)",
}

COLUMN = """module {name}
  implicit none
contains
  subroutine step(nx, nz, t, q)
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: t(nz,nx)
    real(8), intent(in) :: q(nz,nx)
    real(8) :: carry
    integer :: k, i
{open}
    carry = 0.d0
    if ({condition}) carry = 1.d0
    do k = 1, nz
      t(k,i) = carry
      carry = carry*0.5d0 + exp(q(k,i)) + sqrt(q(k,i))/(1.d0+q(k,i)**2)
    end do
{close}
  end subroutine step

  subroutine run()
    integer, parameter :: nx = 150, nz = 7
    real(8) :: t(nz,nx), q(nz,nx)
    integer :: i, k
    do i = 1, nx
      do k = 1, nz
        t(k,i) = 0.01d0*mod(7*i + 3*k, 400)
        q(k,i) = 0.02d0*mod(5*i + k, 90)
      end do
    end do
    call step(nx, nz, t, q)
    print '(es24.16)', sum(t), t(nz,:)
  end subroutine run
end module {name}
"""

# A named constant that only a literal's kind, or what is after an operator, mentions.
CONSTANTS = """module {name}
  implicit none
contains
  subroutine adjust(nz, q, t)
    integer, intent(in) :: nz
    integer, parameter :: wp = kind(1.d0)
    real(8), parameter :: eps = 0.4d0
    real(8), intent(in) :: q(nz)
    real(8), intent(inout) :: t(nz)
    integer :: k
    do k = 2, nz
      if (q(k)>0.1_wp.and.eps<q(k)) t(k) = t(k-1)*0.5_wp + exp(-q(k))
    end do
  end subroutine adjust

  subroutine step(nx, nz, t, q)
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: t(nz,nx)
    real(8), intent(in) :: q(nz,nx)
    integer :: i
{open}
    call adjust(nz, q(:,i), t(:,i))
{close}
  end subroutine step

  subroutine run()
    integer, parameter :: nx = 70, nz = 9
    real(8) :: t(nz,nx), q(nz,nx)
    integer :: i, k
    do i = 1, nx
      do k = 1, nz
        t(k,i) = 0.01d0*mod(7*i + 3*k, 400)
        q(k,i) = 0.02d0*mod(5*i + k, 90)
      end do
    end do
    call step(nx, nz, t, q)
    print '(es24.16)', sum(t), t(nz,:)
  end subroutine run
end module {name}
"""

OPEN, CLOSE = "    @parallelRegion{domName(i), domSize(nx)}", "    @end parallelRegion"
LOOP, END = "    do i = 1, nx", "    end do"


def _both(name: str, text: str, **words: str) -> Pair:
    return pair(
        name,
        text.format(name=name, open=OPEN, close=CLOSE, **words),
        text.format(name=name, open=LOOP, close=END, **words),
    )


# Routines of one name in two modules, each with a region that calls its own; in a third, calls of both by other names.
NAMESAKES = """module {name}_{one}
  implicit none
contains
  subroutine col(t)
    real(8), intent(inout) :: t(:)
    integer :: k
    do k = 2, size(t)
      t(k) = t(k) + {factor}*exp(-t(k-1))
    end do
  end subroutine col
  subroutine {go}(nx, ny, nz, t)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: t(nx,ny,nz)
    integer :: i, j
{open}
    call col(t(i,j,:))
{close}
  end subroutine {go}
end module {name}_{one}
"""
MAIN = """module {name}
  use {name}_a, only: first => go
  use {name}_b, only: second => go
  implicit none
contains
  subroutine run()
    real(8) :: t(40,3,6)
    integer :: i, j, k
    do k = 1, 6
      do j = 1, 3
        do i = 1, 40
          t(i,j,k) = 0.1d0*i + 0.3d0*j - 0.2d0*k
        end do
      end do
    end do
    call first(40, 3, 6, t)
    print '(es24.16)', t
    call second(40, 3, 6, t)
    print '(es24.16)', t
  end subroutine run
end module {name}
"""
THIRD = """module {name}
  use {name}_a, only: first => col
  use {name}_b, only: second => col
  implicit none
contains
  subroutine both(nx, ny, nz, t)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: t(nx,ny,nz)
    integer :: i, j
{open}
    call first(t(i,j,:))
    call second(t(i,j,:))
{close}
  end subroutine both
  subroutine run()
    real(8) :: t(40,3,6)
    integer :: i, j, k
    do k = 1, 6
      do j = 1, 3
        do i = 1, 40
          t(i,j,k) = 0.1d0*i + 0.3d0*j - 0.2d0*k
        end do
      end do
    end do
    call both(40, 3, 6, t)
    print '(es24.16)', t
  end subroutine run
end module {name}
"""
REGION = {"open": "    @parallelRegion{domName(i,j), domSize(nx,ny)}", "close": CLOSE}
LOOPS = {"open": "    do j = 1, ny\n    do i = 1, nx", "close": "    end do\n    end do"}


def _modules(name: str, main: str) -> Pair:
    def files(kind: str, edges: dict[str, str]) -> dict[str, str]:
        parts = {
            f"{name}_{one}.{kind}": NAMESAKES.format(name=name, one=one, factor=factor, go="go", **edges)
            for one, factor in (("a", "2.d0"), ("b", "0.125d0"))
        }
        return {**parts, f"{name}.{kind}": main.format(name=name, **edges)}

    return Pair(name, files("h90", REGION), files("f90", LOOPS), name)


PAIRS = [
    *(_both(f"condition_{name}", COLUMN, condition=text) for name, text in CONDITIONS.items()),
    _both("lanes", COLUMN.replace("carry", "l"), condition=CONDITIONS["gt"]),  # hfpy's own loop is over hf_l
    _both("constants", CONSTANTS),
    _modules("namesakes", MAIN),
    _modules("thirds", THIRD),
]


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    ways = asked_ways(request)
    ways["thirds"].append(VARIANTS[0])
    return Corpus(PAIRS, tmp_path_factory.mktemp("names"), ways)


@pytest.mark.parametrize(("name", "variant"), in_turn({p.name: VARIANTS for p in PAIRS}))
def test_programs(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(name, variant)


def test_blocked_forms_of_namesakes_have_names_of_their_own(corpus: Corpus) -> None:
    text = corpus.translation("thirds", VARIANTS[0]).require().text
    assert "subroutine hfv_thirds_a_col(" in text
    assert "subroutine hfv_thirds_b_col(" in text


LONG = """  subroutine {name}(t)
    real(8), intent(inout) :: t(:)
    integer :: k
    do k = 2, size(t)
      t(k) = t(k)*{factor} + exp(t(k-1))
    end do
  end subroutine {name}
"""


def test_long_names_of_blocked_forms_stay_apart() -> None:
    """Two names of 63 characters that differ in the last one."""
    names = [62 * "c" + end for end in "ab"]
    calls = "".join(f"    call {name}(t(:,i))\n" for name in names)
    text = COLUMN.format(name="m", open=OPEN, close=calls + CLOSE, condition="q(1,i) > t(1,i)")
    routines = "".join(LONG.format(name=name, factor=n) for n, name in enumerate(names, 2))
    text = text.replace("contains\n", "contains\n" + routines)
    done = translate_text(text, backend="openmp", opt=2).require()
    found = re.findall(r"^ *subroutine (hfv_\w+)", done.text, re.M)
    assert len(set(found)) == 2
    assert all(len(name) <= 63 for name in found)
