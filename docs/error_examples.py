"""What docs/errors.md says about each code besides the rule: its cause, an example, and what helps.

An example is a set of small files; the generator runs the command on them and shows what hfpy really says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import dedent


@dataclass(frozen=True)
class Entry:
    """One code: why it is given, files that make hfpy give it, the command, and what helps.

    Files whose text is bytes are not shown. ``looks`` is the message by itself, where it depends on the machine.
    ``cure`` is empty where the catalogue's hint says all.
    """

    cause: str
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    command: str = "hfpy check {file}"
    cure: str = ""
    looks: str = ""

    @property
    def command_line(self) -> str:
        """The command with the name of the first file put in."""
        return self.command.format(file=next(iter(self.files), ""))


def _text(source: str) -> str:
    """A source as it is, without the indentation that it has here."""
    return dedent(source).lstrip("\n")


def _many(
    *rows: str, kind: str = "subroutine work", decomposition: str = "@decomposition", attributes: str = ", periodic(i)"
) -> str:
    """A module for many processes, with rows in a routine that gets the field a(0:n+1) and c(m)."""
    cut = f"    {decomposition}{{domName(i), global(n_all), local(n), halo(i:1){attributes}}}"
    lines = [
        "module line",
        "  implicit none",
        "  integer :: n",
        "contains",
        "  subroutine line_init(n_all)",
        "    integer, intent(in) :: n_all",
        *([cut] if decomposition else ["    n = n_all"]),
        "  end subroutine line_init",
        f"  {kind}(a, c, m, total)",
        "    integer, intent(in) :: m",
        "    real(8), intent(inout) :: a(0:n+1), c(m), total",
        *(f"    {row}" for row in rows),
        f"  end {kind.split()[-2]} work",
        "end module line",
    ]
    return "\n".join(lines) + "\n"


def _region(body: str, name: str = "s", more: str = "", attributes: str = "domName(i,j), domSize(nx,ny)") -> str:
    """A routine with one region over the arrays a(nx,ny) and b(nx,ny,nz)."""
    lines = [
        f"subroutine {name}(nx, ny, nz, a, b)",
        "  integer, intent(in) :: nx, ny, nz",
        "  real(8), intent(inout) :: a(nx,ny), b(nx,ny,nz)",
        *(f"  {line}" for line in more.splitlines()),
        f"  @parallelRegion{{{attributes}}}",
        *(f"  {line}" for line in body.splitlines()),
        "  @end parallelRegion",
        f"end subroutine {name}",
    ]
    return "\n".join(lines) + "\n"


def _block(inside: str, declared: str = "real(8), intent(inout) :: t(nz)", name: str = "warm") -> str:
    """A routine with a block of domain dependants."""
    lines = [
        f"subroutine {name}(nx, ny, nz, t)",
        "  integer, intent(in) :: nx, ny, nz",
        *(f"  {line}" for line in declared.splitlines()),
        *(f"  {line}" for line in inside.splitlines()),
        "  @parallelRegion{domName(i,j), domSize(nx,ny)}",
        "  t = 0",
        "  @end parallelRegion",
        f"end subroutine {name}",
    ]
    return "\n".join(lines) + "\n"


_PROJECT = '[project]\nname = "heat"\nsources = ["source"]\n'

_MAIN = "program heat\n  print *, 'warm'\nend program heat\n"

LEXICAL: dict[str, Entry] = {
    "HF100": Entry(
        "The file does not exist, is a folder, or may not be read; or the storage-order file cannot be read.",
        {"heat.f90": "program heat\nend program heat\n"},
        "hfpy check heat.f90 --storage-order storage_order.F90",
    ),
    "HF101": Entry(
        "An annotated file holds bytes that are no UTF-8. Plain files may hold what they like.",
        {"old.h90": b"! Gr\xf6\xdfe\nmodule old\nend module old\n"},
        cure="Convert it: `iconv -f latin1 -t utf-8`.",
    ),
    "HF102": Entry("The file holds nothing but blanks.", {"empty.h90": "\n"}, cure="Remove it, if it is not needed."),
    "HF103": Entry("The last line of the file ends with `&`.", {"open.h90": "module open\nend module open &\n"}),
    "HF104": Entry(
        "A quote has no partner on its line or the lines that continue it.",
        {"quote.h90": "subroutine hello\n  print *, 'it''s me\nend subroutine hello\n"},
    ),
    "HF105": Entry(
        "`#if`, `#else` and `#endif` do not match, or a condition is no expression of integers.",
        {
            "branch.h90": _text("""
            #if defined(GPU
            module gpu
            end module gpu
            #endif
            """)
        },
        cure="Check the conditionals from the beginning of the file.",
    ),
    "HF106": Entry(
        "In `.h90` and `.H90` files a directive after `!` has no effect. This note says that it was seen.",
        {"off.h90": _region("a = 0").replace("  @p", "  !@p").replace("  @e", "  !@e").replace("a = 0", "a(1,1) = 0")},
        cure="Remove the `!` if the directive shall act, or a letter of its keyword if not.",
    ),
    "HF107": Entry(
        "The preprocessor ended with an error on an `.H90` file, or an `#error` is active.",
        {
            "stop.h90": _text("""
            #ifndef NX
            #error NX is needed
            #endif
            module stop_module
            end module stop_module
            """)
        },
    ),
    "HF108": Entry(
        "Two modules, or two routines of the same module or outside modules, have one name.",
        {
            "twice.h90": _text("""
            module grid
            end module grid
            module Grid
            end module Grid
            """)
        },
    ),
    "HF109": Entry(
        "An `end` is missing, or ends something else than what is open.",
        {"ends.h90": _region("if (nx > 1) then\na = 0\nend do")},
    ),
    "HF110": Entry(
        "hfpy reads every statement of a routine that a directive reaches, and this one it cannot. Where no directive "
        "reaches a file, `hfpy check` tells it as a warning: the file goes to the compiler as it is.",
        {"operators.h90": _region("a = = 2.")},
    ),
    "HF111": Entry(
        "A routine was given up because it took longer than the limit, which is a minute unless asked otherwise.",
        {"endless.h90": _region("a = 0")},
        "hfpy check {file} --parse-limit 0",
    ),
    "HF112": Entry(
        "hfpy would have to change text that is not in the file itself.",
        {
            "included.h90": _block(
                "@domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom)}\nt\n@end domainDependant",
                "include 'declared.inc'",
            ),
            "declared.inc": "  real(8), intent(inout) :: t(nz)\n",
        },
    ),
    "HF113": Entry(
        "An `#include` names a file that hfpy does not find (a note), or a file that includes itself, a device, "
        "or a file of more than 64 MiB (errors).",
        {"lost.F90": '#include "settings.h"\nmodule lost\nend module lost\n'},
        cure="Name its folder in `include_dirs`, or with `-I`.",
    ),
    "HF114": Entry(
        "Blocks, or operators and parentheses of an expression, are nested too deeply: "
        "more than 100 blocks, or 500 operators in a row.",
        {"deep.h90": _region("\n".join([*["if (a > 0) then"] * 101, "b = 0", *["end if"] * 101]))},
    ),
    "HF115": Entry(
        "Fortran allows statements of a million characters and names of 63; hfpy refuses names of more than 255.",
        {"long.h90": "module long\n  integer :: n" + "a" * 255 + "\nend module long\n"},
        cure="Split the statement, or take a shorter name.",
    ),
}

DIRECTIVES: dict[str, Entry] = {
    "HF200": Entry(
        "The word after `@` is none of `parallelRegion`, `domainDependant`, `scheme`, `if`, `exit`.",
        {"word.h90": _region("a = 0").replace("@parallelRegion", "@paralelRegion")},
        cure="The hint names the nearest word.",
    ),
    "HF201": Entry(
        "The directive has no attribute of this name.",
        {"attribute.h90": _region("a = 0", attributes="domName(i,j), domSize(nx,ny), reduce(+:s)")},
        cure="The hint names the nearest attribute. Case does not matter.",
    ),
    "HF202": Entry(
        "An attribute has no value, an empty entry, or appears twice.",
        {"empty_entry.h90": _region("a = 0", attributes="domName(i,), domSize(nx,ny)")},
    ),
    "HF203": Entry(
        "Lists that belong together differ in length.",
        {"lengths.h90": _region("a = 0", attributes="domName(i,j), domSize(nx,ny), startAt(2)")},
    ),
    "HF204": Entry(
        "The `@end` of a directive, or a brace, is missing.",
        {"unclosed.h90": _region("a = 0").replace("  @end parallelRegion\n", "")},
    ),
    "HF205": Entry(
        "There is an `@end` and nothing that it ends.",
        {"unopened.h90": "subroutine s\n  @end parallelRegion\nend subroutine s\n"},
    ),
    "HF206": Entry(
        "Two regions of the same target lie in each other. A region for the other target, or a `vector` one, may lie "
        "inside.",
        {"nested.h90": _region("@parallelRegion{domName(k), domSize(nz)}\nb(i,j,k) = 0\n@end parallelRegion")},
    ),
    "HF207": Entry(
        "A directive is where it has no meaning: a block after statements, a scheme in a routine, an `@if` in "
        "an `@if`, …",
        {
            "late.h90": _region(
                "a = 0", more="nested: block\nend block nested\n@domainDependant{}\na\n@end domainDependant"
            )
        },
    ),
    "HF208": Entry(
        "`domName` without `domSize`, a region without domains, an `@if` without condition, a scheme without a name.",
        {"missing.h90": _region("a = 0", attributes="domName(i,j)")},
    ),
    "HF209": Entry(
        "The operator of a reduction is none that the language has.",
        {
            "operator.h90": _region(
                "s = s + a", more="real(8) :: s", attributes="domName(i,j), domSize(nx,ny), reduction(avg:s)"
            )
        },
        cure="The operators are `+ * - max min iand ior ieor .and. .or. .eqv. .neqv.`",
    ),
    "HF210": Entry(
        "A flag, target or position is none that hfpy knows; as a warning: several states in one block, of which one "
        "holds.",
        {"flag.h90": _region("a = 0", attributes="appliesTo(CPUs), domName(i,j), domSize(nx,ny)")},
        cure="The hint names the nearest one.",
    ),
    "HF211": Entry(
        "Two domains of a directive have one name.",
        {"same_name.h90": _region("a = 0", attributes="domName(i,i), domSize(nx,ny)")},
    ),
    "HF212": Entry(
        "In a comment of a plain Fortran file the directive could not mean the same to a compiler and to hfpy.",
        {
            "plain.f90": _text("""
            subroutine s
              !@if{architecture(CPU)}
              print *, 'CPU'
              !@end if
            end subroutine s
            """),
        },
        cure="Rename the file to `.h90`.",
    ),
    "HF213": Entry(
        "A region in a comment does not begin with its loops, or its loops are not nested perfectly.",
        {
            "loops.f90": _text("""
            subroutine s(nx, ny, a)
              integer, intent(in) :: nx, ny
              real, intent(inout) :: a(nx,ny)
              integer :: i, j
              !@parallelRegion{domName(i,j), domSize(nx,ny)}
              do j = 1, ny
                a(1,j) = 0
                do i = 2, nx
                  a(i,j) = 1
                end do
              end do
              !@end parallelRegion
            end subroutine s
            """),
        },
    ),
    "HF214": Entry(
        "A name appears twice in a block.",
        {
            "listed_twice.h90": _block(
                "@domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom)}\nt, t\n@end domainDependant"
            )
        },
    ),
    "HF215": Entry(
        "A region asks for another backend than its routine has.",
        {
            "other.h90": _text("""
            module other
              implicit none
              integer, parameter :: nx = 4, ny = 3, nz = 5
            contains
              subroutine step(a)
                real, intent(inout) :: a(nx,ny,nz)
                @parallelRegion{domName(i,j), domSize(nx,ny), backend(sequential)}
                a(1) = 0.0
                @end parallelRegion
              end subroutine step
            end module other
            """)
        },
        cure="Choose the backend of the routine: `--routine`, `[routines]` or `@scheme`.",
    ),
    "HF216": Entry(
        "Around a region that hfpy writes directives for, or in it, is one of the user's. Both together would not "
        "compile, or let every thread do all of the work. Or one of the user's lets the device work on arrays that a "
        "backend with directives has there itself: hfpy takes the statements for host code.",
        {
            "doubled.f90": _text("""
            subroutine s(nx, ny, a)
              integer, intent(in) :: nx, ny
              real, intent(inout) :: a(nx,ny)
              integer :: i, j
              !$omp parallel do private(i)
              !@parallelRegion{domName(i,j), domSize(nx,ny)}
              do j = 1, ny
                do i = 1, nx
                  a(i,j) = 2 * a(i,j)
                end do
              end do
              !@end parallelRegion
            end subroutine s
            """),
        },
        cure="Remove your directive: the region says the same. `--drop-directives` does it for the build, see "
        "[loops.md](loops.md#directives-around-regions).",
    ),
    "HF240": Entry(
        "With `--drop-directives` directives of OpenMP and OpenACC go where regions are. The note counts those of a "
        "file.",
        {
            "counted.f90": _text("""
            subroutine s(nx, ny, a)
              integer, intent(in) :: nx, ny
              real, intent(inout) :: a(nx,ny)
              integer :: i, j
              !$omp parallel do private(i)
              !@parallelRegion{domName(i,j), domSize(nx,ny)}
              do j = 1, ny
                do i = 1, nx
                  a(i,j) = 2 * a(i,j)
                end do
              end do
              !@end parallelRegion
              !$omp end parallel do
            end subroutine s
            """),
        },
        command="hfpy check {file} --drop-directives",
        cure="Nothing, if that was meant; take the directives away when the port is done.",
    ),
    "HF241": Entry(
        "A directive without sizes takes them from the loops after it, and these cannot be a region: there is no "
        "perfect nest of `do` loops with variables, or its bounds are not known before it begins.",
        {
            "triangle.f90": _text("""
            subroutine s(n, a)
              integer, intent(in) :: n
              real, intent(inout) :: a(n,n)
              integer :: i, j
              !@parallelRegion
              do j = 1, n
                do i = 1, j
                  a(i,j) = 2 * a(i,j)
                end do
              end do
            end subroutine s
            """),
        },
        cure="Name those loops that can be: `@parallelRegion{domName(j)}`.",
    ),
    "HF242": Entry(
        "With `--directives-as-regions` a loop is called parallel by OpenMP, OpenACC or `do concurrent`, and cannot be "
        "a region, or not be proved to be one. It stays as it is.",
        {
            "scatter.f90": _text("""
            subroutine s(n, to, a)
              integer, intent(in) :: n, to(n)
              real, intent(inout) :: a(n)
              integer :: i
              !$omp parallel do
              do i = 1, n
                !$omp atomic
                a(to(i)) = a(to(i)) + i
              end do
            end subroutine s
            """),
        },
        command="hfpy check {file} --directives-as-regions",
        cure="None is needed. To make it a region, write one, with what decides (`distinct(to)`).",
    ),
}

_SEES_INTERFACE = "`hfpy check` says it of procedures of modules and internal ones, of units that directives reach."

PLAIN: dict[str, Entry] = {
    "HF243": Entry(
        "A region with `columns(i)` is computed column by column: its loops over the columns go, and one loop is "
        "around all of it. Here that is not proved to give the same numbers, or it certainly does not.",
        {
            "mean.f90": _text("""
            subroutine s(n, m, a)
              implicit none
              integer, intent(in) :: n, m
              real, intent(inout) :: a(n,m)
              real :: mean
              integer :: i, k
              !@parallelRegion{columns(i)}
              do k = 2, m
                mean = 0
                do i = 1, n
                  mean = mean + a(i,k-1) / n
                end do
                do i = 1, n
                  a(i,k) = a(i,k) - mean
                end do
              end do
              !@end parallelRegion
            end subroutine s
            """),
        },
        cure="Take the statement out of the region, and let the region end before it; or make it the column's own.",
    ),
    "HF250": Entry(
        "`implicit none` holds, and nothing that the unit sees declares the name. `hfpy check` says it where it "
        "has the source of all modules that are used as a whole.",
        {
            "misspelt.h90": _text("""
            subroutine scale(n, a)
              implicit none
              integer, intent(in) :: n
              real(8), intent(inout) :: a(n)
              real(8) :: factor
              @parallelRegion{domName(i), domSize(n)}
              factor = 2
              a(i) = a(i) * facktor
              @end parallelRegion
            end subroutine scale
            """)
        },
    ),
    "HF251": Entry(
        f"An actual argument has another type, kind or rank than its dummy. {_SEES_INTERFACE}",
        {
            "kinds.h90": _text("""
            module kinds
              implicit none
            contains
              subroutine step(n, a, factor)
                integer, intent(in) :: n
                real(8), intent(inout) :: a(n)
                real(8), intent(in) :: factor
                @parallelRegion{domName(i), domSize(n)}
                a(i) = a(i) * factor
                @end parallelRegion
              end subroutine step
              subroutine steps(n, a)
                integer, intent(in) :: n
                real(8), intent(inout) :: a(n)
                call step(n, a, 2)
              end subroutine steps
            end module kinds
            """)
        },
        cure="Write `2.0_8` or `real(x, 8)`, or pass another variable.",
    ),
    "HF252": Entry(
        "A dummy argument that is `intent(in)` is assigned, read into, used as a loop variable, or passed to one that "
        "is `intent(out)` or `intent(inout)`.",
        {
            "input.h90": _text("""
            subroutine s(n, a, b)
              integer, intent(in) :: n
              real(8), intent(in) :: a(n)
              real(8), intent(out) :: b(n)
              @parallelRegion{domName(i), domSize(n)}
              b(i) = 2 * a(i)
              a(i) = b(i)
              @end parallelRegion
            end subroutine s
            """)
        },
    ),
    "HF253": Entry(
        "A subroutine is called that no file of the project has. hfpy reports it only if the project links no library "
        "and has no C source, and if nothing but calls mentions the name.",
        {
            "hfpy.toml": _PROJECT,
            "source/heat.f90": "program heat\n  call heet(1.0)\ncontains\n  subroutine heat_up(t)\n"
            "    real, intent(in) :: t\n    print *, t\n  end subroutine heat_up\nend program heat\n",
        },
        "hfpy check",
    ),
    "HF254": Entry(
        "A module is used that no file of the project has, nor a folder of `include_dirs` or of a flag `-I`, and that "
        "no compiler or usual library brings.",
        {"hfpy.toml": _PROJECT, "source/heat.f90": "program heat\n  use grids\n  implicit none\nend program heat\n"},
        "hfpy check",
    ),
    "HF255": Entry(
        "A comment `!@allow` names a code that is not there, or is where there is no such warning.",
        {
            "acknowledged.h90": _text("""
            subroutine s(n, m, a, ix)
              integer, intent(in) :: n, m, ix(n)
              real(8), intent(inout) :: a(m)
              !@allow HF500 b
              @parallelRegion{domName(i), domSize(n)}
              a(ix(i)) = i
              @end parallelRegion
            end subroutine s
            """)
        },
        cure="Write `!@allow HF500 a`; see [projects.md](projects.md#warnings-that-are-known).",
    ),
    "HF256": Entry(
        "A bound in the declaration of an array has another type. `hfpy check` tells it before a compiler does.",
        {
            "halves.h90": _text("""
            subroutine halves(n, a)
              integer, intent(in) :: n
              real(8), intent(inout) :: a(n)
              real(8) :: half(0.5*n)
              @parallelRegion{domName(i), domSize(n)}
              a(i) = 0.5*a(i)
              @end parallelRegion
              half = a(1)
            end subroutine halves
            """)
        },
        cure="Write `half(n/2)`, or `int(…)` around the bound.",
    ),
}

SYMBOLS: dict[str, Entry] = {
    "HF300": Entry(
        "A block lists a name that is neither declared nor imported; or a reduction names one.",
        {
            "undeclared.h90": _block(
                "@domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom)}\nt, tempe\n@end domainDependant"
            )
        },
    ),
    "HF301": Entry(
        "A name is declared twice in one scope.",
        {"declared_twice.h90": _region("a = 0", more="real(8) :: c\ninteger :: c")},
    ),
    "HF302": Entry(
        "Without `autoDom` a block lists every dimension of an array, and one of the declared ones is not among them; "
        "or an iterator is declared as something else than an integer. If the declared size may be that of a domain at "
        "run time, as two names for one size may, this is a warning, and the declared size is used.",
        {"contradiction.h90": _block("@domainDependant{domName(i,j), domSize(nx,ny)}\nt\n@end domainDependant")},
    ),
    "HF303": Entry(
        "An array has more dimensions of one size than the region has domains of it, so hfpy cannot tell which is "
        "which.",
        {
            "square.h90": _text("""
            subroutine s(n, m, a)
              integer, intent(in) :: n, m
              real, intent(inout) :: a(n,n)
              @parallelRegion{domName(i), domSize(n)}
              a(1) = 0
              @end parallelRegion
            end subroutine s
            """)
        },
        cure="Give every index, or list the array with `domName` and `domSize`.",
    ),
    "HF304": Entry(
        "An access has neither all indices nor all but those of the region.",
        {"indices.h90": _region("b(i,1) = 0")},
        cure="Give all indices, or leave out exactly those of the iterators. Outside regions give all.",
    ),
    "HF305": Entry(
        "What is passed and the argument that takes it have different dimensions, and hfpy had to do with one of them.",
        {
            "ranks.h90": _text("""
            module columns
              implicit none
              integer, parameter :: nx = 4, ny = 3, nz = 5
            contains
              subroutine grid(a)
                real, intent(inout) :: a(nx,ny,nz)
                @parallelRegion{domName(i,j), domSize(nx,ny)}
                call column(a)
                @end parallelRegion
              end subroutine grid
              subroutine column(c)
                real, intent(inout) :: c(nz,2)
                c = 0
              end subroutine column
            end module columns
            """)
        },
    ),
    "HF306": Entry(
        "One array has macros with different orders in two routines, or its indices have another macro than its shape. "
        "Macros are one order if they put the same sizes at the same places in memory, whatever they are called.",
        {
            "orders.h90": _text("""
            module orders
              implicit none
              integer, parameter :: nx = 4, ny = 3, nz = 5
            contains
              subroutine outer(a)
                real, intent(inout) :: a(nx,ny,nz)
                @domainDependant{accPP(AT_A), domPP(DOM_A)}
                a
                @end domainDependant
                call inner(a)
              end subroutine outer
              subroutine inner(a)
                real, intent(inout) :: a(nx,ny,nz)
                @parallelRegion{domName(i,j), domSize(nx,ny)}
                a(1) = 0
                @end parallelRegion
              end subroutine inner
            end module orders
            """),
            "storage_order.F90": _text("""
            #define AT(i,j,k) k,i,j
            #define DOM(i,j,k) k,i,j
            #define AT_A(i,j,k) i,j,k
            #define DOM_A(i,j,k) i,j,k
            """),
        },
        "hfpy check {file} --storage-order storage_order.F90",
    ),
    "HF307": Entry(
        "hfpy would insert a dimension whose size has no meaning in this routine.",
        {
            "unknown_size.h90": _block(
                "@domainDependant{domName(i,j), domSize(nx,mx), attribute(autoDom)}\nt\n@end domainDependant"
            )
        },
        cure="Import the name, or pass it to the routine.",
    ),
    "HF308": Entry(
        "The project has a `[layout]`, and a dimension of an array that it concerns belongs to no domain that hfpy "
        "knows.",
        {"soil.h90": _region("b(1) = 0").replace("nz", "depth")},
        'hfpy check {file} --layout "j i k"',
        cure="Bind its size in `[domains]`, or give the array an order of its own in `[layout.arrays]`.",
    ),
    "HF309": Entry(
        "An array needs a macro of the storage-order file that is not there.",
        {
            "four.h90": _text("""
            subroutine s(nx, ny, q)
              integer, intent(in) :: nx, ny
              real, intent(inout) :: q(nx,ny,5,2)
              @parallelRegion{domName(i,j), domSize(nx,ny)}
              q(1,1) = 0
              @end parallelRegion
            end subroutine s
            """),
            "storage_order.F90": "#define AT(i,j,k) k,i,j\n#define DOM(i,j,k) k,i,j\n",
        },
        "hfpy check {file} --storage-order storage_order.F90",
        cure="Define it there, or name another with `accPP` and `domPP`.",
    ),
    "HF310": Entry(
        "A note: the order of this array can be seen at a place where hfpy cannot hide it, so it stays as declared in "
        "the whole program ([layout.md](layout.md#what-keeps-its-declared-order)).",
        {
            "kept.h90": _region(
                "b = b + i", more="call random_number(b)", attributes="domName(i,j,k), domSize(nx,ny,nz)"
            )
        },
        'hfpy check {file} --layout "k i j" --export other',
        cure="Nothing is wrong. Write loops there if the array shall have the layout's order.",
    ),
    "HF311": Entry(
        "An array that you declared with a macro yourself is where its order can be seen.",
        {
            "seen.h90": _text("""
            program seen
              implicit none
              integer, parameter :: nx = 4, ny = 3, nz = 2
              real :: a(DOM(nx,ny,nz)), b(nx,ny,nz)
              @parallelRegion{domName(i,j), domSize(nx,ny)}
              a(1) = i
              @end parallelRegion
              b = 0
              b = reshape(a, [nx,ny,nz])
            end program seen
            """),
            "storage_order.F90": "#define AT(i,j,k) k,i,j\n#define DOM(i,j,k) k,i,j\n",
        },
        "hfpy check {file} --storage-order storage_order.F90",
        cure="Write the loops, or pass a copy in declared order.",
    ),
    "HF312": Entry(
        "An allocatable, a pointer or an argument with `:` carries no sizes, so its block has to name all dimensions.",
        {
            "deferred.h90": _block(
                "@domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom)}\nt\n@end domainDependant",
                "real(8), intent(inout) :: t(:,:,:)",
            )
        },
        cure="Name every dimension in `domName` and `domSize`.",
    ),
    "HF313": Entry(
        "A block lists a constant.",
        {
            "constant.h90": _block(
                "@domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom)}\nt, g\n@end domainDependant",
                "real(8), intent(inout) :: t(nz)\nreal(8), parameter :: g = 9.81d0",
            )
        },
    ),
    "HF314": Entry(
        "In a routine that is called from a region an array holds one point, and the access asks for another.",
        {
            "neighbour.h90": _text("""
            module neighbours
              implicit none
              integer, parameter :: nx = 4, ny = 3, nz = 5
            contains
              subroutine grid(a)
                real, intent(inout) :: a(nx,ny,nz)
                @parallelRegion{appliesTo(CPU), domName(i,j), domSize(nx,ny)}
                call column(a)
                @end parallelRegion
              end subroutine grid
              subroutine column(c)
                real, intent(inout) :: c(nz)
                @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom)}
                c
                @end domainDependant
                @parallelRegion{appliesTo(GPU), domName(i,j), domSize(nx,ny), startAt(2,1)}
                c(i,j,1) = c(i-1,j,2)
                @end parallelRegion
              end subroutine column
            end module neighbours
            """)
        },
        cure="Reach neighbours from a routine that holds the region.",
    ),
}

CALLS: dict[str, Entry] = {
    "HF315": Entry(
        "A region for the GPU alone uses its iterator in a way that means nothing where there is no loop.",
        {
            "lost.h90": _text("""
            module lost
              implicit none
              integer, parameter :: nx = 4, ny = 3, nz = 5
            contains
              subroutine step(total)
                real, intent(inout) :: total
                @parallelRegion{appliesTo(GPU), domName(i,j), domSize(nx,ny)}
                total = total + i
                @end parallelRegion
              end subroutine step
            end module lost
            """)
        },
        cure="Let the region apply to both targets, or keep its iterators in the indices of arrays.",
    ),
    "HF316": Entry(
        "`[layout]`, `[layout.arrays]` or `--layout` is no order of domains; or it splits a dimension into blocks, and "
        "the backend, or printing after kernels, knows none.",
        {"blocks.h90": _region("b(1) = 0")},
        'hfpy check {file} --layout "i:32 k j"',
        cure="Name each domain once, or twice if it has blocks: `i:32 k i j`. Blocks are for the backends `sequential` "
        "and `openmp`: give the other target an order without them.",
    ),
    "HF317": Entry(
        "The value of a named constant is defined with the constant itself, directly or through others.",
        {"constants.h90": _region("a = m", more="integer, parameter :: m = n + 1\ninteger, parameter :: n = m")},
    ),
    "HF318": Entry(
        "All dimensions that an iterator indexes have the size of another domain of the region.",
        {"order.h90": _region("a(i,j) = 1", attributes="domName(i,j), domSize(ny,nx)")},
    ),
    "HF319": Entry(
        "What value an iterator has after its region is not defined: loops leave one, threads and kernels do not.",
        {
            "behind.h90": _text("""
            subroutine behind(nx, a, last)
              integer, intent(in) :: nx
              real, intent(inout) :: a(nx)
              integer, intent(out) :: last
              integer :: i
              @parallelRegion{domName(i), domSize(nx)}
              a(i) = 2.0 * a(i)
              @end parallelRegion
              last = i
            end subroutine behind
            """)
        },
        cure="Use the bound of the loop (`last = nx`), or set the variable anew.",
    ),
    "HF320": Entry(
        "The array has one part at each point of the region; an inquiry without a number for the dimension would tell "
        "the bounds of all parts together.",
        {
            "bounds.h90": _text("""
            module levels
              integer, parameter :: nx = 8, nz = 5
              real :: w(0:nz)
              @domainDependant{domName(i), domSize(nx), attribute(autoDom)}
              w
              @end domainDependant
            contains
              subroutine first()
                integer :: lower(1)
                @parallelRegion{domName(i), domSize(nx)}
                lower = lbound(w)
                w(lower(1)) = 0
                @end parallelRegion
              end subroutine first
            end module levels
            """)
        },
        cure="Ask for one dimension at a time: `lbound(w, 1)`.",
    ),
    "HF400": Entry(
        "A call has too many or too few arguments, or a keyword that the routine does not know. As a warning: in a "
        "plain file, of a procedure outside of modules; compilers find that in one file alone, and may accept it.",
        {
            "call.h90": _text("""
            module calls
            contains
              subroutine one(a)
                real, intent(inout) :: a
                a = 1
              end subroutine one
              subroutine two(b)
                real, intent(inout) :: b
                call one(b, 2.)
              end subroutine two
            end module calls
            """)
        },
    ),
    "HF401": Entry(
        "Routines call each other in a circle, and one of them holds a region or leads to one. They may do so if no "
        "call on the way is in a region and the program is not for many processes. A routine that calls itself must be "
        "declared `recursive`.",
        {
            "circle.h90": _text("""
            module circle
            contains
              subroutine halve(n, a)
                integer, intent(in) :: n
                real, intent(inout) :: a(n)
                @parallelRegion{domName(i), domSize(n)}
                a = a / 2
                @end parallelRegion
                if (n > 1) call halve(n / 2, a)
              end subroutine halve
            end module circle
            """)
        },
    ),
    "HF402": Entry(
        "A routine that is called in a region leads into another region of the same target.",
        {
            "inside.h90": _text("""
            module inside
              implicit none
              integer, parameter :: nx = 4, nz = 5
            contains
              subroutine outer(a)
                real, intent(inout) :: a(nx,nz)
                @parallelRegion{domName(i), domSize(nx)}
                call inner(a)
                @end parallelRegion
              end subroutine outer
              subroutine inner(c)
                real, intent(inout) :: c(nz)
                @parallelRegion{domName(k), domSize(nz)}
                c = 0
                @end parallelRegion
              end subroutine inner
            end module inside
            """)
        },
        cure="Let one of the regions apply to the other target only, or make the inner one `vector`.",
    ),
    "HF403": Entry(
        "A note: an array is named whole in a call of a procedure whose source hfpy does not have. The procedure is "
        "given the view of the array at the point, as everywhere in a region.",
        {"unknown_call.h90": _region("call filter(nz, b)", more="external :: filter")},
        cure="Give hfpy the file with the procedure, or write out the indices of the part that is meant.",
    ),
    "HF404": Entry(
        "A region reads a file, opens or closes one, or moves in it: what a point gets would depend on the order of "
        "the points. As a warning: a routine that is called in a region does so, or random numbers are drawn. "
        "Or it uses a variable that a `block` "
        "around it declares: hfpy does not know whether points share it. Or a `block` in it declares an array whose "
        "size is another one at each point: compilers keep such sizes where threads share them. Or a statement sets an "
        "iterator of the region, or a loop around the region has one for its variable.",
        {"input.h90": _region("read (10, *) a")},
        cure="Read into an array before the region. Output, and `read` from a text, are allowed.",
    ),
    "HF405": Entry(
        "A `return`, `exit`, `cycle` or `goto` leaves the region, or a `goto` leads from outside to a statement in it "
        "that is not the first.",
        {"leave.h90": _region("if (a(i,j) < 0) return\na = 0")},
    ),
    "HF406": Entry(
        "A name that hfpy may give to something new is yours already: the body of a region in a routine of its own is "
        "`hfb<number>_<routine>`, loops and blocks are `hf_point<number>`, `hf_region<number>`, `hf_touch`. "
        "Or a variable, or a procedure, has the name of an intrinsic that hfpy writes there, such as `size`.",
        {"taken.h90": _region("a = 0", more="real(8) :: hf_point0")},
    ),
    "HF407": Entry(
        "Several specific routines may fit a generic call, and one of them has directives. hfpy tells them apart by "
        "number, type, kind and rank of the arguments; `profile` is from a module that it does not have.",
        {
            "generic.h90": _text("""
            module generic
              implicit none
              interface warm
                module procedure warm_column, warm_level
              end interface warm
            contains
              subroutine step(nx)
                use elsewhere, only: profile
                integer, intent(in) :: nx
                call warm(nx, profile(nx))
              end subroutine step
              subroutine warm_column(n, t)
                integer, intent(in) :: n
                real, intent(inout) :: t(n)
                @parallelRegion{domName(i), domSize(n)}
                t = t + 1
                @end parallelRegion
              end subroutine warm_column
              subroutine warm_level(n, t)
                integer, intent(in) :: n
                integer, intent(inout) :: t(n)
                t = t + 1
              end subroutine warm_level
            end module generic
        """)
        },
        cure="Call the specific routine by its name.",
    ),
    "HF408": Entry(
        "A routine with an `entry` has regions, or leads to some, on the GPU: it would leave arrays that it has not "
        "brought to the device.",
        {
            "entries.h90": _text("""
            module entries
              implicit none
            contains
              subroutine warm(n, t)
                integer, intent(in) :: n
                real, intent(inout) :: t(n)
                @parallelRegion{domName(i), domSize(n)}
                t = t + 1
                @end parallelRegion
                return
                entry cool(n, t)
                t(1) = 0
              end subroutine warm
            end module entries
        """)
        },
        cure="Make a subroutine of its own of what is after the entry.",
        command="hfpy check {file} --target gpu",
    ),
    "HF409": Entry(
        "Directives in the generated code list the variables of a region. Compilers take some names in no "
        "directive: with `openacc` and `openmp-target` an object whose type `select type (x)` tells; within an "
        "`associate` or `select type` the result of a function that has the function's name; beside large private "
        "arrays a variable that has other names by `equivalence`, whose value GNU Fortran loses; a polymorphic "
        "variable (`class(…)`) of which each thread would need its own. Local texts of deferred length need the "
        "attribute `target` or `save`: GNU Fortran 12 gives threads a wrong one without.",
        {
            "named.h90": _text("""
            module named
              implicit none
              type :: state
                real :: u(100)
              end type state
            contains
              subroutine warm(x)
                class(state), intent(inout) :: x
                integer :: i
                select type (x)
                type is (state)
                  @parallelRegion{domName(i), domSize(100)}
                  x%u(i) = x%u(i) + 1
                  @end parallelRegion
                end select
              end subroutine warm
            end module named
        """)
        },
        cure="Call a routine with the region, which takes the object or its components: `call step(x%u)`.",
        command="hfpy check {file} --target gpu --backend openacc",
    ),
}

FLOW: dict[str, Entry] = {
    "HF500": Entry(
        "A warning: hfpy cannot tell whether two points meet in an element that one of them writes, so the result may "
        "depend on the order of the points. The message says what would decide.",
        {"scatter.h90": _region("a(to(i),j) = a(to(i),j) + b(i,j,1)", more="integer :: to(nx)\nto = 1")},
        cure="If you know it, say so in the region: `distinct(to)` for an index array that takes no value twice, "
        "`independent(a)` for an array in which no two points meet. Else write into another array, or use a reduction.",
    ),
    "HF501": Entry(
        "A warning: a region, or a routine that it calls, writes a variable that all points share, such as one of a "
        "module, and hfpy cannot tell whether two points meet in it. The message says what would decide. Where they "
        "certainly meet it is an error, HF504.",
        {
            "chosen.h90": _text("""
            module chosen
              implicit none
              real :: found = 0
              integer :: first, lag
            contains
              subroutine s(n, a)
                integer, intent(in) :: n
                real, intent(inout) :: a(n)
                @parallelRegion{domName(i), domSize(n)}
                call look(a(i), i)
                @end parallelRegion
              end subroutine s
              subroutine look(x, k)
                real, intent(inout) :: x
                integer, intent(in) :: k
                if (k == first) found = x
                if (k == first + lag) x = found
              end subroutine look
            end module chosen
            """)
        },
        cure="If no two points meet in it, say so in the region: `independent(found)`. Else pass it to the routine as "
        "an argument, make it a local, or list it with domains so that every point has its own.",
    ),
    "HF502": Entry(
        "A scalar is set in the region and used after it, but which point sets it last is not defined.",
        {
            "last.h90": _region("if (a(i,j) > 1) found = i", more="integer :: found").replace(
                "end subroutine", "  print *, found\nend subroutine"
            )
        },
        cure="Use `reduction(op:name)`, or set it for every point.",
    ),
    "HF503": Entry(
        "A region reads a reduction variable, or changes it with another operator. Each thread has a partial result of "
        "its own in it. As a warning: the region does not update it at all.",
        {
            "product.h90": _region(
                "p = p + a", more="real(8) :: p", attributes="domName(i,j), domSize(nx,ny), reduction(*:p)"
            )
        },
        cure="Update it with its operator only, and use it after the region.",
    ),
    "HF504": Entry(
        "Two points meet in an element that one of them writes: the message names two such points. Or only a condition "
        "on data keeps points apart, which hfpy cannot check. Or a point may read an element of a local array before "
        "it has set it.",
        {
            "same_place.h90": _region("b(i,1,1) = a(i,j)"),
            "carried.h90": _region(
                "a(i,j) = a(i,j) + a(i-1,j)", attributes="domName(i,j), domSize(nx,ny), startAt(2,1)"
            ),
            "column.h90": _region("column(2) = 1\na(i,j) = sum(column)", more="real(8) :: column(3)"),
        },
        cure="Index it with every iterator, make it a reduction, write into another array, or make it local to the "
        "routine. If you know that no two points meet: `independent(a)`; that each sets what it reads: `private(a)`.",
    ),
    "HF505": Entry(
        "A warning: a routine that is called from a region keeps a variable between calls (`save`, or an initial "
        "value) and writes it, and hfpy cannot tell whether two points meet in it. Where they certainly do it is an "
        "error, HF504.",
        {
            "saved.h90": _text("""
            module saved
              implicit none
            contains
              subroutine s(n, first, last, a)
                integer, intent(in) :: n, first, last
                real, intent(inout) :: a(n)
                @parallelRegion{domName(i), domSize(n)}
                call ends(a(i), i, first, last)
                @end parallelRegion
              end subroutine s
              subroutine ends(x, k, first, last)
                real, intent(inout) :: x
                integer, intent(in) :: k, first, last
                real, save :: kept = 0
                if (k == first) kept = x
                if (k == last) x = kept
              end subroutine ends
            end module saved
            """)
        },
        cure="Pass it as an argument, or set it with a statement of its own.",
    ),
    "HF506": Entry(
        "A warning: a section with a stride goes to an `intent(out)` argument of a routine that may return before it "
        "has written all of it. The compiler passes a copy, and what was not written comes back undefined.",
        {
            "early.h90": _text("""
            module early
              implicit none
              integer, parameter :: nx = 4, nz = 5
            contains
              subroutine s(a)
                real, intent(inout) :: a(nx,nz)
                @parallelRegion{domName(i), domSize(nx)}
                call fill(a, i)
                @end parallelRegion
              end subroutine s
              subroutine fill(c, n)
                real, intent(out) :: c(nz)
                integer, intent(in) :: n
                c(1) = n
                if (n > 2) return
                c = n
              end subroutine fill
            end module early
            """)
        },
        cure="Declare the argument `intent(inout)`.",
    ),
    "HF507": Entry(
        "`temporary(…)` promises that an array is not needed after the stencil program, so that it may vanish, and "
        "then it is read there.",
        {
            "late.h90": _text("""
            module late
              implicit none
              integer, parameter :: nx = 4
              real :: flux(nx)
            contains
              subroutine step(a)
                real, intent(inout) :: a(nx)
                @stencilProgram{temporary(flux)}
                @parallelRegion{domName(i), domSize(nx)}
                flux(i) = 2.0 * a(i)
                @end parallelRegion
                @parallelRegion{domName(i), domSize(nx)}
                a(i) = flux(i) + 1.0
                @end parallelRegion
                @end stencilProgram
                a(1) = flux(2)
              end subroutine step
            end module late
            """)
        },
        cure="Take the array from `temporary(…)`, or read something else.",
    ),
    "HF508": Entry(
        "`hfpy verify --races` sees accesses in code that it compiles. What a library or the compiler's own procedures "
        "do with an array it does not see.",
        {
            "hfpy.toml": _PROJECT,
            "source/mixed.f90": _text("""
            program mixed
              implicit none
              integer, parameter :: n = 3
              real :: a(n,2,2), turn(2,2)
              integer :: i
              a = 1.0
              turn = 2.0
              !@parallelRegion{domName(i), domSize(n)}
              do i = 1, n
                a(i,:,:) = matmul(turn, a(i,:,:))
              end do
              !@end parallelRegion
            end program mixed
            """),
        },
        "hfpy verify --races",
        cure="Nothing is wrong. If you doubt such an access, write it as a loop for the time of the run.",
    ),
    "HF509": Entry(
        "A note: several points may write one element, and all write the same value, so the result is the same in any "
        "order.",
        {"same_value.h90": _region("b(1,j,1) = j")},
        cure="Nothing has to be done. Where it costs time, write the element in a region over fewer domains.",
    ),
    "HF510": Entry(
        "A call in a region gives one variable to two arguments of a routine, and the routine sets one of them. The "
        "standard does not allow this: the routine may work with a copy of the other, as kernels do, or see it change. "
        "The same is said of calls outside of regions, where the routine has the variable under two names: two "
        "arguments, or an argument and a variable of a module or a common block. It is said if a region uses both "
        "names; on GPUs if it uses one of them, since each name has its own copies between host and device.",
        {
            "halved.h90": _text("""
            module halved
              implicit none
              integer, parameter :: nx = 4, ny = 3, nz = 5
            contains
              subroutine split(v, low, high)
                real, intent(in) :: v
                real, intent(out) :: low, high
                low = 0.5*v
                high = v - low
              end subroutine split
              subroutine step(a, b)
                real, intent(inout) :: a(nx,ny), b(nx,ny)
                @parallelRegion{domName(i,j), domSize(nx,ny)}
                call split(a(i,j), a(i,j), b(i,j))
                @end parallelRegion
              end subroutine step
            end module halved
            """)
        },
        cure="Put what is only read in parentheses, as in `split((a(i,j)), a(i,j), b(i,j))`: the routine gets a copy.",
    ),
    "HF511": Entry(
        "A region uses a variable that a directive of OpenMP makes `threadprivate`, or calls a routine that does. The "
        "threads that run its points do not see the values that the variable has before the region: each thread has "
        "its own. It is a warning where a routine that is called in the region sets the variable, since that may be "
        "done before each use. A routine that you call in a parallel loop of your own can do its regions on the thread "
        "that calls it, with the backend `sequential` for this routine.",
        {
            "waves.f90": _text("""
            module waves
              implicit none
              real(8), save :: depth = 1.0d0
              !$omp threadprivate(depth)
            contains
              subroutine speeds(n, c)
                integer, intent(in) :: n
                real(8), intent(out) :: c(n)
                integer :: i
                !@parallelRegion
                do i = 1, n
                  c(i) = sqrt(9.81d0 * depth * i)
                end do
              end subroutine speeds
            end module waves
            """)
        },
        cure="Copy the variable to a local one before the region (`here = depth`), and use that.",
    ),
    "HF600": Entry(
        "An array is said to be host data, but a kernel uses it.",
        {
            "torn.h90": _text("""
            module torn
              implicit none
              integer, parameter :: nx = 4, ny = 3, nz = 5
            contains
              subroutine step(a)
                real, intent(inout) :: a(nx,ny,nz)
                @domainDependant{attribute(autoDom, host)}
                a
                @end domainDependant
                @parallelRegion{domName(i,j), domSize(nx,ny)}
                a(1) = a(1) + 1.0
                @end parallelRegion
              end subroutine step
            end module torn
            """)
        },
        command="hfpy check {file} --target gpu",
        cure="List it with `attribute(transferHere)`, or with `attribute(present)` if a caller brings it there.",
    ),
    "HF601": Entry(
        "The condition of a `do while` on the host reads an array whose valid copy is on the device.",
        {
            "waiting.h90": _text("""
            module waiting
              implicit none
              integer, parameter :: nx = 4, ny = 3, nz = 5
            contains
              subroutine step(a)
                real, intent(inout) :: a(nx,ny,nz)
                do while (a(1,1,1) < 5.0)
                  @parallelRegion{domName(i,j), domSize(nx,ny)}
                  a(1) = a(1) + 1.0
                  @end parallelRegion
                end do
              end subroutine step
            end module waiting
            """)
        },
        command="hfpy check {file} --target gpu",
        cure="Read the value into a scalar inside the loop, and leave the loop by `exit`.",
    ),
    "HF602": Entry(
        "A routine expects an argument on the device, but what it gets is a temporary of the compiler, which has an "
        "address of its own: a section with gaps for a dummy argument of explicit shape, or the value of an "
        "expression. Or, with other backends than `cuda-c` and `hip`, a section with gaps goes to a dummy argument of "
        "assumed shape.",
        {
            "columns.h90": _text("""
            module columns
              implicit none
              integer, parameter :: nx = 4, ny = 3
            contains
              subroutine step(a)
                real, intent(inout) :: a(nx,ny)
                @domainDependant{attribute(transferHere)}
                a
                @end domainDependant
                call halve(nx/2, a(1:nx:2,1))
              end subroutine step
              subroutine halve(n, v)
                integer, intent(in) :: n
                real, intent(inout) :: v(n)
                @domainDependant{attribute(present)}
                v
                @end domainDependant
                @parallelRegion{domName(i), domSize(n)}
                v = v / 2.0
                @end parallelRegion
              end subroutine halve
            end module columns
            """)
        },
        command="hfpy check {file} --target gpu",
        cure="With `cuda-c` and `hip`, declare the dummy argument with `:`. Or pass the whole array, or copy the "
        "section to an array of its own before the call.",
    ),
    "HF603": Entry(
        "A statement of the host changes an array, or may do so, whose valid copy is on the device, and hfpy finds no "
        "place or no way to bring the change there. Here the statement ends a loop, and what is after it is no "
        "longer in the loop.",
        {
            "ending.h90": _text("""
            module ending
              implicit none
              integer, parameter :: nx = 4, ny = 3
            contains
              subroutine step(a)
                real, intent(inout) :: a(nx,ny)
                integer :: n
                n = 0
                do 10 while (n < 3)
                  n = n + 1
                  @parallelRegion{domName(i,j), domSize(nx,ny)}
                  a = a + 1.0
                  @end parallelRegion
            10  a(1,1) = n
              end subroutine step
            end module ending
            """)
        },
        command="hfpy check {file} --target gpu",
        cure="Give the statement a place of its own; a loop ended by a label may end on a `continue`.",
    ),
    "HF604": Entry(
        "The buffer of a non-blocking call belongs to the message until the program has waited for it. hfpy copies the "
        "buffer to the host before the call and to the device after the call that waits. It must find that call in "
        "the same routine, under no condition, and nothing may use the array on the device in between. Persistent and "
        "one-sided communication keeps buffers for longer. Items of asynchronous input and output "
        "(`asynchronous='yes'`) may not be on the device at all.",
        {
            "halo.h90": _text("""
            module halo
              implicit none
              integer, parameter :: nx = 4
            contains
              subroutine start(a, request)
                use mpi
                real, intent(inout) :: a(nx)
                integer, intent(out) :: request
                integer :: code
                @parallelRegion{domName(i), domSize(nx)}
                a = a + 1.0
                @end parallelRegion
                call mpi_irecv(a, nx, MPI_REAL, 0, 1, MPI_COMM_WORLD, request, code)
              end subroutine start
            end module halo
            """)
        },
        command="hfpy check {file} --target gpu",
        cure="Wait in the routine that starts the message, or receive into an array that is not on the device.",
    ),
    "HF605": Entry(
        "`transferHere` lists an object of a derived type, or a component of one. Only arrays of their own stay on the "
        "device while a routine runs; components go there for each kernel.",
        {
            "objects.h90": _text("""
            module objects
              type state
                real :: t(4)
              end type state
            contains
              subroutine step(s)
                type(state), intent(inout) :: s
                @domainDependant{attribute(transferHere)}
                s
                @end domainDependant
                @parallelRegion{domName(i), domSize(4)}
                s%t(i) = s%t(i) + 1.0
                @end parallelRegion
              end subroutine step
            end module objects
            """)
        },
        cure="Pass the component to a routine, and list its dummy argument there.",
    ),
    "HF606": Entry(
        "Other images read and set a coarray at any time, and they do so in the host's memory. So a coarray, and dummy "
        "arguments that get one, cannot be on the device.",
        {
            "images.h90": _text("""
            module images
              real :: u(4)[*]
            contains
              subroutine step()
                integer :: i
                @parallelRegion{domName(i), domSize(4)}
                u(i) = u(i) + 1.0
                @end parallelRegion
              end subroutine step
            end module images
            """)
        },
        command="hfpy check {file} --target gpu",
        cure="Compute in an array that is no coarray, and copy to the coarray what other images need.",
    ),
    "HF650": Entry(
        "`@haloExchange` or `@wholeGrid` needs a `@decomposition` in the program; with several, it has to name one.",
        {"lonely.h90": _many("@haloExchange{fields(a)}", decomposition="")},
    ),
    "HF651": Entry(
        "An array of an exchange needs a dimension over a domain of the decomposition, whose own points begin with 1.",
        {"uncut.h90": _many("@haloExchange{fields(c)}")},
    ),
    "HF652": Entry(
        "`global(…)` takes the iterator of a domain of the decomposition or a local size, `onEdge(…)` a domain and "
        "`low` or `high`.",
        {"question.h90": _many("a(1) = global(m)")},
    ),
    "HF653": Entry(
        "The decomposition does not say whether reductions go over all processes, or one cannot: it goes over points "
        "of the halo, or has another operator than `+`, `*`, `max`, `min`, `.and.`, `.or.`.",
        {
            "partly.h90": _many(
                "@parallelRegion{domName(i), domSize(n), reduction(+:total)}",
                "total = total + a(i)",
                "@end parallelRegion",
            )
        },
    ),
    "HF654": Entry(
        "A routine for the whole grid is a subroutine of a module that is neither pure nor elemental, with arguments "
        "that can be sent to other processes.",
        {"function.h90": _many("@wholeGrid", kind="real(8) function work")},
    ),
    "HF655": Entry(
        "A region reads points beside those that the process owns, and the processes that own them have set them since "
        "the last exchange: on several processes the region would read old values.",
        {
            "stale.h90": _many(
                "@parallelRegion{domName(i), domSize(n)}",
                "a(i) = i",
                "@end parallelRegion",
                "@parallelRegion{domName(i), domSize(n)}",
                "c(i) = a(i+1)",
                "@end parallelRegion",
            )
        },
    ),
    "HF656": Entry(
        "The halos of these fields are as their owners have them whenever this exchange is reached. It costs time and "
        "does no harm.",
        {"twice.h90": _many("@haloExchange{fields(a)}", "@haloExchange{fields(a)}")},
        cure="Remove it.",
    ),
    "HF657": Entry(
        "With `exchange(auto)` an exchange has to come where some processes would not reach it, or before a call that "
        "passes a part of an array.",
        {
            "edge.h90": _many(
                "if (onEdge(i, low)) then",
                "@parallelRegion{domName(i), domSize(n)}",
                "c(i) = a(i+1)",
                "@end parallelRegion",
                "end if",
                attributes=", periodic(i), exchange(auto)",
            )
        },
    ),
    "HF658": Entry(
        "With `exchange(auto)` hfpy exchanges the fields of the grid. Of an array without sizes, such as the target of "
        "a pointer, it does not know whether it is one.",
        {
            "pointed.h90": _many(
                "real(8), pointer :: p(:)",
                "p => null()",
                "@parallelRegion{domName(i), domSize(n)}",
                "c(i) = p(i+1)",
                "@end parallelRegion",
                attributes=", periodic(i), exchange(auto)",
            )
        },
    ),
    "HF659": Entry(
        "With `mode(overlap)` the region after an exchange is computed in parts while the messages travel. That is "
        "only done where each point's index tells which halos it reads, and the region sets nothing that is under way.",
        {
            "sum.h90": _many(
                "@haloExchange{fields(a), mode(overlap)}",
                "@parallelRegion{domName(i), domSize(n)}",
                "a(i) = a(i+1)",
                "@end parallelRegion",
            )
        },
    ),
    "HF660": Entry(
        "With `halo(…)` a process computes points of its halo as their owners do. That is only done where a point does "
        "not depend on its place in the part, and where the region does no more than to set fields at its own points.",
        {
            "placed.h90": _many(
                "@haloExchange{fields(a)}",
                "@parallelRegion{domName(i), domSize(n), halo(i:1)}",
                "a(i) = 2 * a(i) + i",
                "@end parallelRegion",
            )
        },
    ),
    "HF661": Entry(
        "With `every(m)` the regions of a loop compute in the halo what is read until the next exchange. hfpy has to "
        "see all that happens to the fields from one exchange to the next, and the halo has to be wide enough for all "
        "turns.",
        {
            "seldom.h90": _many(
                "integer :: turn",
                "do turn = 1, 9",
                "@haloExchange{fields(a), width(i:1), every(2)}",
                "@parallelRegion{domName(i), domSize(n)}",
                "c(i) = a(i+1)",
                "@end parallelRegion",
                "a(2) = 0",
                "end do",
            )
        },
    ),
    "HF662": Entry(
        "In a decomposed domain, indices and sizes are those of each process's part. Bounds such as `startAt(2)`, or a "
        "condition such as `i == 1`, mean a point in the part of every process, where mostly one of the whole grid "
        "is meant. Where each process's part is meant, acknowledge it: `!@allow HF662`.",
        {
            "inner.h90": _many(
                "@parallelRegion{domName(i), domSize(n), startAt(2), endAt(n-1)}",
                "a(i) = 2 * a(i)",
                "@end parallelRegion",
                attributes="",
            )
        },
    ),
}

_SCRIPTED = _PROJECT.replace('["source"]', '["heat.h90"]') + '\n[scripts]\ndir = "scripts"\nannotate = "domain"\n'
_KERNEL = _text("""
    module heat
      implicit none
    contains
      subroutine spread(nx, n, t)
        integer, intent(in) :: nx, n
        real(8), intent(inout) :: t(nx,n,n)
        integer :: k, l
        @parallelRegion{domName(i), domSize(nx), name(spread)}
        do k = 2, n
          do l = 1, n - 1
            t(i,k,l) = 0.5d0 * t(i,k-1,l+1)
          end do
        end do
        @end parallelRegion
      end subroutine spread
    end module heat
