"""Directives of the user's that let the device work on arrays which hfpy has there: refused, or dropped if asked."""

from __future__ import annotations

import pytest

from tests.support import translate_text

TEXT = """\
module flow
  implicit none
contains
  subroutine step(n, u, v)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n), v(n)
    integer :: i, k
    @parallelRegion{domName(i), domSize(n)}
    u(i) = u(i) + 1
    @end parallelRegion
    LINES
  end subroutine step
  subroutine any(n, u)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n)
    u(1) = 2
  end subroutine any
end module flow
"""
LOOP = "do i = 1, n; u(i) = u(i)*2; end do"
ACC = {
    "loop": ("!$acc parallel loop", LOOP),
    "gang": ("!$ACC PARALLEL LOOP gang vector &", "!$acc& private(k)", LOOP),
    "block": ("!$acc kernels", LOOP, "!$acc end kernels"),
    "second in a block": ("!$acc kernels", "do i = 1, n; v(i) = 1; end do", LOOP, "!$acc end kernels"),
    "serial": ("!$acc serial", "u(2) = u(1)", "!$acc end serial"),
    "parallel": ("!$acc parallel", "!$acc loop", LOOP, "!$acc end parallel"),
    "addresses": ("!$acc host_data use_device(u)", "call any(n, u)", "!$acc end host_data"),
    "in a loop": ("do k = 1, 3", "!$acc parallel loop", LOOP, "end do"),
    "in a branch": ("if (n > 3) then", "!$acc parallel loop", LOOP, "end if"),
    "read only": ("!$acc parallel loop", "do i = 1, n; v(i) = u(i); end do"),
    "after another": ("!$acc kernels", "v(1) = 1", "!$acc end kernels", "!$acc kernels loop", LOOP),
}
OMP = {
    "loop": ("!$omp target teams distribute parallel do", LOOP),
    "block": ("!$omp target", LOOP, "!$omp end target"),
    "addresses": ("!$omp target data use_device_addr(u)", "call any(n, u)", "!$omp  end target data"),
    "continued": ("!$omp target &", "!$omp teams loop", LOOP),
}
HARMLESS = {
    "openacc": (
        ("!$acc data copy(v)", LOOP, "!$acc end data"),
        ("!$acc update self(v)", LOOP),
        ("!$acc parallel loop", "do i = 1, n; v(i) = 1; end do", LOOP),
        ("!$acc kernels", "v(1) = 1", "!$acc end kernels", LOOP),
        ("!$omp parallel do", LOOP),
        ("!$omp target", LOOP, "!$omp end target"),
    ),
    "openmp-target": (
        ("!$omp parallel do", LOOP),
        ("!$omp target update from(v)", LOOP),
        ("!$omp target data map(v)", LOOP, "!$omp end target data"),
        ("!$omp target", "v(1) = 1", "!$omp end target", LOOP),
        ("!$acc kernels", LOOP, "!$acc end kernels"),
    ),
    "cuda-c": (("!$acc parallel loop", LOOP), ("!$omp target", LOOP, "!$omp end target")),
}
CASES = [("openacc", name, lines) for name, lines in ACC.items()] + [("openmp-target", n, x) for n, x in OMP.items()]


def text(lines: tuple[str, ...]) -> str:
    return TEXT.replace("LINES", "\n    ".join(lines))


@pytest.mark.parametrize(("backend", "lines"), [(b, x) for b, _, x in CASES], ids=[f"{b} {n}" for b, n, _ in CASES])
def test_refused_or_dropped(backend: str, lines: tuple[str, ...]) -> None:
    refused = translate_text(text(lines), backend=backend, target="gpu", opt=0)
    assert {d.code for d in refused.errors} == {"HF216"}
    word = "acc" if backend == "openacc" else "omp"
    marked = [n for n, line in enumerate(text(lines).splitlines(), 1) if f"!${word}" in line.lower()]
    assert {d.place.line for d in refused.errors} <= set(marked)
    dropped = translate_text(text(lines), backend=backend, target="gpu", opt=0, drop_directives=("*",))
    assert not dropped.errors
    assert [d.code for d in dropped.diagnostics if "dropped" in d.message] == ["HF240"]
    made = {line.strip().lower() for line in "".join(dropped.files.values()).splitlines()}
    assert not made & {line.lower() for line in lines if line.lower().startswith(f"!${word}")}


BELOW = """\
module others
  implicit none
contains
  subroutine outer(n, u)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n)
    call inner(n, u)
  end subroutine outer
  subroutine inner(n, u)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n)
    integer :: i
    !$acc parallel loop
    do i = 1, n
      u(i) = u(i)*2
    end do
  end subroutine inner
  subroutine harmless(n, u)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n)
    u(n) = u(1)
  end subroutine harmless
end module others
"""


def test_in_called_routines() -> None:
    def translated(call: str, backend: str = "openacc", **options: object) -> list[tuple[str, int]]:
        made = TEXT.replace("LINES", call).replace("  implicit none", "  use others\n  implicit none", 1)
        files = {"flow.h90": made, "others.f90": BELOW}
        done = translate_text(files, backend=backend, target="gpu", opt=0, **options)
        return [(d.place.file.rsplit("/", 1)[-1], d.place.line) for d in done.errors if d.code == "HF216"]

    assert translated("call outer(n, u)") == [("others.f90", 13)]
    assert translated("if (n > 3) call inner(n, v(1:n))\n    u(1) = 2") == []  # nothing of v is on the device
    assert translated("call harmless(n, u)") == []
    assert translated("call outer(n, u)", "cuda-c") == []
    assert translated("call outer(n, u)", drop_directives=("*",)) == []


@pytest.mark.parametrize("backend", HARMLESS)
def test_harmless(backend: str) -> None:
    for lines in HARMLESS[backend]:
        done = translate_text(text(lines), backend=backend, target="gpu", opt=0)
        assert not done.errors, lines
