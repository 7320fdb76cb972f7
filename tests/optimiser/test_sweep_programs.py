"""Implicit diffusion along columns between parallel stages, on all backends: the bits of plain loops, for columns of
any height, those of one level and of none among them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.optimiser.generator import HELPERS
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP, Corpus, Pair

HEIGHTS = (0, 1, 2, 3, 7)
# Regions: their iterators, the first level of those with one, and what is done. The solver, with what it is for.
REGIONS = (
    ("ijk", "1", "a(i,j,k) = -0.1d0 * r(i,j,k) / w(i,j,k); c(i,j,k) = -0.1d0 * r(i,j,k+1) / w(i,j,k)"),
    ("ijk", "1", "b(i,j,k) = 1.0d0 - a(i,j,k) - c(i,j,k); d(i,j,k) = u(i,j,k) + 0.2d0 * (r(i+1,j,k) - r(i-1,j,k))"),
    (
        "ij",
        "",
        "if (nz > 0) then; cp(i,j,1) = c(i,j,1) / b(i,j,1); dp(i,j,1) = d(i,j,1) / b(i,j,1); end if; do k = 2, nz;"
        "m = 1.0d0 / (b(i,j,k) - a(i,j,k) * cp(i,j,k-1)); cp(i,j,k) = c(i,j,k) * m;"
        "dp(i,j,k) = (d(i,j,k) - a(i,j,k) * dp(i,j,k-1)) * m; end do",
    ),
    (
        "ij",
        "",
        "do k = nz, 1, -1; if (k == nz) then; u(i,j,k) = dp(i,j,k); else;"
        "u(i,j,k) = dp(i,j,k) - cp(i,j,k) * u(i,j,k+1); end if; end do",
    ),
    # Two sweeps of one direction, two and one levels back, then a parallel stage that needs what they carry.
    (
        "ij",
        "",
        "s(i,j,-1) = 0.1d0 * r(i,j,1); s(i,j,0) = 0.2d0; do k = 1, nz;"
        "s(i,j,k) = 0.5d0 * s(i,j,k-1) + u(i,j,k) - 0.1d0 * s(i,j,k-2); end do",
    ),
    ("ij", "", "do k = 1, nz; if (u(i,j,k) > 0.4d0) v(i,j,k) = 0.5d0 * v(i,j,k-1) + s(i,j,k) - s(i,j,k-1); end do"),
    ("ijk", "2", "t(i,j,k) = v(i,j,k) * s(i,j,k-1) + t(i,j,k)"),
    # A carried single value, and one element for each column.
    (
        "ij",
        "",
        "m = t(i,j,1); do k = 1, nz; m = 0.5d0 * m + t(i,j,k); f(i,j) = f(i,j) + m; v(i,j,k) = v(i,j,k) + m; end do;"
        "v(i,j,nz+1) = f(i,j)",
    ),
)
LOCALS = ("a", "b", "c", "d", "cp", "dp", "s")


def diffusion() -> Pair:
    """The routine twice, and a caller for columns of all heights."""
    texts: list[list[str]] = [[], []]
    for hybrid, rows in enumerate(texts):
        rows += ["module diffusion", "  implicit none", "contains", "  subroutine work(nx, ny, nz, r, w, u, v, t, f)"]
        rows += ["    integer, intent(in) :: nx, ny, nz", "    real(8), intent(in) :: r(0:nx+1,0:ny+1,nz+1)"]
        rows += ["    real(8), intent(in) :: w(0:nx+1,0:ny+1,nz+1)", "    real(8), intent(inout) :: f(nx,ny)"]
        rows += [f"    real(8), intent(inout) :: {n}(0:nx+1,0:ny+1,0:nz+1)" for n in "uvt"]
        rows += [f"    real(8) :: {n}(nx,ny,{'-1' if n == 's' else '1'}:nz)" for n in LOCALS]
        rows += ["    real(8) :: m", f"    integer :: {'k' if not hybrid else 'i, j, k'}"]
        for iterators, first, body in REGIONS:
            bounds = f", startAt({','.join('1' * 2)},{first}), endAt(nx,ny,nz)" if first else ""
            sizes = ",".join(f"n{'xyz'['ijk'.index(i)]}" for i in iterators)
            rows += (
                [] if hybrid else [f"    @parallelRegion{{domName({','.join(iterators)}), domSize({sizes}){bounds}}}"]
            )
            loops = [f"do {i} = {first if i == 'k' else 1}, n{'xyz'['ijk'.index(i)]}" for i in reversed(iterators)]
            rows += [f"    {line}" for line in loops] if hybrid else []
            rows += [f"      {line.strip()}" for line in body.split(";")]
            rows += ["    end do"] * len(iterators) if hybrid else ["    @end parallelRegion"]
        rows += [
            "  end subroutine work",
            "  subroutine run()",
            "    integer :: nz",
            "    integer, parameter :: nx = 7, ny = 5",
        ]
        rows += ["    real(8), allocatable :: r(:,:,:), w(:,:,:), u(:,:,:), v(:,:,:), t(:,:,:), f(:,:)"]
        for height in HEIGHTS:
            shape = "0:nx+1,0:ny+1"
            rows += [f"    nz = {height}", f"    allocate(r({shape},nz+1), w({shape},nz+1), f(nx,ny))"]
            rows += [f"    allocate(u({shape},0:nz+1), v({shape},0:nz+1), t({shape},0:nz+1))"]
            rows += [f"    call fill(size({n}), {n}, {number})" for number, n in enumerate("rwuvtf", 1)]
            rows += ["    w = w + 0.5d0", "    call work(nx, ny, nz, r, w, u, v, t, f)"]
            rows += [f"    call show('{n}', size({n}), {n})" for n in "uvtf"]
            rows += ["    deallocate(r, w, u, v, t, f)"]
        rows += ["  end subroutine run", *HELPERS.splitlines(), "end module diffusion"]
    hybrid, plain = ("\n".join(rows) + "\n" for rows in texts)
    return Pair("diffusion", {"diffusion.h90": hybrid}, {"diffusion.f90": plain}, "diffusion")


VARIANTS = [replace(v, options={**v.options, "opt": 2}) for v in (OPENMP, CUDA_C, CUDA_FORTRAN, OPENACC)]


def test_the_bits_of_plain_loops(tmp_path: Path) -> None:
    corpus = Corpus([diffusion()], tmp_path, {"diffusion": VARIANTS})
    corpus.check("diffusion")
    fused = corpus.translation("diffusion", VARIANTS[-1]).text
    assert "8 regions as one, by columns" in fused, fused
