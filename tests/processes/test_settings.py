"""What ``[decomposition]`` in ``hfpy.toml`` says holds where the directive says nothing."""

from __future__ import annotations

import pytest

from hfpy.options import Decompositions
from tests.support import translate_text

TEXT = """module line
  implicit none
  integer :: n
contains
  subroutine setup()
    @decomposition{domName(i), global(12), local(n), halo(i:1), periodic(i)SAID}
  end subroutine

  subroutine step(a, b, total)
    real(8), intent(inout) :: a(0:n+1), b(0:n+1)
    real(8), intent(out) :: total
    @parallelRegion{domName(i), domSize(n)}
    a(i) = 2 * b(i)
    @end parallelRegion
    total = 0
    @parallelRegion{domName(i), domSize(n), reduction(+:total)}
    b(i) = a(i-1) + a(i+1)
    total = total + b(i)
    @end parallelRegion
  end subroutine
end module
"""


def made(said: str, settings: Decompositions) -> tuple[list[str], str]:
    """The codes of what is said of a program, and the generated text."""
    done = translate_text({"line.h90": TEXT.replace("SAID", said)}, decomposition=settings)
    return sorted(d.code for d in done.diagnostics), "".join(done.files.values())


@pytest.mark.parametrize("reductions", ["global", "local"])
def test_a_setting_is_as_the_attribute(reductions: str) -> None:
    stated = made(f", reductions({reductions}), exchange(auto)", Decompositions())
    assert made("", Decompositions("auto", reductions)) == stated
    assert ("hf_shift" in stated[1], "hf_sum_all" in stated[1]) == (True, reductions == "global")


def test_the_directive_goes_over_the_setting() -> None:
    assert made(", exchange(stated)", Decompositions("auto", "global"))[0] == ["HF655"]
    assert made(", exchange(auto)", Decompositions("stated", "global"))[0] == []
    assert "hf_sum_all" not in made(", reductions(local)", Decompositions("auto", "global"))[1]
    assert made("", Decompositions())[0] == ["HF653", "HF655"]
