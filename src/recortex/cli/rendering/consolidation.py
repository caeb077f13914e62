"""Consolidations as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering.memories import line_of
from recortex.consolidation.consolidating import TARGETS
from recortex.domain.text import clean
from recortex.terminal import plural, short

if TYPE_CHECKING:
    from recortex.consolidation.operations import Consolidated, DuplicatePair, Merged
    from recortex.terminal import Terminal


def consolidated(value: Consolidated, terminal: Terminal) -> str:
    """The pairs, the merged memory and what it replaces, what is planned or was done, or the metrics."""
    if value.action == "metrics":
        return _metrics(value)
    if value.action in {"plan", "run"}:
        return _groups(value, terminal)
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


_RESULTS = {
    "strengthened": "near-copies",
    "updated": "one said it already",
    "created": "they say it in other words, or add to each other",
}


def _groups(value: Consolidated, terminal: Terminal) -> str:
    done = [one for one in value.groups if not one.refused]
    shown = [_group(one, terminal, dry_run=value.dry_run) for one in value.groups]
    for pair in value.apart:
        why = terminal.style(clean(pair.why), "yellow")
        shown.append(f"Kept apart: {why}\n{line_of(pair.one, terminal)}\n{line_of(pair.other, terminal)}")
    verb = "would become" if value.dry_run else "became"
    sources = sum(len(one.sources) for one in done)
    end = (
        f"{sources} of {plural(value.total, 'memory')} {verb} {len(done)}; {value.pending} stay as they are."
    )
    if not done:
        end = f"Of {plural(value.total, 'memory')} none can be merged."
    if value.backup:
        end += f"\nBackup before it: {clean(value.backup)}\n`recortex undo ID` takes one back."
    elif done and value.dry_run:
        end += "\n`recortex consolidate run` does it; with ids, only for groups that hold one of them."
    return "\n\n".join([*shown, end])


def _group(one: Merged, terminal: Terminal, *, dry_run: bool) -> str:
    word = "Would become" if dry_run else "Merged into"
    if one.refused:
        word = f"Not merged, since {clean(one.refused)}"
    asked = ", ".join(f"«{clean(each)}»" for each in one.asked)
    why = f"{_RESULTS[one.result]}; likeness {one.likeness:.2f} at least; each is found by {asked}"
    if one.polished:
        why += "; worded by the language model, which says the same"
    old = "\n".join(f"  {line_of(each, terminal)}" for each in one.sources)
    text = terminal.wrap(one.memory.text, indent=6)
    return f"{word}:\n{line_of(one.memory, terminal)}\n{text}\nin place of:\n{old}\n{terminal.wrap(why)}"


def _metrics(value: Consolidated) -> str:
    if not value.events:
        return "Nothing was consolidated yet. `recortex consolidate plan` shows what can be."
    rows = [plural(value.events, "consolidation")]
    for name, found in value.metrics.items():
        least, most = TARGETS[name]
        wanted = " to ".join(
            [
                *([f"at least {least:g}"] if least is not None and most is None else []),
                *([f"at most {most:g}"] if most is not None and least is None else []),
                *([f"{least:g}", f"{most:g}"] if least is not None and most is not None else []),
            ]
        )
        rows.append(f"  {name:<15} {found:.2f}  ({wanted}{', missed' if name in value.missed else ''})")
    return "\n".join(rows)
