"""A verb's parser, made from the operation's signature and docstring; nothing is declared twice."""

from __future__ import annotations

import argparse
import sys
import types
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, Union, get_args, get_origin

from recortex.cli import UsageError, add_common
from recortex.domain.text import parse_instant
from recortex.errors import InvalidInputError, RecortexError
from recortex.lean import Value, lazy_module

if TYPE_CHECKING:
    import difflib
    import textwrap

    from recortex import codec
    from recortex.operations.registry import Operation, Parameter
else:
    codec = lazy_module("recortex.codec")
    difflib = lazy_module("difflib")
    textwrap = lazy_module("textwrap")


# -- from a word of the command line to the value that a parameter's type asks for


MAX_INPUT = 16 * 1024 * 1024  # bytes of standard input or of a file given with @
STDIN = "-"

_LARGEST = 2**63 - 1  # what a store can hold
_SPLIT_NAMES = frozenset({"tags", "kinds", "statuses", "domains", "origins"})
_UNIONS = (Union, types.UnionType)


class Shape(Value, frozen=True):
    """How a parameter is written on the command line.

    Attributes:
        read: one word to one value; raises ArgumentTypeError or RecortexError.
        metavar: what stands for the value in the help.
        choices: all that is accepted, where that is a closed list.
        many: the option may be repeated; the values become a tuple.
        split: `a,b` is two values.
        flag: a switch without a value.
        structured: JSON, `@FILE` or `-`.
    """

    read: Callable[[str], Any]
    metavar: str = "TEXT"
    choices: tuple[str, ...] = ()
    many: bool = False
    split: bool = False
    flag: bool = False
    structured: bool = False


def shape_of(hint: Any, name: str = "") -> Shape:
    """The shape of a parameter from its type and name."""
    hint = _bare(hint)
    origin = get_origin(hint)
    if origin in _UNIONS:
        return _union(get_args(hint), name)
    if isinstance(origin, type) and issubclass(origin, Iterable) and not issubclass(origin, Mapping):
        item = shape_of(get_args(hint)[0] if get_args(hint) else str, name)
        if item.structured:
            return Shape(_rows, "JSON", structured=True)
        closed = bool(item.choices) or item.metavar == "KIND"
        return Shape(item.read, item.metavar, item.choices, many=True, split=closed or name in _SPLIT_NAMES)
    return _single(hint)


def _single(hint: Any) -> Shape:
    if get_origin(hint) is Literal:
        return _choice({str(choice): choice for choice in get_args(hint)})
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _choice({str(member.value): member for member in hint})
    if getattr(hint, "__name__", "") == "Kind":
        return Shape(_kind, "KIND")
    return _SCALARS.get(getattr(hint, "__supertype__", hint)) or _structured(hint)


def _bare(hint: Any) -> Any:
    """The type without what only annotates it."""
    return _bare(get_args(hint)[0]) if get_origin(hint) is Annotated else hint


def _union(members: tuple[Any, ...], name: str) -> Shape:
    given = [_bare(member) for member in members if member is not type(None)]
    if len(given) == 1:
        return shape_of(given[0], name)
    if kinds := [one for one in given if getattr(one, "__name__", "") == "Kind"]:
        return shape_of(kinds[0], name)
    shapes = [shape_of(member, name) for member in given]
    if listed := [shape for shape in shapes if shape.many]:
        return listed[0]
    if str in given:
        # Where words are welcome too, the operation reads them; a closed list still tells what is usual.
        closed = next((shape.choices for shape in shapes if shape.choices), ())
        read = _text_or_object if any(shape.structured for shape in shapes) else _text
        return Shape(read, "|".join(closed) if closed else "TEXT")
    return next((shape for shape in shapes if not shape.structured), _structured(None))


def _choice(values: Mapping[str, Any]) -> Shape:
    known = {_folded(word): value for word, value in values.items()}

    def read(word: str) -> Any:
        try:
            return known[_folded(word)]
        except KeyError:
            raise ArgumentTypeError(f"{word[:40]!r} is none of {', '.join(values)}") from None

    return Shape(read, "|".join(values), tuple(values))


def _folded(word: str) -> str:
    return word.strip().lower().replace("-", "_")


