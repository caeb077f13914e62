"""What regular upkeep did, and how a store's size is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering.amounts import size
from recortex.cli.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.app.jobs.running import Done
    from recortex.app.store_health import Health
    from recortex.cli.terminal import Style, Terminal
    from recortex.operations.garbage_collection import Collected, StoreUpkeep

_STATES: dict[str, Style] = {"partly": "yellow", "skipped": "dim", "failed": "red"}
LEAST_WASTE = 4 * 1024 * 1024
"""Bytes of a store whose waste is worth a word: a young one's pages are mostly empty."""
_WORDS = {
    "sessions": "notes of old sessions",
    "leftovers": "what was left lying about",
    "expiry": "memories pruned long ago",
    "versions": "former states beyond ten",
    "audit": "old entries of the audit log",
    "vectors": "vectors that nothing uses",
    "compaction": "free pages given back, keyword index merged",
    "rewrite": "the file written anew without waste",
    "growth": "the store's size noted",
    "backup": "a backup, opened and counted",
}


def collected(value: Collected, terminal: Terminal) -> str:
    """Each store with its chores."""
    head = "What would be done; nothing was changed.\n\n" if value.dry_run else ""
    return head + (
        "\n\n".join(store_upkeep(one, terminal) for one in value.stores) or "There is no store yet."
    )


def store_upkeep(value: StoreUpkeep, terminal: Terminal) -> str:
    """One store with its chores."""
    change = "" if value.before == value.after else f" -> {size(value.after)}"
    head = terminal.style(f"{value.scope}  {clean(value.path)}", "bold")
    chores = [done(one, terminal) for one in value.chores]
    return "\n".join([f"{head}  {size(value.before)}{change}", *(chores or ["  Nothing is due."])])


def done(value: Done, terminal: Terminal) -> str:
    """One chore: what it is, its counts, and what speaks against it."""
    state = "" if value.state == "done" else terminal.style(f"[{value.state}] ", _STATES[value.state])
    said = "; ".join(filter(None, (", ".join(_counts(value.counts)), clean(value.note)))) or "none"
    text = terminal.wrap(f"{_WORDS.get(value.name, value.name)}: {said}", indent=4, first="  ")
    return f"  {state}{text.lstrip()}"


def _counts(counts: dict[str, int]) -> Iterator[str]:
    for name, count in counts.items():
        if name.endswith("_bytes") and count:
            yield f"{size(count)} {name.removesuffix('_bytes')}"
        elif name.endswith("_percent"):
            yield f"{count} %"
        elif count:
            words = name.replace("_", " ")
            yield f"{count:,} {words.removesuffix('s') if count == 1 else words}"


def health(value: Health, terminal: Terminal) -> str:
    """A store's size in parts, its growth, its upkeep."""
    del terminal
    waste = f", {value.fragmentation:.0%} holds nothing" if value.bytes >= LEAST_WASTE else ""
    parts = (
        f"  {value.active:,} active, {value.archived:,} archived; vectors {size(value.vector_bytes)}, "
        "keyword index "
        f"{size(value.index_bytes)}{waste}"
    )
    return "\n".join([parts, f"  {_growth(value)}; {_upkept(value)}"])


def _growth(value: Health) -> str:
    if value.bytes_per_month is None:
        return "growth not known yet"
    sign = "-" if value.bytes_per_month < 0 else ""
    until = "" if value.days_to_threshold is None else f", {value.days_to_threshold:,} days to the threshold"
    return f"grows by {sign}{size(abs(value.bytes_per_month))} a month{until}"


def _upkept(value: Health) -> str:
    gc = f"{value.last_gc:%Y-%m-%d}" if value.last_gc else "never"
    backup = f"{value.last_backup:%Y-%m-%d}" if value.last_backup else "never"
    return f"upkeep {gc}, backup {backup}"
