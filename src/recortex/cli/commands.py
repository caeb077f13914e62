"""Verbs that are no operations: they talk with a person or a protocol for as long as they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.cli.invocation import Invocation


class Command(NamedTuple):
    """One such verb; no dataclass, whose machinery would cost `--help` a tenth of its time.

    Attributes:
        summary: its line in `recortex --help`.
        run: reads the rest of the command line and returns an exit code; raises RecortexError.
        takes: its options for the shells' completion, as `--once`, `--url=` or `--tools=default|full`; its
            words without dashes.
    """

    summary: str
    run: Callable[[Invocation], int]
    takes: tuple[str, ...] = ()
