"""Random hybrid programs against their plain twins.

5 programs in every run, so that each variant has one, ``HFPY_RANDOM=2000`` for more; they are compiled in batches.
hypothesis draws them, always the same ones; ``HFPY_RANDOM_FROM=N`` draws others. With ``HFPY_SHRINK=1`` programs are
tried one by one and a failing one is made small, which is slow.
"""

import os
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from hfpy.diagnostics import render
from tests.gpu.opencl import needs_opencl
from tests.random.generator import make_program
from tests.support import (
    CUDA_C,
    CUDA_C_IJK,
    CUDA_C_KIJ,
    CUDA_FORTRAN,
    CUDA_FORTRAN_IJK,
    CUDA_FORTRAN_KIJ,
    LAYOUT,
    LAYOUT_CUDA_C,
    LAYOUT_OPENACC,
    LAYOUT_OPENCL,
    LAYOUT_OPENMP,
    OPENACC,
    OPENACC_KIJ,
    OPENCL,
    OPENCL_KIJ,
    OPENMP,
    OPENMP_KIJ,
    OPENMP_TARGET,
    OPENMP_TARGET_IJK,
    SEQUENTIAL,
    SEQUENTIAL_IJK,
    SEQUENTIAL_KIJ,
    Batch,
    Case,
    CompileError,
    Corpus,
    Pair,
    Variant,
)

COUNT = int(os.environ.get("HFPY_RANDOM", "5"))
FIRST = int(os.environ.get("HFPY_RANDOM_FROM", "0"))
PER_BATCH = 25
VARIANTS = (SEQUENTIAL_KIJ, OPENMP_KIJ, OPENMP, SEQUENTIAL_IJK, LAYOUT, LAYOUT_OPENMP)
KERNEL_VARIANTS = (CUDA_C_KIJ, LAYOUT_CUDA_C, CUDA_C_IJK, CUDA_C)
OPENCL_VARIANTS = (OPENCL_KIJ, LAYOUT_OPENCL, OPENCL)
CUDA_FORTRAN_VARIANTS = (CUDA_FORTRAN_KIJ, CUDA_FORTRAN, CUDA_FORTRAN_IJK)
DIRECTIVE_VARIANTS = (OPENACC_KIJ, OPENMP_TARGET, LAYOUT_OPENACC, OPENMP_TARGET_IJK, OPENACC)


def pair_of(rng: Random, name: str) -> Pair:
    program = make_program(rng, name)
    return Pair(name, program.hybrid, program.plain, name, layout=program.layout)


def draw(first: int, count: int) -> list[Pair]:
    """``count`` programs that hypothesis generates from the number ``first``."""
    found: list[Pair] = []

    @seed(first)
    @settings(max_examples=count, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.randoms(use_true_random=True))
    def collect(rng: Random) -> None:
        found.append(pair_of(rng, f"g{first + len(found)}"))

    collect()
    return found[:count]


