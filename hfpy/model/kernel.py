"""One kernel as a value: what it is called, what it is given, what each thread has of its own.

Every backend that writes kernels prints kernel and launcher from this one signature (design §9). Nothing in it belongs
to a language: bounds are expressions of the program, names are those of the program or made from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from hfpy.model.expressions import Expr, Fragment
from hfpy.model.scalars import Scalar
from hfpy.model.source import LineKey
from hfpy.values import dataclass

Access = Literal["in", "out", "inout"]
#: How a parameter is passed: by value; by value with the word whether it was given; as a scalar that comes back; as
#: the partial results of a reduction; as the address of an array.
Passing = Literal["value", "optional", "result", "reduction", "array"]
_ORDER: tuple[Passing, ...] = ("value", "optional", "result", "reduction", "array")
#: A variable of a module: the module's key and the name there; or of a common block, in slashes, and the place there.
Slot = tuple[str, str]


#: Lower and upper bounds of dimensions: integers that keep their values while a kernel runs. Their names are parameters
#: of the kernel and named constants of the region's routine.
Bounds = tuple[tuple[Fragment, Fragment], ...]


@dataclass(frozen=True, slots=True)
class Range:
    """The points of a region along one iterator of a type, whose ends are like bounds; ``empty`` if there is certainly
    none.
    """

    iterator: str
    type: Scalar
    first: Fragment
    last: Fragment
    step: Fragment
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Elements:
    """How many elements of an array of unknown size a kernel needs, from its beginning on: the kernel's parameter with
    this number, the host's variable, and the Fortran expression that the host gives it.
    """

    parameter: str
    variable: str
    value: str


@dataclass(frozen=True, slots=True)
class Packed:
    """A component of all elements of arrays of objects: ``whole`` is the array that the chain of components begins
    with, ``rest`` are the names behind it, each with the rank that it has there, and ``inner`` is for each dimension of
    these arrays a variable that counts its elements, and its bounds.
    """

    whole: str
    rest: tuple[tuple[str, int], ...]
    inner: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of kernel and launcher.

    ``text`` is its name there, ``name`` the user's name for what it holds (``grid%dx`` for a component), ``actual`` the
    Fortran text that the launcher is called with. Arrays have the ``bounds`` of their dimensions in the order of
    Fortran's index list, and ``storage``: for each place in storage the place in that list. ``aliased`` arrays may
    share memory with others, ``optional`` parameters need not be given. ``operator`` is that of a reduction. ``packed``
    is the component of all elements of arrays of objects that lies in ``actual`` while the kernel runs. ``lent``
    is memory of hfpy's own, for the kernel alone. Of an array that is only ``asked`` about its shape, or whether it is
    there, the kernel gets no memory. ``elements`` are those that there are of an array of unknown size.
    Between the elements of a ``gapped`` array there may be others' memory.
    """

    passing: Passing
    name: str
    text: str
    type: Scalar
    actual: str
    access: Access = "in"
    bounds: Bounds = ()
    storage: tuple[int, ...] = ()
    aliased: bool = False
    optional: bool = False
    operator: str = ""
    packed: Packed | None = None
    lent: bool = False
    asked: bool = False
    elements: Elements | None = None
    gapped: bool = False

    @property
    def component(self) -> bool:
        """Whether the launcher is called with what is on the device for the kernel alone: a component of an object, or
        of all elements of an array of objects, or an array of unknown size.
        """
        return "%" in self.actual or bool(self.packed) or self.lent or self.elements is not None

    @property
    def rank(self) -> int:
        """The number of an array's dimensions."""
        return len(self.bounds)

    @property
    def stored_bounds(self) -> Bounds:
        """The bounds in the order of storage."""
        return tuple(self.bounds[d] for d in self.storage)


@dataclass(frozen=True, slots=True)
class Local:
    """A variable of which every thread has its own.

    ``before`` and ``after`` are the parameters with its value before the region and for that of the last point,
    ``partial`` is the parameter for what it collected for a reduction with ``operator``. The ``bounds`` of an array are
    in the order of Fortran's index list; None where they may have changed since the array was declared.
    """

    name: str
    type: Scalar
    rank: int = 0
    bounds: Bounds | None = ()
    before: str = ""
    after: str = ""
    partial: str = ""
    operator: str = ""


