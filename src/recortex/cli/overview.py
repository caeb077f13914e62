"""`recortex --help`: what there is, by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.operations import manifest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.cli.main import Command

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

`recortex VERB --help` explains a verb; `recortex tour` shows the whole on an example;
`recortex --version` tells the version."""


def text(commands: Mapping[str, Command], width: int = 0) -> str:
    """The overview, with the given verbs beside the operations; wrapped where a width is given."""
    topics = {
        group["title"]: {one["name"].replace("_", "-"): one["summary"] for one in group["operations"]}
        for group in manifest.groups()
    }
    if commands:
        topics["Programs"] = {name: command.summary for name, command in commands.items()}
    column = max(len(name) for verbs in topics.values() for name in verbs)
    lines = [_HEAD]
    for title, verbs in topics.items():
        summaries = (_line(f"  {name:<{column}}  ", said, width) for name, said in verbs.items())
        lines += [title, *summaries, ""]
    return "\n".join([*lines, *(_line("", line, width) for line in _TAIL.splitlines())])


def _line(lead: str, said: str, width: int) -> str:
    if not width or len(lead) + len(said) <= width:
        return lead + said
    import textwrap

    return textwrap.fill(
        said, width, initial_indent=lead, subsequent_indent=" " * len(lead), break_on_hyphens=False
    )
