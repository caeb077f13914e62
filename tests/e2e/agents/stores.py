"""Clients that keep what was said in a store of their own, driven as their windows do it: see `windows`."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from agents.install import PACKAGES, program
from agents.others import KEY
from agents.script import Call
from agents.windows import Kilo, Opencode, Pi, Window

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agents.model import Spec

ORDERS, FORKS, GOES_BACK, COMPACTS = "orders", "forks", "goes back", "compacts"


class OpencodeStore(Opencode):
    """Its database is read, not what it exports."""

    recall = "recortex_recall"  # Kilo has a tool of its own that is called so, too
    can = frozenset((ORDERS, FORKS, GOES_BACK, COMPACTS))
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


class Continue(Window):
    """One process for each prompt, which goes on with the newest session or with a fork."""

    format = "continue"
    recall = "recall"
    history = ".continue/sessions"
    can = frozenset((FORKS,))
    needs_node = True

    @contextmanager
    def opened(self) -> Iterator[None]:
        file = self.home / ".continue" / "config.yaml"
        file.parent.mkdir(exist_ok=True)
        model = {
            "name": "scripted", "provider": "openai", "model": "scripted", "apiKey": KEY, "roles": ["chat"],
            "apiBase": f"{self.model.url}/v1", "capabilities": ["tool_use"],
        }  # fmt: skip
        server = {"name": "recortex", "command": "recortex", "args": ["mcp"]}
        said = {"name": "x", "version": "1.0.0", "schema": "v1", "models": [model], "mcpServers": [server]}
        file.write_text(json.dumps(said))  # which is YAML, too
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
    "opencode": OpencodeStore,
    "kilo": KiloStore,
    "pi": PiStore,
    "continue": Continue,
}
