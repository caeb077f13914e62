"""Domain values to JSON and back, without loss; the schema of each; clear errors for what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, cast

from recortex.domain.kinds import KINDS, Content, Kind, kind_of
from recortex.domain.memory import Memory, check
from recortex.domain.text import parse_instant
from recortex.errors import InvalidInputError
from recortex.lean import Struct, msgspec, names_of, replace

T = TypeVar("T")

MAX_JSON_BYTES = 16 * 1024 * 1024
_INSTANT: tuple[object, ...] = (datetime, datetime | None)


def dumps(value: object) -> bytes:
    """Compact JSON of plain values (see `plain`)."""
    return msgspec.json.encode(value)


def loads(text: bytes | str) -> Any:
    """Parse JSON that may come from anywhere.

    Raises:
        InvalidInputError: it is not JSON, too large, or nested too deeply.
    """
    if len(text) > MAX_JSON_BYTES:
        raise InvalidInputError(f"The JSON is larger than {MAX_JSON_BYTES} bytes.", hint="Give it in pieces.")
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInputError(
            f"This is not JSON: {error}.", hint="Check the quotes and brackets."
        ) from None


def plain(value: Any) -> Any:
    """Dictionaries, lists, strings, numbers.

    What JSON can hold, with computed fields that readers rely on.
    """
    if isinstance(value, Memory):
        return memory_to_json(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Struct) or hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in names_of(type(value))}
    return msgspec.to_builtins(value)


def memory_to_json(memory: Memory) -> dict[str, Any]:
    """A memory as the contract shows it: every field, and the word for its importance."""
    data: dict[str, Any] = msgspec.to_builtins(memory)
    data["importance"] = memory.importance.value
    return data


def memory_from_json(data: Any) -> Memory:
    """The inverse of `memory_to_json`.

    Raises:
        InvalidInputError: a field is missing, unknown to the kind, or out of range.
    """
    if not isinstance(data, dict):
        raise InvalidInputError("A memory must be a JSON object.")
    kind = kind_of(str(data.get("kind", "")))
    content = content_from_json(kind, data.get("content") or {})
    memory = convert({**data, "kind": kind, "content": {}}, Memory)
    return check(replace(memory, content=content))


def content_from_json(kind: Kind, data: Any) -> Content:
    """The typed content of a kind.

    Raises:
        InvalidInputError: it has fields that the kind has not, or values of another type.
    """
    content = KINDS[kind]
    names = names_of(content)
    if isinstance(data, dict) and (unknown := sorted(str(name) for name in data if name not in names)):
        raise InvalidInputError(
            f"The kind {kind} has no field {unknown[0][:40]!r}.",
            hint=f"Its fields: {', '.join(names)}. `recortex kinds {kind}` shows what each takes.",
        )
    try:
        return convert(data, content)
    except InvalidInputError as error:
        raise InvalidInputError(
            error.message, hint=f"`recortex kinds {kind}` shows its fields, with an example."
        ) from None


def content_to_json(content: Content) -> dict[str, Any]:
    """The fields of a content that are not as usual."""
    usual = type(content)()
    data: dict[str, Any] = msgspec.to_builtins(content)
    return {name: value for name, value in data.items() if getattr(content, name) != getattr(usual, name)}


def convert(data: Any, to: type[T], *, strict: bool = True) -> T:
    """Plain values to a typed one; aware datetimes in UTC. A time may be a date alone, as in the shell.

    Args:
        data: the values.
        to: the type.
        strict: False also takes numbers and truths that came as texts, and 5.0 for 5.

    Raises:
        InvalidInputError: with the path of the value that does not fit.
    """
    if isinstance(data, str) and to in _INSTANT:
        return cast("T", parse_instant(data))
    try:
        return msgspec.convert(data, to, strict=strict)
    except (msgspec.ValidationError, RecursionError) as error:
        raise InvalidInputError(
            f"{error}.", hint="See `recortex VERB --help` for what is accepted."
        ) from None


def storable(value: T) -> T:
    """The same value, if JSON can hold it; lone surrogates become question marks.

    Raises:
        InvalidInputError: it holds other objects, or integers of more than 64 bits.
    """
    try:
        dumps(value)
    except UnicodeEncodeError:
        return cast("T", _changed(value, lambda text: text.encode("utf-8", "replace").decode()))
    except (TypeError, OverflowError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"This cannot be kept as JSON: {error}.") from None
    return value


def without_nul(value: T) -> T:
    """The same value with no NUL character in any of its texts: PostgreSQL's texts have none."""
    try:
        if b"\\u0000" not in dumps(value):
            return value
    except UnicodeEncodeError:  # a lone surrogate beside it is somebody else's to replace
        pass
    return cast("T", _changed(value, lambda text: text.replace("\0", "")))


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    """A value with all its texts changed; enumerated words are left alone."""
    if isinstance(value, str):
        return value if type(value) is not str else change(value)
    if isinstance(value, Mapping):
        return {_changed(key, change): _changed(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_changed(item, change) for item in value)
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        from dataclasses import fields, replace

        names = [field.name for field in fields(value) if field.init]
        return replace(value, **{name: _changed(getattr(value, name), change) for name in names})
    return value


@cache
def schema_of(kind: Kind) -> dict[str, Any]:
    """The JSON schema of a kind's content, without references."""
    return schema(KINDS[kind])


def schema(of: Any) -> dict[str, Any]:
    """The JSON schema of any type, its references put in place."""
    (root,), components = msgspec.json.schema_components([of], ref_template="{name}")
    inlined: dict[str, Any] = _inlined(root, components)
    return inlined


def _inlined(node: Any, components: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inlined(item, components) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _inlined(components[node["$ref"]], components)
    return {key: _inlined(value, components) for key, value in node.items()}
