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


def text(commands: Mapping[str, Command], width: int = 0) -> str:
    """The overview, with the given verbs beside the operations; wrapped where a width is given."""
    others = tuple((name, command.summary) for name, command in commands.items())
    listed = (*topics(), *([Topic("Programs", others)] if others else []))
    column = max((len(name) for topic in listed for name, _ in topic.verbs), default=0)
    return "\n".join([_HEAD, *(_section(topic, column, width) for topic in listed), _wrapped(_TAIL, width)])


def _section(topic: Topic, column: int, width: int) -> str:
    lines = (_line(f"  {name:<{column}}  ", summary, width) for name, summary in topic.verbs)
    return "\n".join([topic.title, *lines, ""])


def _wrapped(paragraphs: str, width: int) -> str:
    return "\n".join(_line("", line, width) for line in paragraphs.splitlines())


def _line(lead: str, said: str, width: int) -> str:
    if not width or len(lead) + len(said) <= width:
        return lead + said
    import textwrap

    return textwrap.fill(
        said, width, initial_indent=lead, subsequent_indent=" " * len(lead), break_on_hyphens=False
    )
