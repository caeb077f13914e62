"""What became of the lines and symbols that a memory cites, said once where both mean the same code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.citation import Citation

_STANDS = frozenset({"fresh", "moved"})


def together(files: Sequence[Citation], symbols: Sequence[Citation]) -> list[Citation]:
    """The citations of a memory without those that another one knows better.

    Lines within a symbol hold as long as one of the two does: the symbol is not changed by comments and
    layout, and a few of its lines not by an edit elsewhere in it. Of a file that is cited whole, what counts
    is what became of the symbols of it that the memory names.
    """
    kept = [one for one in files if not any(_tells_more(symbol, one) for symbol in symbols)]
    return kept + [one for one in symbols if not any(_finer(lines, one) for lines in kept)]


def _tells_more(symbol: Citation, file: Citation) -> bool:
    """Whether what became of a symbol says what became of a place that does not read as it did."""
    if file.link.path != symbol.link.path or file.state in _STANDS | {"none"} or symbol.state == "gone":
        return False
    if file.link.line_start is None or file.state == "gone":
        return True
    within, whole = _lines(file), _lines(symbol)
    return within == whole or (_inside(within, whole) and symbol.state in _STANDS)


def _finer(file: Citation, symbol: Citation) -> bool:
    """Whether cited lines within an edited symbol say more precisely what became of it."""
    same = file.link.path == symbol.link.path and file.link.line_start is not None and file.state != "none"
    return symbol.state == "changed" and same and _inside(_lines(file), _lines(symbol))


def _inside(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return other[0] <= one[0] and one[1] <= other[1] and one != other


def _lines(citation: Citation) -> tuple[int, int]:
    first = citation.link.line_start or 0
    return first, citation.link.line_end or first
