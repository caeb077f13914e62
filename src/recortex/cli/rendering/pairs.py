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
    from recortex.operations.maintenance import ModelChange


def consolidated(value: Consolidated, terminal: Terminal) -> str:
    """The pairs, or the merged memory and what it replaces."""
    return _listed(value, terminal) if value.merged is None else _merged(value, terminal)


def _listed(value: Consolidated, terminal: Terminal) -> str:
    cut = "" if value.complete else " The store is too large for every pair to be looked at."
    if not value.pairs:
        return f"Nothing seems to be said twice.{cut}"
    end = (
        f"{len(value.pairs)} of {plural(value.total, 'pair')}. `recortex consolidate merge ID ID` "
        f"merges one.{cut}"
    )
    return "\n\n".join([*(pair(one, terminal) for one in value.pairs), end])


def pair(value: DuplicatePair, terminal: Terminal) -> str:
    """Both memories, what speaks for a merge and what against it."""
    lines = [
        f"{terminal.style(f'{value.score:.2f}', 'green')}  {clean(value.why)}",
        *(
            f"  {terminal.style(short(one.id), 'cyan')}  {one.kind}\n{terminal.wrap(one.text, indent=6)}"
            for one in (value.better, value.other)
        ),
    ]
    if value.contradiction:
        lines.append(
            terminal.style(f"  They may contradict each other: {clean(value.contradiction)}.", "yellow")
        )
    return "\n".join(lines)


def _merged(value: Consolidated, terminal: Terminal) -> str:
    word = "Would become" if value.dry_run else "Merged into"
    old = "\n".join(f"  {line_of(one, terminal)}" for one in value.superseded)
    new = line_of(value.merged, terminal) if value.merged else ""
    text = terminal.wrap(value.merged.text, indent=6) if value.merged else ""
    kept = f"\nBackup before it: {clean(value.backup)}" if value.backup else ""
    return f"{word}:\n{new}\n{text}\nin place of:\n{old}{kept}"


def indexed(value: IndexedCode, terminal: Terminal) -> str:
    """The pair, and what it stands for now."""
    word = "Indexed" if value.changed else "Known already"
    former = f"; {plural(len(value.superseded), 'memory', 'memories')} superseded" if value.superseded else ""
    secret = f"; {plural(value.redacted, 'secret')} taken out" if value.redacted else ""
    code = f"{line_of(value.description, terminal)}\n{line_of(value.code, terminal)}"
    return f"{word}{former}{secret}:\n{code}"


def backfilled(value: Backfilled, terminal: Terminal) -> str:
    """How many vectors were made, and how many are left."""
    del terminal
    if value.dry_run:
        return f"{plural(value.left, 'memory', 'memories')} without a vector."
    by = f" by {clean(value.embedder)} in {value.seconds:.1f} s" if value.embedder else ""
    why = f" {clean(value.stopped)}" if value.stopped and value.left else ""
    return f"{plural(value.done, 'vector')} made{by}; {value.left:,} left.{why}"


def reembedded(value: Reembedded, terminal: Terminal) -> str:
    """How many memories were brought to the model, how many are left, and how long that may take."""
    del terminal
    if not value.model:
        return "Vectors are switched off."
    former = f" of {clean(', '.join(value.former))}" if value.former else ""
    if value.dry_run:
        return (
            f"{plural(value.left, 'memory', 'memories')} to be brought to "
            f"{clean(value.model)}{former and ', some with a vector' + former}."
        )
    took = f" in {value.seconds:.1f} s, {value.per_second:,.0f} per second" if value.done else ""
    rest = f", about {lasting(value.seconds_left)}" if value.left and value.seconds_left else ""
    why = f" {clean(value.stopped)}" if value.stopped and value.left else ""
    return (
        f"{plural(value.done, 'memory', 'memories')} brought to {clean(value.model)}{took}; "
        f"{value.left:,} left{rest}.{why}"
    )


def model_change(value: ModelChange, terminal: Terminal) -> str:
    """How far a change of the embedding model is."""
    del terminal
    rest = f", about {lasting(value.seconds_left)} of work" if value.seconds_left is not None else ""
    return (
        f"Change to {clean(value.model)}: {value.share:.0%} done, {value.left:,} left{rest}. Until then "
        "those are found "
        "by their words. The job behind each session goes on with it; `recortex reembed` does it now."
    )


def lasting(seconds: float) -> str:
    """A time to wait, as people say it."""
    minutes = round(seconds / 60)
    return f"{minutes:,} min" if minutes else f"{seconds:.0f} s"