""")


def _scripted(script: str, attributes: str = "") -> dict[str, str | bytes]:
    """A project with a kernel and a script for it."""
    kernel = _KERNEL.replace("name(spread)", "name(spread)" + attributes)
    return {"heat.h90": kernel, "scripts/domain.py": script, "hfpy.toml": _SCRIPTED}


def _annotate(*rows: str) -> str:
    return "def annotate(kernel, annotations, context):\n" + "".join(f"    {row}\n" for row in rows)


SCRIPTS: dict[str, Entry] = {
    "HF670": Entry(
        "A script asks for a transformation of a kernel that would change results, here since values go from "
        "turn to turn of both loops, or that the kernel has no place for. A script may catch "
        "`hfpy.api.IllegalTransform` and try something else.",
        _scripted(_annotate('return kernel.interchange("k", "l")')),
        "hfpy check --trust",
        "Ask for another transformation; see [scripts.md](scripts.md#transformations).",
    ),
    "HF671": Entry(
        "A transformation leaves its kernel as it is and gives a new one. Here that is not used.",
        _scripted(_annotate('kernel.split("k", 8)', "return kernel")),
        "hfpy check --trust",
    ),
    "HF672": Entry(
        "A script is not there, is not Python, fails, or does not give back the kernel that it got.",
        _scripted(_annotate('kernel = kernel.split("k", 8)')),
        "hfpy check --trust",
        "End the function with `return kernel`.",
    ),
    "HF673": Entry(
        "A kernel has an annotation that no script asks for by its name, or whose value is a word that is no loop or "
        "array of it. Mostly one of them is misspelt.",
        _scripted(_annotate('if "column" in annotations:', "    pass", "return kernel"), ", annotate(colum:k)"),
        "hfpy check --trust",
        "Spell both alike; a script that walks over all annotations says `annotations.use(key)`.",
    ),
    "HF674": Entry(
        "The project has scripts, and the command only looks at the project: it executes nothing of it, and shows the "
        "kernels as they are written. Or files of the project are given to `hfpy transpile` by their names, and "
        "translated without the project's settings.",
        _scripted(_annotate("return kernel")),
        "hfpy check",
        "Give `--trust` if you trust the project's scripts. Give `hfpy transpile` no names, so that it translates the "
        "project.",
    ),
    "HF675": Entry(
        "`--set` names no kernel, or asks for a transformation that would change results or that the kernel has no "
        "place for: an error. What `hfpy tune --script` has chosen is not possible any more: a warning, and the kernel "
        "stays as it is.",
        _scripted(_annotate("return kernel")),
        "hfpy check --trust --set interchange.spread=k,l",
        "Ask for another transformation; see [scripts.md](scripts.md#transformations).",
    ),
}

BACKENDS: dict[str, Entry] = {
    "HF701": Entry(
        "A wish for the schedule of a region cannot be granted: here the body sets a whole column, and only regions "
        "that work element by element are unrolled. `async` is reported in the same way where nothing runs "
        "beside a region.",
        {
            "hinted.h90": _text("""
            module hinted
              implicit none
              integer, parameter :: nx = 4, ny = 3, nz = 5
            contains
              subroutine step(a)
                real, intent(inout) :: a(nx,ny,nz)
                @parallelRegion{domName(i,j), domSize(nx,ny), unroll(j:2)}
                a = 0.0
                @end parallelRegion
              end subroutine step
            end module hinted
            """)
        },
        cure="Leave it, or remove it: results are the same with and without it.",
    ),
    "HF702": Entry(
        "A statement in a region, or in a routine called there, has no counterpart in a kernel of a GPU.",
        {
            "shouting.h90": _text("""
            module shouting
              implicit none
              integer, parameter :: nx = 4, ny = 3, nz = 5
            contains
              subroutine step(a)
                real, intent(inout) :: a(nx,ny,nz)
                @parallelRegion{domName(i,j), domSize(nx,ny)}
                a(1) = a(1) + 1.0
                if (a(1) > 9.0) print *, 'too large', a(:)
                @end parallelRegion
              end subroutine step
            end module shouting
            """)
        },
        command="hfpy check {file} --target gpu",
        cure="Write it in terms that kernels know, do it outside of the region, or choose another backend.",
    ),
    "HF703": Entry(
        "An array is on the device for one backend, and routines of another backend use it there. OpenACC and OpenMP "
        "have tables of their own of what is on the device, and do not find what the other has brought there. Where "
        "CUDA kernels are among the backends, all share the table of hfpy, with few exceptions, which are reported.",
        {
            "shared.h90": _text("""
            module shared
              implicit none
              integer, parameter :: nx = 4, ny = 3
            contains
              subroutine step(a)
                real, intent(inout) :: a(nx,ny)
                @domainDependant{attribute(transferHere)}
                a
                @end domainDependant
                @parallelRegion{domName(i,j), domSize(nx,ny)}
                a = a + 1.0
                @end parallelRegion
                call halve(a)
              end subroutine step
              subroutine halve(a)
                real, intent(inout) :: a(nx,ny)
                @domainDependant{attribute(present)}
                a
                @end domainDependant
                @parallelRegion{domName(i,j), domSize(nx,ny)}
                a = a / 2.0
                @end parallelRegion
              end subroutine halve
            end module shared
            """)
        },
        command="hfpy check {file} --target gpu --backend openacc --routine halve=openmp-target",
        cure="Give both routines one backend, or let each bring its arrays to the device and take them back.",
    ),
    "HF704": Entry(
        "`hfpy tune` has chosen how the regions of a routine are grouped, and the regions have changed since, or the "
        "groups are not possible at this level of the optimiser, or the routine is gone.",
        {
            "hfpy.toml": '[project]\nname = "smooth"\nsources = ["smooth.h90"]\n',
            "smooth.h90": _text("""
            module smooth
              implicit none
            contains
              subroutine twice(nx, a, b)
                integer, intent(in) :: nx
                real(8), intent(in) :: a(nx)
                real(8), intent(inout) :: b(nx)
                @parallelRegion{domName(i), domSize(nx)}
                b(i) = 2 * a(i)
                @end parallelRegion
              end subroutine twice
            end module smooth
            """),
            "hfpy-tuning.json": _text("""
            {"cpu": [{"routine": "smooth::twice", "stages": "24e490c896ea97b6", "backend": "openmp", "groups": [2]}],
             "gpu": []}
            """),
        },
        command="hfpy check .",
    ),
    "HF705": Entry(
        "Regions shall get versions of their own for sizes (`--specialise`, or `specialise` in `hfpy.toml`), but a "
        "region has labels, named blocks or preprocessor lines, which cannot be there twice; or no region has such "
        "a size.",
        {"halve.h90": _region("a(i,j) = a(i,j) / 2", "halve")},
        command="hfpy check {file} --specialise nxx=256",
        cure="Correct the name. Where a region has no version of its own, the general one runs.",
    ),
    "HF706": Entry(
        "Columns of this kind are computed [in blocks](optimiser.md#column-physics), but something in the region, or "
        "in a routine that it calls, is against it. The factor is an estimate by the work that vectors would help; "
        "nothing is said below 1.5. The results are right.",
        {
            "rain.h90": _text("""
            module rain
              implicit none
            contains
              subroutine fall(nz, q, r)
                integer, intent(in) :: nz
                real(8), intent(in) :: q(nz)
                real(8), intent(inout) :: r(nz)
                integer :: k
                do k = 2, nz
                  if (q(k) < 0) return
                  r(k) = r(k-1) / (1 + q(k)) + q(k) / (2 + r(k-1)) + q(k) * q(k-1)
                end do
              end subroutine fall
              subroutine rains(nx, nz, q, r)
                integer, intent(in) :: nx, nz
                real(8), intent(in) :: q(nx,nz)
                real(8), intent(inout) :: r(nx,nz)
                integer :: i
                @parallelRegion{domName(i), domSize(nx)}
                call fall(nz, q(i,:), r(i,:))
                @end parallelRegion
              end subroutine rains
            end module rain
            """)
        },
        cure="Write the cause in another way: here, a condition around the statements instead of the `return`. "
        "With the attribute `fuse(no)` the region stays as it is, without a note.",
    ),
}

PROJECTS: dict[str, Entry] = {
    "HF800": Entry(
        "There is no `hfpy.toml`, or it is no TOML.",
        {"heat.f90": b""},
        "hfpy check",
        cure="`hfpy new NAME` makes a project.",
    ),
    "HF801": Entry(
        "The file holds a key that hfpy does not know.",
        {"hfpy.toml": _PROJECT.replace("sources", "source") + 'sources = ["."]\n', "heat.f90": _MAIN},
        "hfpy check",
        cure="The hint names the nearest one; [projects.md](projects.md) has all.",
    ),
    "HF802": Entry(
        "A value is of the wrong type, or none of those that the key takes.",
        {"hfpy.toml": _PROJECT + '[target.cpu]\nbackend = "openpm"\n', "source/heat.f90": _MAIN},
        "hfpy check",
        cure="The hint names the nearest value that the key takes; all keys are in [projects.md](projects.md).",
    ),
    "HF803": Entry(
        "The project names no sources, or they do not exist, or none of them is a main program.",
        {"hfpy.toml": _PROJECT},
        "hfpy check",
        cure="Name folders, files or globs, relative to the folder of `hfpy.toml`, and at least one main program.",
    ),
    "HF804": Entry(
        "A compiler that is needed is not on this machine: the one that the project or the environment names, or any.",
        {"hfpy.toml": _PROJECT + '[target.cpu]\ncompiler = "nofortran"\n', "source/heat.f90": _MAIN},
        "hfpy build",
        cure="Install one, or name yours in `FC`, `CC`, `NVCC` or `hfpy.toml`. `hfpy doctor` shows what is there.",
    ),
    "HF805": Entry(
        "A compiler or linker ended with an error. Its messages are above, with the lines of your sources.",
        cure="Mend what the compiler says. `--verbose` shows the commands.",
        looks="heat.f90:(.text.startup+0x22): undefined reference to `undefined_name_'\n"
        "collect2: error: ld returned 1 exit status\nerror HF805: gfortran failed on build/cpu-openmp/heat",
    ),
    "HF806": Entry(
        "A file or folder cannot be written.",
        {"heat.f90": _MAIN, "out": "in the way\n"},
        "hfpy transpile heat.f90 -o out",
        cure="See that the folder exists, that you may write to it, and that the disk is not full.",
    ),
    "HF807": Entry(
        "Two sources would become one file, or two main programs one executable.",
        {
            "source/heat.F90": _MAIN,
            "source/heat.h90": "module heat_module\nend module heat_module\n",
        },
        "hfpy transpile source/heat.F90 source/heat.h90 -o out",
        cure="Rename one of the two. Files of one name in different folders are no error: their folders "
        "become part of the names of what is generated.",
    ),
    "HF808": Entry(
        "A note: a setting of an existing project was translated for this machine.",
        {"config/MakesettingsGeneral": "FC=nofortran\n", "source/heat.f90": _MAIN},
        "hfpy check",
        cure="Nothing to do.",
    ),
    "HF809": Entry(
        "An executable that is named does not exist.",
        {"hfpy.toml": _PROJECT + 'executables = ["cold"]\n', "source/heat.f90": _MAIN},
        "hfpy build -j 1",
        cure="The hint names those that there are.",
    ),
    "HF810": Entry(
        "Modules use each other in a circle.",
        {
            "hfpy.toml": _PROJECT,
            "source/heat.f90": _MAIN,
            "source/one.f90": "module one\n  use two\nend module one\n",
            "source/two.f90": "module two\n  use one\nend module two\n",
        },
        "hfpy build -j 1",
        cure="Put what both need into a third module.",
    ),
    "HF811": Entry(
        "A note: a setting of an existing project has no effect here.",
        {"config/MakesettingsGeneral": "OPTION_FLAGS=FAST\n", "source/heat.f90": _MAIN},
        "hfpy check",
        cure="Nothing to do.",
    ),
    "HF812": Entry(
        "CUDA kernels would run on the GPU, and regions of OpenACC or OpenMP, which share arrays with them, on the "
        "host, where the addresses of the GPU's memory mean nothing.",
        {
            "hfpy.toml": _text("""
            [project]
            name = "warm"
            sources = ["warm.h90"]
            [target.gpu]
            compiler = "gfortran"
            """),
            "warm.h90": _text("""
            module warm
              implicit none
              integer, parameter :: nx = 4, ny = 3
            contains
              subroutine step(a)
                real, intent(inout) :: a(nx,ny)
                @domainDependant{attribute(transferHere)}
                a
                @end domainDependant
                @parallelRegion{domName(i,j), domSize(nx,ny)}
                a = a + 1.0
                @end parallelRegion
                call halve(a)
              end subroutine step
              subroutine halve(a)
                real, intent(inout) :: a(nx,ny)
                @domainDependant{attribute(present)}
                a
                @end domainDependant
                @parallelRegion{domName(i,j), domSize(nx,ny)}
                a = a / 2.0
                @end parallelRegion
              end subroutine halve
            end module warm
            program main
              use warm
              implicit none
              real :: a(nx,ny)
              a = 1.0
              call step(a)
              print *, a
            end program main
            """),
        },
        "hfpy build --target gpu --routine halve=openacc",
        cure="Give the compiler's flags for a GPU in `hfpy.toml`, choose one backend for all, or build with "
        "`--emulate`, where everything runs on the host.",
    ),
    "HF813": Entry(
        "`hfpy fc` compiles a source with directives, and no scan of the program is to be found. What becomes of the "
        "file depends on the others.",
        {"heat.h90": _KERNEL},
        "hfpy fc gfortran -c heat.h90",
        "Scan once, in the folder of the program: `hfpy fc --scan DIR...`; see [build-systems.md](build-systems.md).",
    ),
    "HF814": Entry(
        "`hfpy fc` compiles a source that mentions a macro, and the scan saw that macro with another value, or not at "
        "all. The directives may be about other code then.",
        looks="source/work.F90: error HF814: this is compiled with -DFACTOR=3, and was scanned without",
        cure="Scan with the macros of the build: `hfpy fc --scan DIR... -DFACTOR=3`.",
    ),
    "HF815": Entry(
        "An object, or one in an archive, was compiled from another translation than the program has now: arrays may "
        "be in another order in it, or on another device.",
        looks="source/work.F90: error HF815: 'work.o' was compiled from another translation than the one that the "
        "program has now",
        cure="Compile the source again. With `-MD` in the compiler's flags make does so by itself.",
    ),
    "HF816": Entry(
        "`hfpy fc` has no CUDA Fortran and no `@decomposition` yet.",
        looks="source: error HF816: builds by other tools than hfpy have no CUDA Fortran and no decompositions yet",
        cure="Choose `cuda-c`, or use `hfpy build`.",
    ),
    "HF817": Entry(
        "`hfpy transpile` is given files of a project by their names. It translates them without the project's "
        "settings, some of which would change what is generated.",
        {
            "hfpy.toml": _PROJECT + '[layout]\ncpu = "k i"\n',
            "source/heat.f90": _MAIN,
        },
        "hfpy transpile source/heat.f90 -o out",
        cure="Name no files: then the project here is translated with its settings. In a build that names them, give "
        "the options that say the same, such as `--layout`.",
    ),
    "HF900": Entry(
        "hfpy stumbled over itself. That is a bug in hfpy, not in your code.",
        cure="Please report it with the command and, if you can, the source. With `HFPY_DEBUG=1` hfpy shows where it "
        "happened.",
        looks="heat.h90:12:5: error HF900: hfpy stumbled in subroutine 'step': KeyError: 'a' (facts.py, line 80)\n"
        "  hint: this is a bug in hfpy, not in your code. Please report it with the command you gave and,\n"
        "        if you can, the source; with HFPY_DEBUG=1 in the environment hfpy shows where it happened.",
    ),
}

ENTRIES: dict[str, Entry] = {
    **LEXICAL,
    **DIRECTIVES,
    **PLAIN,
    **SYMBOLS,
    **CALLS,
    **FLOW,
    **SCRIPTS,
    **BACKENDS,
    **PROJECTS,
}
