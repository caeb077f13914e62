"""Composes the memory that stands for two duplicates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recortex.codec import content_from_json, content_to_json
from recortex.domain.kinds import KINDS
from recortex.domain.vocabulary import Domain, Origin, Status, Trust
from recortex.engines.ingestion.merging import joined, joined_files, joined_functions
from recortex.engines.ingestion.normalisation import MAX_LABELS, normalise_again

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from recortex.domain.kinds import Content
    from recortex.domain.memory import Memory

_TRUSTS = (Trust.UNTRUSTED, Trust.DERIVED, Trust.TRUSTED)


def merge(
    better: Memory,
    other: Memory,
    *,
    id_: str,
    text: str,
    person: bool,
    now: datetime,
    count: Callable[[str], int],
) -> Memory:
    """The merged memory: confidence 1.0, the higher priority, combined tags, files, links, evidence.

    Args:
        better: gives the words, the kind and what cannot be combined.
        other: the other one.
        id_: the new memory's.
        text: replaces the better one's words; empty keeps them.
        person: whether a person decided, who is trusted; otherwise the lower trust of both is kept.
        now: when it is recorded.
        count: counts the tokens of a text.

    Raises:
        InvalidInputError: the text does not fit.
    """
    content = _content(better, text)
    both = replace(
        better,
        id=id_,
        content=content,
        summary="" if content != better.content else better.summary,
        recorded_at=now,
        updated_at=now,
        version=1,
        status=Status.ACTIVE,
        confidence=1.0,
        priority=max(better.priority, other.priority),
        pinned=better.pinned or other.pinned,
        origin=Origin.CONSOLIDATION,
        trust=Trust.TRUSTED if person else min(better.trust, other.trust, key=_TRUSTS.index),
        domain=other.domain if better.domain is Domain.GENERAL else better.domain,
        evidence=better.evidence + other.evidence,
        supersedes=better.id,
        superseded_by=None,
        **_joined_labels(better, other),
        **_joined_times(better, other),
    )
    return normalise_again(both, count=count).memory


def _content(memory: Memory, text: str) -> Content:
    if not text.strip():
        return memory.content
    fields = {**content_to_json(memory.content), KINDS[memory.kind].main: text.strip()}
    return content_from_json(memory.kind, fields)


def _joined_labels(better: Memory, other: Memory) -> dict[str, Any]:
    return {
        "tags": joined(better.tags, other.tags)[:MAX_LABELS],
        "files": joined_files(other.files, better.files)[::-1][:MAX_LABELS],
        "functions": joined_functions(other.functions, better.functions)[::-1][:MAX_LABELS],
        "patterns": joined(better.patterns, other.patterns)[:MAX_LABELS],
        "constraints": joined(better.constraints, other.constraints)[:MAX_LABELS],
        "metadata": _joined_metadata(better.metadata, other.metadata),
    }


def _joined_metadata(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    """The fields of both: lists are joined, such as the commands; of other values the first one's is kept."""
    both = {**b, **a}
    for name in a.keys() & b.keys():
        if isinstance(a[name], list) and isinstance(b[name], list):
            both[name] = [*a[name], *(item for item in b[name] if item not in a[name])]
    return both


def _joined_times(a: Memory, b: Memory) -> dict[str, Any]:
    """Valid as long as either was, with the use of both."""
    ends = [a.valid_until, b.valid_until]
    return {
        "valid_from": min(a.valid_from, b.valid_from),
        "valid_until": None if None in ends else max(end for end in ends if end),
        "validated_at": max((at for at in (a.validated_at, b.validated_at) if at), default=None),
        "last_accessed_at": max((at for at in (a.last_accessed_at, b.last_accessed_at) if at), default=None),
        "access_count": a.access_count + b.access_count,
    }
