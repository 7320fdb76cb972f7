"""Loops that the threads of a team share: what is accepted gives the bits of the plain program, whatever the order of
the threads; what would not is refused.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.options import ScriptFolder
from tests.gpu.opencl import needs_opencl
from tests.support import CUDA_C, OPENCL, Corpus, Pair, Variant

PROGRAM = """module NAME
  implicit none
  integer, parameter :: n = 6
contains
  subroutine work(nx, u, w)
    integer, intent(in) :: nx
    real(8), intent(inout) :: u(n,n,nx), w(n,n,nx)
    real(8) :: t(n,n), s
    integer :: i, j, k, e
    BEGIN
BODY
    END
  end subroutine
  subroutine run()
    real(8) :: u(n,n,3), w(n,n,3)
    integer :: m
    u = reshape([(sin(0.3d0*m), m = 1, size(u))], shape(u))
    w = reshape([(cos(0.2d0*m), m = 1, size(w))], shape(w))
    call work(3, u, w)
    print '(6es24.16)', u, w
  end subroutine
end module
"""
ACCEPTED = {
    "two_phases": """
    do j = 1, n
      do i = 1, n
        t(i,j) = u(i,j,e) * 2 + i
      end do
    end do
    do j = 1, n
      do i = 1, n
        s = 0
        do k = 1, n
          s = s + t(i,k) * t(k,j)
        end do
        w(i,j,e) = s
      end do
    end do""",
    "in_place": """
    do j = 1, n
      do i = 1, n
        s = u(i,j,e)
        u(i,j,e) = s * s + w(j,i,e)
      end do
    end do""",
    "sequential_around": """
    do k = 2, n
      do j = 1, n
        do i = 1, n
          if (i > 1) w(i,j,e) = w(i,j,e) + u(i-1,k,e) * t0(k)
        end do
      end do
      do j = 1, n
        do i = 1, n
          u(i,j,e) = u(i,j,e) + 0.1d0 * w(j,i,e)
        end do
      end do
    end do""",
}
ACCEPTED["sequential_around"] = ACCEPTED["sequential_around"].replace("t0(k)", "0.01d0 * k")
REFUSED = {
    "a neighbour": "do j = 1, n\n do i = 2, n\n u(i,j,e) = u(i-1,j,e)\n end do\n end do",
    "a sum": "s = 0\n do j = 1, n\n do i = 1, n\n s = s + u(i,j,e)\n end do\n end do\n",
    "the last value": "do j = 1, n\n do i = 1, n\n s = u(i,j,e)\n w(i,j,e) = s\n end do\n end do\n t(1,1) = s",
    "outside": "do j = 1, n\n do i = 1, n\n u(i,j,e) = 0\n end do\n end do\n w(1,1,e) = w(1,1,e) + 1",
    "one loop": "do j = 1, n\n w(j,1,e) = w(j,1,e) + 1\n do i = 1, n\n u(i,j,e) = 0\n end do\n end do",
    "a branch": "if (u(1,1,e) > 0) then\n do j = 1, n\n do i = 1, n\n w(i,j,e) = 0\n end do\n end do\n end if",
    "two loops": """do j = 1, n
      do i = 1, n
        t(i,j) = i
      end do
      do i = 1, n
        w(i,j,e) = t(n+1-i,j)
      end do
    end do""",
    "threads that meet later": """do j = 1, n
      do k = 2, n
        do i = 2, n
          t(i,j) = t(i-1,j) + k
        end do
      end do
    end do""",
    "transposed": "do j = 1, n\n do i = 1, n\n u(i,j,e) = u(j,i,e)\n end do\n end do",
    "one place": "do j = 1, n\n do i = 1, n\n u(1,1,e) = i + j\n end do\n end do",
    "a value between": """do j = 1, n
      s = u(1,j,e)
      do i = 1, n
        w(i,j,e) = s
        s = s + 1
      end do
    end do""",
}


def pair_of(name: str, body: str) -> Pair:
    begin = "@parallelRegion{domName(e), domSize(nx), private(t)}"
    texts = []
    for first, last in ((begin, "@end parallelRegion"), ("do e = 1, nx", "end do")):
        text = PROGRAM.replace("NAME", name).replace("BEGIN", first).replace("END", last)
        texts.append(text.replace("BODY", body))
    return Pair(name, {f"{name}.h90": texts[0]}, {f"{name}.f90": texts[1]}, name)


def with_team(folder: Path, threads: str, variant: Variant = CUDA_C) -> Variant:
    scripts = folder / "scripts"
    scripts.mkdir(exist_ok=True)
    (scripts / "s.py").write_text(f"def annotate(kernel, annotations, context):\n    return kernel.team({threads})\n")
    options = {**variant.options, "scripts": ScriptFolder(scripts, "s", "", True)}
    return replace(variant, options=options)


@pytest.mark.parametrize("threads", ["i=3, j=2", "i=8, j=4"])
def test_accepted(threads: str, tmp_path: Path) -> None:
    way = with_team(tmp_path, threads)
    pairs = [pair_of(name, body) for name, body in ACCEPTED.items()]
    corpus = Corpus(pairs, tmp_path, {p.name: (way,) for p in pairs})
    for pair in pairs:
        assert "threadIdx" in corpus.translation(pair.name, way).text
        corpus.check_one(pair.name, way)


@needs_opencl
@pytest.mark.full
def test_one_thread_does_the_same(tmp_path: Path) -> None:
    """OpenCL has no teams: a thread computes each point."""
    way = with_team(tmp_path, "i=3, j=2", OPENCL)
    pairs = [pair_of(name, body) for name, body in ACCEPTED.items()]
    corpus = Corpus(pairs, tmp_path, {p.name: (way,) for p in pairs})
    for pair in pairs:
        corpus.check_one(pair.name, way)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    done = with_team(tmp_path, "i=3, j=2").translated(pair_of("refused", REFUSED[name]))
    assert [d.code for d in done.errors] == ["HF670"], done.errors


def test_a_loop_that_is_not_there(tmp_path: Path) -> None:
    body = ACCEPTED["in_place"]
    for threads in ("z=3", "e=3", "i=0", "", "i=1, j=1, k=1, l=1"):
        done = with_team(tmp_path, threads).translated(pair_of("refused", body))
        assert [d.code for d in done.errors] == ["HF670"], threads
