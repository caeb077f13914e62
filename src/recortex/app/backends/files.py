"""What only a store in a file can do: be summarised, copied as a file, verified page by page, recovered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.similarity import content_hash
from recortex.storage.sqlite.backup import (
    Summary,
    copy_whole,
    memories_in,
    missing,
    oldest_first,
    replaceable,
    summarise,
)
from recortex.storage.sqlite.maintenance import doubtful
from recortex.storage.sqlite.recovery import recover
from recortex.storage.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from recortex.ports.store import KeptStore

__all__ = [
    "Summary",
    "altered",
    "copy_whole",
    "lacking",
    "memories_in",
    "missing",
    "oldest_first",
    "recover",
    "replaceable",
    "summarise",
]


def altered(store: KeptStore) -> list[str]:
    """Damage that a file's structure does not show.

    None of a server's store, which keeps sums of its pages itself.
    """
    return doubtful(store.pool, content_hash) if isinstance(store, SqliteStore) else []


def lacking(store: KeptStore) -> str:
    """What a file lacks of what was acknowledged, in words; empty where nothing is known to be lost.

    A server's store keeps its own log.
    """
    return store.behind() if isinstance(store, SqliteStore) else ""
