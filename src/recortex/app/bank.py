"""A store with everything that works on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from recortex.app.location import Location
    from recortex.domain.memory import Memory
    from recortex.domain.vocabulary import Scope
    from recortex.engines.intake.embedding import Embedding
    from recortex.engines.intake.service import Intake
    from recortex.engines.retrieval.service import Retrieval
    from recortex.storage.sqlite.store import SqliteStore


class Bank(NamedTuple):
    """One store, wired.

    Attributes:
        scope: what is kept here: a project's memories or the person's own; None for a store that holds both.
        root: the folder that relative file paths refer to.
        location: its files.
        past: makes states that hold no longer searchable, as an index of their own.
    """

    scope: Scope | None
    root: Path
    location: Location
    store: SqliteStore
    intake: Intake
    retrieval: Retrieval
    embedding: Embedding
    past: Callable[[Sequence[Memory]], Retrieval]
