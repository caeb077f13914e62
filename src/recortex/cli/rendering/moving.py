"""Where a memory went; what was copied of a whole store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.terminal import clean

if TYPE_CHECKING:
    from recortex.cli.terminal import Terminal
    from recortex.operations.moving import Relocated, StoreCopied, TableCopied

_SHOWN = 16


def relocated(value: Relocated, terminal: Terminal) -> str:
    """Where a memory is now, and which relations did not go with it."""
    where = "your own store" if value.memory.scope == "global" else "the project's store"
    head = f"{clean(value.memory.id)} is in {where} now: {clean(value.memory.summary)}"
    left = [f"  left behind: {clean(one)}" for one in value.left]
    return "\n".join([terminal.cut(head, terminal.width), *left])


def store_copied(value: StoreCopied, terminal: Terminal) -> str:
    """From where to where, and each table that holds something with its checksum."""
    what = "would be copied" if value.dry_run else "copied and compared"
    effort = f"{value.written} written, {value.seconds:.1f} s"
    return "\n".join(
        [
            f"{value.memories} memories, {value.rows} rows {what} ({effort})",
            f"  from {clean(value.source)}",
            f"  to   {clean(value.target)}",
            *(table_copied(one, terminal) for one in value.tables if one.rows),
        ]
    )


def table_copied(value: TableCopied, terminal: Terminal) -> str:
    """A table, its rows, the beginning of its checksum."""
    return terminal.cut(
        f"  {clean(value.table):<20} {value.rows:>9}  {value.checksum[:_SHOWN]}", terminal.width
    )