@dataclass(frozen=True, slots=True)
class Workspace:
    """Room, for every thread, for a local array of run-time size of a called routine: ``slot`` is the routine's key and
    the array's name, ``routine`` its name, ``text`` what the kernel calls it. ``bounds`` are in the order of storage;
    None where not all calls mean the same size.
    """

    slot: Slot
    routine: str
    text: str
    type: Scalar
    bounds: Bounds | None


@dataclass(frozen=True, slots=True)
class Import:
    """A module variable that a routine needs and does not know: its name in the module, and the one it gets there."""

    module: str
    name: str
    local: str


@dataclass(frozen=True, slots=True)
class Block:
    """A common block that a routine needs and does not declare: its name, and for each of its variables the declaration
    and the name.
    """

    name: str
    variables: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """A statement that ends the run: its line, the parameter that tells that a point has come to it, the statement as
    the host executes it, and its place.
    """

    line: LineKey
    parameter: str
    statement: str
    place: str


@dataclass(frozen=True, slots=True)
class Print:
    """Output of a point: the statement's line, where in it the statement begins, its number in the kernel, the
    parameter with the buffer, the values with their types, and the statement with which the host shows them.
    """

    line: LineKey
    begin: int
    number: int
    parameter: str
    values: tuple[tuple[Expr, Scalar], ...]
    statement: str


@dataclass(frozen=True)
class KernelSpec:
    """The kernel of one region, and its launcher.

    ``place`` is file and line of the region, ``unit`` the kind and name of its routine. ``block`` are the threads of a
    block in x, y, z, ``team`` how many of them share a loop over each of these variables (empty: one thread a point).
    ``variables`` are parameters and locals as they came to be needed; ``meaning`` gives for each name of the routine,
    and for each chain of components, its parameter or local, ``globals`` the same for
    variables of modules and common blocks that called routines name. ``imports`` and ``blocks`` are what the routine
    has to import, and to declare, for that. ``called`` are the keys of all routines that the kernel reaches, callees
    first, ``workspace`` is for their local arrays of run-time size. ``stops`` are the statements in it that end the
    run, ``prints`` its output. ``queue`` is the number of the queue that the user asks for (0: any).
    """

    name: str
    launcher: str
    place: str
    unit: tuple[str, str]
    ranges: tuple[Range, ...]
    block: tuple[int, int, int]
    team: Mapping[str, int]
    variables: tuple[Parameter | Local, ...]
    meaning: Mapping[str, str]
    globals: Mapping[Slot, str]
    called: tuple[str, ...] = ()
    workspace: tuple[Workspace, ...] = ()
    imports: tuple[Import, ...] = ()
    blocks: tuple[Block, ...] = ()
    stops: tuple[Stop, ...] = ()
    prints: tuple[Print, ...] = ()
    queue: int = 0

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in the order in which launchers and kernels have them."""
        found = (v for v in self.variables if isinstance(v, Parameter))
        return tuple(sorted(found, key=lambda p: _ORDER.index(p.passing)))

    @property
    def locals(self) -> tuple[Local, ...]:
        """What each thread has of its own."""
        return tuple(v for v in self.variables if isinstance(v, Local))

    @property
    def iterators(self) -> tuple[str, ...]:
        """The iterators, the first domain first."""
        return tuple(r.iterator for r in self.ranges)

    @property
    def reduces(self) -> bool:
        """Whether each thread computes many points, as it collects a result."""
        return any(p.passing == "reduction" for p in self.parameters)

    @property
    def waited_for(self) -> str:
        """Why the host waits for the end of the kernel; empty if it does not."""
        if self.stops or self.prints:
            return "a point may end the run" if self.stops else "points print"
        names = (p.name for p in self.parameters if p.passing in ("result", "reduction"))
        return next((f"'{name}' comes back from it" for name in names), "")

    @property
    def last_point(self) -> bool:
        """Whether a value of the last point comes back."""
        return any(v.after for v in self.locals)
