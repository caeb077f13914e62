"""The text of which a chunk's vector is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.exchanges.embedding import PART

if TYPE_CHECKING:
    from recortex.domain.document import Chunk


_WHOLE = 128
"""Tokens of a chunk that is read whole."""


def embedded(chunk: Chunk) -> tuple[str]:
    """The headings that a chunk stands under, and its text: of a longer one two halves, each under them.

    The shipped model reads 256 pieces of a word. The mean of the halves' vectors finds more than the vector
    of what it reads of the whole, in the same time (docs/documents.md).
    """
    head = " > ".join(chunk.headings)
    parts = [chunk.text] if chunk.tokens <= _WHOLE else _halves(chunk.text)
    return (PART.join(f"{head}\n{part}" if head else part for part in parts),)


def _halves(text: str) -> list[str]:
    """A text in two, cut at the last break, or else space, before its middle."""
    middle = len(text) // 2
    cuts = (text.rfind(sign, middle // 2, middle) for sign in "\n ")
    at = next((place for place in cuts if place > 0), middle)
    return [text[:at], text[at:].lstrip("\n")]
