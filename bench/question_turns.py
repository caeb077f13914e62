"""Which turn, as the product counts them, is the message that a reference of gold names."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from gold import said
from session_text import SPEAKER

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_NEAR = 40
"""Turns after the place of a message in its file that are searched for its quote: a client writes what was
typed while the agent worked twice, first when it was queued."""


class Read(NamedTuple):
    """A session as the product reads it: its id, and where each turn begins and what it says."""

    session: str
    starts: list[int]
    indexes: list[int]
    texts: list[str]


class Turns:
    """The turns of a project's sessions.

    Args:
        folder: of the project's session files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def quote(self, one: dict[str, Any]) -> str:
        """The words that a reference names.

        Raises:
            ValueError: there is no such message.
        """
        path = self._folder / one["session"]
        if not path.is_file() or one["ref"] not in said(path):
            raise ValueError(f"no message {one['ref']} in {one['session']}")
        start, end = one["span"]
        return said(path)[one["ref"]].text[start:end]

    def places(self, one: dict[str, Any]) -> frozenset[tuple[str, int]]:
        """The turn, as session and position: the one with the quote, at the message's place or soon after.

        Where the product left the quote out, it is the turn at that place.
        """
        path, quote = self._folder / one["session"], _plain(self.quote(one))
        read = _read(path)
        at = max(bisect_right(read.starts, _offsets(path)[one["ref"]]) - 1, 0)
        near = range(at, min(at + _NEAR, len(read.texts)))
        turn = next((number for number in near if quote in read.texts[number]), at)
        return frozenset({(read.session, read.indexes[turn])} if read.indexes else ())


def _plain(text: str) -> str:
    return " ".join(text.split())


@cache
def _read(path: Path) -> Read:
    from recortex.formats.transcripts.reader import open_transcript

    reader = open_transcript(path)
    turns = sorted(reader, key=lambda turn: turn.start)
    return Read(
        reader.info.session_id,
        [turn.start for turn in turns],
        [turn.index for turn in turns],
        [_plain(turn.text) for turn in turns],
    )


@cache
def _offsets(path: Path) -> Mapping[int, int]:
    """The place of each reference as readers count.

    Bytes of a file of lines; turns of a Markdown file; messages of a document.
    """
    if path.suffix == ".json":
        return {ref: ref for ref in said(path)}
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    if path.suffix == ".md":
        begins = [number for number, line in enumerate(lines) if SPEAKER.match(line)]
        return {ref: number for number, ref in enumerate(begins)}
    ends = accumulate(len(line.encode("utf-8")) + 1 for line in lines)
    return dict(enumerate([0, *ends]))
