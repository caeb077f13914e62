"""The text of which a chunk's vector is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recortex.domain.document import Chunk


def embedded(chunk: Chunk) -> tuple[str]:
    """The headings that a chunk stands under, and its text."""
    return ("\n".join(filter(None, (" > ".join(chunk.headings), chunk.text))),)
