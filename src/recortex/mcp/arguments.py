"""Arguments of a tool call: from untrusted JSON to what the operation takes."""

from __future__ import annotations

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
    return {name: _argument(parameters[name], value) for name, value in given.items()}


def takes(operation: Operation) -> str:
    """The names of an operation's arguments in a sentence."""
    parameters = operation.parameters()
    names = [parameter.name + (" (required)" if parameter.required else "") for parameter in parameters]
    return f"`{operation.name}` takes: {', '.join(names) or 'no arguments'}."


def _argument(parameter: Parameter, value: Any) -> Any:
    for item in _scalars(value):
        if isinstance(item, str):
            _check_text(parameter.name, item)
        elif isinstance(item, int | float):
            _check_number(parameter.name, item)
    try:
        return codec.convert(value, parameter.hint)
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
