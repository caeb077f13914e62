"""Merges a new memory into a known one that says the same: the evidence and labels of both."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from recortex.domain.kinds import KINDS
from recortex.domain.names import joined as joined_metadata
from recortex.domain.time import same_moment
from recortex.domain.vocabulary import Origin, Status, Trust
from recortex.engines.languages import function_words, question_pairs
from recortex.engines.words import LONGER, tokens, without_cjk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.domain.memory import FileLink, FunctionLink, Memory


T = TypeVar("T")

REPEATED_SHARE = 0.5
"""The share of the remaining doubt that one more piece of evidence of full confidence removes."""

CONFIRMED = 0.85
"""A proposal whose repeated evidence lifts it to this confidence becomes active (0.6 three times over)."""


_CONFIRMING = (Origin.USER, Origin.EXTRACTION)
"""Said again by the person in another session, or seen there in commands and their outcome."""


def reinforced(confidence: float, by: float) -> float:
    """Confidence after the same was learned again: 1 - (1 - c)(1 - by/2), in [c, 1]."""
    return min(1.0, 1.0 - (1.0 - confidence) * (1.0 - REPEATED_SHARE * by))


def same_event(known: Memory, new: Memory) -> bool:
    """Whether both are about the same moment; what happens twice is not a repetition."""
    a, b = known.source, new.source
    return (a.session, a.turn, a.turn_id, a.speaker) == (b.session, b.turn, b.turn_id, b.speaker) and (
        known.valid_from == new.valid_from or bool(a.session)
    )


def mergeable(known: Memory, new: Memory) -> bool:
    """Whether memories that say the same are merged: if of one scope, and for events, of one moment."""
    if known.scope != new.scope or new.supersedes == known.id:
        return False
    return not KINDS[known.kind].event or same_event(known, new)


def merged(known: Memory, new: Memory, *, counts: bool) -> Memory:
    """The known memory enriched by the new one.

    Args:
        known: the stored one.
        new: the one that repeats it.
        counts: whether it was learned in another place than before and so is more evidence.
    """
    confidence = (
        reinforced(known.confidence, new.confidence) if counts else max(known.confidence, new.confidence)
    )
    return replace(
        known,
        confidence=confidence,
        evidence=known.evidence + counts,
        priority=max(known.priority, new.priority),
        pinned=known.pinned or new.pinned,
        tags=joined(known.tags, new.tags),
        files=joined_files(known.files, new.files),
        functions=joined_functions(known.functions, new.functions),
        patterns=joined(known.patterns, new.patterns),
        constraints=joined(known.constraints, new.constraints),
        metadata=joined_metadata(known.metadata, new.metadata),
        status=_status(known, new, confidence, counts=counts),
        trust=Trust.TRUSTED if Trust.TRUSTED in (known.trust, new.trust) else known.trust,
    )


def _status(known: Memory, new: Memory, confidence: float, *, counts: bool) -> Status:
    if new.status is Status.ACTIVE:
        return Status.ACTIVE
    if known.status is Status.QUARANTINED and new.status is Status.PROPOSED and new.origin is Origin.USER:
        return Status.PROPOSED  # the person said it, if not surely: it waits like their other proposals
    if known.status is not Status.PROPOSED or new.origin is Origin.AGENT:
        return known.status  # an agent that repeats what was proposed does not confirm it
    # Turns of one client tell by their ids which is a copy (`counts`); those of another client have others.
    a, b = known.source, new.source
    identified = bool(a.turn_id and b.turn_id) and a.quote != b.quote
    if not counts or (not identified and same_moment(new.valid_from, known.valid_from)):
        return known.status
    elsewhere = b.session not in {"", a.session}
    if (elsewhere and new.origin in _CONFIRMING) or confidence >= CONFIRMED:
        return Status.ACTIVE
    return known.status


def joined_files(known: Iterable[FileLink], new: Iterable[FileLink]) -> tuple[FileLink, ...]:
    """The places of both, each once; of two of one place the new one, unless it was not read."""
    found: dict[tuple[str, int | None, int | None], FileLink] = {}
    for link in (*known, *new):
        place = (link.path, link.line_start, link.line_end)
        if place not in found or link.content_hash:
            found[place] = link
    return tuple(found.values())


def joined_functions(known: Iterable[FunctionLink], new: Iterable[FunctionLink]) -> tuple[FunctionLink, ...]:
    """The functions of both, each once: of two of one name and file the new one, if it has a signature."""
    found: dict[tuple[str, str], FunctionLink] = {}
    for link in (*known, *new):
        place = (link.name, link.file)
        if place not in found or link.signature:
            found[place] = link
    return tuple(found.values())


def joined(known: tuple[T, ...], new: tuple[T, ...]) -> tuple[T, ...]:
    """The items of both, each once, in order."""
    return tuple(dict.fromkeys((*known, *new)))


# -- the words by which known statements are looked up that may say the same as a new one, or the opposite


MOST = 7
"""Words that are looked up. With five, chosen by length alone, a long statement of a change did not find what
it changes. The price: remember_many at 10,000 memories keeps 724 a second instead of about 860
(bench/latency.py)."""
MOST_PAIRS = 24
"""Pairs of CJK characters that are looked up besides: a statement has about so many."""
READ = 2_000
"""Characters of a statement that are read."""

_CODE = re.compile(r"`([^`\n]{1,200})`")
# For single words only: searching a whole text would take the cube of the length of a long word.
_NAMED = re.compile(r"[^a-z]*[a-z][^A-Z]*[A-Z]|[A-Z]{2}|\D*\d")


def query_terms(text: str) -> list[str]:
    """The most telling words of a statement: names first, then the longest; then pairs of CJK characters."""
    text = text[:READ]
    told = without_cjk(text)
    names = {word for code in _CODE.findall(text) for word in tokens(code, LONGER)}
    words = set(tokens(told, LONGER, lower=False))
    names |= {word.lower() for word in words if _NAMED.match(word)}
    found = {word.lower() for word in words} - function_words(told)
    plain = sorted(found, key=lambda word: (word not in names, -len(word), word))[:MOST]
    return [*plain, *islice(dict.fromkeys(question_pairs(text)), MOST_PAIRS)]
