"""Main programs without a ``program`` statement, and several of one name, which are programs of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support import translate_text

BODY = """  integer :: n, i
  integer :: a(99)
  n = {n}
  {extra}
  !@parallelRegion
  do i = 1, 99
    a(i) = more(i)
  end do
  print '(i0)', sum(a)
contains
  integer function more(k)
    integer, intent(in) :: k
    more = k * {n}
  end function
end"""


def source(n: int, name: str = "") -> str:
    extra = "n = n + 1" if n == 3 else ""
    return (f"program {name}\n" if name else "") + BODY.format(n=n, extra=extra) + (" program\n" if name else "\n")


@pytest.mark.parametrize("backend", ["cuda-c", "opencl", "cuda-fortran"])
def test_modules_of_a_program_without_its_statement_come_first(backend: str) -> None:
    done = translate_text({"old.f90": source(2)}, target="gpu", backend=backend).require()
    rows = [row.split("!")[0].split() for row in done.files["old.f90"].splitlines()]
    behind = [row for row in rows[: rows.index(["integer", "::", "n,", "i"])] if row]
    last = max((n for n, row in enumerate(behind) if row[:2] == ["end", "module"]), default=-1)
    assert behind[last + 1 :] and all(row[0] == "use" for row in behind[last + 1 :])


@pytest.mark.parametrize("name", ["", "test"])
def test_programs_of_one_name(name: str, tmp_path: Path) -> None:
    files = {f"main{n}.f90": source(n, name) for n in (2, 3, 4)}
    done = translate_text(files, backend="openmp")
    assert not done.diagnostics
    for n in (2, 3, 4):
        text = done.files[f"main{n}.f90"]
        assert "!$omp parallel do" in text and f"more = k * {n}" in text
        path = tmp_path / f"main{n}.f90"
        path.write_text(text)
        subprocess.run(["gfortran", "-fopenmp", str(path), "-o", str(tmp_path / "p")], check=True)
        assert subprocess.run([tmp_path / "p"], capture_output=True, text=True, check=True).stdout == f"{4950 * n}\n"


@pytest.mark.parametrize("name", ["", "test"])
def test_kernels_of_programs_of_one_name_have_names_of_their_own(name: str) -> None:
    files = {f"main{n}.f90": source(n, name) for n in (2, 3)}
    done = translate_text(files, target="gpu", backend="cuda-c").require()
    texts = [done.files[f"main{n}.f90"].replace("(", " ").split() for n in (2, 3)]
    first, second = ({word for word in text if word.startswith("hfl")} for text in texts)
    assert first and second and not first & second
