"""What memory would have given past sessions, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering.amounts import plural
from recortex.cli.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.cli.terminal import Terminal
    from recortex.domain.replay import Given, GivenOften, ReplayFigures, SaidAgain
    from recortex.operations.replaying import Replay

_SHOWN = 10
"""Memories and instructions that are shown; `--json` has all."""


def replay(value: Replay, terminal: Terminal) -> str:
    """The table, what was given most, what was typed again, and the examples that were asked for."""
    if not value.total.sessions:
        return "\n".join(["There is no session with a prompt to replay.", *_notes(value, terminal)])
    lines = [*_table(value, terminal)]
    if value.most_given:
        lines += ["", terminal.style("Given most often", "bold")]
        lines += [_often(one, terminal) for one in value.most_given[:_SHOWN]]
    again = [said for session in value.sessions for said in session.again]
    if again:
        lines += ["", terminal.style("Typed again in a later session", "bold")]
        lines += [_again(one, terminal) for one in again[-_SHOWN:]]
    if value.sample:
        lines += ["", terminal.style("Examples", "bold")]
        lines += [line for one in value.sample for line in _example(one, terminal)]
    return "\n".join([*lines, *_notes(value, terminal)])


def _table(value: Replay, terminal: Terminal) -> Iterator[str]:
    """A column for all sessions and one for each third of them."""
    columns = [value.total, *value.thirds]
    heads = ["all", "first third", "second third", "last third"][: len(columns)]
    yield terminal.style("  ".join([" " * 44, *(f"{head:>12}" for head in heads)]).rstrip(), "bold")
    for label, cells in zip(_LABELS, zip(*map(_cells, columns), strict=True), strict=True):
        yield "  ".join([f"{label:<44}", *(f"{cell:>12}" for cell in cells)])


_LABELS = (
    "sessions with a prompt",
    "prompts",
    "prompts that something came with",
    "memories that came with prompts",
    "  of those different",
    "  of those from the same session",
    "  of those used",
    "  of those came up",
    "sessions that began with a brief",
    "  of those used a line of it",
    "  of those used more than a command",
    "lines of briefs",
    "  of those used",
    "  of those came up",
    "warnings that came with files",
    "  of those used",
    "  of those came up",
    "tokens a session",
    "instructions typed again",
    "  of those known as an active memory",
    "  of those given to the session before",
)


def _cells(one: ReplayFigures) -> tuple[str, ...]:
    return (
        f"{one.sessions:,}",
        f"{one.prompts:,}",
        _share(one.answered, one.prompts),
        f"{one.given:,}",
        f"{one.different:,}",
        _share(one.own, one.given),
        _share(one.used, one.given),
        _share(one.came_up, one.given),
        f"{one.briefs:,}",
        _share(one.briefs_used, one.briefs),
        _share(one.briefs_told, one.briefs),
        f"{one.brief_lines:,}",
        _share(one.brief_used, one.brief_lines),
        _share(one.brief_came_up, one.brief_lines),
        f"{one.file_lines:,}",
        _share(one.file_used, one.file_lines),
        _share(one.file_came_up, one.file_lines),
        f"{one.tokens_per_session:,.0f}",
        f"{one.again:,}",
        _share(one.again_known, one.again),
        _share(one.again_given, one.again),
    )


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({part / whole:.0%})" if whole else "0"


def _often(one: GivenOften, terminal: Terminal) -> str:
    head = f"{plural(one.times, 'time')}, {one.used:,} used, {one.came_up:,} came up: "
    return "  " + terminal.cut(f"{head}{one.text}", terminal.width - 2)


def _again(one: SaidAgain, terminal: Terminal) -> str:
    state = "given" if one.given else "known" if one.memory else "not known"
    return "  " + terminal.cut(f"{one.at:%Y-%m-%d}, {state}: {one.text}", terminal.width - 2)


def _example(one: Given, terminal: Terminal) -> Iterator[str]:
    said = f", said {one.said_at:%Y-%m-%d} in {clean(one.learned_in)}" if one.said_at else ""
    used = f"used: {one.used}" if one.used else "came up" if one.came_up else "not used"
    where = {"surface": "with the brief", "prompt": "with a prompt", "file": "with a file"}[one.channel]
    yield f"  {one.at:%Y-%m-%d} {where} of {clean(one.session)} ({used})"
    if one.prompt:
        yield terminal.wrap(f"prompt: {clean(one.prompt)}", indent=6, first="    ")
    yield terminal.wrap(f"{one.kind}: {clean(one.text)}{said}", indent=6, first="    ")


def _notes(value: Replay, terminal: Terminal) -> Iterator[str]:
    if value.agents:
        yield f"notice: {plural(value.agents, 'transcript')} of sub-agents learned from, given nothing."
    if value.untimed:
        yield f"notice: {plural(value.untimed, 'session')} without times: no use can be seen there."
    for problem in value.problems[:_SHOWN]:
        yield terminal.wrap(f"notice: {clean(problem)}", indent=2)
