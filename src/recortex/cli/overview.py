"""`recortex --help`: what there is, by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.operations import manifest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.cli.invocation import Command

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

`recortex VERB --help` explains a verb; `recortex tour` walks through an example;
`recortex --version` prints the version."""


def text(programs: Mapping[str, Command], width: int = 0) -> str:
    """The overview of all operations, and of the verbs that are none; wrapped where a width is given."""
    topics = {
        group["title"]: {one["name"].replace("_", "-"): one["summary"] for one in group["operations"]}
        for group in manifest.groups()
    }
    if programs:
        topics["Programs"] = {name: command.summary for name, command in programs.items()}
    column = max(len(name) for verbs in topics.values() for name in verbs)
    lines = [_HEAD]
    for title, verbs in topics.items():
        summaries = (_line(f"  {name:<{column}}  ", summary, width) for name, summary in verbs.items())
        lines += [title, *summaries, ""]
    return "\n".join([*lines, *(_line("", line, width) for line in _TAIL.splitlines())])


def _line(lead: str, said: str, width: int) -> str:
    if not width or len(lead) + len(said) <= width:
        return lead + said
    import textwrap

    return textwrap.fill(
        said, width, initial_indent=lead, subsequent_indent=" " * len(lead), break_on_hyphens=False
    )
