"""Nothing is removed before a person has seen what it would be and has said yes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from recortex.cli.usage import NotConfirmedError

if TYPE_CHECKING:
    from recortex.cli.parser import Call
    from recortex.operations.base import Operations
    from recortex.operations.registry import Operation

_YES = frozenset({"y", "yes"})


def preview(cortex: Operations, operation: Operation, arguments: dict[str, Any]) -> Any:
    """What the operation would do: its own dry run, else its name and arguments."""
    if any(parameter.name == "dry_run" for parameter in operation.parameters()):
        return getattr(cortex, operation.method)(**(arguments | {"dry_run": True}))
    return {"would": operation.name, "arguments": arguments}


def given(shown: Any, operation: Operation, call: Call) -> bool:
    """Show what would be done, which is what `preview` gave, and ask.

    Raises:
        NotConfirmedError: nobody is there to be asked.
    """
    if call.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise NotConfirmedError(f"`recortex {operation.name}` removes something and nobody confirmed it.")
    from recortex.cli.rendering import render
    from recortex.cli.terminal import terminal_of

    sys.stderr.write(f"{render(shown, terminal_of(sys.stderr))}\n\nGo on? [y/N] ")
    sys.stderr.flush()
    answer = sys.stdin.readline().strip().lower() in _YES
    if not answer:
        sys.stderr.write("Nothing was changed.\n")
    return answer
