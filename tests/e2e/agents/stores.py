"""Clients that keep what was said in a store of their own, driven as their windows do it: see `windows`."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from agents.install import PACKAGES, program
from agents.others import KEY
from agents.script import Call
from agents.terminal import CODEX_ASKS, Screen
from agents.windows import Kilo, Opencode, Pi, Window

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agents.model import Spec

ORDERS, FORKS, GOES_BACK, COMPACTS = "orders", "forks", "goes back", "compacts"
SENDS = "sends"  # and says of what a program sends that it is no person's


class OpencodeStore(Opencode):
    """Its database is read, not what it exports."""

    recall = "recortex_recall"  # Kilo has a tool of its own that is called so, too
    can = frozenset((ORDERS, FORKS, GOES_BACK, COMPACTS, SENDS))
    shell = "bash"

    def call(self, line: str) -> Call:
        """The call by which the model runs a command."""
        return Call(self.shell, {"command": line, "description": "look"})

    def compact(self, session: str) -> None:
        self._ask(f"/session/{session}/summarize", {"providerID": "scripted", "modelID": "m"})


class KiloStore(OpencodeStore, Kilo):
    """The same of its relative."""

    format = "kilo"


class PiStore(Pi):
    """It reads servers from a file since its version 1.6."""

    can = frozenset((FORKS, GOES_BACK))
    recall = "mcp__recortex__recall"

    def call(self, line: str) -> Call:
        """The call by which the model runs a command."""
        return Call("bash", {"command": line})


class Cline(Window):
    """On a terminal: one process for each prompt, since only there it goes on with a session."""

    format = "cline"
    history = ".cline/data/sessions"
    can = frozenset((ORDERS, SENDS))
    recall = "recortex__recall"
    needs_node = True

    @contextmanager
    def opened(self) -> Iterator[None]:
        words = ("auth", "-p", "openai-compatible", "-k", KEY, "-m", "scripted", "-b", f"{self.model.url}/v1")
        self.run(str(program("cline", *PACKAGES["cline"])), *words)
        yield

    def begin(self) -> str:
        self._begun = ""
        return "the only one"

    def say(self, session: str, text: str, *turns: Spec, folder: Path | None = None) -> None:  # noqa: ARG002
        assert folder is None, "a session of this client stays in its folder"
        self.model.then(*turns)
        cline = str(program("cline", *PACKAGES["cline"]))
        # What stands behind the name of a session is not sent; there it has to be typed.
        words = ["--id", self._begun] if self._begun else ["-i", text]
        terminal = self.environment | {"TERM": "xterm-256color"}
        before, screen = len(self._messages()), Screen([cline, *words], self.project, terminal, CODEX_ASKS)
        try:
            if self._begun:
                screen.until(lambda: b"Ask anything" in screen.shown)
                screen.rest()
                screen.type(text)
            while len(self._messages()) <= before or not self._answered():
                screen.rest()
        finally:
            screen.close()
            # It would ask the process of the first prompt, which is gone, whether a sub-agent may begin.
            self.run(cline, "hub", "stop")
        (self._begun,) = {file.parent.name for file in self._files() if not file.name.startswith("agent_")}

    def send(self, text: str) -> None:
        self.run(str(program("cline", *PACKAGES["cline"])), text)

    def _files(self) -> list[Path]:
        return list((self.home / self.history).glob("*/*.messages.json"))

    def _messages(self) -> list[dict[str, Any]]:
        with suppress(ValueError):  # it is being written
            for file in self._files():
                if not file.name.startswith("agent_"):
                    found: list[dict[str, Any]] = json.loads(file.read_text())["messages"]
                    return found
        return []

    def _answered(self) -> bool:
        last = self._messages()[-1]
        return last["role"] == "assistant" and {block["type"] for block in last["content"]} == {"text"}

    def order(self, text: str) -> Call:
        return Call("spawn_agent", {"systemPrompt": "You look through parsers.", "task": text})

    def call(self, line: str) -> Call:
        """The call by which the model runs a command."""
        return Call("run_commands", {"commands": [line]})


class Continue(Window):
    """One process for each prompt, which goes on with the newest session or with a fork."""

    format = "continue"
    recall = "recall"
    history = ".continue/sessions"
    can = frozenset((FORKS,))
    needs_node = True

    def __init__(self, *given: Any) -> None:
        """A person has settings of their own before ours are added: without, it asks its hub."""
        super().__init__(*given)
        model = {
            "name": "scripted", "provider": "openai", "model": "scripted", "apiKey": KEY, "roles": ["chat"],
            "apiBase": f"{self.model.url}/v1", "capabilities": ["tool_use"],
        }  # fmt: skip
        file = self.home / ".continue" / "config.yaml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"name: x\nversion: 1.0.0\nschema: v1\nmodels:\n  - {json.dumps(model)}\n")

    @contextmanager
    def opened(self) -> Iterator[None]:
        yield

    def begin(self) -> str:
        self._words: tuple[str, ...] = ()
        return "the newest"

    def fork(self, session: str) -> str:  # noqa: ARG002
        newest = max((self.home / self.history).glob("*-*.json"), key=lambda file: file.stat().st_mtime)
        self._words = ("--fork", newest.stem)
        return "the newest"

    def say(self, session: str, text: str, *turns: Spec, folder: Path | None = None) -> None:  # noqa: ARG002
        assert folder is None, "a session of this client stays in its folder"
        self.model.then(*turns)
        self.run(str(program("cn", *PACKAGES["continue"])), "-p", "--auto", *self._words, text)
        self._words = ("--resume",)

    def call(self, line: str) -> Call:
        """The call by which the model runs a command."""
        return Call("Bash", {"command": line})


STORES: dict[str, type[Any]] = {
    "opencode": OpencodeStore, "kilo": KiloStore, "pi": PiStore, "cline": Cline, "continue": Continue,
}  # fmt: skip
