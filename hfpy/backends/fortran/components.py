"""Components of objects in CUDA Fortran: parameters of the kernel, or elements of one that has those of all objects."""

from __future__ import annotations

from hfpy.backends.c.values import CannotPrint, component_name, packed_name
from hfpy.backends.c.views import objects_in_storage
from hfpy.backends.fortran.spelling import Spelling
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Range, base_name
from hfpy.transform.accesses import AccessRewriter, Entries


class ComponentText(AccessRewriter):
    """References of components, by the names in ``spelling``."""

    spelling: Spelling

    def parameter_of(self, expr: Component) -> tuple[str, tuple[Expr, ...]]:
        """The array of the kernel for a component, and the indices there that its chain has on the way; an empty name
        for what is none.
        """
        own = self.spelling.components.get(component_name(expr), "")
        packed = packed_name(expr)
        if own or packed is None:
            return own, ()
        return self.spelling.components.get(packed[0], ""), packed[1]

    def component_rank(self, name: str) -> int:
        """The rank of a parameter of the kernel that is a component."""
        return self.spelling.ranks.get(name, 0)

    def stored(self, expr: Component, rank: int) -> tuple[int, ...]:
        """For each place in storage the dimension of the array of the kernel for a component."""
        packed = self.parameter_of(expr)[1]
        return objects_in_storage(self.facts, expr, rank, self.routine.key) if packed else tuple(range(rank))

    def packed(self, expr: Component, own: tuple[Expr, ...], text: str, planned: Entries) -> str | None:
        """A component of elements of arrays of objects, in its array for the kernel; None if it is in none."""
        name, before = self.parameter_of(expr)
        if not name or not before:
            return None
        rank = self.component_rank(name)
        shown = [self._render(a, text, planned) for a in (*before, *own)]
        shown += [":"] * (rank - len(shown))
        return f"{name}({', '.join(shown[d] for d in self.stored(expr, rank))})"

    def inquiry_of_elements(
        self, expr: Apply, first: Component, before: tuple[Expr, ...], text: str, planned: Entries
    ) -> str:
        """``size(p(i)%x, 1)`` and the like, where ``before`` are the indices of arrays of objects on the way."""
        name = self.parameter_of(first)[0]
        of_array = not any(isinstance(i, Range) for i in before)
        if not of_array or len(expr.args) < 2:
            if of_array and base_name(expr) != "size":
                raise CannotPrint("bounds without a dimension of an array in an object", expr.start, expr.end)
            return super()._render(expr, text, planned)
        dimension, *rest = expr.args[1:]
        if isinstance(dimension, Keyword) and dimension.name != "dim":
            return super()._render(expr, text, planned)
        number = dimension.value if isinstance(dimension, Keyword) else dimension
        shown = [
            f"{len(before)} + {self._render(number, text, planned)}",
            *(self._render(a, text, planned) for a in rest),
        ]
        return f"{text[expr.start : expr.open].rstrip()}({name}, {', '.join(shown)})"
