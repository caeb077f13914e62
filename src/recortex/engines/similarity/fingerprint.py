"""Hashes of texts, places and vectors."""

from __future__ import annotations

import re
import unicodedata

from blake3 import blake3


def content_hash(kind: str, text: str) -> str:
    """BLAKE3 of kind and text, 64 hexadecimal digits; case, spacing and Unicode form do not count."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return str(blake3(f"{kind}\n{plain}".encode()).hexdigest())


_ENDS = ("", ".", "!", "...")
# The end of `go test ./...` and of `cd ..` belongs to the command.
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


_READ = 2_000


def spellings(kind: str, text: str) -> tuple[str, ...]:
    """The hashes under which a statement may be kept already: as it is said, then with other marks around it.

    A kept memory has the hash of its own text, so stores need no new hashes for a new way to compare.
    """
    if len(text) > _READ:
        return (content_hash(kind, text),)
    said = bare(text)
    forms = (form for end in _ENDS for form in (f"{said}{end}", f'"{said}{end}"', f'"{said}"{end}'))
    return tuple(content_hash(kind, form) for form in (text, *(form for form in forms if bare(form) == said)))


def place_hash(*parts: str) -> bytes:
    """Sixteen bytes that stand for a place, such as a turn of a session."""
    return bytes(blake3("\0".join(parts).encode()).digest(length=16))


def vector_hash(model: str, text: str) -> bytes:
    """Sixteen bytes that stand for the vector of a text by one embedder."""
    return bytes(blake3(f"{model}\0{text}".encode("utf-8", "replace")).digest(length=16))
