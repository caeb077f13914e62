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
"""Characters of the last message that go from a hook to the job: as much as any pipe takes without a
reader."""


@dataclass(slots=True)
class Window:
    """The turns of one pass.

    Args:
        last: what the agent said last by the client's word; it becomes a turn where the transcript lags
            behind.
        told: digest of what was taken so in an earlier pass: the transcript's own turn is then left out.

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
    """By which a message is known again."""
    return hashlib.blake2b(beginning(message).encode(), digest_size=16).hexdigest()


def beginning(message: str) -> str:
    """As much of a message as goes from a hook to the job."""
    return message.strip()[:TOLD].strip()


def _size(turn: Turn) -> int:
    said = sum(len(tool.output) + sum(map(len, tool.arguments.values())) for tool in turn.tools)
    return len(turn.text.encode()) + said
