"""Help comes from docstrings, whether Python keeps their indent or, from 3.13 on, removes it."""

from __future__ import annotations

import inspect
import textwrap
from types import FunctionType

import pytest

from recortex.cortex import Cortex
from recortex.operations.registry import Operation, operation, operations_of

OPERATIONS = operations_of(Cortex)


@pytest.mark.parametrize("one", OPERATIONS.values(), ids=OPERATIONS)
def test_every_operation_and_parameter_has_help(one: Operation) -> None:
    assert one.summary
    assert "Args:" not in one.help
    assert not [parameter.name for parameter in one.parameters() if not parameter.help]


@pytest.mark.parametrize("one", OPERATIONS.values(), ids=OPERATIONS)
@pytest.mark.parametrize("indent", [0, 4, 8], ids=str)
def test_help_does_not_depend_on_the_indent_of_the_docstring(one: Operation, indent: int) -> None:
    first, _, rest = inspect.cleandoc(one.function.__doc__ or "").partition("\n")
    inner = vars(one.function)["__wrapped__"]
    assert isinstance(inner, FunctionType)
    again = FunctionType(inner.__code__, inner.__globals__, one.method, inner.__defaults__, inner.__closure__)
    again.__annotations__, again.__kwdefaults__ = inner.__annotations__, inner.__kwdefaults__
    vars(again).update(vars(inner))
    again.__doc__ = f"{first}\n{textwrap.indent(rest, ' ' * indent)}"
    group = type("Group", (), {one.method: operation()(again)})
    (found,) = operations_of(group).values()
    assert (found.summary, found.help) == (one.summary, one.help)
    assert [parameter.help for parameter in found.parameters()] == [
        parameter.help for parameter in one.parameters()
    ]
