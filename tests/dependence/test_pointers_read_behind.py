"""Variables whose values pointers read after a region: no thread may keep them for itself."""

import pytest

from tests.support import Batch, Case, translate_text

PROGRAM = """module NAME
  use iso_c_binding
  implicit none
  type held
    real(8) :: s = 0
    integer :: k = 0
  end type held
  real(8), pointer :: far => null()
contains
  subroutine point(x)
    real(8), target :: x
    far => x
  end subroutine point
  subroutine point_to(address, p)
    type(c_ptr), intent(in) :: address
    real(8), pointer, intent(out) :: p
    call c_f_pointer(fptr=p, cptr=address)
  end subroutine point_to
  subroutine run()
    real(8), target :: x, w(3)
    type(held), target :: o
    integer, target :: k
    real(8), pointer :: p, q(:)
    integer, pointer :: pk
    type(c_ptr) :: address
    real(8) :: a(400)
    integer :: i
    x = 0; w = 0; k = 0; a = 1
    SET
    do i = 1, 400
      BODY
      a(i) = 2*a(i)
    end do
    READ
    print *, sum(a)
  end subroutine run
end module NAME
"""
CASES = {
    "scalar": ("p => x", "x = i; a(i) = x", "print *, p"),
    "by_a_call": ("call point(x)", "x = i; a(i) = x", "print *, far"),
    "by_address": ("call c_f_pointer(c_loc(x), p)", "x = i; a(i) = x", "print *, p"),
    "by_keywords": ("call c_f_pointer(fptr=p, cptr=c_loc(x))", "x = i; a(i) = x", "print *, p"),
    "address_kept": ("address = c_loc(x)", "x = i; a(i) = x", "call point_to(address, p); print *, p"),
    "array": ("q => w", "w = i; a(i) = sum(w)", "print *, q"),
    "array_by_address": ("call c_f_pointer(c_loc(w), q, [3])", "w = i; a(i) = sum(w)", "print *, q"),
    "element": ("p => w(2)", "w = i; a(i) = sum(w)", "print *, p"),
    "object": ("p => o%s", "o%s = i; a(i) = o%s", "print *, p"),
    "whole_object": ("pk => o%k", "o = held(i, i); a(i) = o%s", "print *, pk"),
    "inner_loop": ("pk => k", "do k = 1, 3; a(i) = a(i) + k; end do", "print *, pk"),
}


@pytest.fixture(autouse=True)
def short_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)


def text_of(name: str, set_: str, body: str, read: str) -> str:
    lines = body.replace("; ", "\n      ")
    return PROGRAM.replace("NAME", name).replace("SET", set_).replace("BODY", lines).replace("READ", read)


def test_pointers_read_the_last_value(tmp_path_factory: pytest.TempPathFactory) -> None:
    plain = {name: text_of(name, *parts) for name, parts in CASES.items()}
    made = {
        name: translate_text({f"{name}.f90": text}, backend="openmp", auto=True).require().files
        for name, text in plain.items()
    }
    found = []
    for files, kind in (({n: {f"{n}.f90": t} for n, t in plain.items()}, "plain"), (made, "threads")):
        cases = [Case(name, files[name], name) for name in CASES]
        batch = Batch(cases, tmp_path_factory.mktemp(kind), openmp=kind == "threads")
        found.append({name: batch.output(name, 3) for name in CASES})
    assert found[0] == found[1]


def test_without_a_pointer_points_have_their_own() -> None:
    text = text_of("m", "p => w(1)", "x = i; a(i) = x", "")
    assert "private(i, x)" in translate_text({"m.f90": text}, backend="openmp", auto=True).require().text


@pytest.mark.parametrize("set_", ["", "pk => k"])
def test_variables_of_loops(set_: str) -> None:
    text = (
        text_of("m", set_, "", "if (associated(pk)) print *, pk").replace("do i = 1", "do k = 1").replace("(i)", "(k)")
    )
    done = translate_text({"m.f90": text}, backend="openmp", auto=True).require()
    assert done.text.count("omp parallel do") == (0 if set_ else 1)
    directive = text.replace("    do k", "    !@parallelRegion\n    do k")
    assert translate_text({"m.f90": directive}, backend="openmp").codes() == (["HF319"] if set_ else [])
