"""Clients at their terminals, for steps that only a terminal can do: back to before a prompt, and forks."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from agents.script import Call
from agents.terminal import CLEAR_LINE, ENTER, UP, Screen, opened
from agents.windows import Copilot, Gemini

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agents.model import Spec


class AtTerminal:
    """A client that is open at a terminal."""

    leave: str
    screen: Screen
    model: object

    def say(self, text: str, *turns: Spec) -> None:
        """One prompt, answered by these turns."""
        self.model.then(*turns)
        self.screen.spell(text)
        self.screen.press(ENTER)
        self.screen.until(lambda: not self.model.left)
        self.screen.rest()

    def does(self, command: str, shown: str) -> None:
        """A command of the client, which shows something then."""
        self.screen.spell(command)
        self.screen.press_until(ENTER, shown.encode())


class GeminiAtTerminal(AtTerminal, Gemini):
    """It goes back with `/rewind`, `/restore` and `/chat resume`; the last also forks."""

    @contextmanager
    def at_terminal(self, *, asking: bool = False) -> Iterator[None]:
        """A new session; `asking` before files are changed, which is when it saves where it stands."""
        self._set(general={"sessionRetention": {"enabled": False}, "checkpointing": {"enabled": True}})
        words = self._client[:-1] if asking else self._client
        with opened(words, self.project, self.environment, "/quit") as self.screen:
            self.screen.until_shown(b"Type your message")
            self.screen.rest()
            yield

    def back(self, session: str = "") -> None:  # noqa: ARG002
        self.does("/rewind", "Stay at current position")
        self.screen.press(UP)
        self.screen.rest()
        self.screen.press_until(ENTER, b"Select an action")
        self.screen.press(ENTER)
        self.screen.rest()
        self.screen.press_until(CLEAR_LINE, b"Type your message")

    def changes(self, text: str) -> None:
        """A prompt upon which the agent changes a file, which the person allows."""
        file = {"file_path": str(self.project / "new.txt"), "content": "new\n"}
        self.model.then([Call("write_file", file)], "Written.")
        self.screen.spell(text)
        self.screen.press_until(ENTER, b"Allow once")
        self.screen.press(ENTER)
        self.screen.until(lambda: not self.model.left)
        self.screen.rest()

    def restore(self) -> None:
        """Back to where the file was to be changed; the change is made again."""
        (saved,) = (self.home / self.history).glob("*/checkpoints/*.json")
        self.does(f"/restore {saved.stem}", "Restored project")


class CopilotAtTerminal(AtTerminal, Copilot):
    """It goes back with `/rewind` and forks with `/fork`."""

    @contextmanager
    def at_terminal(self) -> Iterator[None]:
        with opened(self._client, self.project, self.environment, "/exit") as self.screen:
            self.screen.until_shown(b"Do you trust")
            self.screen.rest()
            self.screen.press_until(ENTER, b"MCP Servers reloaded")  # what is typed before may be lost
            yield

    def back(self, session: str = "") -> None:  # noqa: ARG002
        self.does("/rewind", "Rewind to a previous")
        self.screen.press_until(ENTER, b"Conversation only")
        self.screen.press_until(ENTER, b"Rewound")
        self.screen.press(CLEAR_LINE)
        self.screen.rest()

    @contextmanager
    def forked(self) -> Iterator[None]:
        """A fork of the session, from which the person comes back to it."""
        self.does("/fork", "Forked from")
        yield
        self.does("/exit", "Forked this session")
