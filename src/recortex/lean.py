"""Imports and classes that cost less than usual, for what starts often: hooks and short commands."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, cast

if TYPE_CHECKING:
    from dataclasses import Field

_UNNEEDED = "typing_extensions"
"""msgspec loads this where it is installed, which costs the hook of a prompt a twentieth of its time, and
uses nothing of it that the standard library of Python 3.11 lacks."""

_loaded = _UNNEEDED in sys.modules
if not _loaded:
    cast("dict[str, object]", sys.modules)[_UNNEEDED] = None  # importing it fails as if it were not there
try:
    import msgspec
    from msgspec import field
    from msgspec.structs import asdict, force_setattr, replace
finally:
    if not _loaded:
        del sys.modules[_UNNEEDED]

__all__ = ["Value", "asdict", "field", "force_setattr", "msgspec", "replace"]


class _Fields:
    """What `dataclasses` looks for in a class."""

    def __get__(self, instance: object, owner: type[Value]) -> dict[str, Field[Any]]:
        return _fields_of(owner)


class Value(msgspec.Struct, frozen=True):
    """A frozen dataclass to all that use it, `dataclasses.replace`, `fields` and `asdict` included.

    Making a dataclass takes half a millisecond or more, since its methods are written and compiled one by
    one; a start makes hundreds. A struct takes a fiftieth of that.
    """

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    else:
        __dataclass_fields__ = _Fields()


@cache
def _fields_of(owner: type[Value]) -> dict[str, Field[Any]]:
    import dataclasses

    annotations = {name: hint for base in reversed(owner.__mro__) for name, hint in _annotations(base)}
    names, usual = owner.__struct_fields__, owner.__struct_defaults__
    defaults = dict(zip(names[len(names) - len(usual) :], usual, strict=True))
    made = dataclasses.make_dataclass(
        owner.__name__,
        [(name, annotations[name], _declared(defaults.get(name, msgspec.NODEFAULT))) for name in names],
        init=False,
        repr=False,
        eq=False,
        namespace={"__doc__": "The same fields."},  # or one would be made of its signature
    )
    found: dict[str, Field[Any]] = vars(made)["__dataclass_fields__"]
    return found


def _annotations(base: type) -> Any:
    return vars(base).get("__annotations__", {}).items()


def _declared(usual: Any) -> Any:
    from dataclasses import field as declare

    if usual is msgspec.NODEFAULT:
        return declare()
    factory = getattr(usual, "factory", None)
    return declare(default_factory=factory) if factory else declare(default=usual)
