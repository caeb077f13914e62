"""What was put into an agent's own program, file by file; a diff is shown as it is, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.cli.terminal import Style, Terminal
    from recortex.operations.installing import HostFileChange, Installed

_COLOURS: dict[str, Style] = {"+": "green", "-": "red"}


def installed(value: Installed, terminal: Terminal) -> str:
    """The client, its files, and what to do next."""
    done = "would be" if value.dry_run else "is"
    title = f"Recortex {done} {'in' if value.installed else 'out of'} {clean(value.host)}."
    files = (file_change(file, terminal) for file in value.files)
    return "\n".join([title, *files, *(f"note: {clean(note)}" for note in value.notes)])


def file_change(value: HostFileChange, terminal: Terminal) -> str:
    """A file, what became of it, and its diff where nothing was written."""
    kept = f" (as it was: {clean(value.backup)})" if value.backup else ""
    return "\n".join([f"  {value.action}  {clean(value.path)}{kept}", *_diff(value.diff, terminal)])


def _diff(text: str, terminal: Terminal) -> Iterator[str]:
    for line in text.splitlines():
        colour = _COLOURS.get(line[:1])
        yield f"    {terminal.style(clean(line), colour) if colour else clean(line)}"
