"""Verbs that are no operations: they talk with a person or a protocol for as long as they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recortex.cli.invocation import Invocation


@dataclass(frozen=True, slots=True)
class Command:
    """One such verb.

    Attributes:
        summary: its line in `recortex --help`.
        run: reads the rest of the command line and returns an exit code; raises RecortexError.
    """

    summary: str
    run: Callable[[Invocation], int]