def variants_for(number: int) -> tuple[Variant, ...]:
    """Two of the variants by turns, so that all are covered by many programs."""
    return (VARIANTS[number % 6], VARIANTS[(number + 1 + number // 6 % 5) % 6])


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, PER_BATCH))
def test_random_programs(first: int, tmp_path: Path) -> None:
    pairs = draw(first, min(PER_BATCH, FIRST + COUNT - first))
    assert len({p.name for p in pairs}) == len(pairs) >= min(PER_BATCH, COUNT) // 2
    corpus = Corpus(pairs, tmp_path, {p.name: variants_for(n) for n, p in enumerate(pairs)})
    failures = []
    for p in pairs:
        try:
            corpus.check(p.name)
        except AssertionError as failure:
            failures.append(f"{p.name}: {str(failure)[:3000]}\n" + "\n".join(p.hybrid.values()))
    assert not failures, f"{len(failures)} of {len(pairs)} programs\n" + "\n".join(failures[:3])


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT // 4, PER_BATCH))
def test_random_programs_in_comments(first: int, tmp_path: Path) -> None:
    """The plain twin holds the directives in comments: translated, it prints what it prints by itself."""
    drawn = draw(first, min(PER_BATCH, FIRST + COUNT - first))
    pairs = [Pair(p.name, p.reference, p.reference, p.name, layout=p.layout) for p in drawn]
    variants = {p.name: (OPENMP, (SEQUENTIAL, LAYOUT_OPENMP)[n % 2]) for n, p in enumerate(pairs)}
    corpus = Corpus(pairs, tmp_path, variants)
    failures = []
    for p in pairs:
        try:
            corpus.check(p.name)
        except AssertionError as failure:
            failures.append(f"{p.name}: {str(failure)[:3000]}\n" + "\n".join(p.hybrid.values()))
    assert not failures, f"{len(failures)} of {len(pairs)} programs\n" + "\n".join(failures[:3])


@pytest.mark.skipif("HFPY_SHRINK" not in os.environ, reason="slow; for making a failing program small")
@settings(max_examples=COUNT, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_shrinking(tmp_path_factory: pytest.TempPathFactory, rng: Random) -> None:
    corpus = Corpus([pair_of(rng, "small")], tmp_path_factory.mktemp("small"), {"small": VARIANTS})
    corpus.check("small")


def test_programs_differ_and_use_the_language() -> None:
    """The generator keeps drawing what it is for."""
    texts = ["".join(p.hybrid.values()).lower() for p in (pair_of(Random(n), "t") for n in range(100))]
    assert len(set(texts)) == 100
    features = (
        "appliesto(gpu)", "appliesto(cpu)", "reduction(max:", "reduction(+:", "startat(", "autodom", "@exit", "where (",
        "call col", "func0", "held", "md(", "xyzl", "module t_cols", "vector", "domname(x,y,z)", "domname(y)", "intent(in) :: nx", "0:nx+1", "cycle",  # noqa: E501
    )  # fmt: skip
    for feature in features:
        count = sum(feature in text for text in texts)
        assert count >= 3, f"{feature} occurs in {count} of 100 programs"


def test_a_wrong_program_is_seen(tmp_path: Path) -> None:
    """The comparison can fail: a twin that differs in one number does not pass."""
    p = pair_of(Random(5), "g5")
    wrong = {name: text.replace("f + ", "1.d-9 + f + ") for name, text in p.reference.items()}
    batches = [Batch([Case("g5", files, "g5")], tmp_path / str(n)) for n, files in enumerate((p.reference, wrong))]
    assert batches[0].output("g5") != batches[1].output("g5")
    broken = {name: text.replace("end do", "end doo", 1) for name, text in p.reference.items()}
    with pytest.raises(CompileError):
        Batch([Case("g5", broken, "g5")], tmp_path / "broken").output("g5")


# What the kernels' backends do, which batches of programs they get, and how many of these they may refuse.
KINDS = {
    "cuda-c": (KERNEL_VARIANTS, COUNT, 0.15),
    "cuda-fortran": (CUDA_FORTRAN_VARIANTS, COUNT // 4, 0.05),
    "opencl": (OPENCL_VARIANTS, COUNT, 0.15),
    "directives": (DIRECTIVE_VARIANTS, COUNT, 0.15),
}
MARKS = {"opencl": (needs_opencl, pytest.mark.full)}
KERNEL_CASES = [
    pytest.param(variants, first, most, id=f"{name}-{first}", marks=MARKS.get(name, ()))
    for name, (variants, count, most) in KINDS.items()
    for first in range(FIRST, FIRST + count, PER_BATCH)
]


@pytest.mark.parametrize(("variants", "first", "most"), KERNEL_CASES)
def test_random_programs_as_kernels(
    variants: tuple[Variant, ...], first: int, most: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Built by cuda-c and run in emulation, by opencl on a device, or with directives on the host, they print what
    their twins print; what is refused is told and rare.
    """
    variant = variants[first // PER_BATCH % len(variants)]
    pairs = draw(first, min(PER_BATCH, FIRST + COUNT - first))
    corpus = Corpus(pairs, tmp_path, {p.name: (variant,) for p in pairs})
    failures, refused = [], []
    for p in pairs:
        try:
            done = corpus.translation(p.name, variant)
            if done.errors:
                # HF305: column code without a region of its own has one point's dimensions, and nothing slices the
                # array there; or an array with its domains in another order goes to a kernel as a whole.
                refused.append(f"{p.name}: {done.errors[0].code} {done.errors[0].message}")
                assert all(d.code[:3] == "HF7" or d.code == "HF305" for d in done.errors), render(done.errors[0])
            else:
                corpus.check(p.name)
        except AssertionError as failure:
            failures.append(f"{p.name}: {str(failure)[:3000]}\n" + "\n".join(p.hybrid.values()))
    with capsys.disabled():
        if refused:
            print(f"\n{variant.label}: {len(refused)} of {len(pairs)} programs refused: {'; '.join(refused)}")
    assert not failures, f"{len(failures)} of {len(pairs)} programs\n" + "\n".join(failures[:3])
    assert len(refused) < most * len(pairs) + 1
