"""Makes the two memories of an indexed piece of code, and finds those that they replace.

They are related as `code_description --source_of--> code`. Code is never embedded: a search finds its
description, and the relation leads to the code.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from blake3 import blake3

from recortex.domain.kinds import Kind
from recortex.domain.memory import Relation
from recortex.domain.search import MemoryQuery
from recortex.domain.text import lazy
from recortex.domain.vocabulary import Origin, RelationType, Scope, Status
from recortex.engines.ingestion import Normalised, normalise
from recortex.engines.privacy import Draft

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.code import Symbol
    from recortex.domain.memory import FileLink, FunctionLink, Memory
    from recortex.ports.store import Store


DESCRIPTION, CODE = Kind("code_description"), Kind("code")
GENERATED = "generated"
"""In the metadata of a description that nobody gave: the digest of it, which an edit no longer has."""
SAME_LINES = 0.5
"""Two ranges of lines are the same piece if they share more than this part of all their lines."""


class Piece(NamedTuple):
    """A piece of code as it stands.

    Attributes:
        link: its file, lines, hash and commit.
        text: of the lines.
        functions: the symbol that it is, if it was named.
        described: what a symbol says of itself.
    """

    link: FileLink
    text: str
    functions: tuple[FunctionLink, ...] = ()
    described: str = ""


class IndexedPiece(NamedTuple):
    """A description and its code; `code` is None if it is no longer active."""

    description: Memory
    code: Memory | None


class Pair(NamedTuple):
    """A new description and its code."""

    description: Normalised
    code: Normalised


def normalised_pair(
    piece: Piece,
    *,
    description: str,
    tags: tuple[str, ...],
    priority: int,
    now: datetime,
    new_id: Callable[[], str],
    count: Callable[[str], int],
    generated: bool = False,
) -> Pair:
    """Both memories, without secrets.

    Args:
        piece: the code itself.
        description: what it does.
        tags: for both.
        priority: for both, 1 to 10.
        now: when it is indexed.
        new_id: makes ids.
        count: counts the tokens of a text.
        generated: whether the description is what the code says of itself, and nobody gave it.

    Raises:
        InvalidInputError: the description is empty or too long.
    """

    def made(kind: Kind, field: str, text: str) -> Normalised:
        draft = Draft(
            kind=kind,
            content={field: text},
            priority=priority,
            tags=tags,
            files=(piece.link,),
            functions=piece.functions,
            origin=Origin.CODE_INDEX,
            scope=Scope.PROJECT,
            metadata={GENERATED: digest(text.strip())} if generated and kind == DESCRIPTION else {},
        )
        return normalise(draft, id_=new_id(), now=now, count=count)

    return Pair(made(DESCRIPTION, "description", description.strip()), made(CODE, "source", piece.text))


def digest(text: str) -> str:
    """A short hash of a description."""
    return blake3(text.encode()).hexdigest(length=8)


def was_given(description: Memory) -> bool:
    """Whether somebody gave or edited a description."""
    return description.metadata.get(GENERATED) != digest(description.text)


def relation(description: Memory, code: Memory, now: datetime) -> Relation:
    """The relation that joins the pair."""
    return Relation(description.id, code.id, RelationType.SOURCE_OF, now)


def same_place(a: FileLink, b: FileLink, lines: tuple[int, int]) -> bool:
    """Whether two links mean the same piece of a file: they share more than half of their lines.

    Args:
        a: one of them.
        b: the other.
        lines: the number of lines of each piece of code, for a link to a whole file.
    """
    if a.path != b.path:
        return False
    (a_first, a_last), (b_first, b_last) = _lines(a, lines[0]), _lines(b, lines[1])
    shared = min(a_last, b_last) - max(a_first, b_first) + 1
    return shared > SAME_LINES * (max(a_last, b_last) - min(a_first, b_first) + 1)


def _lines(link: FileLink, count: int) -> tuple[int, int]:
    if link.line_start is None:
        return 1, max(count, 1)
    return link.line_start, link.line_end or link.line_start


def _length(code: Memory | None) -> int:
    return len(code.text.splitlines()) if code else 0


def unchanged(former: IndexedPiece, new: Pair) -> bool:
    """Whether indexing again changes nothing: the same lines, text, description, importance and tags."""
    old, said = former.description, new.description.memory
    return (
        former.code is not None
        and _piece(old) == _piece(said)
        and (old.content_hash, former.code.content_hash) == (said.content_hash, new.code.memory.content_hash)
        and old.priority == said.priority
        # Tags that somebody added to the old one are no change of the code.
        and set(said.tags) <= set(old.tags)
    )


def _piece(memory: Memory) -> tuple[object, ...]:
    # Without the commit: a commit that leaves these lines alone changes nothing of the piece.
    link = memory.files[0]
    return (link.path, link.line_start, link.line_end, link.content_hash)


def replaced(
    new: Pair, former: Iterable[IndexedPiece], still_there: Callable[[FileLink], bool]
) -> list[IndexedPiece]:
    """The former pairs that the new one replaces.

    Those of the same place, and those of the same file with the same code or description whose lines have
    changed
    since: the piece has moved.

    Args:
        new: the new pair.
        former: the indexed pieces of the file.
        still_there: whether a link's lines are unchanged.
    """
    return [one for one in former if _replaces(new, one, still_there)]


def _replaces(new: Pair, former: IndexedPiece, still_there: Callable[[FileLink], bool]) -> bool:
    place, old = new.description.memory.files[0], former.description.files[0]
    whole = place.line_start is None and old.line_start is None
    if (whole and place.path == old.path) or same_place(
        place, old, (_length(new.code.memory), _length(former.code))
    ):
        return True
    # The piece may have moved within its file: its words or its code are the same, its lines are not.
    same_words = former.description.content_hash == new.description.memory.content_hash
    same_code = former.code is not None and former.code.content_hash == new.code.memory.content_hash
    # While its old lines still stand, the new piece is a copy beside it and not the same one moved.
    return place.path == old.path and (same_words or same_code) and not still_there(old)


def linked_code(relations: Iterable[Relation], codes: Mapping[str, Memory]) -> dict[str, tuple[Memory, ...]]:
    """The code that each memory is joined to by `source_of`, in either direction."""
    found: dict[str, tuple[Memory, ...]] = {}
    for one in relations:
        if one.type is RelationType.SOURCE_OF:
            for code, other in ((one.target_id, one.source_id), (one.source_id, one.target_id)):
                if code in codes:
                    found[other] = (*found.get(other, ()), codes[code])
    return found


# -- what a symbol's code says of itself: the first paragraph of its documentation, and its signature


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
    start = next(
        (
            place
            for place in _places(symbol)
            # Only the beginning: facts cut what is long.
            if place < len(lines) and _plain(lines[place])[: len(symbol.doc)] == symbol.doc
        ),
        None,
    )
    return [symbol.doc] if start is None else list(islice(_rest(symbol, lines, start), MOST_LINES))


def _places(symbol: Symbol) -> Iterator[int]:
    """Where documentation may begin: in the symbol, or above it, the nearest first; from 0."""
    yield from range(symbol.line - 1, min(symbol.last, symbol.line + _FARTHEST))
    yield from range(symbol.line - 2, max(symbol.first - _FARTHEST, -1), -1)


def _rest(symbol: Symbol, lines: Sequence[str], start: int) -> Iterator[str]:
    """The lines from the first one on, until a gap, another part, or the end of the comment."""
    # Documentation above a symbol ends where the symbol begins.
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


# -- reads pairs of description and code from a store


def code_of(store: Store, memories: Sequence[Memory]) -> dict[str, tuple[Memory, ...]]:
    """The code that each memory describes, by the memory's id: if active, or of the same status."""
    relations = store.relations.find_touching([one.id for one in memories])
    ends = sorted({end for one in relations for end in (one.source_id, one.target_id)})
    linked = linked_code(relations, {one.id: one for one in store.memories.get(ends) if one.kind == CODE})
    return {
        # What was archived with its code is still shown with it.
        one.id: tuple(code for code in linked.get(one.id, ()) if code.status in {Status.ACTIVE, one.status})
        for one in memories
    }


def pieces_of_file(store: Store, path: str) -> list[IndexedPiece]:
    """The indexed pieces of a file."""
    found = store.memories.find(
        MemoryQuery(kinds=(DESCRIPTION,), files=(path,), origins=(Origin.CODE_INDEX,))
    )
    codes = code_of(store, found)
    return [IndexedPiece(one, next(iter(codes[one.id]), None)) for one in found]
