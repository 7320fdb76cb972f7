"""A synthetic code base of any size: the work load on which the translator's own speed is measured.

    python -m benchmarks.synthetic --lines 150000 OUT        # .h90 and .f90 files
    python -m benchmarks.synthetic --lines 15000 --plain OUT # the same program with loops written by hand

One file holds one module of some 150 lines with a long comment header. Most are plain Fortran: kernels on
explicit-shape arrays, functions, states in derived types and module data, output, solvers. A part of them are
``.h90`` files (regions over columns that call column routines of other modules, fine-grained stencils), so many that
the given share of all lines lies in routines that a directive reaches. A main program calls it all and prints
checksums; both spellings print the same ones.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from .synthetic_plain import PlainModule, make_plain
from .synthetic_text import FIELDS_2D, FIELDS_3D, PACKAGES, TOPICS, Access, Writer, body, doc, header, sentence

LINES_PER_FILE = 150
REACHED_SHARE = 0.15


@dataclass
class Column:
    """A column routine and the fields it takes, in order: some 3D ones, then at most one 2D one."""

    module: str
    name: str
    fields: tuple[str, ...]
    surface: tuple[str, ...]
    depth: int


@dataclass
class Project:
    """What has been generated so far."""

    seed: int
    plain: bool
    files: dict[str, str] = field(default_factory=dict)
    lines: int = 0
    reached: int = 0
    columns: dict[str, list[Column]] = field(default_factory=dict)
    wrappers: dict[str, list[tuple[str, str, tuple[str, ...]]]] = field(default_factory=dict)
    library: list[PlainModule] = field(default_factory=list)
    plan: list[bool] = field(default_factory=list)  # for each module: does it have directives?

    def add(self, name: str, out: Writer, reached: int = 0) -> None:
        """Take in a finished file, of which ``reached`` lines lie in routines that a directive reaches."""
        self.files[name] = out.text()
        self.lines += len(out.lines)
        self.reached += reached


def generate(lines: int, plain: bool = False, seed: int = 1, share: float = REACHED_SHARE) -> Project:
    """A code base of about ``lines`` lines; ``plain`` writes the loops out instead of directives."""
    project = Project(seed, plain)
    # what each module is follows from the lines of the annotated spelling, so that both spellings are one program
    plan = generate(lines, seed=seed, share=share).plan if plain else None
    _kinds(project)
    number = 0
    while number < len(plan) if plan is not None else project.lines < lines - 8 * LINES_PER_FILE or number < 12:
        rng = Random(f"{seed}/{number}")
        package = PACKAGES[number % len(PACKAGES)]
        name = f"{package}_{rng.choice(TOPICS)}_{number:04d}"
        hybrid = plan[number] if plan else project.reached < share * project.lines - len(PACKAGES) * 8
        project.plan.append(hybrid)
        if hybrid:
            maker = _dynamics_module if number % 3 == 0 else _physics_module
            maker(project, rng, package, name)
        else:
            library = project.library[-40:]
            out, module = make_plain(rng, name, library)
            project.library.append(module)
            project.add(f"{name}{module.suffix}", out)
        number += 1
    for package in PACKAGES:
        if project.wrappers.get(package):
            _driver(project, package)
    _main(project)
    return project


def write(project: Project, folder: Path) -> None:
    """Write the files, a folder per package, and an ``hfpy.toml``."""
    for name, text in project.files.items():
        package = name.split("_")[0]
        path = folder / "source" / (package if package in PACKAGES else "main") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "hfpy.toml").write_text('[project]\nname = "synthetic"\nsources = ["source"]\nexecutables = ["main"]\n')


def compile_order(project: Project) -> list[str]:
    """File names such that every module comes before its users (the order of generation)."""
    return list(project.files)


def _kinds(project: Project) -> None:
    out = Writer()
    out.put(0, "! Working precision of the whole model.", "module kinds_mod", "  implicit none", "  public")
    out.put(1, "integer, parameter :: wp = kind(1.0d0)", "real(wp), parameter :: tiny_value = 1.0e-12_wp")
    out.put(0, "end module kinds_mod")
    project.add("kinds_mod.f90", out)


# --- modules with directives ------------------------------------------------------------------------------------


def _start(out: Writer, rng: Random, name: str, uses: Sequence[tuple[str, str]]) -> None:
    header(rng, out, name)
    out.put(0, f"module {name}")
    out.put(1, "use kinds_mod, only: wp")
    for module, routine in uses:
        out.put(1, f"use {module}, only: {routine}")
    out.put(1, "implicit none", "private")


def _declarations(
    out: Writer, rng: Random, fields: Sequence[str], surface: Sequence[str], shape: str, flat: str, last_out: bool
) -> None:
    """Dummies: sizes, time step, 3D fields (the last one is written), 2D fields."""
    out.put(2, "integer, intent(in) :: nx, ny, nz", "real(wp), intent(in) :: dt")
    for name in fields:
        intent = "inout" if last_out and name == fields[-1] else "in"
        out.put(2, f"real(wp), intent({intent}) :: {name}{shape}  ! {sentence(rng, 3)}")
    for name in surface:
        out.put(2, f"real(wp), intent(inout) :: {name}{flat}")


def _block(out: Writer, names: Sequence[str]) -> None:
    out.put(2, "@domainDependant{domName(x,y), domSize(nx,ny), attribute(autoDom, present)}", ", ".join(names))
    out.put(2, "@end domainDependant")


def _physics_module(project: Project, rng: Random, package: str, name: str) -> None:
    """A module with column routines and a wrapper whose CPU region calls the last of them."""
    earlier = [c for c in project.columns.get(package, []) if c.depth < 4]
    callee = rng.choice(earlier) if earlier and rng.random() < 0.7 else None
    functions = [m for m in project.library if m.function]
    helper = rng.choice(functions) if functions else None
    out = Writer()
    uses = [(callee.module, callee.name)] if callee else []
    if helper:
        uses.append((helper.name, helper.function))
    _start(out, rng, name, uses)
    out.put(1, f"public :: {name}_wrap, {name}_col0", "", "contains", "")
    begin = len(out.lines)
    own: list[Column] = []
    for index in range(rng.randint(2, 3)):
        needed = set(callee.fields) if callee and index == 0 else set(own[-1].fields if own else ())
        fields = tuple(f for f in FIELDS_3D if f in needed or rng.random() < 0.35) or FIELDS_3D[:2]
        fields = fields if len(fields) > 1 else (*fields, next(f for f in FIELDS_3D if f not in fields))
        if callee and index == 0:  # the field that the callee writes must be writable here
            fields = (*(f for f in fields if f != callee.fields[-1]), callee.fields[-1])
        elif own:
            fields = (*(f for f in fields if f != own[-1].fields[-1]), own[-1].fields[-1])
        surface = FIELDS_2D[:1]
        depth = (callee.depth + 1 if callee else 0) if index == 0 else own[-1].depth + 1
        column = Column(name, f"{name}_col{index}", fields, surface, depth)
        next_call = callee if index == 0 else own[-1]
        _column(project, rng, out, column, next_call, helper.function if helper else "")
        own.append(column)
    project.columns.setdefault(package, []).append(own[0])
    _wrapper(project, rng, out, name, own[-1])
    reached = len(out.lines) - begin
    out.put(0, f"end module {name}")
    project.add(f"{name}.{'f90' if project.plain else 'h90'}", out, reached)
    project.wrappers.setdefault(package, []).append((name, f"{name}_wrap", (*own[-1].fields, *own[-1].surface)))


def _column(project: Project, rng: Random, out: Writer, column: Column, callee: Column | None, helper: str) -> None:
    """One column routine: a GPU region around a loop over levels, then a call further down."""
    doc(rng, out, [*column.fields, *column.surface])
    arguments = ", ".join(["nx", "ny", "nz", "dt", *column.fields, *column.surface])
    out.put(1, f"subroutine {column.name}({arguments})")
    _declarations(out, rng, column.fields, column.surface, "(nz)", "", last_out=True)
    out.put(2, "real(wp) :: work(nz)", "real(wp) :: s1, s2, s3", "integer :: k", "")
    if not project.plain:
        _block(out, [*column.fields, *column.surface, "work"])
        out.put(2, "@parallelRegion{appliesTo(GPU), domName(x,y), domSize(nx,ny)}")
    out.put(2, "work(1) = 0.0_wp", "do k = 2, nz")
    access: Access = lambda field_name, index: f"{field_name}({index})"  # noqa: E731
    body(rng, out, 3, column.fields, access, ("s1", "s2", "s3"), rng.randint(6, 16))
    if helper:
        out.put(3, f"s1 = {helper}(s1, s2)")
    out.put(3, "work(k) = 0.5_wp*work(k-1) + dt*s1", "end do")
    target = column.fields[-1]
    out.put(2, "do k = nz - 1, 1, -1", f"  {target}(k) = 0.9_wp*{target}(k) + 0.05_wp*work(k) + 0.05_wp*{target}(k+1)")
    out.put(2, "end do", f"{column.surface[0]} = 0.7_wp*{column.surface[0]} + 0.3_wp*{target}(1)")
    if not project.plain:
        out.put(2, "@end parallelRegion")
    if callee:
        passed = ", ".join(["nx", "ny", "nz", "dt", *callee.fields, *callee.surface])
        out.put(2, f"call {callee.name}({passed})")
    out.put(1, f"end subroutine {column.name}", "")


def _wrapper(project: Project, rng: Random, out: Writer, name: str, column: Column) -> None:
    """The routine with the CPU region over all columns."""
    doc(rng, out, column.fields)
    arguments = ", ".join(["nx", "ny", "nz", "dt", *column.fields, *column.surface])
    out.put(1, f"subroutine {name}_wrap({arguments})")
    full = project.plain or rng.random() < 0.5
    shape, flat = ("(nx,ny,nz)", "(nx,ny)") if full else ("(nz)", "")
    _declarations(out, Random(name), column.fields, column.surface, shape, flat, last_out=True)
    if project.plain:
        out.put(2, "integer :: x, y", "", "do y = 1, ny", "do x = 1, nx")
        passed = [f"{f}(x,y,:)" for f in column.fields] + [f"{f}(x,y)" for f in column.surface]
    else:
        out.put(2, "")
        _block(out, [*column.fields, *column.surface])
        out.put(2, "@parallelRegion{appliesTo(CPU), domName(x,y), domSize(nx,ny)}")
        passed = [*column.fields, *column.surface]
    out.put(2, f"call {column.name}({', '.join(['nx', 'ny', 'nz', 'dt', *passed])})")
    out.put(2, *(("end do", "end do") if project.plain else ("@end parallelRegion",)))
    out.put(1, f"end subroutine {name}_wrap")


def _dynamics_module(project: Project, rng: Random, package: str, name: str) -> None:
    """A module with stencils: a tendency over the inner points, then an update."""
    out = Writer()
    _start(out, rng, name, [])
    out.put(1, f"public :: {name}_step", "", "contains", "")
    begin = len(out.lines)
    fields = tuple(rng.sample(FIELDS_3D, rng.randint(3, 5)))
    target = fields[-1]
    doc(rng, out, fields)
    out.put(1, f"subroutine {name}_step({', '.join(['nx', 'ny', 'nz', 'dt', *fields])})")
    _declarations(out, rng, fields, (), "(nx,ny,nz)", "", last_out=True)
    shape = "(nx,ny,nz)" if project.plain else "(nz)"
    out.put(2, f"real(wp) :: tend{shape}", "real(wp) :: s1, s2, lap", "integer :: k")
    if project.plain:
        out.put(2, "integer :: x, y", "")
    else:
        out.put(2, "")
        _block(out, [*fields, "tend"])
    spelling = Random(name)

    def access(field_name: str, index: str) -> str:
        """In the annotated spelling the iterators may be left out."""
        bare = spelling.random() < 0.5 and not project.plain
        return f"{field_name}({index})" if bare else f"{field_name}(x,y,{index})"

    def loops(inner: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if project.plain:
            low, high = ("2", "-1") if inner else ("1", "")
            return (f"do y = {low}, ny{high}", f"do x = {low}, nx{high}"), ("end do", "end do")
        bounds = ", startAt(2,2), endAt(nx-1,ny-1)" if inner else ""
        return (f"@parallelRegion{{domName(x,y), domSize(nx,ny){bounds}}}",), ("@end parallelRegion",)

    for _ in range(rng.randint(1, 3)):
        first, last = loops(True)
        out.put(2, f"! {sentence(rng, 7)}", *first, "do k = 2, nz - 1")
        source = rng.choice(fields)
        out.put(3, f"lap = {source}(x+1,y,k) + {source}(x-1,y,k) + {source}(x,y+1,k) + {source}(x,y-1,k) &")
        out.put(3, f"    & - 4.0_wp*{access(source, 'k')} + {access(source, 'k+1')} - {access(source, 'k-1')}")
        body(rng, out, 3, (*fields[:-1], "tend"), _declared_tend(access), ("s1", "s2"), rng.randint(5, 14))
        out.put(3, f"{access('tend', 'k')} = 0.02_wp*lap + 0.1_wp*(s1 - s2)", "end do", *last)
        first, last = loops(True)
        out.put(2, *first, "do k = 2, nz - 1")
        out.put(3, f"{access(target, 'k')} = {access(target, 'k')} + dt*{access('tend', 'k')}", "end do", *last)
    out.put(1, f"end subroutine {name}_step")
    reached = len(out.lines) - begin
    out.put(0, f"end module {name}")
    project.add(f"{name}.{'f90' if project.plain else 'h90'}", out, reached)
    project.wrappers.setdefault(package, []).append((name, f"{name}_step", fields))


def _declared_tend(access: Access) -> Access:
    """``tend`` is not set before the first statement reads it: read the Laplacian there instead."""
    return lambda name, index: "lap" if name == "tend" else access(name, index)


# --- drivers ------------------------------------------------------------------------------------------------------


def _driver(project: Project, package: str) -> None:
    """One routine that calls everything of a package."""
    rng = Random(f"{project.seed}/{package}")
    name = f"{package}_driver"
    out = Writer()
    calls = project.wrappers[package]
    _start(out, rng, name, [(module, routine) for module, routine, _ in calls])
    out.put(1, f"public :: {name}_run", "", "contains", "")
    begin = len(out.lines)
    out.put(1, f"subroutine {name}_run(nx, ny, nz, dt, &", f"    & {', '.join([*FIELDS_3D, *FIELDS_2D])})")
    out.put(2, "integer, intent(in) :: nx, ny, nz", "real(wp), intent(in) :: dt")
    out.put(2, "real(wp), intent(inout) :: " + ", ".join(f"{f}(nx,ny,nz)" for f in FIELDS_3D[:4]))
    out.put(2, "real(wp), intent(inout) :: " + ", ".join(f"{f}(nx,ny,nz)" for f in FIELDS_3D[4:]))
    out.put(2, "real(wp), intent(inout) :: " + ", ".join(f"{f}(nx,ny)" for f in FIELDS_2D), "")
    if not project.plain:
        _block(out, [*FIELDS_3D, *FIELDS_2D])
    for _, routine, fields in calls:
        out.put(2, f"call {routine}({', '.join(['nx', 'ny', 'nz', 'dt', *fields])})")
    out.put(1, f"end subroutine {name}_run")
    reached = len(out.lines) - begin
    out.put(0, f"end module {name}")
    project.add(f"{name}.{'f90' if project.plain else 'h90'}", out, reached)


def _main(project: Project) -> None:
    """The main program: position-dependent fields, all packages, a part of the library, checksums."""
    drivers = [p for p in PACKAGES if project.wrappers.get(p)]
    checks = [m for m in project.library if m.check]
    out = Writer()
    out.put(0, "program main", "  use kinds_mod, only: wp")
    out.put(1, *(f"use {p}_driver, only: {p}_driver_run" for p in drivers))
    out.put(1, *(f"use {m.name}, only: {m.check}" for m in checks))
    out.put(1, "implicit none", "integer, parameter :: nx = 9, ny = 7, nz = 12", "integer :: i, j, k, step")
    for name in FIELDS_3D:
        out.put(1, f"real(wp) :: {name}(nx,ny,nz)")
    for name in FIELDS_2D:
        out.put(1, f"real(wp) :: {name}(nx,ny)")
    out.put(1, "do k = 1, nz", "do j = 1, ny", "do i = 1, nx")
    for n, name in enumerate(FIELDS_3D):
        out.put(2, f"{name}(i,j,k) = 0.5_wp + 0.4_wp*sin({n + 1}.0_wp*i + 0.3_wp*j*k)")
    out.put(1, "end do", "end do", "end do")
    for n, name in enumerate(FIELDS_2D):
        out.put(1, f"{name} = reshape([(0.01_wp*{n + 1}*i, i=1, nx*ny)], [nx, ny])")
    out.put(1, "do step = 1, 2")
    for package in drivers:
        arguments = ", ".join(["nx", "ny", "nz", "0.1_wp", *FIELDS_3D, *FIELDS_2D])
        out.put(2, f"call {package}_driver_run( &", f"  & {arguments})")
    out.put(1, "end do")
    for name in (*FIELDS_3D, *FIELDS_2D):
        out.put(1, f"print '(a,2es24.16)', '{name}', sum({name}), maxval(abs({name}))")
    for module in checks:
        out.put(1, f"print '(a,es24.16)', '{module.name}', {module.check}()")
    out.put(0, "end program main")
    project.add("main.f90", out)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=150_000)
    parser.add_argument("--plain", action="store_true", help="loops by hand instead of directives")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    project = generate(given.lines, given.plain, given.seed)
    write(project, given.folder)
    share = 100 * project.reached / project.lines
    print(f"{len(project.files)} files, {project.lines} lines, {share:.1f} % in routines that a directive reaches")


if __name__ == "__main__":
    main()
