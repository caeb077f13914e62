"""A transcript read in parts: what one part teaches is kept before the next begins."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recortex.domain.transcript import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.formats.transcripts import TranscriptReader

MOST_BYTES = 100_000
"""UTF-8 bytes of a pass, counted over what was said and done: clients write ten times as much around it."""

TOLD = 8_000
"""Characters of the last message that go from a hook to the capture process: as much as any pipe takes before
somebody reads."""


@dataclass(slots=True)
class Window:
    """The turns of one pass.

    Args:
        last: what the agent said last, as the client reported; it becomes a turn where the transcript lags
            behind.
        told: digest of a message that an earlier pass took so: the transcript's own turn is then left out.
        most: UTF-8 bytes after which the pass ends.

    Attributes:
        turns: those that were read; `read` of them stand in the file before its cursor.
        more: the pass ended at its limit.
    """

    last: str = ""
    told: str = ""
    most: int = MOST_BYTES
    turns: list[Turn] = field(default_factory=list)
    read: int = 0
    more: bool = False

    def of(self, reader: TranscriptReader) -> Iterator[Turn]:
        """The turns to learn from."""
        size = 0
        index = 0
        for turn in reader:
            # Only where the cursor has passed the last turn: it stands before a tool call without its result.
            if size > self.most and reader.cursor >= self.turns[-1].end:
                self.more = True
                return
            size += _size(turn)
            self.read += 1
            index = turn.index + 1
            self.turns.append(turn)
            if not (self.told and turn.role == "assistant" and digest(turn.text) == self.told):
                yield turn
        if self.last and not any(turn.text.strip()[: len(self.last)] == self.last for turn in self.turns):
            yield Turn(index=index, role="assistant", text=self.last, uuid=f"told-{digest(self.last)}")


def digest(message: str) -> str:
    """A digest by which a message is recognised."""
    return hashlib.blake2b(beginning(message).encode(), digest_size=16).hexdigest()


def beginning(message: str) -> str:
    """As much of a message as goes from a hook to the capture process."""
    return message.strip()[:TOLD].strip()


def _size(turn: Turn) -> int:
    said = sum(len(tool.output) + sum(map(len, tool.arguments.values())) for tool in turn.tools)
    return len(turn.text.encode()) + said
