"""Columns of many memories at once, for ageing and ranking, and what tells that a store changed."""

from __future__ import annotations

from typing import NamedTuple

Arc = tuple[int, int, int]
"""A relation: the keys of its source and its target, and whether it holds both ways."""


class MemoryStatistics(NamedTuple):
    """A memory's row without its text. Instants are microseconds since 1970 UTC.

    Attributes:
        key: of its row, which relations refer to.
        confidence: the stored base, 0 to 1; decay is computed from it.
        updated_at: since when this state holds.
        last_accessed_at: None where it was never recalled.
        patterns: how many code patterns it is linked to.
        content_hash: equal for equal memories, also of different stores.
        branch: that it was learned on; empty where none is known.
        valid_from: since when it is true: when it was said.
        rule: that found it in a session; empty where it was told on purpose.
        loaded_by: clients that load a file in which it stands already, with spaces between.
        checked_at: when the code that it cites was last looked at; None where it never was.
        standing: the share of that code that stood then, 0 to 1; None where none could be compared.
        standing_since: since when it is that share.
    """

    key: int
    id: str
    kind: str
    status: str
    confidence: float
    priority: int
    pinned: int
    recorded_at: int
    updated_at: int
    validated_at: int | None
    last_accessed_at: int | None
    access_count: int
    patterns: int
    content_hash: bytes = b""
    branch: str = ""
    valid_from: int = 0
    origin: str = ""
    trust: str = ""
    rule: str = ""
    loaded_by: str = ""
    checked_at: int | None = None
    standing: float | None = None
    standing_since: int | None = None


class Given(NamedTuple):
    """What was given of a memory within 30 days.

    Attributes:
        times: contexts of sessions that got it.
        places: the sum of its places among what was given with it, from 1.
    """

    times: int = 0
    places: int = 0


class Standing(NamedTuple):
    """What else is known of an active memory. Instants are microseconds since 1970 UTC.

    Attributes:
        links: active relations, files, functions, patterns and constraints.
        won: memories that it superseded.
        contested: contradictions that nobody decided.
        confirmed: whether a person or a check confirmed it.
        moved_at: when its importance was last changed by these rules; None: never.
    """

    key: int
    id: str
    priority: int
    recorded_at: int
    links: int = 0
    won: int = 0
    contested: int = 0
    confirmed: int = 0
    moved_at: int | None = None


class Generation(NamedTuple):
    """Numbers of which at least one changes with every change of what is kept; accesses do not count."""

    audited: int
    memories: int
    purged: int
