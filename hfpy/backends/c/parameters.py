"""The parameters of kernels and launchers, as C and Fortran declare them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hfpy.backends.c.dialect import CUDA, Dialect
from hfpy.backends.c.values import c_name, c_type
from hfpy.model.kernel import KernelSpec, Parameter
from hfpy.model.names import Names, cut
from hfpy.model.scalars import Scalar
from hfpy.values import dataclass


@dataclass(frozen=True)
class CParameter:
    """A parameter as C spells it: ``text`` is its name in the kernel, ``given`` that in the launcher's list, ``count``
    the number of an array's elements, ``apart`` the name of the distances between the elements of one with gaps.
    """

    made: Parameter
    text: str
    given: str
    count: str = ""
    dialect: Dialect = CUDA
    apart: str = ""

    @property
    def passing(self) -> str:
        """How it is passed."""
        return self.made.passing

    @property
    def type(self) -> str:
        """Its type, or that of an array's elements."""
        const = "const " if self.passing == "array" and self.made.access == "in" else ""
        return const + c_type(self.made.type)

    @property
    def in_kernel(self) -> str:
        """Its declaration in the kernel."""
        restrict = self.passing == "array" and not self.made.aliased
        return self.dialect.kernel_parameter(self.passing, self.made.type, self.type, self.text, restrict)

    @property
    def distances(self) -> str:
        """The declaration of the distances."""
        return f"hf_distances<{self.made.rank}> {self.apart}"

    @property
    def in_call(self) -> str:
        """Its type as the launcher passes it."""
        if self.passing == "value":
            return self.type
        return f"hf_optional<{self.type}>" if self.passing == "optional" else f"{self.type} *"

    @property
    def in_launcher(self) -> str:
        """Its declaration in the launcher."""
        if self.passing == "value":
            return f"const {self.type} {self.text}"
        if self.passing == "array":
            return f"const void *{self.given}"
        return f"{'const ' if self.passing == 'optional' else ''}{self.type} *{self.given}"


def scope_of(spec: KernelSpec) -> Names:
    """The names of a kernel's and a launcher's own scope, where those of the signature are taken."""
    texts = (v.text if isinstance(v, Parameter) else v.name for v in spec.variables)
    return Names(frozenset(map(c_name, (*spec.iterators, *texts))))


def data_name(scope: Names, parameter: Parameter) -> str:
    """The pointer to an array's elements; the array's own name is that of its view."""
    return scope.name(f"{c_name(parameter.text)}_data", (parameter.text, "data"))


def distances_name(scope: Names, parameter: Parameter, dialect: Dialect) -> str:
    """The name of the distances between an array's elements, where a kernel takes them: of arrays that may have gaps,
    and whose elements it uses. Empty for others.
    """
    if not parameter.gapped or parameter.asked or not dialect.takes_gaps:
        return ""
    return scope.name(f"{c_name(parameter.text)}_apart", (parameter.text, "apart"))


def c_parameter(scope: Names, parameter: Parameter, count: str, dialect: Dialect) -> CParameter:
    """A parameter as C spells it."""
    text = c_name(parameter.text)
    if parameter.passing == "array":
        apart = distances_name(scope, parameter, dialect)
        return CParameter(parameter, data_name(scope, parameter), text, count, dialect, apart)
    if parameter.passing == "value":
        return CParameter(parameter, text, text, dialect=dialect)
    stem = text if parameter.passing == "optional" else parameter.name
    return CParameter(parameter, text, scope.name(f"{stem}_host", (parameter.text, "host")), dialect=dialect)


_KINDS = {
    Scalar("real", 4): "real(c_float)",
    Scalar("real", 8): "real(c_double)",
    Scalar("complex", 4): "complex(c_float_complex)",
    Scalar("complex", 8): "complex(c_double_complex)",
    Scalar("integer", 1): "integer(c_int8_t)",
    Scalar("integer", 2): "integer(c_int16_t)",
    Scalar("integer", 4): "integer(c_int)",
    Scalar("integer", 8): "integer(c_int64_t)",
}


def interface_parameters(parameters: Iterable[Parameter]) -> Iterator[tuple[str, str]]:
    """Dummy name and declaration of each parameter in the Fortran interface of a launcher."""
    for number, parameter in enumerate(parameters, 1):
        dummy = cut(f"a{number}_{c_name(parameter.text)}")
        if parameter.passing == "value":
            base = Scalar("integer", 4) if parameter.type.base == "logical" else parameter.type
            yield dummy, f"{_KINDS[base]}, value :: {dummy}"
        elif parameter.passing == "array":
            intent = ", intent(in)" if parameter.access == "in" else ""
            optional = ", optional" if parameter.optional else ""
            yield dummy, f"type(*){optional}{intent} :: {dummy}({'..' if parameter.gapped else '*'})"
        elif parameter.passing == "optional":
            yield dummy, f"type(*), optional, intent(in) :: {dummy}"
        else:
            yield dummy, f"type(*) :: {dummy}"
