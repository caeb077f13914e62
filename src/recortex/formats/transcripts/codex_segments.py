"""Where a Codex session went on after the person had gone back, as its files show it.

Since 0.17x going back begins another file of the same session, whose first line says of which one it follows
the beginning, and up to which line. The older file keeps what was taken back. A fork begins in the same way,
but is a session of its own.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recortex.filesystem import open_regular
from recortex.formats.transcripts.decoding import Raw, decode, decode_optional
from recortex.formats.transcripts.pieces import MalformedLineError

if TYPE_CHECKING:
    from pathlib import Path

_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NAME = re.compile(rf"rollout-[0-9T-]{{10,30}}-({_ID})(?:_({_ID}))?\.jsonl")
_MOST_FILES = 200
_FIRST_LINE = 4 * 1024 * 1024


class _Base(msgspec.Struct, gc=False):
    thread_id: str | None = None
    end_ordinal_exclusive: int | None = None


class _Meta(msgspec.Struct, gc=False):
    history_mode: str | None = None
    history_base: Raw = Raw()


class _Line(msgspec.Struct, gc=False):
    payload: Raw = Raw()


class Segments(NamedTuple):
    """What the files of a session say of one of them.

    Attributes:
        end: the number of the first line that was taken back; None where all stands.
        others: its other files.
    """

    end: int | None = None
    others: tuple[Path, ...] = ()


def segments(path: Path) -> Segments:
    """Which part of a file stands.

    Files that cannot be read say nothing.
    """
    named = _NAME.fullmatch(path.name)
    files = _files(path, named[1]) if named and _meta(path).history_mode == "paginated" else {}
    if named is None or len(files) < 2:  # noqa: PLR2004  itself, and another one
        return Segments()
    newest, stand = max(files.keys() - {named[1]}), dict[str, int | None]()
    segment, end = newest, None
    while segment in files and segment not in stand:
        stand[segment] = end
        base = decode_optional(_meta(files[segment]).history_base, _Base)
        segment, end = base.thread_id or "", base.end_ordinal_exclusive
    others = tuple(file for file in files.values() if file.name != path.name)
    return Segments(stand.get(named[2] or named[1], 0), others)


def _files(path: Path, session: str) -> dict[str, Path]:
    """The files of a session by their ids, which grow with time; the first has the session's."""
    found: dict[str, Path] = {}
    year = path.parents[2] if len(path.parents) > len("YMD") else path
    by_day = all(one.name.isdigit() for one in list(path.parents)[:3])
    top, depth = (year.parent, "*/*/*/") if by_day else (path.parent, "")
    with suppress(OSError):
        for file in top.glob(f"{depth}rollout-*-{session}*.jsonl"):
            named = _NAME.fullmatch(file.name)
            if named and named[1] == session and len(found) < _MOST_FILES:
                found[named[2] or session] = file
    return found


def _meta(path: Path) -> _Meta:
    with suppress(OSError, MalformedLineError), open_regular(path) as file:
        payload = decode(file.readline(_FIRST_LINE), _Line).payload
        return decode_optional(payload, _Meta)
    return _Meta()
