"""Free form in files whose names say fixed form: known by the text, translated, compiled and run as free form."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path, PurePath

import pytest

from hfpy.options import Options
from hfpy.parse.text.sourceform import is_fixed
from hfpy.pipeline import translate
from tests.command import hfpy_process

FREE = {
    "module": "! a model\nMODULE m\nEND MODULE m\n",
    "indented": "  module m\n  end module m\n",
    "continued": "      SUBROUTINE advance( w, u, &\n                          v )\n      END\n",
    "comment between": "      call far(a, & ! the first\n        b)\n",
    "after branches": '#ifdef X\n# include "x.h"\n#endif\nsubroutine s\nend\n',
    "statements that look like comments": "CALL begin\nDO i = 1, n\nENDDO\nEND SUBROUTINE\n",
}
FIXED = {
    "module": "      MODULE M\n      END MODULE M\n",
    "comments": "C     module m\nc use it\n*     integer, with &\n      END\n",
    "debug lines": "D     integer i &\n      END\n",
    "labels": "10    continue\n  20  end\n",
    "continued": "      call far(a,\n     &  b,\n     $  c)\n      end\n",
    "both forms": f"{'      call far(a,':72}&\n     &  b)\n      end\n",
    "tabs": "\tinteger i\n10\tcontinue\n\tend\n",
    "texts": "      print *, 'a &\n     & b'\n      end\n"[:0] + "      print *, 'this & that'\n      end\n",
    "names": "      used = 1\n      integers = 2\n      end\n",
    "nothing": "",
}
MODEL = """!WEATHER MODEL
MODULE small_step
   IMPLICIT NONE
   INTEGER, PARAMETER :: r8 = SELECTED_REAL_KIND(12)
CONTAINS
SUBROUTINE advance_w( w, tend, u,  &
                      mu,          &
                      ims,ime, jms,jme, kms,kme,  &  ! memory dims
                      its,ite, jts,jte, kts,kte  )   ! tile dims
   INTEGER, INTENT(IN) :: ims,ime, jms,jme, kms,kme, its,ite, jts,jte, kts,kte
   REAL(r8), DIMENSION( ims:ime, kms:kme, jms:jme ), INTENT(INOUT) :: w
   REAL(r8), DIMENSION( ims:ime, kms:kme, jms:jme ), INTENT(IN) :: tend, u
   REAL(r8), DIMENSION( ims:ime, jms:jme ), INTENT(IN) :: mu
   REAL(r8), DIMENSION( its:ite, kts:kte ) :: rhs
   INTEGER :: i,j,k
!HERE
   j_loop: DO j = jts, jte
     DO i = its, ite
       rhs(i,kts) = 0.
     ENDDO
     DO k = kts+1, kte
     DO i = its, ite
       rhs(i,k) = tend(i,k,j) + 0.5*( u(i,k,j)-u(i,k-1,j) )LONG &
                 + rhs(i,k-1)*mu(i,j)
       w(i,k,j) = w(i,k,j) + rhs(i,k)/mu(i,j)
     ENDDO
     ENDDO
   ENDDO j_loop
END SUBROUTINE advance_w
END MODULE small_step
""".replace("LONG", "".join(f"*0.{n}_r8" for n in range(5, 20)))  # longer than 132 columns
MAIN = """PROGRAM weather
   USE small_step
   INTEGER, PARAMETER :: ni=30, nk=20, nj=20
   REAL(r8), DIMENSION(ni,nk,nj) :: w, t, u
   REAL(r8), DIMENSION(ni,nj) :: mu
   INTEGER :: i,j,k
   DO j=1,nj ; DO k=1,nk ; DO i=1,ni
     w(i,k,j)=SIN(1.d0*i+k*j); t(i,k,j)=COS(2.d0*i*k+j); u(i,k,j)=i*k; mu(i,j)=2+MOD(i*j,5)
   ENDDO ; ENDDO ; ENDDO
   CALL advance_w( w, t, u, mu, 1,ni,1,nj,1,nk, 2,ni-1,2,nj-1,1,nk-1 )
   PRINT '(4es24.16)', SUM(w), w(5,6,7), w(20,15,13)
END PROGRAM weather
"""
# A file in fixed form beside them.
OTHER = "C     use it\n      subroutine other(a)\n      real a\n      a = a +\n     &  1\n      end\n"


@pytest.mark.parametrize("name", FREE)
def test_free_form(name: str) -> None:
    assert not is_fixed(PurePath("x.F"), FREE[name].splitlines())
    assert not is_fixed(PurePath("x.f"), FREE[name].splitlines())


@pytest.mark.parametrize("name", FIXED)
def test_fixed_form(name: str) -> None:
    assert is_fixed(PurePath("x.F"), FIXED[name].splitlines())
    assert not is_fixed(PurePath("x.F90"), FIXED[name].splitlines())


ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {"small_step.F": MODEL, "weather.F": MAIN, "other.f": OTHER}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "weather"\nsources = ["*.F", "*.f"]\n')
    return tmp_path


def plain(project: Path) -> str:
    """What gfortran's program prints."""
    free = ["gfortran", "-O0", "-ffp-contract=off", "-cpp", "-ffree-form", "-ffree-line-length-none", "-o", "plain"]
    subprocess.run([*free, "small_step.F", "weather.F"], cwd=project, check=True)
    return subprocess.run(["./plain"], cwd=project, check=True, capture_output=True, text=True).stdout


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "FFLAGS": "-O0 -ffp-contract=off", "CXXFLAGS": "-O0"}


@pytest.mark.parametrize("words", [[], ["--target", "gpu", "--backend", "openacc"]], ids=["openmp", "openacc"])
def test_found_regions_run(project: Path, words: list[str]) -> None:
    done = hfpy_process(["run", "--auto", *words], cwd=project, env=environment())
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == plain(project)
    made = next(project.rglob("generated/small_step.F")).read_text()
    assert "!$omp parallel" in made or "!$acc parallel" in made


def test_regions_by_hand_in_a_makefile(project: Path) -> None:
    (project / "small_step.F").write_text(MODEL.replace("!HERE", "!@parallelRegion"))
    (project / "hfpy.toml").unlink()
    (project / "Makefile").write_text(
        f"HFPY := {sys.executable} -m hfpy\nHFPY_SOURCES := small_step.F weather.F other.f\nFC := gfortran\n"
        f"FFLAGS := -O0 -ffp-contract=off\ninclude {ROOT}/makefiles/hfpy.mk\nall: $(HFPY_EXECUTABLES)\n"
    )
    done = subprocess.run(["make", "all"], cwd=project, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (program,) = (path for path in project.rglob("build/*/weather"))
    assert subprocess.run([program], check=True, capture_output=True, text=True).stdout == plain(project)


def test_directives_are_written_as_in_free_form(project: Path) -> None:
    done = hfpy_process(["annotate", "--write"], cwd=project, env=environment())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "!HERE\n   !@parallelRegion\n   j_loop: DO" in (project / "small_step.F").read_text()


def test_places(tmp_path: Path) -> None:
    path = tmp_path / "small_step.F"
    path.write_text(MODEL.replace("!HERE", "!@parallelRegion{domName(j), domSize(jme), prvate(rhs)}"))
    (found,) = (d for d in translate([path], Options()).diagnostics if d.code == "HF201")
    assert (found.place.line, found.hint) == (16, "did you mean 'private'?")
