"""Where text for people goes: its width, its colours, and what must never reach it."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from recortex.domain.text import as_utc, visible
from recortex.lean import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO


Style = Literal["bold", "dim", "red", "green", "yellow", "cyan"]

_CODES: dict[str, str] = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_NARROWEST, _WIDEST, _USUAL = 40, 120, 100  # columns
_LISTED = 20  # paths of a kind that are shown; `--json` has all
_COUNTED_DAYS = 14  # up to here a date is shown as "N days ago"


class Terminal(Value, frozen=True):
    """How to write for a person.

    Attributes:
        width: columns.
        colour: whether styles are written; without it every style is plain text.
        person: somebody reads it now; what goes into a pipe or file is plain and keeps its form.
        full: nothing is cut or left out.
        now: the time that "2 days ago" is counted from; only where somebody reads it now.
    """

    width: int = _USUAL
    colour: bool = False
    person: bool = False
    full: bool = False
    now: datetime | None = None

    def when(self, at: datetime) -> str:
        """A time as it is read, in UTC: near to now for a person, else to the minute."""
        return near(at, self.now) if self.now else f"{as_utc(at):%Y-%m-%d %H:%M} UTC"

    def style(self, text: str, style: Style) -> str:
        """The text in a style."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.colour and text else text

    def wrap(self, text: str, *, indent: int = 0, first: str = "") -> str:
        """Text cleaned and wrapped to the width; `first` stands in the indent of the first line."""
        margin = " " * indent
        lines: list[str] = []
        for number, line in enumerate(clean(text).splitlines() or [""]):
            lead = first.ljust(indent) if number == 0 else margin
            wrapped = textwrap.wrap(
                line,
                max(self.width, indent + 20),
                initial_indent=lead,
                subsequent_indent=margin,
                break_long_words=False,
                break_on_hyphens=False,
            )
            lines.extend(wrapped or [lead.rstrip()])
        return "\n".join(lines)

    def paths(self, name: str, values: Sequence[str], style: Style = "dim") -> Iterator[str]:
        """Paths, a line each after what they are; of many the first, with how many more there are."""
        for value in values[:_LISTED]:
            yield f"{self.style(f'{name:>8}', style)}  {' '.join(clean(value).split())}"
        if len(values) > _LISTED:
            yield f"{'':>8}  … and {len(values) - _LISTED:,} more"

    def cut(self, text: str, columns: int) -> str:
        """One line of at most `columns` characters."""
        line = " ".join(clean(text).split())
        if self.person and not line.isascii():
            from rich.cells import cell_len, set_cell_size  # some letters take two columns or none

            return (
                line if cell_len(line) <= columns else set_cell_size(line, max(columns - 1, 0)).rstrip() + "…"
            )
        return line if len(line) <= columns else line[: max(columns - 1, 0)].rstrip() + "…"


def near(at: datetime, now: datetime) -> str:
    """The time of day of today and yesterday, the number of days of the last two weeks, else the date.

    In UTC, as everywhere: one session has one day, on a screen, in a pipe, in the brief, for `--since`.
    """
    here, today = as_utc(at), as_utc(now)
    days = (today.date() - here.date()).days
    if days in {0, 1}:
        return f"{'yesterday' if days else 'today'} {here:%H:%M} UTC"
    return f"{days} days ago" if 1 < days < _COUNTED_DAYS else f"{here:%Y-%m-%d}"


def clean(text: str) -> str:
    """The text without anything that a terminal would obey."""
    return visible(text)


def terminal_of(stream: TextIO) -> Terminal:
    """The terminal behind a stream; plain and 100 columns wide where there is none."""
    if not stream.isatty():
        return Terminal()
    from shutil import get_terminal_size  # where nothing is shown to a person, it is not loaded

    width = get_terminal_size((_USUAL, 24)).columns
    colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Terminal(min(max(width, _NARROWEST), _WIDEST), colour, person=True, now=_now())


def _now() -> datetime:
    fixed = os.environ.get("RECORTEX_NOW")
    try:
        return as_utc(datetime.fromisoformat(fixed)) if fixed else datetime.now(UTC)
    except ValueError:
        return datetime.now(UTC)


# -- amounts and ids as people read them


SHORT_ID = 8  # characters that tell a memory from the others in all but the largest stores
_KILO = 1024


def size(count: float) -> str:
    """Bytes in the unit that fits."""
    for unit in ("bytes", "KB", "MB"):
        if count < _KILO:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= _KILO
    return f"{count:.1f} GB"


def plural(count: int, one: str, many: str = "") -> str:
    """`1 file`, `2 files`, `3 memories`; `many` where the plural is another."""
    regular = f"{one[:-1]}ies" if one.endswith("y") and one[-2:] not in {"ay", "ey"} else f"{one}s"
    return f"{count:,} {one if count == 1 else many or regular}"


def short(memory_id: str) -> str:
    """The beginning of an id, as commands accept it."""
    return clean(memory_id)[:SHORT_ID]


# -- one key of a person at a terminal


_INTERRUPT, _END = "\x03", ("", "\x04")


def key() -> str:
    """The key that is pressed, in lower case, without waiting for a line; empty at the end of input.

    Where the system has no such terminals it is the first letter of a line.

    Raises:
        KeyboardInterrupt: it is Ctrl-C.
    """
    pressed = _pressed()
    if pressed == _INTERRUPT:
        raise KeyboardInterrupt
    return "" if pressed in _END else pressed.lower()


def _pressed() -> str:
    try:
        import termios
        import tty
    except ImportError:  # Windows
        line = sys.stdin.readline()
        return line.strip()[:1] or "\n" if line else ""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)
        return sys.stdin.read(1)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


# -- one line on standard error that tells how far long work is; nothing where nobody watches


_INTERVAL = 0.1  # seconds between two drawings
_BAR = 24  # characters
_MANY = 1_000_000  # beyond it these are bytes, and a share says more
_CLEAR = "\r\x1b[K"


class ProgressLine:
    """Call it with what is done, how much, and of how much (0 where that is not known)."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._watched = stream.isatty()
        self._drawn_at = 0.0
        self._drawn = False

    def __call__(self, what: str, done: int, total: int) -> None:
        """Draw the line, at most ten times a second; the end is always drawn."""
        now = time.monotonic()
        if not self._watched or (now - self._drawn_at < _INTERVAL and done != total):
            return
        self._drawn_at, self._drawn = now, True
        self._stream.write(_CLEAR + line(what, done, total))
        self._stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._drawn:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._drawn = False


def line(what: str, done: int, total: int) -> str:
    """The line itself: `what [####----] 12/24`."""
    if total <= 0:
        return f"{what[:40]} {done}"
    filled = min(_BAR, _BAR * done // total)
    amount = f"{done}/{total}" if total < _MANY else f"{100 * done // total}%"
    return f"{what[:40]} [{'#' * filled}{'-' * (_BAR - filled)}] {amount}"
