"""What a symbol's code says of itself: the first paragraph of its documentation, and its signature."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from recortex.domain.expressions import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.domain.code_facts import Symbol

MOST_LINES = 12
"""Of a paragraph."""
_FARTHEST = 80
"""Lines between the name of a symbol and its documentation."""
_SIGNS = lazy(
    r"""^\s*(?:[rRuUbB]?(?:\"{3}|'{3}|")|/\*+!?|//+[/!]?|\*+/?|\#+|--)\s?"""
    r"""|(?:\"{3}|'{3}|(?<!\*)\*+/)\s*$|</?(?:summary|remarks|para)[^>]*>"""
)
_ENDS = lazy(r"""(?:\"{3}|'{3}|\*/)\s*$""")
_TAG = lazy(r"[@\\]\w+|:\w[^:]*:|<\w+|#+ |\w+:$")
"""A line that begins another part: `@param`, `:param x:`, `<param …>`, `Args:`, `# Panics`."""


def described(symbol: Symbol, lines: Sequence[str]) -> str:
    """A description of a symbol, of its documentation and its signature.

    Args:
        symbol: as its facts have it; of its documentation they hold the first line.
        lines: of its file.
    """
    head = f"The {symbol.kind} `{symbol.name}`: `{symbol.signature}`"
    said = " ".join(paragraph(symbol, lines))
    return f"{said}\n\n{head}" if said else head


def paragraph(symbol: Symbol, lines: Sequence[str]) -> list[str]:
    """The lines of the first paragraph of a symbol's documentation; none where it has none."""
    if not symbol.doc:
        return []
    start = next((place for place in _places(symbol) if _begins(lines, place, symbol.doc)), None)
    return [symbol.doc] if start is None else list(islice(_rest(symbol, lines, start), MOST_LINES))


def _places(symbol: Symbol) -> Iterator[int]:
    """Where documentation may begin: in the symbol, or above it, the nearest first; from 0."""
    yield from range(symbol.line - 1, min(symbol.last, symbol.line + _FARTHEST))
    yield from range(symbol.line - 2, max(symbol.first - _FARTHEST, -1), -1)


def _begins(lines: Sequence[str], place: int, doc: str) -> bool:
    return place < len(lines) and _plain(lines[place])[: len(doc)] == doc  # facts cut what is long


def _rest(symbol: Symbol, lines: Sequence[str], start: int) -> Iterator[str]:
    """The lines from the first one on, until a gap, another part, or the end of the comment."""
    end = symbol.first - 1 if start < symbol.first - 1 else symbol.last
    for place in range(start, min(end, len(lines))):
        said = _plain(lines[place])
        if not said or (place > start and _TAG.match(said)):
            return
        yield said
        if _ENDS.search(lines[place]):
            return


def _plain(line: str) -> str:
    return " ".join(_SIGNS.sub("", line.strip()).split())
