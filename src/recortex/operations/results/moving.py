"""What copying a whole store gives back."""

from __future__ import annotations

from dataclasses import dataclass


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
