"""Which memories account for a place of code, and how much each bears on it.

A memory bears on a place by what it cites, by the commit that it comes from, or by the session that it was
learned in. Those are facts of the record; the likeness of words decides only among memories of one session.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.commit import Commit
from recortex.domain.exchange import Exchange
from recortex.domain.expressions import lazy
from recortex.domain.reasons import Subject
from recortex.engines.words import topic_stems

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from recortex.domain.memory import Memory


# -- what a question for reasons is about: a place, a pattern, a memory, a symbol, or what it asks in words


_ID = lazy(r"[0-9a-fA-F]{6,32}|[0-9a-fA-F]{8}-[0-9a-fA-F-]{1,27}")
_PLACE = lazy(r"(?P<path>[^\n\0]{1,4096}?)(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?")
_SYMBOL = lazy(r"[A-Za-z_$][\w$]{1,99}(?:(?:\.|::|#)[A-Za-z_$][\w$]{0,99}){0,5}(?:\(\))?")


def subject_of(
    about: str, *, is_file: Callable[[str], bool], is_memory: Callable[[str], bool],
    is_pattern: Callable[[str], bool], is_symbol: Callable[[str], bool],
) -> Subject:  # fmt: skip
    """What is asked about; whatever names nothing that is known is a question.

    Args:
        about: `PATH`, `PATH:LINE`, `PATH:FIRST-LAST`, a symbol, the id of a pattern or a memory, or words.
        is_file: whether the project has or had a file, so that memories or commits may know of it.
        is_memory: whether the beginning of an id is one of a memory.
        is_pattern: whether a memory explains the pattern with that id.
        is_symbol: whether the project's code defines a name.
    """
    asked = about.strip()
    place = _PLACE.fullmatch(asked)
    if place and is_file(place["path"]):
        first = int(place["first"]) if place["first"] else None
        last = int(place["last"]) if place["last"] else first
        return Subject("place", asked, place["path"], first, last)
    if is_pattern(asked):
        return Subject("pattern", asked)
    if _ID.fullmatch(asked) and is_memory(asked):
        return Subject("memory", asked)
    if _SYMBOL.fullmatch(asked) and is_symbol(asked.removesuffix("()")):
        return Subject("symbol", asked, symbol=asked.removesuffix("()"))
    return Subject("question", asked)


def last_part(symbol: str) -> str:
    """The name itself of a symbol with the names around it: `evict` of `Cache.evict`."""
    return re.split(r"\.|::|#", symbol)[-1]


# -- which memories account for a place of code, and how much each bears on it


LEAST = 0.35
"""What a memory must reach to be told."""
_BY_KIND = {
    "decision": 1.0, "decision_context": 1.0, "pattern_rationale": 1.0, "constraint_override": 1.0,
    "incident": 1.0, "tribal": 0.95, "architecture": 0.9, "core": 0.8, "code_smell": 0.9, "feedback": 0.8,
    "preference": 0.8, "insight": 0.8, "semantic": 0.8, "procedural": 0.7, "workflow": 0.7,
    "code_description": 0.5, "episodic": 0.4, "progress": 0.4, "conversation": 0.3, "code": 0.0,
}  # fmt: skip
"""How well a kind of memory says why: what was decided and what went wrong do, what code does does not."""
_USUAL_KIND = 0.7


class Bearing(NamedTuple):
    """A memory that bears on a subject.

    Attributes:
        relevance: 0 to 1.
        because: how, in words.
    """

    memory: Memory
    relevance: float
    because: str


@dataclass(frozen=True, slots=True)
class Trail:
    """What leads from a place of code to memories.

    Attributes:
        of_line, of_symbol: the commits that changed the line, or the definition around it, the latest first.
        made_by: the exchange that made each of some commits, by hash; `likely` are the hashes of those that
            did not print it, but edited the file shortly before.
        uncommitted: whether the line, or a part of the lines, is not committed yet.
    """

    subject: Subject
    of_line: Sequence[Commit] = ()
    of_symbol: Sequence[Commit] = ()
    made_by: Mapping[str, Exchange] = field(default_factory=dict)
    likely: frozenset[str] = frozenset()
    uncommitted: bool = False

    @property
    def commits(self) -> tuple[Commit, ...]:
        """Every commit, those of the line first."""
        return tuple({one.hash: one for one in (*self.of_line, *self.of_symbol)}.values())


def bearings(trail: Trail, memories: Iterable[Memory]) -> list[Bearing]:
    """The memories that bear on a place enough to be told, the most relevant first."""
    # The words that say what the place is about: its symbol, its file, and its commits' subjects.
    said = " ".join((trail.subject.symbol, *(one.subject for one in trail.commits)))
    topic = topic_stems(said)
    weighed = (_bearing(trail, memory, topic) for memory in {one.id: one for one in memories}.values())
    kept = [one for one in weighed if one and one.relevance >= LEAST]
    return sorted(kept, key=lambda one: (-one.relevance, -one.memory.confidence, one.memory.id))


def _bearing(trail: Trail, memory: Memory, topic: Collection[str]) -> Bearing | None:
    ways = [way for way in (_cites(trail, memory), _comes_from(trail, memory, topic)) if way]
    if not ways:
        return None
    weight, because = max(ways)
    return Bearing(memory, round(weight * _BY_KIND.get(memory.kind, _USUAL_KIND), 3), because)


def _cites(trail: Trail, memory: Memory) -> tuple[float, str] | None:
    subject = trail.subject
    if subject.symbol and any(
        (one.name == subject.symbol or last_part(one.name) == last_part(subject.symbol))
        for one in memory.functions
    ):
        return 0.95, f"it is about `{subject.symbol}`"
    links = [link for link in memory.files if link.path == subject.path]
    if not links:
        return None
    if subject.first is None:
        return 0.8, "it cites this file"
    last = subject.last or subject.first
    near = [(one.line_start, one.line_end or one.line_start) for one in links if one.line_start is not None]
    if any(start <= last and end >= subject.first for start, end in near):
        return 1.0, "it cites these lines"
    if subject.symbol and subject.symbol in memory.text:
        return 0.9, f"it names `{subject.symbol}` and cites this file"
    return (0.3, "it cites other lines of this file") if near else (0.5, "it cites this file")


def _comes_from(trail: Trail, memory: Memory, topic: Collection[str]) -> tuple[float, str] | None:
    source = memory.source
    for share, commits in ((1.0, trail.of_line), (0.85, trail.of_symbol)):
        for place, commit in enumerate(commits):
            fresh = share * (1.0 if place == 0 else 0.85)
            if source.commit and commit.hash.startswith(source.commit):
                return 0.95 * fresh, f"it comes from commit {commit.hash[:7]}"
            made = trail.made_by.get(commit.hash)
            if made and source.session == made.session:
                turn = memory.source.turn
                inside = turn is not None and made.first_turn <= turn <= made.last_turn
                # The share of a text's words that the topic has, doubled up to 1.
                own = topic_stems(memory.text)
                shared = min(2 * len(own & frozenset(topic)) / len(own), 1.0) if own else 0.0
                if inside:
                    because = f"it was learned while commit {commit.hash[:7]} was made"
                    return (0.6 + 0.3 * shared) * fresh, because
                return (
                    0.2 + 0.5 * shared
                ) * fresh, f"it was learned in the session that made commit {commit.hash[:7]}"
    return None
