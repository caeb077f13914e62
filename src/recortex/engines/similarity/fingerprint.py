"""Equal texts have equal fingerprints."""

from __future__ import annotations

import unicodedata

from blake3 import blake3


def content_hash(kind: str, text: str) -> str:
    """BLAKE3 of a kind and a text as 64 hexadecimal digits; case, spacing and Unicode form make no difference."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return str(blake3(f"{kind}\n{plain}".encode()).hexdigest())


def place_hash(*parts: str) -> bytes:
    """Sixteen bytes that stand for a place, such as a turn of a session."""
    return bytes(blake3("\0".join(parts).encode()).digest(length=16))


def vector_hash(model: str, text: str) -> bytes:
    """Sixteen bytes that stand for the vector of a text by one embedder."""
    return bytes(blake3(f"{model}\0{text}".encode("utf-8", "replace")).digest(length=16))
