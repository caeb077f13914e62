"""Operations: one typed method each, from which the Python API, the command line and the tools are made.

Its signature is the schema, its docstring the help, its return type the output. Parameters before `*` are
positional on the command line; those after it are options.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, wraps
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast, get_type_hints

from recortex.errors import InvalidInputError
from recortex.lean import Struct, Value, force_setattr, lazy_module, msgspec
from recortex.operations.manifest import group_of
from recortex.plugins import clients
from recortex.telemetry import span

if TYPE_CHECKING:
    import inspect
    from inspect import Signature

    from recortex import codec
else:
    codec = lazy_module("recortex.codec")
    inspect = lazy_module("inspect")

Function = TypeVar("Function", bound="Callable[..., Any]")
Fields = ParamSpec("Fields")
Input = TypeVar("Input")
Result = TypeVar("Result")

_MARK = "__operation__"
_TAKES = "__takes__"
"""On a method: the class whose fields are its parameters."""
_SHORTER = {"from_exchange": "--from"}
"""Names that are shorter on the command line; in Python `from` is a keyword."""
_ARGUMENT = re.compile(r"^ {4}(\w+): ", re.MULTILINE)
_READ = "{clients}"
"""In a docstring: the clients whose sessions are read."""
_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises):\s*$", re.MULTILINE)


class Traits(Value, frozen=True):
    """What an operation does to the store.

    Attributes:
        core: shown to agents by default.
        told: the parameters that agents are told of; empty: all. Others are taken as well. Where all tools
            are shown, all parameters of core operations are told.
        read_only: changes nothing that was learned.
        destructive: removes or hides something; a person is asked first.
        idempotent: doing it again changes nothing more.
        listing: the actions that only show; the first is done unless another is asked for.
        person: for people alone, never a tool of an agent: it reaches beyond the store that was opened.
    """

    core: bool = False
    told: tuple[str, ...] = ()
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    listing: tuple[str, ...] = ()
    person: bool = False

    def __post_init__(self) -> None:
        """Whatever changes nothing is idempotent too."""
        force_setattr(self, "idempotent", self.idempotent or self.read_only)

    @property
    def asks(self) -> bool:
        """Whether an agent's call has to be confirmed, since what it removes cannot be brought back."""
        return self.destructive and not self.core

    def removes(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a call with these arguments removes or hides something."""
        only_shows = bool(self.listing) and arguments.get("action", self.listing[0]) in self.listing
        return self.destructive and not only_shows


class Parameter(Value, frozen=True):
    """A parameter of an operation: `hint` is its resolved type, `help` its line of the docstring."""

    name: str
    hint: Any
    default: Any
    required: bool
    positional: bool
    help: str

    @property
    def options(self) -> tuple[str, ...]:
        """What it is called on the command line, the usual name first."""
        name = f"--{self.name.strip('_').replace('_', '-')}"
        return (_SHORTER[self.name], name) if self.name in _SHORTER else (name,)


class Operation(Value, frozen=True):
    """An operation as its projections see it.

    Attributes:
        name: of the tool, and of the verb with hyphens for underscores; `method` is the attribute (`import`
            is `import_`).
        summary: the first line of the docstring; `help` is all of it up to the arguments.
    """

    name: str
    method: str
    traits: Traits
    summary: str
    help: str
    function: Callable[..., Any]

    @property
    def verb(self) -> str:
        """The name on the command line."""
        return self.name.replace("_", "-")

    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters with their types resolved."""
        hints = parameter_types(self.function)
        described = _arguments(_docstring_of(self.function))
        return tuple(
            Parameter(
                name=name,
                hint=hints[name],
                default=None if default is msgspec.NODEFAULT else default,
                required=default is msgspec.NODEFAULT,
                positional=positional,
                help=described.get(name, ""),
            )
            for name, (default, positional) in _declared(self.function).items()
        )

    def returns(self) -> Any:
        """The resolved type of what it returns."""
        return get_type_hints(self.function)["return"]


def operation(**declared: Any) -> Callable[[Function], Function]:
    """Make an operation of a method; takes the fields of `Traits`."""
    traits = Traits(**declared)

    def mark(function: Function) -> Function:
        name = function.__name__.rstrip("_")

        @wraps(function)
        def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
            metered = getattr(self, "metered", None)
            with span("operation", metered, operation=name):
                if metered and not traits.read_only:
                    metered.wrote = True
                return function(self, **_fitting(function, args, kwargs))

        setattr(checked, _MARK, traits)
        return cast("Function", checked)

    return mark


def taking(
    fields: Callable[Fields, Input],
) -> Callable[[Callable[[Any, Input], Result]], Callable[Concatenate[Any, Fields], Result]]:
    """Give a method the fields of a dataclass as its parameters.

    The method itself gets the value made of them.

    The signature, the types and the help of the parameters are the class's, also for type checkers.
    """

    def spread(method: Callable[[Any, Input], Result]) -> Callable[Concatenate[Any, Fields], Result]:
        def taken(self: Any, /, *args: Fields.args, **kwargs: Fields.kwargs) -> Result:
            return method(self, fields(*args, **kwargs))

        described = _SECTION.split(_docstring_of(fields))[-1].rstrip()
        vars(taken).update({_TAKES: fields, "__wrapped__": _Signed(method, fields)})
        taken.__annotations__ = parameter_types(fields) | {"return": get_type_hints(method)["return"]}
        taken.__doc__ = f"{_docstring_of(method)}\n\nArgs:{described}\n"
        for name in ("__module__", "__name__", "__qualname__"):
            setattr(taken, name, getattr(method, name))
        return taken

    return spread


class _Signed:
    """Has the signature of a method that takes the fields of a class, for `inspect.signature`.

    It is made when it is asked for: `inspect` takes a twentieth of the time of a short command to load.
    """

    def __init__(self, method: Callable[..., Any], fields: Callable[..., Any]) -> None:
        self._method, self._fields = method, fields

    @property
    def __signature__(self) -> Signature:
        own, given = inspect.signature(self._method), inspect.signature(self._fields)
        return own.replace(parameters=[next(iter(own.parameters.values())), *given.parameters.values()])


@cache
def _declared(function: Callable[..., Any]) -> dict[str, tuple[Any, bool]]:
    """The parameters of an operation, or of a class of fields, by name, without `inspect`.

    The default of each, `NODEFAULT` where there is none, and whether it may be given by its place.
    """
    function = getattr(function, _TAKES, getattr(function, "__wrapped__", function))
    if isinstance(function, type) and issubclass(function, Struct):
        names, places = function.__struct_fields__, len(function.__match_args__)
        usual = dict(zip(reversed(names), reversed(function.__struct_defaults__), strict=False))
    else:
        plain: Any = function.__init__ if isinstance(function, type) else function  # type: ignore[misc]
        code, places = plain.__code__, plain.__code__.co_argcount - 1
        names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
        usual = dict(zip(reversed(names[:places]), reversed(plain.__defaults__ or ()), strict=False))
        usual |= plain.__kwdefaults__ or {}
    return {name: (usual.get(name, msgspec.NODEFAULT), at < places) for at, name in enumerate(names)}


def _fitting(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by name, each of the type that its parameter says.

    Raises:
        InvalidInputError: one is not, or holds what no store and no output could hold.
    """
    needed = {name for name, (default, _) in _declared(function).items() if default is msgspec.NODEFAULT}
    given: Mapping[str, Any] = kwargs
    if args or not needed <= kwargs.keys() <= _declared(function).keys():
        given = dict(list(_signature(function).bind(None, *args, **kwargs).arguments.items())[1:])
    # Programs in Python have paths as objects, where a command line has texts.
    given = {name: fspath(one) if isinstance(one, PathLike) else one for name, one in given.items()}
    try:
        msgspec.json.encode(given)
    except (TypeError, OverflowError, ValueError, RecursionError):  # it is said, or mended, as far as it can
        given = codec.storable(given)
    return converted(given, parameter_types(function))


@cache  # 40 µs of each call otherwise
def _signature(function: Callable[..., Any]) -> Signature:
    return inspect.signature(function)


def converted(given: Mapping[str, Any], types: Mapping[str, Any]) -> dict[str, Any]:
    """Values by name, each converted to its type.

    Raises:
        InvalidInputError: one does not fit; the message begins with its name.
    """
    fitting = {}
    for name, value in given.items():
        try:
            # What a program gives mostly is of the type already.
            fitting[name] = value if type(value) is types[name] else codec.convert(value, types[name])
        except InvalidInputError as error:
            raise InvalidInputError(f"{name}: {error}", hint=error.hint) from None
    return fitting


@cache
def parameter_types(function: Callable[..., Any]) -> dict[str, Any]:
    """The resolved types of the parameters of an operation, or of a dataclass, by name."""
    hints = get_type_hints(function, include_extras=True)
    return {name: hints[name] for name in _declared(function)}


def operations_of(facade: type) -> dict[str, Operation]:
    """The operations of a class by name, in the order in which its bases list them."""
    found: dict[str, Operation] = {}
    for base in facade.__mro__:
        for method in list(vars(base)):
            function: Any = getattr(facade, method, None)
            traits = getattr(function, _MARK, None)
            if traits is not None:
                found.setdefault(method.rstrip("_"), _operation(method, traits, function))
    return found


def find_operation(name: str) -> Operation:
    """An operation by name, imported without the others.

    Raises:
        KeyError: there is none.
    """
    group = group_of(name)
    if group is None:
        raise KeyError(name)
    return operations_of(group)[name]


def _operation(method: str, traits: Traits, function: Callable[..., Any]) -> Operation:
    text = _SECTION.split(_docstring_of(function))[0].strip()
    return Operation(method.rstrip("_"), method, traits, text.partition("\n")[0], text, function)


def _docstring_of(function: Callable[..., Any]) -> str:
    # Python 3.13 takes the indent of the source off by itself, older ones leave it on.
    first, *rest = (function.__doc__ or "").expandtabs().splitlines() or [""]
    indent = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    said = "\n".join((first.lstrip(), *(line[indent:] for line in rest))).strip("\n")
    return (
        said.replace(_READ, ", ".join(one.name for one in clients() if one.reads)) if _READ in said else said
    )


def _arguments(docstring: str) -> dict[str, str]:
    sections = _SECTION.split(docstring)
    if "Args" not in sections:
        return {}
    parts = _ARGUMENT.split(sections[sections.index("Args") + 1])
    return {name: " ".join(text.split()) for name, text in zip(parts[1::2], parts[2::2], strict=True)}
