"""Decodes JSON into small typed structs: fast if it is well formed, lenient if it is not.

Transcripts hold cut surrogate pairs, raw control characters, invalid UTF-8 and fields of unexpected types.
Only what is no JSON object at all, or nested too deeply to read, is refused.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from recortex.formats.transcripts.pieces import MalformedLineError

if TYPE_CHECKING:
    from collections.abc import Iterable

S = TypeVar("S", bound=msgspec.Struct)
Raw = msgspec.Raw

_ANY = msgspec.json.Decoder()
_decoder = cache(msgspec.json.Decoder)


def decode(raw: bytes | Raw, shape: type[S]) -> S:
    """Read a JSON object; fields of a wrong type are left at their defaults.

    Raises:
        MalformedLineError: it is no JSON object.
    """
    try:
        return cast("S", _decoder(shape).decode(raw))
    except msgspec.ValidationError:
        return _lenient(_any(raw), shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _lenient(_repaired(raw), shape)


def decode_optional(raw: Raw, shape: type[S]) -> S:
    """Read a JSON object inside another one; all defaults if it is absent or malformed."""
    try:
        return decode(raw, shape)
    except MalformedLineError:
        return shape()


def decode_each(raws: Iterable[bytes | Raw], shape: type[S]) -> list[S]:
    """Read JSON objects; a malformed one is left out and does not lose the others."""
    found = []
    for raw in raws:
        with suppress(MalformedLineError):
            found.append(decode(raw, shape))
    return found


def decode_any(raw: bytes | Raw) -> Any:
    """Read any JSON value. Raises MalformedLineError for anything else; an absent value is None."""
    if not bytes(raw):
        return None
    try:
        return _any(raw)
    except MalformedLineError:
        return _repaired(raw)


def _any(raw: bytes | Raw) -> Any:
    try:
        return _ANY.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedLineError(str(error)) from error


def _repaired(raw: bytes | Raw) -> Any:
    """Parse with the standard library, which accepts lone surrogates and control characters; replace them."""
    try:
        text = bytes(raw).decode("utf-8", "replace")
        value = json.loads(text, strict=False, parse_constant=lambda _: None)
        return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise MalformedLineError(str(error)) from error


def _lenient(value: Any, shape: type[S]) -> S:
    if not isinstance(value, dict):
        raise MalformedLineError(f"{type(value).__name__} where an object is due")
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(shape):
        if field.encode_name in value:
            try:
                fields[field.name] = _converted(value[field.encode_name], field.type)
            except (msgspec.ValidationError, RecursionError):
                continue
    return shape(**fields)


def _converted(value: Any, kind: Any) -> Any:
    if kind is Raw:
        return Raw(json.dumps(value).encode())
    if kind == list[Raw] | None:
        return [Raw(json.dumps(item).encode()) for item in value] if isinstance(value, list) else None
    return msgspec.convert(value, kind)
