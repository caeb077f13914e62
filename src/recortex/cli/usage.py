"""Errors before an operation begins: wrong arguments, nobody to confirm, an interruption; and exit codes."""

from __future__ import annotations

from recortex.errors import InvalidInputError, RecortexError

DONE, FAILED, WRONG_USAGE = 0, 1, 2


class UsageError(InvalidInputError):
    """The command line was not understood."""

    code = "usage"
    hint = "See `recortex --help`."


class NotConfirmedError(RecortexError):
    """This removes something and nobody confirmed it."""

    code = "not_confirmed"
    hint = "Add `--yes` to do it without being asked, or `--dry-run` to see what it would do."


class InterruptedByPersonError(RecortexError):
    """Interrupted."""

    code = "interrupted"
    hint = "What was already acknowledged is kept; the same command may be run again."


class InternalError(RecortexError):
    """Recortex made a mistake."""

    code = "internal_error"
    hint = "Run it again with `--debug` and report what it prints; nothing that was stored is lost."


def exit_code(error: RecortexError) -> int:
    """2 for input that does not fit, 1 for everything else that fails."""
    return WRONG_USAGE if isinstance(error, InvalidInputError) else FAILED
