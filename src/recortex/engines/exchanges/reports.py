"""What sub-agents report to the agent that asked them: the only results of tools that are kept as said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.domain.exchange import MOST_WORK
from recortex.domain.expressions import lazy
from recortex.engines.exchanges.shortening import prose, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from recortex.domain.transcript import ToolCall, Turn

_ASKING = frozenset(("task", "agent", "taskoutput", "read_agent"))
"""Tools of Claude Code and Copilot that give a sub-agent's report, in lower case."""
_LEAST = 200
"""Characters of a report; a shorter result says that it was begun."""
_BEGUN = ("Async agent launched", "Agent started in background")
_NOTES = lazy(
    r"^(?:agentId: |--- RESULT|\[Tool: |</?(?:retrieval_status|task_[a-z]{1,9}|status|output|usage)>)[^\n]*$|"
    r"^(?:tool_uses|duration_ms): [\d.]+(?:</usage>)?$",
    re.MULTILINE,
)
"""What clients write around a report."""
_NOTIFIED = lazy(
    r"<task-notification>(?:(?!</?task-notification>).){0,4000}?<result>(.*?)</result>", re.DOTALL
)
"""The report of a sub-agent that the agent did not wait for, as Claude Code puts it in."""


def reports(turn: Turn, redact: Callable[[str], str]) -> Iterator[str]:
    """The reports that came back in a turn, each by its beginning and end."""
    for report in (*_NOTIFIED.findall(turn.injected), *_returned(turn.tools)):
        said = prose(_NOTES.sub("", redact(report)))
        if len(said) >= _LEAST:
            yield shortened(said, MOST_WORK // 2, MOST_WORK // 2)


def _returned(tools: Iterable[ToolCall]) -> Iterator[str]:
    for tool in tools:
        begun = tool.ok is False or tool.injected or tool.output.startswith(_BEGUN)
        if tool.name.lower() in _ASKING and not begun:
            yield tool.output
