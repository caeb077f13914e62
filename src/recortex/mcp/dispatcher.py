"""Where tool calls are carried out: JSON arguments in, a JSON object out, never an exception.

Synchronous and safe to use from several threads; the store is opened by the first call that needs it.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from recortex import codec
from recortex.domain.cleaning import clean, cleaned
from recortex.errors import InvalidInputError, RecortexError
from recortex.mcp.arguments import converted, is_true, takes
from recortex.mcp.bounds import BUDGET, bounded, budgeted
from recortex.mcp.projection import CONFIRM, lean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from recortex.operations.base import Operations
    from recortex.operations.registry import Operation

_LOG = logging.getLogger(__name__)
_LONGEST_MESSAGE = 1_000


class UnknownToolError(RecortexError):
    """There is no such tool."""

    code = "unknown_tool"


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a call gave: the result's object, or an error as `code`, `message` and `hint`."""

    data: dict[str, Any]
    failed: bool = False


class ToolDispatcher:
    """Carries out operations on a facade that is opened when it is first needed.

    Args:
        operations: those that can be called, by name.
        reading: those that resources and prompts are read by.
        open_facade: opens it.
        warm: gets it ready for the first call.
        open_at: opens that of another folder: `place` may name one.
    """

    def __init__(
        self,
        operations: Mapping[str, Operation],
        open_facade: Callable[[], Operations],
        warm: Callable[[Any], object] = lambda _: None,
        reading: Mapping[str, Operation] = MappingProxyType({}),
        open_at: Callable[[Path], Operations] | None = None,
    ) -> None:
        self.operations = operations
        self._reading = reading
        self._warm = warm
        self._open = open_facade
        self._open_at = open_at
        self._facade: Operations | None = None
        self._lock = threading.Lock()

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Do what a tool says."""

        def work() -> dict[str, Any]:
            operation = self._operation(name)
            asking = operation.traits.asks
            given = {key: value for key, value in arguments.items() if key != CONFIRM or not asking}
            budget, rest = budgeted(operation, given)
            told = cleaned(lean(self._with_notes(self._done(operation, rest))))
            return bounded(told | {BUDGET: budget} if BUDGET in told else told, budget)

        return self.answered(name, work)

    def read(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """What an operation gives that resources and prompts are read by.

        Raises:
            RecortexError: it cannot be read.
        """
        return self._done(self._reading[name], arguments)

    def _with_notes(self, done: Any) -> Any:
        """A result that says what could not be used, with the stores that cannot be written."""
        if not hasattr(done, "degraded"):
            return done
        return replace(done, degraded=(*done.degraded, *self.facade().unwritten))

    def _done(self, operation: Operation, arguments: Mapping[str, Any]) -> Any:
        given = converted(operation, arguments)
        return getattr(self.facade(), operation.method)(**given)

    def answered(self, name: str, work: Callable[[], dict[str, Any]]) -> ToolAnswer:
        """What `work` gives, or why it gives nothing."""
        try:
            return ToolAnswer(work())
        except RecortexError as error:
            return _failure(error.code, error.message, self._hint(name, error))
        except Exception as error:  # noqa: BLE001  whatever goes wrong, the client gets a clear error
            traceback.print_exception(error, file=sys.stderr)
            return _failure(
                "internal_error",
                f"`{name[:40]}` failed inside Recortex ({type(error).__name__}).",
                "Nothing you can mend: go on without it. The server's log has the details; `recortex "
                "doctor` checks the store.",
            )

    def question(self, name: str, arguments: Mapping[str, Any]) -> str:
        """What the person is to be asked before a call is carried out; empty where nothing is."""
        operation = self.operations.get(name)
        if operation is None or not operation.traits.asks or not operation.traits.removes(arguments):
            return ""
        if is_true(arguments.get("dry_run")):
            return ""
        said = {key: value for key, value in arguments.items() if key != CONFIRM}
        told = clean(codec.dumps(said).decode(errors="replace"))[:_LONGEST_MESSAGE]
        return f"The agent wants to `{name}` {told}. {clean(operation.summary)} Go on?"

    @property
    def unplaced(self) -> bool:
        """Whether the client is yet to say which project is meant."""
        return self._open_at is not None

    def place(self, folder: Path | None) -> None:
        """Serve the project of a folder from now on; None: where the server was started."""
        with self._lock:
            if self._open_at is None:
                return  # another call was told so before
            opened, self._open_at = self._open_at, None
            if folder is not None:
                former, self._facade = self._facade, None
                self._open = partial(opened, folder)
                if former is not None:
                    former.close()

    def facade(self) -> Operations:
        """The opened facade.

        Raises:
            RecortexError: it cannot be opened now; the next call tries again.
        """
        with self._lock:
            if self._facade is None:
                self._facade = self._open()
            return self._facade

    def warm(self) -> None:
        """Get ready for the first call. Nobody waits for it: if it fails, that call says why."""
        try:
            self._warm(self.facade())
        except Exception:  # noqa: BLE001  it runs in a thread of its own, where an error could only be lost
            _LOG.debug("Could not get ready beforehand.", exc_info=True)

    def close(self) -> None:
        """Close the store, if it was opened."""
        with self._lock:
            if self._facade is not None:
                self._facade.close()
                self._facade = None

    def _hint(self, name: str, error: RecortexError) -> str:
        """What an agent can do; the general hint of bad input speaks of the command line."""
        if error.hint == InvalidInputError.hint and name in self.operations:
            return takes(self.operations[name])
        return error.hint

    def _operation(self, name: str) -> Operation:
        try:
            return self.operations[name]
        except KeyError:
            shown = name[:40].encode(errors="replace").decode()
            raise UnknownToolError(
                f"There is no tool {shown!r}.", hint=f"Tools: {', '.join(self.operations)}."
            ) from None


def unconfirmed(name: str, *, asked: bool) -> ToolAnswer:
    """The answer where the person did not agree, or was not asked."""
    if asked:
        return _failure(
            "declined",
            f"The person did not agree to `{name[:40]}`; nothing was changed.",
            "Ask what they want.",
        )
    return _failure(
        "not_confirmed",
        f"`{name[:40]}` removes something for good; nothing was changed.",
        "Ask the person, show them a `dry_run` where there is one, then call again with `confirm`: true.",
    )


def _failure(code: str, message: str, hint: str) -> ToolAnswer:
    texts = {"code": code, "message": message, "hint": hint}
    return ToolAnswer(
        {
            key: clean(text[:_LONGEST_MESSAGE].encode(errors="replace").decode())
            for key, text in texts.items()
        },
        failed=True,
    )
