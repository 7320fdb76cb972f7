"""Clauses with more names than a line holds become several of the same kind, with all that is before the names."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support import translate_text

NAMES = [f"quite_a_long_name_of_number_{n}" for n in range(1, 9)]
DUMMIES = ", &\n      ".join(NAMES)
UPDATES = "\n    ".join(f"{name} = {name} + {k}*a(i)" for k, name in enumerate(NAMES))
SUMS = f"""module m
  implicit none
contains
  subroutine step(n, a, {DUMMIES})
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: {DUMMIES}
    integer :: i
    @parallelRegion{{domName(i), domSize(n), reduction(+:{", ".join(NAMES)})}}
    {UPDATES}
    @end parallelRegion
  end subroutine step
end module m
"""


def directives(text: str) -> str:
    """The directives of a text, each on one line."""
    return re.sub(r" &\n\s*!\$\w+&", "", text)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"backend": "openmp"}, "reduction(+:"),
        ({"target": "gpu", "backend": "openacc"}, "reduction(+:"),
        ({"target": "gpu", "backend": "openmp-target"}, "reduction(+:"),
        ({"target": "gpu", "backend": "openmp-target"}, "map(tofrom: "),
        ({"target": "gpu", "backend": "openacc"}, "copy("),
    ],
)
def test_long_lists(options: dict[str, Any], word: str) -> None:
    done = translate_text(SUMS, **options)
    assert not done.errors
    found = directives(done.text)
    kind = word.partition("(")[0]
    clauses = [c for c in re.findall(rf"\b{kind}\([^()]*\)", found) if NAMES[0][:-1] in c]
    assert len(clauses) > 1
    assert all(clause.startswith(word) for clause in clauses)
    listed = [name for clause in clauses for name in re.findall(r"quite\w+", clause)]
    assert listed == NAMES
