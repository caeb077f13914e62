"""Imports, classes and hashes that cost less than usual, for what starts often: hooks and short commands."""

from __future__ import annotations

import collections
import os
import sys
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable
    from dataclasses import Field
    from hashlib import blake2b, sha256
    from typing import NamedTuple, Self
else:
    # `hashlib` loads OpenSSL for its own versions of these, which takes longer than any short text's hash.
    try:
        from _blake2 import blake2b

        if sys.version_info >= (3, 12):
            from _sha2 import sha256
        else:
            from _sha256 import sha256
    except ImportError:
        from hashlib import blake2b, sha256

_LATER = ("inspect", "toml", "yaml")


def _of_msgspec(name: str) -> Any:
    """Imports at its first use a part of msgspec that was left out, as `msgspec.__getattr__`."""
    if name not in _LATER:
        raise AttributeError(f"module 'msgspec' has no attribute {name!r}")
    return import_module(f"msgspec.{name}")


def _schemas(name: str) -> Any:
    def call(*given: Any, **named: Any) -> Any:
        return getattr(import_module("msgspec._json_schema"), name)(*given, **named)

    return call


if not {"pathlib", "urllib.parse"} & sys.modules.keys():
    # Before 3.13 it loads the parser of URLs, and that `ipaddress`, for `as_uri` alone: a fortieth of a hook.
    _parser: dict[str, Any] = {
        "urllib.parse": SimpleNamespace(
            quote_from_bytes=lambda *given: import_module("urllib.parse").quote_from_bytes(*given)
        )
    }
    sys.modules.update(_parser)
    try:
        import pathlib  # noqa: F401
    finally:
        del sys.modules["urllib.parse"]

_left_out: dict[str, Any] = {}
"""Modules that msgspec loads and starts rarely need, a twentieth of the time of the hook of a prompt; what is
in their place while it is loaded. It works without `typing_extensions` from Python 3.11 on, and all that
`uuid` asks `platform` is the name of the system."""
if "msgspec" not in sys.modules:
    _left_out = {
        "typing_extensions": None,  # importing it fails as if it were not there
        "msgspec._json_schema": SimpleNamespace(
            schema=_schemas("schema"), schema_components=_schemas("schema_components")
        ),
        **dict.fromkeys((f"msgspec.{name}" for name in _LATER), SimpleNamespace()),
    }
    if hasattr(os, "uname"):
        _left_out["platform"] = SimpleNamespace(system=lambda: os.uname().sysname)
    _left_out = {name: instead for name, instead in _left_out.items() if name not in sys.modules}
    sys.modules.update(_left_out)
try:
    import msgspec
    from msgspec import Struct, field
    from msgspec.structs import asdict, force_setattr, replace
finally:
    for _name in _left_out:
        del sys.modules[_name]
if _left_out:
    for _name in _LATER:
        vars(msgspec).pop(_name, None)
    vars(msgspec)["__getattr__"] = _of_msgspec

__all__ = [
    "NamedTuple",
    "Struct",
    "Value",
    "asdict",
    "blake2b",
    "field",
    "force_setattr",
    "lazy_module",
    "msgspec",
    "names_of",
    "replace",
    "sha256",
]


class _LazyModule:
    """A module until its first use: importing it for every start would cost more than most starts need."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        # Only names that are not there come here, so `_module` is set once. Attributes are not kept: what a
        # module rebinds later (a cache, a setting) has to be seen here as well.
        if attribute == "_module":
            self._module = import_module(self._name)
            return self._module
        return getattr(self._module, attribute)


def lazy_module(name: str) -> Any:
    """The module of this name, imported when an attribute of it is first asked for.

    It stands in the `else` of the `if TYPE_CHECKING` that imports the module, so that type checkers, the
    contracts on imports and readers find the dependency at the top of the file.
    """
    return _LazyModule(name)


class _Fields:
    """What `dataclasses` looks for in a class."""

    def __get__(self, instance: object, owner: type[Value]) -> dict[str, Field[Any]]:
        return _fields_of(owner)


class Value(Struct, frozen=True):
    """A frozen dataclass to all that use it, `dataclasses.replace`, `fields` and `asdict` included.

    Making a dataclass takes half a millisecond or more, since its methods are written and compiled one by
    one; a start makes hundreds. A struct takes a fiftieth of that.
    """

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    else:
        __dataclass_fields__ = _Fields()


def names_of(of: type) -> tuple[str, ...]:
    """The names of the fields of a struct or dataclass; nothing is made of a struct for it."""
    names: tuple[str, ...] = (
        of.__struct_fields__ if issubclass(of, Struct) else tuple(vars(of)["__dataclass_fields__"])
    )
    return names


@cache
def _fields_of(owner: type[Value]) -> dict[str, Field[Any]]:
    import dataclasses

    annotations = {
        name: hint
        for base in reversed(owner.__mro__)
        for name, hint in vars(base).get("__annotations__", {}).items()
    }
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


def _declared(usual: Any) -> Any:
    from dataclasses import field as declare

    if usual is msgspec.NODEFAULT:
        return declare()
    factory = getattr(usual, "factory", None)
    return declare(default_factory=factory) if factory else declare(default=usual)


# -- named tuples: `typing.NamedTuple` to all that use it, and to type checkers


_field: Any = vars(collections)["_tuplegetter"]
"""Reads a part of a tuple as a property does, in half the time."""


class _Tuple(tuple[Any, ...]):
    """What named tuples share; `typing.NamedTuple` writes and compiles a constructor for each class at once.

    A start makes some hundred such classes and uses a third, so each gets its constructor at its first use.
    """

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]]
    _field_defaults: ClassVar[dict[str, Any]]

    def __new__(cls, *given: Any, **named: Any) -> Self:
        owner: Any = next(base for base in cls.__mro__ if "_fields" in vars(base))
        make: Any = collections.namedtuple  # noqa: PYI024
        owner.__new__ = make(owner.__name__, owner._fields, defaults=owner._field_defaults.values()).__new__
        made: Self = owner.__new__(cls, *given, **named)
        return made

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Self:
        return cls(*values)

    def _replace(self, **changed: Any) -> Self:
        return type(self)(**{**self._asdict(), **changed})

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        said = (f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({', '.join(said)})"


class _Named(type):
    """Makes the classes that name `NamedTuple` as their base; what is derived from those is as usual."""

    def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(cls, name, bases, space)
        fields = tuple(space.get("__annotations__", ()))
        space["_field_defaults"] = {each: space.pop(each) for each in fields if each in space}
        space |= {each: _field(number, each) for number, each in enumerate(fields)}
        space |= {"__slots__": (), "_fields": fields, "__match_args__": fields}
        return type(name, (_Tuple, *bases[1:]), space)


if not TYPE_CHECKING:

    class NamedTuple(metaclass=_Named):
        """As `typing.NamedTuple`."""
