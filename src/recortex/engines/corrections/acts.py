"""What the agent did before the person spoke: said, run, written. A correction is about that."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recortex.engines.words import bag_of_words

if TYPE_CHECKING:
    from recortex.domain.transcript import Turn

MOST_SAID = 4_000
MOST_COMMANDS, MOST_FILES = 12, 24
"""Of one answer of the agent; the latest count."""


@dataclass
class Act:
    """What the agent did since the person last spoke.

    Attributes:
        said: its last message, from its end back.
        commands: that it ran.
        written: files that it wrote.
        refused: the tool call or plan that was refused, as the client tells it.
    """

    said: str = ""
    commands: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    refused: str = ""

    def add(self, turn: Turn) -> None:
        """Take in a turn of the agent."""
        if turn.text:
            self.said = turn.text[-MOST_SAID:]
        for tool in turn.tools:
            self.commands = [*self.commands, *filter(None, [tool.command])][-MOST_COMMANDS:]
            if tool.writes:
                self.written = [*self.written, *tool.files][-MOST_FILES:]

    @property
    def nothing(self) -> bool:
        """Whether the agent did nothing yet."""
        return not (self.said or self.commands or self.written)

    def words(self) -> frozenset[str]:
        """The words of all of it."""
        return bag_of_words("\n".join([self.said, *self.commands, *self.written, self.refused]))
