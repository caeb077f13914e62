"""What became of a symbol that a memory hangs on: fresh, moved, changed or gone, by the facts of files.

A symbol is known by its qualified name and by a hash of its tokens without its own name: comments, layout and
other symbols do not change it, and one that was renamed or moved is found again by its hash. Of one that was
renamed and edited at once, the lines tell. `bench/symbol_freshness.py` measures it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.citation import MOST_CHANGED, Citation
from recortex.domain.code_facts import CALLABLE, CONTAINERS
from recortex.domain.links import FileLink, SymbolLink

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from recortex.domain.code_facts import FileFacts, Symbol
    from recortex.domain.links import Freshness

WIDTH = 2
MOST_LINES = 400
"""Lines of a symbol that a link tells."""
SUBSTANTIAL = 3
"""Lines with tokens that a symbol has at least to be known by its hash under another name: shorter ones, such
as a function that only returns, are alike by chance."""
ALIKE = 0.7
"""The least likeness of a symbol that was renamed, or moved to another file, and edited at once."""
ALIKE_NAMED = 0.4
"""The same where its name is the same, and its file is gone."""
OVERLOADED = frozenset({"java", "csharp", "cpp"})
"""Languages in which several functions of a scope have one name."""


class Found(NamedTuple):
    """A symbol in a file as it is now."""

    path: str
    facts: FileFacts
    symbol: Symbol


def link_of(path: str, facts: FileFacts, symbol: Symbol, *, commit: str = "", key: bytes = b"") -> SymbolLink:
    """A symbol as it is now, to be kept with a memory."""
    return SymbolLink(
        path=path,
        name=symbol.name,
        kind=symbol.kind,
        arity=symbol.arity,
        hash=symbol.hash,
        first=symbol.first,
        last=symbol.last,
        lines=_lines(facts, symbol),
        commit=commit,
        key=key,
    )


def followed(link: SymbolLink, found: Found, key: bytes, *, renew: bool = False) -> SymbolLink:
    """The link to a symbol where it is now; of an edited one, it says how it was, unless it is renewed."""
    symbol = found.symbol
    if renew or symbol.hash == link.hash:
        return replace(link_of(found.path, found.facts, symbol, commit=link.commit, key=key), role=link.role)
    return replace(link, path=found.path, name=symbol.name, first=symbol.first, last=symbol.last)


def judged(
    link: SymbolLink,
    facts: FileFacts | None,
    elsewhere: Callable[[SymbolLink], Iterable[Found]] = lambda _: (),
    before: FileFacts | None = None,
) -> tuple[Citation, Found | None]:
    """What became of a symbol, and the symbol as it is; None where it is gone.

    Args:
        link: the symbol as it was.
        facts: of its file as it is; None where the file is gone.
        elsewhere: gives symbols of other files that have its hash or its plain name.
        before: the facts of its file when it was linked, where they are still known.
    """
    here = [Found(link.path, facts, one) for one in facts.symbols if _akin(one, link)] if facts else []
    named = [one for one in here if one.symbol.name == link.name]
    if same := next((one for one in named if one.symbol.hash == link.hash), None):
        return _citation(link, same, "fresh"), same
    known = {(one.name, one.arity) for one in before.symbols} if before else set()
    if edited := _edited(link, named, known - {(link.name, link.arity)}):
        return _changed(link, edited), edited
    new = [one for one in here if (one.symbol.name, one.symbol.arity) not in known]
    others = [one for one in elsewhere(link) if _akin(one.symbol, link) and one.path != link.path]
    if moved := _moved(link, new, certain=bool(known)) or _moved(link, others):
        return _citation(link, moved, "moved"), moved
    if found := _followed(link, new, others):
        return _changed(link, found), found
    what = f"it is not in {link.path} any more" if facts else "its file is gone"
    place = FileLink(link.path, link.first, link.last, commit=link.commit)
    return Citation(place, "gone", link.path, link.first, link.last, 0.0, what, link.name), None


def unchanged(link: SymbolLink) -> Citation:
    """A symbol in a file that did not change."""
    place = FileLink(link.path, link.first, link.last, commit=link.commit)
    return Citation(place, "fresh", link.path, link.first, link.last, 1.0, symbol=link.name)


def _akin(one: Symbol, link: SymbolLink) -> bool:
    """Whether a symbol is of such a kind that the other may have become it."""
    if one.kind == link.kind:
        return True
    return any({one.kind, link.kind} <= kinds for kinds in (CALLABLE, CONTAINERS))


def _edited(link: SymbolLink, named: Sequence[Found], others: Collection[tuple[str, int]]) -> Found | None:
    """The symbol of its name in its file: of several, one with as many parameters, and the likest.

    `others`: names with numbers of parameters that the file had beside it; one of these it did not become.
    """
    own = [
        one
        for one in named
        if one.facts.language not in OVERLOADED or (one.symbol.name, one.symbol.arity) not in others
    ]
    return max(own, key=lambda one: (one.symbol.arity == link.arity, _likeness(link, one)), default=None)


def _moved(link: SymbolLink, found: Sequence[Found], *, certain: bool = False) -> Found | None:
    """The symbol with its hash: the one of its plain name, or the only one; `certain`: they all are new."""
    same = [one for one in found if one.symbol.hash == link.hash]
    named = [one for one in same if one.symbol.plain == link.plain]
    if len(named) == 1 or (named and len({one.symbol.name for one in named}) < len(named)):
        return named[0]
    return same[0] if len(same) == 1 and (certain or len(_told(link.lines)) >= SUBSTANTIAL) else None


def _followed(link: SymbolLink, here: Sequence[Found], others: Sequence[Found]) -> Found | None:
    """The symbol that it was renamed to, or that is in another file, and edited on the way."""
    named = [one for one in others if one.symbol.plain == link.plain]
    renamed = here if len(_told(link.lines)) >= SUBSTANTIAL else ()
    best = max((*renamed, *named), key=lambda one: _likeness(link, one), default=None)
    if best is None:
        return None
    alone = len(named) == 1 and best in named and best.symbol.name == link.name
    return best if _likeness(link, best) >= (ALIKE_NAMED if alone and not here else ALIKE) else None


def _likeness(link: SymbolLink, one: Found) -> float:
    """The share of lines that two symbols have in common, of all lines of both (Jaccard, as multisets).

    The line of the name counts where it is the only one, or the name is the same.
    """
    old, new = _told(link.lines), _told(_lines(one.facts, one.symbol))
    if one.symbol.plain != link.plain and min(len(old), len(new)) > 1:
        old, new = old[1:], new[1:]
    mine, other = Counter(old), Counter(new)
    return (mine & other).total() / max(1, (mine | other).total())


def _changed(link: SymbolLink, one: Found) -> Citation:
    old, new = _told(link.lines), _told(_lines(one.facts, one.symbol))
    stands = (Counter(old) & Counter(new)).total() / max(1, len(old))
    line = first_changed(link, one.facts, one.symbol)
    return _citation(link, one, "changed", min(stands, MOST_CHANGED), f"edited at line {line}")


def first_changed(link: SymbolLink, facts: FileFacts, symbol: Symbol) -> int:
    """The first line of a symbol that does not read as it did; its last where only lines behind went."""
    old, place = _told(link.lines), 0
    for line in range(symbol.first, symbol.last + 1):
        value = facts.lines[WIDTH * (line - 1) : WIDTH * line]
        if any(value):
            if place >= len(old) or value != old[place]:
                return line
            place += 1
    return symbol.last


def _citation(
    link: SymbolLink, one: Found, state: Freshness, standing: float = 1.0, what: str = ""
) -> Citation:
    symbol = one.symbol
    return Citation(
        FileLink(link.path, link.first, link.last, commit=link.commit),
        state,
        one.path,
        symbol.first,
        symbol.last,
        standing,
        what,
        link.name,
        symbol.name if symbol.name != link.name else "",
    )


def _lines(facts: FileFacts, symbol: Symbol) -> bytes:
    last = min(symbol.last, symbol.first + MOST_LINES - 1)
    return facts.lines[WIDTH * (symbol.first - 1) : WIDTH * last]


def _told(lines: bytes) -> list[bytes]:
    """The lines with tokens."""
    parts = (lines[place : place + WIDTH] for place in range(0, len(lines), WIDTH))
    return [one for one in parts if any(one)]
