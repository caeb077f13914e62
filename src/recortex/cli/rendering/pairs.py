"""What may be said twice, and code beside its description."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering.amounts import plural
from recortex.cli.rendering.memories import line_of, short
from recortex.cli.terminal import clean

if TYPE_CHECKING:
    from recortex.cli.terminal import Terminal
    from recortex.operations.consolidating import Consolidated, DuplicatePair
    from recortex.operations.indexing import Backfilled, IndexedCode, Reembedded


def consolidated(value: Consolidated, terminal: Terminal) -> str:
    """The pairs, or the merged memory and what it replaces."""
    if value.merged:
        word = "Would become" if value.dry_run else "Merged into"
        old = "\n".join(f"  {line_of(one, terminal)}" for one in value.superseded)
        text = terminal.wrap(value.merged.text, indent=6)
        kept = f"\nBackup before it: {clean(value.backup)}" if value.backup else ""
        return f"{word}:\n{line_of(value.merged, terminal)}\n{text}\nin place of:\n{old}{kept}"
    cut = "" if value.complete else " The store is too large for every pair to be looked at."
    if not value.pairs:
        return f"Nothing seems to be said twice.{cut}"
    count = f"{len(value.pairs)} of {plural(value.total, 'pair')}"
    end = f"{count}. `recortex consolidate merge ID ID` merges one.{cut}"
    return "\n\n".join([*(_pair(one, terminal) for one in value.pairs), end])


def _pair(value: DuplicatePair, terminal: Terminal) -> str:
    """Both memories, what speaks for a merge and what against it."""
    lines = [
        f"{terminal.style(f'{value.score:.2f}', 'green')}  {clean(value.why)}",
        *(
            f"  {terminal.style(short(one.id), 'cyan')}  {one.kind}\n{terminal.wrap(one.text, indent=6)}"
            for one in (value.better, value.other)
        ),
    ]
    if value.contradiction:
        against = f"  They may contradict each other: {clean(value.contradiction)}."
        lines.append(terminal.style(against, "yellow"))
    return "\n".join(lines)


def indexed(value: IndexedCode, terminal: Terminal) -> str:
    """The pair, and what it stands for now."""
    word = "Indexed" if value.changed else "Known already"
    former = f"; {plural(len(value.superseded), 'memory')} superseded" if value.superseded else ""
    secret = f"; {plural(value.redacted, 'secret')} taken out" if value.redacted else ""
    code = f"{line_of(value.description, terminal)}\n{line_of(value.code, terminal)}"
    return f"{word}{former}{secret}:\n{code}"


def backfilled(value: Backfilled, _terminal: Terminal) -> str:
    """How many vectors were made, and how many are left."""
    if value.dry_run:
        return f"{plural(value.left, 'memory')} without a vector.{_said(value)}"
    by = f" by {clean(value.embedder)} in {value.seconds:.1f} s" if value.embedder else ""
    why = (
        f" {clean(value.stopped)}"
        if value.stopped and (value.left or value.exchanges_left or value.chunks_left)
        else ""
    )
    return f"{plural(value.done, 'vector')} made{by}; {value.left:,} left.{_said(value)}{why}"


def _said(value: Backfilled | Reembedded) -> str:
    """What was done for exchanges and parts of documents; empty where nothing was to do."""
    told = ""
    for done, left, name, names in (
        (value.exchanges, value.exchanges_left, "exchange", ""),
        (value.chunks, value.chunks_left, "part of a document", "parts of documents"),
    ):
        if done:
            told += f" {plural(done, name, names)} got theirs; {left:,} left."
        elif left:
            told += f" {plural(left, name, names)} without vectors."
    return told


def reembedded(value: Reembedded, _terminal: Terminal) -> str:
    """How many memories were brought to the model, how many are left, and how long that may take."""
    if not value.model:
        return "Vectors are switched off."
    former = f" of {clean(', '.join(value.former))}" if value.former else ""
    if value.dry_run:
        return (
            f"{plural(value.left, 'memory')} to be brought to "
            f"{clean(value.model)}{former and ', some with a vector' + former}.{_said(value)}"
        )
    took = f" in {value.seconds:.1f} s, {value.per_second:,.0f} per second" if value.per_second else ""
    left = value.left or value.exchanges_left or value.chunks_left
    rest = f", about {lasting(value.seconds_left)}" if left and value.seconds_left else ""
    why = f" {clean(value.stopped)}" if value.stopped and left else ""
    return (
        f"{plural(value.done, 'memory')} brought to {clean(value.model)}{took}; "
        f"{value.left:,} left{rest}.{_said(value)}{why}"
    )


def lasting(seconds: float) -> str:
    """A time to wait, as people say it."""
    minutes = round(seconds / 60)
    return f"{minutes:,} min" if minutes else f"{seconds:.0f} s"
