"""What helps against the causes for which kernels refuse something, in one place, so that all backends say the same."""

from __future__ import annotations

from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.types import is_bound, is_parent
from hfpy.backends.c.values import CannotPrint
from hfpy.model.expressions import Component, Name
from hfpy.model.statements import Call, Construct, own_exits

SOURCE = "put its source among those of the project, or call it outside of the region"
DECLARED = "declare which is meant, by 'external' or 'intrinsic' and its name"
OUTSIDE = "do it before or after the region, or choose another backend for this routine"
MEMORY = "declare a local array with its sizes instead, or do it outside of the region"
UNKNOWN = "declare it, or put the module that holds it among the sources"
COMMON = "set a variable of the routine's own, and copy it after the region if it is wanted there"
WHOLE = "name its components in the region, or copy what is needed to a variable of a plain type before"
MADE_SIZE = "give it to a variable first, with a size that nothing sets in the routine"
SIZE = "declare it with sizes that nothing sets in the routine"
ELEMENTS = "give the size to the routine as an argument, as in call s(sizes(2)), or make it of constants"
COMPONENTS = "give its arrays to a routine with the region, as in call step(g%h), or choose cuda-c for this routine"
ASSUMED_SIZE = "declare its last extent, such as a(n) for a(*) or a(1)"
OPTIONAL_BOUNDS = "declare its extents by integers of the routine, or call the region's routine with a plain argument"
LAST_VALUE = "give the array the region's dimensions, or set it again after the region"
INTERNAL = "give it to the internal procedure as an argument"
OBJECT = (
    "give routines what they need of it as arguments; an object of a module has to be public, with constant bounds, "
    "and may not be changed there"
)
PRIVATE = "make it public, or move the region into its module"
IN_COMMON = (
    "let the routine with the region read it, and pass it as an argument; or move it from the block into a module"
)
SAVED = "pass it as an argument instead, or make it a named constant if it never changes"
ELEMENT_OF_CONSTANT = "declare a named constant of no dimension with that value, and use it there"
CONSTANT = "write its values as a list of one dimension, or make it a variable"
FUNCTION = "write it as a function with a body of its own"
ENTRY = "make a routine of its own of what is after the entry"
RECURSIVE = "write it as a loop, or call it outside of the region"
WRITTEN_BELOW = "give the routine the variable as an argument, and set the one of the module after the region"
WRITTEN_IN_BLOCK = "give the routine an argument for it, and set the member of the block after the region"
COLLECT = "collect it in a local variable, and set the member of the block after the region"
OTHER_LAYOUT = "declare the common block in both with the same types and sizes, by an include file or a module"
EQUIVALENT = "take the members of the block out of the equivalence, or pass what the routine needs as an argument"
ONE_NAME = "use one name: give it to a routine that declares the other shape, or copy it"
STOP = "write the code as a constant; call its routine in a line of its own, and not within an index or an argument"
INDEXED = "write it as loops, or let it read the arrays that it sets at the same elements alone"
PRINT = "print single numbers and texts in the region itself, in a format that is * or a text; or do it after it"
BOUND = "call the procedure itself, with the object as an argument: call add(x, y) for call x%add(y)"
INHERITED = "name the component behind it without it: x%u for x%base%u"
INNER_EXIT = "let the rest of the inner region be under a condition, instead of the jump"
TEXT = "compare it before the region, and use a logical or an integer in the region"


def check_exits(node: Construct) -> None:
    """Raise CannotPrint for an ``@exit`` of a region within a kernel: plain form has jumps for them."""
    if node.kind == "region" and own_exits(node):
        raise CannotPrint("'@exit' of a region within another one", hint=INNER_EXIT)


def other_type(dummy: str, routine: str) -> str:
    """An argument of another type than its dummy, as messages name it."""
    return f"an argument of another type than '{dummy}' of '{routine}'"


def shown_block(block: str) -> str:
    """A common block, as messages name it."""
    return f"the common block '{block}'" if block else "the blank common block"


def unknown_size(name: str) -> str:
    """An array of unknown size (``a(*)``), as messages name it."""
    return f"'{name}', an array of unknown size,"


def unseen_function(name: str, start: int, end: int, key: str, scopes: Scopes) -> CannotPrint:
    """A function whose source hfpy does not have, or that the compiler may take for an intrinsic one."""
    if scopes.named(name, key).doubtful:
        what = f"the function '{name}', which may be the program's or an intrinsic one,"
        return CannotPrint(what, start, end, DECLARED)
    return CannotPrint(f"the function '{name}', whose source hfpy does not have,", start, end, SOURCE)


def no_source(statement: Call, key: str, scopes: Scopes) -> CannotPrint:
    """A call of a procedure without source, by its name, or of one that is found by an object."""
    called = statement.designator
    if isinstance(called, Component):
        return CannotPrint(through_object(called.name), hint=BOUND)
    what = "a call of an unknown procedure"
    if isinstance(called, Name) and scopes.named(called.name, key).doubtful:
        what = f"a call of '{called.name}', which may be the program's or an intrinsic one,"
        return CannotPrint(what, hint=DECLARED)
    if isinstance(called, Name):
        what = f"a call of '{called.name}', whose source hfpy does not have,"
    return CannotPrint(what, hint=SOURCE)


def no_component(node: Component, key: str, scopes: Scopes) -> CannotPrint:
    """A name behind an object that is none of the components that its type declares."""
    if is_parent(node, key, scopes):
        return CannotPrint(f"'{node.name}', the parent component of an object,", hint=INHERITED)
    if is_bound(node, key, scopes):
        return CannotPrint(through_object(node.name), hint=BOUND)
    return CannotPrint(f"the component '{node.name}', which hfpy does not find,")


def through_object(name: str) -> str:
    """A call of a procedure that a type binds, or that a component points to."""
    return f"the call of '{name}' through an object, whose type decides which procedure is meant,"
