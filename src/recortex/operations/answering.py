"""What `remember` answers: the memory as it is kept, and what was known of the matter before."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from recortex.domain.memory import Memory
from recortex.domain.vocabulary import RelationType, Status
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.engines.similarity.jaccard import BY_WORDS, SAME_MATTER, SUGGESTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.app.store_services import StoreServices
    from recortex.domain.citation import Citation
    from recortex.domain.relation import Relation
    from recortex.engines.ingestion.service import Kept

Done = Literal["merged", "confirmed", "replaced", "linked", "contradicts"]
MOST_KNOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A memory that a new one repeats, replaces or resembles.

    Attributes:
        said_on: since when it is true.
        done: merged: word for word the same, it counts once more; confirmed: it says the same and more, and
            counts once more; replaced: the new one took its place; linked: both are kept and related;
            contradicts: both are kept, and cannot both be true.
    """

    id: str
    text: str
    said_on: date
    status: Status
    done: Done


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnsweredMemory(Memory):
    """A memory with something beside it, equal to the same memory read elsewhere."""

    def __eq__(self, other: object) -> bool:
        """Whether the other is the same memory in the same state."""
        return isinstance(other, Memory) and _state(self) == _state(other)

    __hash__ = None  # type: ignore[assignment]  # a memory holds what cannot be hashed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RememberedMemory(AnsweredMemory):
    """The memory that was kept.

    Attributes:
        known: what was known of the same matter, at most three; where it was merged or confirmed, the memory
            itself, and nothing was added.
    """

    known: tuple[Known, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpenedMemory(AnsweredMemory):
    """A memory with what became of the code that it cites.

    Attributes:
        cited: of each place that can be compared, what became of it: "src/a.py:4-9: 2 of 6 lines differ"; and
            how each pattern that it is linked to stands, as counted last.
    """

    cited: tuple[str, ...] = ()


def opened(memory: Memory, citations: Sequence[Citation], states: Sequence[str] = ()) -> OpenedMemory:
    """A memory with what became of the places that it cites, and how its patterns stand."""
    told = tuple(one.told or f"{one.was}: {one.state}" for one in citations if one.state != "none")
    return OpenedMemory(**_state(memory), cited=(*told, *states))


def answered(services: StoreServices, kept: Kept) -> RememberedMemory:
    """The answer for a memory that was kept, with its relations made."""
    return RememberedMemory(**_state(kept.memory), known=tuple(_known(services, kept))[:MOST_KNOWN])


def _state(memory: Memory) -> dict[str, Any]:
    return {field.name: getattr(memory, field.name) for field in fields(Memory)}


def _known(services: StoreServices, kept: Kept) -> Iterator[Known]:
    memory = kept.memory
    if not kept.added:
        yield _describe_known(memory, "confirmed" if kept.confirmed else "merged")
        return
    done: dict[str, Done] = {memory.supersedes: "replaced"} if memory.supersedes else {}
    found = sorted(services.store.relations.of([memory.id]), key=lambda one: -one.strength)
    for relation in found:
        other = relation.target_id if relation.source_id == memory.id else relation.source_id
        if relation.type is RelationType.CONTRADICTS:
            done[other] = "contradicts"
        elif _same_matter(relation):
            done.setdefault(other, "linked")
    for one in services.store.memories.get(list(done)):
        yield _describe_known(one, done[one.id])


def _same_matter(relation: Relation) -> bool:
    """Whether two memories are likely to say the same, by many common words or by their vectors."""
    by = relation.evidence[0] if relation.evidence else ""
    return relation.inferred and (
        by.startswith(SAME_MATTER) or (by == BY_WORDS and relation.strength >= SUGGESTED)
    )


def _describe_known(memory: Memory, done: Done) -> Known:
    clean = output_redacted(memory)
    return Known(
        id=memory.id, text=clean.text, said_on=memory.valid_from.date(), status=memory.status, done=done
    )
