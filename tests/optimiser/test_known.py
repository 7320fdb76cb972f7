"""Numbers in the place of sizes keep what an expression means."""

import pytest

from hfpy.analyze.regions.known import with_values
from hfpy.parse.expressions.fragments import fragment


@pytest.mark.parametrize(
    ("text", "values", "wanted"),
    [
        ("2*N - 1", {"n": 8}, "2*8 - 1"),
        ("m - n", {"n": -1}, "m - (-1)"),
        ("2 * n", {"n": -3}, "2 * (-3)"),
        ("a(n)%n + n", {"n": 5}, "a(5)%n + 5"),
        ("nn + m", {"n": 5}, "nn + m"),
    ],
)
def test_values(text: str, values: dict[str, int], wanted: str) -> None:
    assert with_values(fragment(text), values).text == wanted
