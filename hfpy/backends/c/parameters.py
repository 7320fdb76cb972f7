"""The parameters of kernels and launchers, as C and Fortran declare them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hfpy.analyze.kinds import Scalar
from hfpy.backends.c.values import c_type
from hfpy.model.names import cut


@dataclass(frozen=True)
class Parameter:
    """One parameter of kernel and launcher.

    ``kind``: value, optional (a scalar that need not be given), result (a scalar given back), reduction, array.
    ``optional`` marks arrays that need not be given, ``updated`` those that are read and written. ``actual`` is the
    Fortran text of the actual argument, ``count`` the number of an array's elements as C text, ``operator`` that of a
    reduction.
    """

    kind: str
    name: str
    text: str
    type: Scalar
    actual: str
    const: bool = True
    count: str = ""
    operator: str = ""
    restrict: bool = True
    optional: bool = False
    updated: bool = False


def in_order(parameters: Iterable[Parameter]) -> list[Parameter]:
    """Parameters as kernels and launchers have them: single values, optional ones, results, reductions, arrays."""
    ranks = {"value": 0, "optional": 1, "result": 2, "reduction": 3, "array": 4}
    return sorted(parameters, key=lambda p: ranks[p.kind])


def kernel_parameter(parameter: Parameter) -> str:
    """The declaration of a kernel's parameter."""
    ctype = c_type(parameter.type)
    if parameter.kind == "value":
        return f"const {ctype} {parameter.text}"
    if parameter.kind == "optional":
        return f"const hf_optional<{ctype}> {parameter.text}"
    if parameter.kind == "array":
        restrict = "__restrict__ " if parameter.restrict else ""
        return f"{'const ' if parameter.const else ''}{ctype} *{restrict}{parameter.text}"
    return f"{ctype} *{parameter.text}"


def launch_parameter(parameter: Parameter) -> str:
    """The declaration of a launcher's parameter."""
    if parameter.kind == "value":
        return kernel_parameter(parameter)
    if parameter.kind == "array":
        return f"const void *{parameter.text[: -len('_data')]}"
    if parameter.kind == "optional":
        return f"const {c_type(parameter.type)} *{parameter.text}_host"
    return f"{c_type(parameter.type)} *{parameter.name}_host"


def launcher_parameters(parameters: tuple[Parameter, ...]) -> Iterator[tuple[str, str]]:
    """Dummy name and declaration of each parameter in the Fortran interface of a launcher."""
    kinds = {
        ("real", 4): "real(c_float)",
        ("real", 8): "real(c_double)",
        ("integer", 1): "integer(c_int8_t)",
        ("integer", 2): "integer(c_int16_t)",
        ("integer", 4): "integer(c_int)",
        ("integer", 8): "integer(c_int64_t)",
    }
    for number, parameter in enumerate(parameters, 1):
        name = parameter.text if parameter.kind != "array" else parameter.text[: -len("_data")]
        dummy = cut(f"a{number}_{name}")
        if parameter.kind == "value":
            base = ("integer", 4) if parameter.type.base == "logical" else (parameter.type.base, parameter.type.bytes)
            yield dummy, f"{kinds[base]}, value :: {dummy}"
        elif parameter.kind == "array":
            intent = ", intent(in)" if parameter.const else ""
            optional = ", optional" if parameter.optional else ""
            yield dummy, f"type(*){optional}{intent} :: {dummy}(*)"
        elif parameter.kind == "optional":
            yield dummy, f"type(*), optional, intent(in) :: {dummy}"
        else:
            yield dummy, f"type(*) :: {dummy}"
