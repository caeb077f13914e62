"""`recortex --help`: what there is, by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.outline import Topic, topics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.cli.commands import Command

_HEAD = """\
Long-term memory for coding agents: local, offline, no key, no daemon.

usage: recortex VERB [arguments] [options]
"""
_TAIL = """\
For every verb
  --json         One JSON object on standard output.
  --project DIR  Work in this folder's project, not in the current one's.
  --url URL      The store itself: sqlite:///FILE or postgresql://HOST/DATABASE.
  --help         What the verb does and takes.

`recortex VERB --help` explains a verb; `recortex tour` shows the whole on an example; `recortex --version`."""


def text(commands: Mapping[str, Command]) -> str:
    """The overview, with the given verbs beside the operations."""
    others = tuple((name, command.summary) for name, command in commands.items())
    listed = (*topics(), *([Topic("Programs", others)] if others else []))
    column = max((len(name) for topic in listed for name, _ in topic.verbs), default=0)
    return "\n".join([_HEAD, *(_section(topic, column) for topic in listed), _TAIL])


def _section(topic: Topic, column: int) -> str:
    lines = (f"  {name:<{column}}  {summary}" for name, summary in topic.verbs)
    return "\n".join([topic.title, *lines, ""])
