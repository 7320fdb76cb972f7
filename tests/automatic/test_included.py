"""Declarations in files for the preprocessor, as ocean models in fixed form have all of theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.analyze.faults.plainfiles import plain_file
from hfpy.model.statements import flatten
from hfpy.options import Options
from hfpy.parse.files import command_line_macros, index_file
from hfpy.parse.routines import parse_unit
from hfpy.pipeline import found_regions
from tests.support import translate_text, write_files

FILES = {
    "defs.h": '#define WET\n#define GRID 0:Lm+1,0:Mm+1\n#define ROW Istr-1:Iend+1\n#include "more.h"\n',
    "more.h": "#define POINT i,j\n",
    "param.h": "      integer Lm, Mm, N\n      parameter (Lm=40, Mm=30, N=5)\n",
    "fields.h": (
        "      real*8 u(GRID,N), rho(GRID,N)\n      common /ocean/ u, rho\n"
        '#ifdef WET\n# include "mask.h"\n#else\n      real*8 rmask(1)\n#endif\n'
    ),
    "mask.h": "      real*8 rmask(GRID), factor\n      common /masks/ rmask, factor\n",
    "bounds.h": "      integer IstrR\n      IstrR=max(Istr,1)\n      if (Istr.gt.1) IstrR=IstrR-1\n",
}
SOURCE = """#include "defs.h"
      subroutine step (Istr,Iend,Jstr,Jend, w)
      implicit none
      integer Istr,Iend,Jstr,Jend, i,j,k
#include "param.h"
#include "fields.h"
      real*8 w(ROW,0:N)
#include "bounds.h"
      do j=Jstr,Jend
        do i=IstrR,Iend
          rho(i,j,1)=u(i,j,1)
#ifdef WET
     &                 *rmask(i,j)
#endif
        enddo
      enddo
      do k=1,N
        do i=IstrR,Iend
          w(i,k)=w(i,k)+factor*rho(i,1,k)
        enddo
      enddo
      end
"""


def test_their_loops_are_found(tmp_path: Path) -> None:
    """``#include`` counted in free form alone, and a macro for dimensions as one expression."""
    paths = write_files({**FILES, "step.F": SOURCE}, tmp_path)
    for target, backend in (("cpu", "openmp"), ("gpu", "cuda-c")):
        found = found_regions([p for p in paths if p.suffix == ".F"], Options(target=target, backend=backend))
        assert [v.iterators for v in found.verdicts if v.iterators] == [("j", "i"), ("k", "i")]


def test_statements_behind_their_declarations_count(tmp_path: Path) -> None:
    write_files({**FILES, "step.F": SOURCE}, tmp_path)
    options = Options()
    routine, found = parse_unit(
        index_file(tmp_path / "step.F", options, {}), 0, (), macros=command_line_macros(options)
    )
    assert not found
    included = [s.line.file.endswith("bounds.h") for s in flatten(routine.body)]
    assert included[0] and included[1] and not included[-1]
    assert len(routine.spec.symbols["rmask"].shape) == 2


@pytest.mark.parametrize("backend", ["cuda-c", "openacc"])
def test_regions_in_them(backend: str) -> None:
    marked = SOURCE.replace("      do k=1,N", "!@parallelRegion\n      do k=1,N").replace("      end\n", "      end\n")
    done = translate_text({**FILES, "step.F": marked}, target="gpu", backend=backend, layout="declared").require()
    assert "real*8 w(ROW,0:N)" in done.files["step.F"]


def test_names_in_files_that_included_files_include(tmp_path: Path) -> None:
    write_files({**FILES, "step.F": SOURCE}, tmp_path)
    options = Options()
    index = index_file(tmp_path / "step.F", options, {})
    found = plain_file(index, command_line_macros(options))
    assert found.read and not found.problems and not found.unknown
