"""Arguments of a tool call: from untrusted JSON to what the operation takes.

They are read with goodwill, since clients send lists, numbers and truths as text, and 5.0 for 5: what decodes
to the declared type is taken. Where it is a text that is wanted, a text stays what it is.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from recortex import codec
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from recortex.operations.registry import Operation, Parameter

# A memory is a statement, not a document: far above any honest one, far below what could fill the memory of a
# machine.
LONGEST_TEXT = 200_000
_LARGEST_NUMBER = 2**63 - 1
_NUL = "\0"
_NOTHING = frozenset(("", "null", "None"))
_AROUND_WORDS = " \t\r\n\"'"


def converted(operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the operation's method.

    Raises:
        InvalidInputError: one is unknown, missing, of another type, too long, or no proper text.
    """
    parameters = {parameter.name: parameter for parameter in operation.parameters()}
    tool, hint = operation.name, takes(operation)
    if unknown := sorted(set(given) - set(parameters)):
        raise InvalidInputError(f"`{tool}` has no argument {unknown[0][:40]!r}.", hint=hint)
    missing = [name for name, parameter in parameters.items() if parameter.required and name not in given]
    if missing:
        raise InvalidInputError(f"`{tool}` needs the argument `{missing[0]}`.", hint=hint)
    left_out = {
        name
        for name, value in given.items()
        if _is_nothing(value, parameters[name]) and not operation.traits.destructive
    }
    return {name: _argument(parameters[name], value) for name, value in given.items() if name not in left_out}


def is_true(value: object) -> bool:
    """Whether a truth was sent, as one or as text."""
    return value is True or (isinstance(value, str) and value.strip().lower() == "true")


def taken(value: Any, hint: Any) -> Any:
    """A value as the declared type.

    Raises:
        InvalidInputError: it is no such value, nor decodes to one.
    """
    try:
        return codec.convert(value, hint)
    except InvalidInputError as error:
        for reading in _readings(value):
            with suppress(InvalidInputError):
                return codec.convert(reading, hint, strict=False)
        raise error from None


def _readings(value: Any) -> Iterator[Any]:
    """What a value may have been meant as: JSON, itself, a list of one, a word or a list of them."""
    for reading in (*_decoded(value), value):
        yield reading
        yield [] if isinstance(reading, str) and not reading.strip() else [reading]
    if isinstance(value, str):
        for written in (value, value.lower(), value.upper()):
            yield written.strip(_AROUND_WORDS)
            yield [word.strip(_AROUND_WORDS) for word in written.strip(" []").split(",")]


def _decoded(value: Any) -> Iterator[Any]:
    """A text as JSON where that is a list, an object, a number or a truth, also within another text."""
    if isinstance(value, str):
        with suppress(InvalidInputError, UnicodeEncodeError):
            if isinstance(reading := codec.loads(value), str):
                yield from _decoded(reading)
            else:
                yield reading


def _is_nothing(value: Any, parameter: Parameter) -> bool:
    """Whether an argument that may be left out was sent as nothing, where only something has its type.

    A filter that is left out widens what is done, so this is for calls that remove nothing.
    """
    if parameter.required or not (value is None or (isinstance(value, str) and value.strip() in _NOTHING)):
        return False
    try:
        codec.convert(value, parameter.hint)
    except InvalidInputError:
        return True
    return False


def takes(operation: Operation) -> str:
    """The names of an operation's arguments in a sentence."""
    parameters = operation.parameters()
    names = [parameter.name + (" (required)" if parameter.required else "") for parameter in parameters]
    return f"`{operation.name}` takes: {', '.join(names) or 'no arguments'}."


def _argument(parameter: Parameter, value: Any) -> Any:
    for reading in (value, *_decoded(value)):  # what a text hides counts as what stands open
        for item in _scalars(reading):
            if isinstance(item, str):
                _check_text(parameter.name, item)
            elif isinstance(item, int | float):
                _check_number(parameter.name, item)
    try:
        return taken(value, parameter.hint)
    except InvalidInputError as error:
        wanted = codec.dumps(codec.schema(parameter.hint)).decode()
        hint = f"{parameter.help} Its JSON schema: {wanted}".strip()
        raise InvalidInputError(f"`{parameter.name}`: {error.message}", hint=hint) from None


def _scalars(value: Any) -> Iterator[Any]:
    """Every value in a JSON value that holds no others, and every key, however deep."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, dict):
            waiting.extend(item)
            waiting.extend(item.values())
        else:
            yield item


def _check_text(name: str, text: str) -> None:
    if len(text) > LONGEST_TEXT:
        raise InvalidInputError(
            f"`{name}` has a text of {len(text)} characters; {LONGEST_TEXT} are allowed.",
            hint="Keep what matters, in a few sentences; several memories are better than a long one.",
        )
    if _NUL in text or not _is_unicode(text):
        raise InvalidInputError(
            f"`{name}` has a character that is no text (NUL, or half of a surrogate pair).",
            hint="Send it again without that character.",
        )


def _check_number(name: str, number: float) -> None:
    if not -_LARGEST_NUMBER <= number <= _LARGEST_NUMBER:
        raise InvalidInputError(
            f"`{name}` has a number that is too large.", hint="Numbers are at most 64 bits wide."
        )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
