"""Makes the two memories of an indexed piece of code, and finds those that they replace.

They are related as `code_description --source_of--> code`. Code is never embedded: a search finds its
description, and the relation leads to the code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from blake3 import blake3

from recortex.domain.kinds import Kind
from recortex.domain.relation import Relation
from recortex.domain.vocabulary import Origin, RelationType, Scope
from recortex.engines.ingestion.draft import Draft
from recortex.engines.ingestion.normalisation import Normalised, normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from recortex.domain.links import FileLink, FunctionLink
    from recortex.domain.memory import Memory

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
        and set(said.tags) <= set(old.tags)
    )


def _piece(memory: Memory) -> tuple[object, ...]:
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
    same_words = former.description.content_hash == new.description.memory.content_hash
    same_code = former.code is not None and former.code.content_hash == new.code.memory.content_hash
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
