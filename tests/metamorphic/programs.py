"""The programs that are changed: corpora, samples, existing projects, examples of the support table, drawn ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.freeze import corpora
from tests.gpu import constructs
from tests.optimiser.generator import stencil_pair
from tests.optimiser.sweeps import sweep_pair
from tests.random.programs import program_pair
from tests.random.test_random import pair_of
from tests.support import Pair, Translated, Variant, translate_text

TESTS = Path(__file__).parents[1]
SOURCES = (".h90", ".H90", ".f90", ".F90")


@dataclass(frozen=True)
class Tested:
    """A program, where it is from, and the order of storage that it brings (empty: that of the variant)."""

    corpus: str
    pair: Pair
    storage: str = ""

    @property
    def name(self) -> str:
        """Corpus and program."""
        return f"{self.corpus}/{self.pair.name}"

    @property
    def runs(self) -> bool:
        """Whether it can be run against a twin."""
        return bool(self.pair.reference)

    def translated(self, variant: Variant, pair: Pair) -> Translated:
        """A form of the program translated in one way."""
        if not self.storage:
            return variant.translated(pair)
        return translate_text(pair.hybrid, self.storage, **variant.options)


def fixed() -> Iterator[Tested]:
    """Every program that lies in the repository."""
    for corpus, pair in corpora():
        if corpus != "samples":
            yield Tested(corpus, pair)
    yield from (Tested("table", pair) for pair in constructs.pairs())
    for folder in (TESTS.parent / "samples", TESTS / "projects"):
        for home in sorted(p for p in folder.iterdir() if (p / "source").is_dir()):
            texts = {
                p.name: p.read_text(encoding="utf-8")
                for p in sorted((home / "source").iterdir())
                if p.suffix in SOURCES
            }
            storage = texts.pop("storage_order.F90", "")
            yield Tested(folder.name, Pair(home.name, texts, {}, home.name), storage)


def drawn(first: int, count: int) -> Iterator[Tested]:
    """Random programs of the generators that the other tests draw from."""
    for number in range(first, first + count):
        rng = Random(number)
        made = (pair_of, stencil_pair, sweep_pair, program_pair)[number % 4](rng, f"d{number}")
        yield Tested("drawn", made)
