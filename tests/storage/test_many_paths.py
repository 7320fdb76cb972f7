"""Routines that call themselves with components of their arguments: what they see of objects stays bounded."""

from __future__ import annotations

from pathlib import Path

from hfpy.analyze.analysis import analyse
from hfpy.analyze.device.states import States
from hfpy.analyze.effects.effects import Effects
from hfpy.options import Options
from hfpy.pipeline import settled_application
from tests.support import CUDA_C, Corpus, pair

PARTS = range(6)
TREE = """
module tree
  implicit none
  type node
    real(8), allocatable :: a(:)
    type(node), pointer :: POINTERS
  end type node
contains
  recursive subroutine visit(n, x)
    integer, intent(in) :: n
    type(node), intent(inout) :: x
    x%a = x%a + 1
    VISITS
  end subroutine visit
  subroutine work(n, x)
    integer, intent(in) :: n
    type(node), intent(inout) :: x
    integer :: i
    call double(n, x%a)
    call visit(n, x)
    call double(n, x%a)
  end subroutine work
  subroutine double(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    BEGIN
    a(i) = 2*a(i)
    FINISH
  end subroutine double
  subroutine run()
    type(node), target :: root, leaf
    allocate(root%a(4), leaf%a(4))
    root%a = 1
    leaf%a = 10
    NULLS
    root%p3 => leaf
    call work(4, root)
    print *, root%a, leaf%a
  end subroutine run
end module tree
"""
TREE = (
    TREE.replace("POINTERS", ", ".join(f"p{n}" for n in PARTS))
    .replace("VISITS", "\n    ".join(f"if (associated(x%p{n})) call visit(n, x%p{n})" for n in PARTS))
    .replace("NULLS", "\n    ".join(f"nullify(root%p{n}, leaf%p{n})" for n in PARTS))
)
HYBRID = TREE.replace("BEGIN", "@parallelRegion{domName(i), domSize(n)}").replace("FINISH", "@end parallelRegion")
PLAIN = TREE.replace("BEGIN", "do i = 1, n").replace("FINISH", "end do")


def test_views_are_bounded(tmp_path: Path) -> None:
    """There are 6**8 paths of eight pointers, which are not looked at one by one."""
    source = tmp_path / "tree.h90"
    source.write_text(HYBRID)
    facts = analyse(settled_application([source], Options(target="gpu", backend="cuda-c", jobs=1)).application)
    states = States(facts, Effects(facts))
    assert max(len(states.residence.views(key)) for key in facts.graph.sites) < 100


def test_the_program(tmp_path: Path) -> None:
    Corpus([pair("tree", HYBRID, PLAIN)], tmp_path, {"tree": (CUDA_C,)}).check("tree")
