"""What a memory is about in the code: files with lines and hashes, functions, patterns, constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Freshness = Literal["fresh", "moved", "changed", "gone", "none"]
"""Whether a cited place still reads as it did, from best to worst; `none`: there is nothing to compare."""


@dataclass(frozen=True, slots=True)
class FileLink:
    """A file that a memory cites.

    Attributes:
        path: relative to the project's root, with forward slashes.
        line_start: first line, from 1; None for the whole file.
        line_end: last line, inclusive.
        content_hash: BLAKE3 of the cited text when it was cited; empty where it was not read.
        commit: the commit that was checked out then.
        signature: of the cited lines, by which they are found again (`engines/citations/signature.py`).
    """

    path: str
    line_start: int | None = None
    line_end: int | None = None
    content_hash: str = ""
    commit: str = ""
    signature: str = ""


@dataclass(frozen=True, slots=True)
class FunctionLink:
    """A function or method that a memory is about."""

    name: str
    file: str = ""
    signature: str = ""


Role = Literal["about", "caller"]
"""What a memory is to a symbol: it is about it, or about a function that calls it."""


@dataclass(frozen=True, slots=True)
class SymbolLink:
    """A symbol of code that a memory hangs on, as it was when they were linked.

    It follows from the memory's text and the code, so it is kept beside the memory and is no part of it.

    Attributes:
        path: of its file, from the project's root.
        name: qualified within the file.
        kind, arity, hash: as `code_facts.Symbol` has them; the hash leaves out the symbol's own name.
        first, last: its lines, from 1.
        lines: two bytes for each of them, at most `MOST_LINES`, by which the first that changed is told.
        commit: that was checked out then.
        key: of the facts of the whole file: while the file has the same, nothing in it changed.
        copies: symbols of its hash that other files had then, as a bundle that is kept beside its sources
            does: these are not where it moved to.
    """

    path: str
    name: str
    kind: str
    arity: int
    hash: str
    first: int
    last: int
    lines: bytes = b""
    commit: str = ""
    key: bytes = b""
    role: Role = "about"
    copies: int = 0

    @property
    def plain(self) -> str:
        """Its name without what it belongs to."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class PatternLink:
    """A code pattern that a memory explains."""

    id: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class ConstraintLink:
    """A constraint that a memory sets, explains or lifts."""

    id: str
    name: str = ""
