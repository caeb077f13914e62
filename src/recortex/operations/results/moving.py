"""What moving a memory, or copying a whole store, gives back."""

from __future__ import annotations

from dataclasses import dataclass

from recortex.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Relocated:
    """A memory in its new store.

    Attributes:
        left: the relations that it had in the old one, each as its type and the id of the other memory.
    """

    memory: Memory
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCopied:
    """A table that is the same in both stores now.

    Attributes:
        rows: in it.
        written: rows that had to be written; 0 where both sides were equal before.
        checksum: BLAKE3 over all of its rows, read from both stores.
    """

    table: str
    rows: int
    written: int
    checksum: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCopied:
    """A whole store copied into another one, and compared with it.

    Attributes:
        source: where it was; no password is shown.
        target: where it is now, too.
        tables: each with its rows and its checksum.
    """

    source: str
    target: str
    memories: int
    rows: int
    written: int
    seconds: float
    tables: tuple[TableCopied, ...] = ()
    dry_run: bool = False
