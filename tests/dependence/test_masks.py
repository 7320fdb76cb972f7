"""Arrays that ``where`` sets: each point has its own where it reads no element before it has set it."""

from __future__ import annotations

import pytest

from tests.support import OPENMP, SEQUENTIAL, Corpus, Pair, translate_text

PROGRAM = """module {name}
  implicit none
  integer, parameter :: nx = 13, ny = 5, nz = 6
contains
  subroutine run()
    real(8) :: t(nx,ny,nz), q(nx,ny,nz)
    integer :: i, j, k
    do k = 1, nz; do j = 1, ny; do i = 1, nx
      t(i,j,k) = 0.1d0*i - 0.02d0*j*k; q(i,j,k) = mod(i*j + 2*k, 7) - 3.25d0
    end do; end do; end do
    call columns(t, q)
    print '(4es24.16)', t, q
  end subroutine run
  subroutine columns(t, q)
    real(8), intent(inout) :: t(nx,ny,nz), q(nx,ny,nz)
    real(8) :: loc(nz), sat(nz)
    integer :: i, j, k
    !@parallelRegion{{domName(i,j), domSize(nx,ny)}}
    do j = 1, ny
    do i = 1, nx
      {body}
    end do
    end do
    !@end parallelRegion
  end subroutine columns
  pure function turned(x) result(y)
    real(8), intent(in) :: x(nz)
    real(8) :: y(nz)
    y = x(nz:1:-1)
  end function turned
end module {name}
"""
SET_FIRST = {
    "same": """where (q(i,j,:) > 0)
      loc = q(i,j,:)
      t(i,j,:) = t(i,j,:) + max(loc, 1d0)*(-loc)
    end where""",
    "nested": """where (q(i,j,:) > 0)
      loc(:) = q(i,j,:)
      where (t(i,j,:) > 0.5d0)
        t(i,j,:) = t(i,j,:) + loc(:)
      elsewhere
        t(i,j,:) = loc(:)
      end where
    end where""",
    "closed": """where (q(i,j,:) > 0)
      loc = q(i,j,:)
    elsewhere (q(i,j,:) < -1)
      loc = 2
      sat = loc
    elsewhere
      loc = 0
    end where
    do k = 2, nz
      t(i,j,k) = loc(k) - loc(k-1)
    end do""",
    "nested_closed": """where (q(i,j,:) > 0)
      where (t(i,j,:) > 0.5d0)
        loc = 1
      elsewhere
        loc = 2
      end where
      q(i,j,:) = loc
    elsewhere
      loc = 3
    end where
    t(i,j,:) = sum(loc)""",
    "loop": """do k = 1, 3
      where (q(i,j,:) > k)
        loc = k
        sat = loc*2
      elsewhere
        sat = -k
      end where
      t(i,j,:) = t(i,j,:) + sat
    end do""",
}
NOT_SET = {
    "summed": "where (q(i,j,:) > 0)\nloc = q(i,j,:)\nt(i,j,:) = sum(loc)\nend where",
    "turned": "where (q(i,j,:) > 0)\nloc = q(i,j,:)\nt(i,j,:) = turned(loc)\nend where",
    "backwards": "where (q(i,j,:) > 0)\nloc = q(i,j,:)\nt(i,j,:) = loc(nz:1:-1)\nend where",
    "shifted": "where (q(i,j,2:) > 0)\nloc(2:) = q(i,j,2:)\nt(i,j,2:) = loc(:nz-1)\nend where",
    "open": "where (q(i,j,:) > 0)\nloc = 1\nelsewhere (q(i,j,:) < 0)\nloc = 2\nend where\nt(i,j,:) = loc",
    "other_part": "where (q(i,j,:) > 0)\nloc = 1\nelsewhere\nt(i,j,:) = loc\nend where",
    "one_part": "where (q(i,j,:) > 0)\nloc = 1\nelsewhere\nsat = 1\nend where\nt(i,j,:) = loc",
    "before": "where (q(i,j,:) > 0)\nt(i,j,:) = loc\nloc = 1\nelsewhere\nloc = 1\nend where",
    "last_turn": """do k = 1, 3
      where (q(i,j,:) > k)
        t(i,j,:) = loc
        loc = k
      end where
    end do""",
    "part_of_it": "where (q(i,j,2:) > 0)\nloc(2:) = 1\nelsewhere\nloc(2:) = 2\nend where\nt(i,j,:) = loc",
    "under_another": "where (q(i,j,:) > 0)\nwhere (t(i,j,:) > 0) loc = 1\nt(i,j,:) = loc\nend where",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = []
    for name, body in SET_FIRST.items():
        text = {f"{name}.f90": PROGRAM.format(name=name, body=body)}
        pairs.append(Pair(name, text, text, name))
    return Corpus(pairs, tmp_path_factory.mktemp("masks"), {p.name: (SEQUENTIAL, OPENMP) for p in pairs})


@pytest.mark.parametrize("name", SET_FIRST)
def test_set_under_masks(corpus: Corpus, name: str) -> None:
    """What a part reads after it has set it, and what all parts set (F2018, 10.2.3.2)."""
    corpus.check(name)


@pytest.mark.parametrize("name", NOT_SET)
def test_not_set_by_masks(name: str) -> None:
    result = translate_text({"m.f90": PROGRAM.format(name="m", body=NOT_SET[name])}, backend="openmp")
    assert [d.code for d in result.errors] == ["HF504"]
