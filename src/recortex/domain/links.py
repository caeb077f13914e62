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