def _structured(hint: Any) -> Shape:
    kind = get_origin(hint) or hint
    mapping = isinstance(kind, type) and issubclass(kind, Mapping)

    def read(word: str) -> Any:
        data = codec.loads(source(word))
        if mapping and not isinstance(data, dict):
            raise InvalidInputError("A JSON object is wanted.", hint='Give it as {"name": "value"}.')
        return (
            codec.convert(data, hint)
            if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__")
            else data
        )

    return Shape(read, "JSON", structured=True)


def source(word: str) -> str:
    """The text that a word stands for: itself, `@FILE`, or `-` for standard input.

    Raises:
        InvalidInputError: the file cannot be read, is too large or is not UTF-8.
    """
    if word == STDIN:
        if sys.stdin is None:
            raise InvalidInputError("Standard input is closed.", hint="Give the text as an argument.")
        # One byte more than is allowed: so much tells that it is too large.
        return _decoded(sys.stdin.buffer.read(MAX_INPUT + 1), "Standard input")
    if not word.startswith("@"):
        return word
    path = Path(word[1:])
    try:
        with path.open("rb") as file:
            return _decoded(file.read(MAX_INPUT + 1), str(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file's name"
        raise InvalidInputError(f"{path} cannot be read: {reason}.", hint="Give @FILE, or `-`.") from None


def _decoded(data: bytes, name: str) -> str:
    if len(data) > MAX_INPUT:
        raise InvalidInputError(f"{name} is larger than {MAX_INPUT} bytes.", hint="Give it in pieces.")
    try:
        # Some editors begin a file with a mark that is no part of the text.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{name} is not UTF-8: a wrong byte at position {error.start}.", hint="Convert it with `iconv`."
        ) from None


def _rows(word: str) -> list[Any]:
    """A JSON array, or one JSON value on each line."""
    text = source(word).strip()
    if not text:
        raise InvalidInputError("There is nothing to read.", hint="Give a JSON array or JSON lines.")
    if text.startswith("["):
        return list(codec.loads(text))
    return [_row(line, number) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def _row(line: str, number: int) -> Any:
    try:
        return codec.loads(line)
    except RecortexError as error:
        raise InvalidInputError(f"Line {number}: {error.message}", hint=error.hint) from None


def _text(word: str) -> str:
    return word


def _text_or_object(word: str) -> Any:
    """A JSON object where it looks like one, else the text itself."""
    return codec.loads(word) if word.lstrip().startswith("{") else word


def spoken(word: str) -> str:
    """Text given as such, or `-` for standard input without its closing line break."""
    return source(word).rstrip("\r\n") if word == STDIN else word


def _whole(word: str) -> int:
    try:
        number = int(word)
    except ValueError:
        raise ArgumentTypeError(f"{word[:40]!r} is not a whole number") from None
    if not -_LARGEST <= number <= _LARGEST:
        raise ArgumentTypeError(f"{word[:40]!r} is too large")
    return number


def _number(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        raise ArgumentTypeError(f"{word[:40]!r} is not a number") from None
    if not isfinite(number):
        raise ArgumentTypeError(f"{word[:40]!r} is not a finite number")
    return number


def _instant(word: str) -> datetime:
    return parse_instant(word)


def _kind(word: str) -> Any:
    from recortex.domain.kinds import kind_of

    return kind_of(word)


def separated(words: Sequence[str]) -> list[str]:
    """Words with their commas taken as separators, empty parts left out."""
    return [part.strip() for word in words for part in word.split(",") if part.strip()]


_SCALARS: dict[Any, Shape] = {
    str: Shape(_text),
    bool: Shape(_text, flag=True),
    int: Shape(_whole, "N"),
    float: Shape(_number, "NUMBER"),
    datetime: Shape(_instant, "TIME"),
    Path: Shape(Path, "PATH"),
}


# -- a verb's parser, made from the operation's signature and docstring; nothing is declared twice


class Call(Value, frozen=True):
    """A parsed command line.

    Attributes:
        arguments: keyword arguments of the operation; what was not given is left out, so its default holds.
        dry_run: shown instead of done, where the operation has no such parameter itself.
        full: nothing is left out of what is shown.
    """

    arguments: dict[str, Any]
    json: bool
    project: str | None
    url: str | None
    yes: bool
    dry_run: bool
    full: bool = False


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are ours."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage and leaving."""
        extra = message.removeprefix("unrecognized arguments: ")
        if extra != message and not extra.startswith("-"):
            raise UsageError(
                f"`{self.prog}` takes no more arguments, but was given: {extra[:60]}.",
                hint=f"Put a text of several words in quotes. See `{self.prog} --help`.",
            )
        # An argparse message as a sentence.
        text = message.removeprefix("argument ")
        raise UsageError(
            (text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")),
            hint=f"See `{self.prog} --help`.",
        )


# Python has no translations of argparse's words: to look for some loads a module for each short command.
vars(argparse)["_"] = str


_UNASKED = 80
"""Columns while options are added: each makes a formatter, which would ask how wide the terminal is."""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str, width: int | None = None) -> None:
        super().__init__(prog, max_help_position=28, width=width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """On a terminal a description is wrapped to it; elsewhere its lines stay as they are."""
        if not sys.stdout.isatty():
            return super()._fill_text(text, width, indent)
        paragraphs = (" ".join(part.split()) for part in text.split("\n\n"))
        return "\n\n".join(textwrap.fill(part, width, break_on_hyphens=False) for part in paragraphs)

    def _split_lines(self, text: str, width: int) -> list[str]:
        """Wrap without breaking words such as FIRST-LAST and tree-sitter at their hyphens."""
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


def parse(operation: Operation, words: Sequence[str]) -> Call:
    """Read the words of a command line after its verb.

    Raises:
        UsageError: a word is missing, unknown or too many.
        InvalidInputError: a value does not fit its parameter.
    """
    given = vars(parser_of(operation).parse_args(list(words)))
    common = {name: given.pop(name) for name in ("json", "project", "url")}
    del given["debug"]
    own = {parameter.name for parameter in operation.parameters()}
    yes = bool(given.pop("yes", False)) if "yes" not in own else False
    dry_run = bool(given.pop("dry_run", False)) if "dry_run" not in own else bool(given.get("dry_run"))
    full = bool(given.pop("full", False)) if "full" not in own else False
    return Call(given, yes=yes, dry_run=dry_run, full=full, **common)


def parser_of(operation: Operation) -> Parser:
    """The parser of one verb."""
    parser = Parser(
        prog=f"recortex {operation.verb}",
        description=operation.help,
        formatter_class=partial(_Formatter, width=_UNASKED),
        # What an abbreviation means today may change with the next option.
        allow_abbrev=False,
        add_help=False,
        # What was not given is left out, so that the operation's own default holds.
        argument_default=argparse.SUPPRESS,
    )
    parameters = operation.parameters()
    parser.usage = _usage(operation.verb, parameters)
    for parameter in parameters:
        shape = shape_of(parameter.hint, parameter.name)
        if shape.flag:
            plain = parameter.default is False and not parameter.required
            action: Any = "store_true" if plain else argparse.BooleanOptionalAction
            parser.add_argument(
                *parameter.options, action=action, dest=parameter.name, help=_help(parameter, None)
            )
        elif parameter.positional:
            _add_positional(parser, parameter, shape)
        else:
            _add_option(parser, parameter, shape)
    if operation.traits.destructive:
        taken = {parameter.name for parameter in parameters}
        if "dry_run" not in taken:
            parser.add_argument(
                "--dry-run", action="store_true", help="Show what would be done; change nothing."
            )
        if "yes" not in taken:
            parser.add_argument("-y", "--yes", action="store_true", help="Do it without asking.")
    if "full" not in {parameter.name for parameter in parameters}:
        parser.add_argument("--full", action="store_true", help="Show every field, and texts in full.")
    parser.set_defaults(json=False, project=None, url=None, debug=False)
    add_common(parser)
    parser.formatter_class = _Formatter
    return parser


def _usage(verb: str, parameters: Sequence[Parameter]) -> str:
    """The usage in one line; the options follow by themselves."""
    words = [f"recortex {verb}"]
    for parameter in parameters:
        shape = shape_of(parameter.hint, parameter.name)
        if parameter.positional and not shape.flag:
            name = parameter.name.strip("_").upper() + (" ..." if shape.many else "")
            words.append(name if parameter.required and not shape.structured else f"[{name}]")
        elif parameter.required:
            words.append(f"{parameter.options[0]} {shape.metavar}")
    return " ".join([*words, "[options]"])


def _add_positional(parser: Parser, parameter: Parameter, shape: Shape) -> None:
    settings: dict[str, Any] = {"type": shape.read, "help": _help(parameter, shape)}
    if shape.many:
        settings |= {"nargs": "+" if parameter.required else "*", "action": _Many, "shape": shape}
        settings["type"] = None
    elif shape.structured and parameter.required:
        settings |= {"nargs": "?", "default": STDIN}
    if shape.read is shape_of(str).read:
        settings["type"] = spoken
    if not parameter.required and not shape.many:
        # argparse passes its mark for "nothing given" to `type`, as if it were a word.
        settings |= {"nargs": "?", "type": partial(_unless_left_out, settings["type"])}
    parser.add_argument(parameter.name, metavar=parameter.name.strip("_").upper(), **settings)


def _unless_left_out(read: Callable[[str], Any], word: str) -> Any:
    return word if word == argparse.SUPPRESS else read(word)


def _add_option(parser: Parser, parameter: Parameter, shape: Shape) -> None:
    settings: dict[str, Any] = {
        "dest": parameter.name,
        "metavar": shape.metavar if len(shape.metavar) < _MAX_METAVAR else "WORD",
        "required": parameter.required,
        "help": _help(parameter, shape),
    }
    if shape.many:
        settings |= {"action": _Many, "shape": shape}
    else:
        settings["type"] = shape.read
    parser.add_argument(*parameter.options, **settings)
    one = parameter.options[-1].removesuffix("s")
    if shape.many and not parameter.required and one not in parameter.options:
        # `--file A --file B` is what people type who give one after the other.
        parser.add_argument(one, **settings | {"help": argparse.SUPPRESS})


_MAX_METAVAR = 30


class _Many(argparse.Action):
    """Collects the values of a repeated option, or of the last positionals, in a tuple."""

    def __init__(self, option_strings: Sequence[str], dest: str, *, shape: Shape, **settings: Any) -> None:
        super().__init__(option_strings, dest, **settings)
        self.shape = shape

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Read the words and add them to those of earlier occurrences."""
        del parser, option_string
        words = [values] if isinstance(values, str) else list(values or ())
        read = partial(_read, self, self.shape.read)
        new = [read(word) for word in (separated(words) if self.shape.split else words)]
        if new or self.option_strings:
            setattr(namespace, self.dest, (*getattr(namespace, self.dest, ()), *new))


def _read(action: argparse.Action, read: Callable[[str], Any], word: str) -> Any:
    try:
        return read(word)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentError(action, str(error)) from None


def _help(parameter: Parameter, shape: Shape | None) -> str:
    """The parameter's line of the docstring, with what else there is to know of its value."""
    parts = [parameter.help] if parameter.help else []
    if shape is not None and shape.choices and (parameter.positional or len(shape.metavar) >= _MAX_METAVAR):
        parts.append(f"One of: {', '.join(shape.choices)}.")
    if shape is not None and shape.structured:
        parts.append("JSON, @FILE, or - for standard input.")
    if shape is not None and shape.many and not parameter.positional:
        parts.append("May be repeated or separated by commas." if shape.split else "May be repeated.")
    if _tells(parameter):
        parts.append(
            "On by default." if parameter.default is True else f"Default: {_default(parameter.default)}."
        )
    # argparse takes a help text for a format.
    return " ".join(parts).replace("%", "%%")


def _tells(parameter: Parameter) -> bool:
    """Whether the default is worth showing."""
    return (
        not parameter.required and parameter.default not in (None, False, "", ()) and parameter.default != []
    )


def _default(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


# -- suggests verbs for one that does not exist


_BESIDE = 0.1  # a word is named too if its similarity is lower than the best one's by no more than this


def synonyms() -> dict[str, str]:
    """What other programs and everyday speech call our verbs: from each such word to the verb."""
    lines = Path(__file__).with_name("synonyms.txt").read_text(encoding="utf-8").splitlines()
    return {
        word: verb for verb, _, words in (line.partition(": ") for line in lines) for word in words.split()
    }


def meant(verb: str, known: Iterable[str]) -> tuple[str, ...]:
    """The verbs that may have been meant, the likeliest first: by meaning, else by spelling."""
    verbs = {name.replace("_", "-") for name in known}
    said = verb.lower().replace("_", "-")
    if said in verbs:
        return (said,)
    words = {word: name for word, name in synonyms().items() if name in verbs}
    if said in words:
        return (words[said],)
    near = difflib.get_close_matches(said, {*verbs, *words}, n=3, cutoff=0.6)
    alike = {name: difflib.SequenceMatcher(None, said, name).ratio() for name in near}
    likely = [name for name in near if alike[name] >= alike[near[0]] - _BESIDE]
    return tuple(dict.fromkeys(words.get(name, name) for name in likely))
