"""Hashes of texts, places and vectors."""

from __future__ import annotations

import re
import unicodedata

from blake3 import blake3

from recortex.engines.scripts import writes_no_spaces


def content_hash(kind: str, text: str) -> str:
    """BLAKE3 of kind and text, 64 hexadecimal digits; case, spacing and Unicode form are ignored."""
    composed = text if text.isascii() else unicodedata.normalize("NFKC", text)
    plain = " ".join(composed.casefold().split())
    return str(blake3(f"{kind}\n{plain}".encode()).hexdigest())


# Not after a space, slash or dot: in `go test ./...` and `cd ..` the dots belong to the command.
_END = re.compile(r"(?<![\s/\\.!\u2026\u3002])[.!\u2026\u3002]+$")
_QUOTES = dict(zip("\"'`\u201c\u2018\u201e\u00ab", "\"'`\u201d\u2019\u201c\u00bb", strict=True))


def bare(text: str) -> str:
    """A statement without the full stop, the ellipsis and the quotation marks around it."""
    shorter = _END.sub("", text.strip())
    if (
        shorter[1:]
        and _QUOTES.get(shorter[0]) == shorter[-1]
        and not {shorter[0], shorter[-1]} & {*shorter[1:-1]}
    ):
        shorter = shorter[1:-1].strip()
    return bare(shorter) if shorter and shorter != text else text


_LONGEST = 2_000
"""A longer text has one spelling: hashing a dozen variants of it would take long."""


def spellings(kind: str, text: str) -> tuple[str, ...]:
    """The hashes that a stored memory with the same statement may have: as given, then repunctuated.

    Variants of the new text are compared, so stored memories need no further hash.
    """
    if len(text) > _LONGEST:
        return (content_hash(kind, text),)
    core = bare(text)
    ends = ("", "\u3002" if writes_no_spaces(core) else ".", "!", "...")
    forms = [form for end in ends for form in (f"{core}{end}", f'"{core}{end}"', f'"{core}"{end}')]
    if not (core[:1].isalnum() and core[-1:].isalnum()) or '"' in core:  # else all of them are bare the same
        forms = [form for form in forms if bare(form) == core]
    return tuple(content_hash(kind, form) for form in (text, *forms))


def place_hash(*parts: str) -> bytes:
    """A hash of 16 bytes for a place, such as a turn of a session."""
    return bytes(blake3("\0".join(parts).encode()).digest(length=16))


def vector_hash(model: str, text: str) -> bytes:
    """A hash of 16 bytes for the vector of a text by one embedder."""
    return bytes(blake3(f"{model}\0{text}".encode("utf-8", "replace")).digest(length=16))


def turn_place(turn: str) -> bytes:
    """The hash of a turn of a session, by its id."""
    return place_hash("turn", turn)
