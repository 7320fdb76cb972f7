"""Regions of OpenACC and OpenMP target that work on the device memory of hfpy's own table (design §6).

In a program whose arrays are shared by CUDA kernels and by directives, the runtime of hfpy holds all device data. The
compiler's runtime does not know them, so a region gets addresses: it becomes an internal procedure whose dummy arrays
have the names and bounds of the arrays, and is called with pointers to the memory on the device.

The routine's other variables are passed, too, and private ones are declared in the procedure, so that nothing on the
device leads to the host's stack. Constants, types and what belongs to modules the procedure sees as the routine does.

OpenMP takes the addresses by ``has_device_addr``. OpenACC has ``deviceptr`` for that, with which gfortran's runtime
(libgomp 12) loses the addresses when a region of arrays with run-time sizes runs for the second time; so hfpy's runtime
tells OpenACC's, by ``acc_map_data``, that this memory is present, as itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from hfpy.analyze.arrays.domains import DataObject
from hfpy.backends.c.device import DeviceRoutines
from hfpy.model.names import addressed_name, cut, derived
from hfpy.model.statements import Construct
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import expanded_dim
from hfpy.transform.device.datadialect import OPENACC, OPENMP_TARGET, in_block
from hfpy.transform.regions.outline import Contained
from hfpy.values import dataclass

PROCEDURES = frozenset({"hf_region_begins", "hf_region_ends", "hf_address", "hf_update_host", "c_f_pointer"})
_NUMBERS = ("real", "integer", "logical", "complex")


class NotAddressed(Exception):
    """A region that cannot be given addresses: the text is what is in the way."""


@dataclass(frozen=True)
class Names:
    """What a region names: ``arrays`` on the device, ``values`` that it reads, ``variables`` that it changes or takes
    private copies of, and ``owned``, which each point has of its own.
    """

    arrays: tuple[str, ...]
    values: tuple[str, ...]
    variables: tuple[str, ...]
    owned: tuple[str, ...]


class Addresses:
    """Makes the procedure of a region. ``tables`` are module arrays that routines called in it read, by their names in
    the routine, with the word whether they are allocatable.
    """

    def __init__(self, device: DeviceRoutines, routine: Routine, tables: Mapping[str, bool]) -> None:
        self.device = device
        self.facts = device.facts
        self.routine = routine
        self.key = routine.key
        self.tables = tables
        self.kinds = device.kinds

    def contained(self, node: Construct, number: int, names: Names, backend: str) -> Contained:
        """The procedure of a region. Raises NotAddressed."""
        assert node.end is not None
        self._check(node)
        name = addressed_name(self.routine.name, number)
        procedure = self._procedure(node, names)
        indent = " " * node.header.line.segments[0][2]
        return Contained(
            node.header.line.first,
            node.end.line.last,
            tuple(indent + row for row in self._call(node, name, procedure, backend)),
            ("", *(indent + row for row in self._head(node, name, procedure))),
            (f"{indent}end subroutine {name}",),
        )

    # -- the procedure

    def _procedure(self, node: Construct, names: Names) -> Procedure:
        made = Procedure()
        for name in names.arrays:
            data = self._object(name)
            if data is not None:
                made.arrays.append(data)
                made.declarations.append(self._declared(data, made))
        for name in (*names.values, *names.variables):
            self._passed(name, made, name in names.variables)
        iterators = set(node.region.iterators) if node.region is not None else set()
        for name in names.owned:
            data = self._object(name)
            if name in made.passed or name in names.variables:
                continue  # the variables of modules among these have values before or after the region
            if data is None and name not in iterators:
                raise NotAddressed(f"'{name}'")
            made.locals.append(f"integer(4) :: {name}" if data is None else self._declared(data, made))
        return made

    def _object(self, name: str) -> DataObject | None:
        data = self.facts.object(name, self.key)
        if data is not None and "optional" in data.symbol.attributes:
            raise NotAddressed(f"the optional argument '{name}'")
        return data

    def _passed(self, name: str, made: Procedure, changed: bool) -> None:
        """A variable of the routine as an argument; those of modules are seen without that."""
        data = self._object(name)
        if data is None:
            raise NotAddressed(f"'{name}'")
        if data.home != self.key or data.symbol.constant or name in made.passed:
            return
        made.passed[name] = ""  # it may be in its own bounds
        made.passed[name] = self._declared(data, made, "" if changed or data.rank else ", intent(in)")

    def _declared(self, data: DataObject, made: Procedure, attributes: str = "") -> str:
        shape = f"({self._shape(data, made)})" if data.rank else ""
        return f"{self._type(data)}{attributes}{self._target(data)} :: {data.name}{shape}"

    def _head(self, node: Construct, name: str, made: Procedure) -> list[str]:
        iterators = ", ".join(node.region.iterators) if node.region is not None else ""
        dummies = ", ".join([*made.bounds, *made.passed, *(d.name for d in made.arrays)])
        rows = [f"! region over {iterators}: its arrays are memory on the device", f"subroutine {name}({dummies})"]
        if made.bounds:
            rows.append(f"  integer, intent(in) :: {', '.join(made.bounds)}")
        # Bounds before their arrays.
        passed = sorted(made.passed, key=lambda name: (d := self._object(name)) is not None and d.rank > 0)
        rows += [f"  {made.passed[name]}" for name in passed]
        return [*rows, *(f"  {row}" for row in (*made.declarations, *made.locals))]

    def _shape(self, data: DataObject, made: Procedure) -> str:
        """The bounds of an array as it lies in memory: from its declaration where that holds all the time, else
        arguments.
        """
        storage = self.facts.order(data).storage or tuple(range(data.rank))
        return ",".join(self._bounds(data, d, place, made) for place, d in enumerate(storage, 1))

    def _bounds(self, data: DataObject, dimension: int, place: int, made: Procedure) -> str:
        size = data.used[dimension]
        form = data.symbol.shape[size.declared].form if size.declared is not None else "explicit"
        if form == "explicit" and not data.symbol.dynamic:
            macros = self.facts.application.macros_of(self.key)
            named = self.device.lasting(expanded_dim(size.extent, macros).names, data.home, self.key)
            if named is not None:
                for found in named:
                    self._passed(found.name, made, False)
                return size.size
        bounds = []
        for letter, inquiry in (("l", "lbound"), ("u", "ubound")):
            bounds.append(cut(f"hf_{letter}{place}_{data.name}"))
            made.bounds[bounds[-1]] = f"{inquiry}({data.name}, {place})"
        return ":".join(bounds)

    def _type(self, data: DataObject) -> str:
        if data.home in (self.key, self.routine.host) and data.symbol.type.text:
            return data.symbol.type.text
        scalar = self.kinds.scalar(data.symbol.type, data.home)
        if scalar is not None and data.symbol.type.base in _NUMBERS:
            return f"{scalar.base}({scalar.bytes})"
        derived = data.symbol.type.derived.lower()
        scopes = self.facts.scopes
        if derived and scopes.derived_type(derived, data.home) is scopes.derived_type(derived, self.key) is not None:
            return f"type({derived})"
        raise NotAddressed(f"'{data.name}', whose type is not known in '{self.routine.name}',")

    @staticmethod
    def _target(data: DataObject) -> str:
        """Pointers, and what they may mean, may be one memory."""
        return ", target" if data.symbol.attributes & {"pointer", "target"} else ""

    # -- the call

    def _call(self, node: Construct, name: str, made: Procedure, backend: str) -> list[str]:
        iterators = ", ".join(node.region.iterators) if node.region is not None else ""
        place = self.facts.application.shown_place(self.routine.key, node.header.line)
        rows = [f"! region over {iterators}: {name} ({backend}), on what hfpy has on the device", "block"]
        texts = (f'hf_region = "{name}"//hf_end', f'hf_where = "{place}"//hf_end')
        rows += [f"  character(len=*), parameter :: {text}" for text in texts]
        for data in made.arrays:
            base = data.symbol.type.base
            kind = f"{base}(kind({data.name}))" if base in _NUMBERS else self._type(data)
            rows.append(f"  {kind}, pointer, contiguous :: {_pointer(data)}(:)")
        rows.append(
            f"  call hf_region_begins(hf_region, hf_where, {self.kinds.defaults.counted(backend == 'openacc')})"
        )
        for data in made.arrays:
            address = f'hf_address({data.name}, "{data.name}"//hf_end, hf_region, hf_where)'
            rows.append(f"  call c_f_pointer({address}, {_pointer(data)}, [size({data.name}, kind=8)])")
        rows += [f"  {row}" for row in self._copies(backend, before=True)]
        actuals = [*made.bounds.values(), *made.passed, *map(_pointer, made.arrays)]
        rows.append(f"  call {name}({', '.join(actuals)})")
        rows += [f"  {row}" for row in self._copies(backend, before=False)]
        return [*rows, "  call hf_region_ends(hf_region, hf_where)", "end block"]

    def _copies(self, backend: str, before: bool) -> Iterator[str]:
        """The compiler's own device copies of what called routines read, made from the newest values."""
        spelling = OPENACC if backend == "openacc" else OPENMP_TARGET
        for name, dynamic in self.tables.items():
            if before:
                rows = [f'call hf_update_host({name}, "{name}"//hf_end, hf_where)']
                rows.append((spelling.copy_in if dynamic else spelling.to_device).format(name))
            else:
                rows = [spelling.drop.format(name)] if dynamic else []
            yield from in_block(f"allocated({name})" if dynamic and rows else "", rows)

    # -- what cannot be done

    def _check(self, node: Construct) -> None:
        host = self.facts.application.routines.get(self.routine.host)
        if host is not None and host.kind not in ("module", "submodule"):
            raise NotAddressed(f"a region in the internal procedure '{self.routine.name}'")
        if self.routine.spec.statement_functions:
            raise NotAddressed(f"a region in '{self.routine.name}', which has statement functions,")
        for at in self.facts.graph.statements.get(self.key, ()):
            if node in at.constructs:
                around = at.constructs[: at.constructs.index(node)]
                if any(c.kind in ("block", "associate") for c in around):
                    raise NotAddressed("a region in a 'block' or 'associate'")
                return


@dataclass
class Procedure:
    """What a procedure is made of: ``arrays`` on the device with their ``declarations``, ``bounds`` of arrays by the
    name of the dummy with their values, ``passed`` variables with their declarations, declarations of ``locals``.
    """

    arrays: list[DataObject] = field(default_factory=list)
    declarations: list[str] = field(default_factory=list)
    bounds: dict[str, str] = field(default_factory=dict)
    passed: dict[str, str] = field(default_factory=dict)
    locals: list[str] = field(default_factory=list)


def _pointer(data: DataObject) -> str:
    return derived("hf_at_", data.name)
