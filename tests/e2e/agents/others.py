"""Codex, Gemini CLI and Qwen Code, each for one headless prompt, against the same scripted model."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.install import PACKAGES, program
from agents.model import Model
from agents.patience import SECONDS
from agents.script import Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agents.model import Spec

KEY = "dummy-of-a-test-not-a-key"
LIMIT = 2 * SECONDS
CODEX = {
    "model": "scripted", "model_provider": "scripted", "model_providers.scripted.name": "scripted",
    "model_providers.scripted.wire_api": "responses", "model_providers.scripted.env_key": "SCRIPTED_KEY",
}  # fmt: skip


@dataclass(frozen=True)
class Answered:
    """What became of one prompt."""

    code: int
    requests: list[Request]
    printed: str

    @property
    def given(self) -> str:
        """All that the model was told in the first request of the main conversation."""
        return self.requests[0].text


@dataclass(frozen=True)
class Host:
    """A client (`kind` is codex, gemini or qwen) in a person's home and project; `path` is their PATH."""

    kind: str
    home: Path
    project: Path
    path: str

    def ask(self, prompt: str, turns: Sequence[Spec]) -> Answered:
        """Give one prompt in a session of its own."""
        with Model(turns) as model:
            words = getattr(self, f"_{self.kind}")(model.url)
            done = subprocess.run(
                [*words, prompt], cwd=self.project, env=self.environment(model.url), stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=LIMIT, check=False,
            )  # fmt: skip
            return Answered(done.returncode, model.main, done.stdout + done.stderr)

    def environment(self, url: str) -> dict[str, str]:
        """The same throw-away user for every client; Node of our own, as many systems' is too old."""
        node = [] if self.kind == "codex" else [str(_program("node").parent)]
        return {
            "PATH": os.pathsep.join([*node, self.path]),
            "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "dumb", "SHELL": "/bin/sh",
            "TMPDIR": tempfile.gettempdir(), "RECORTEX_HOME": str(self.home / "memory"),
            "NO_PROXY": "127.0.0.1,localhost", "SCRIPTED_KEY": KEY, "GEMINI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true", "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "scripted",
        }  # fmt: skip

    def interactive(self, url: str) -> list[str]:
        """The words that start Codex for a person at a terminal."""
        return [str(_program("codex")), "--no-alt-screen", *self._unasked(url)]

    def _codex(self, url: str) -> list[str]:
        return [str(_program("codex")), "exec", "--json", "--skip-git-repo-check", *self._unasked(url)]

    def _unasked(self, url: str) -> list[str]:
        """The scripted model, and no question before a hook or a command runs."""
        keys = CODEX | {"model_providers.scripted.base_url": f"{url}/v1"}
        settings = [word for key, value in keys.items() for word in ("-c", f"{key}={json.dumps(value)}")]
        return [
            "--dangerously-bypass-hook-trust",
            "--dangerously-bypass-approvals-and-sandbox",
            *settings,
        ]

    def _gemini(self, _: str) -> list[str]:
        self._settings(".gemini", "gemini-api-key")
        return [str(_program("gemini")), "-m", "gemini-2.5-flash", "-y", "-p"]

    def _qwen(self, _: str) -> list[str]:
        self._settings(".qwen", "openai")
        return [str(_program("qwen")), "-y", "-p"]

    def _settings(self, folder: str, kind: str) -> None:
        file = self.home / folder / "settings.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        said: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
        said.setdefault("security", {}).setdefault("auth", {})["selectedType"] = kind
        file.write_text(json.dumps(said))


def _program(name: str) -> Path:
    return program(name, *PACKAGES[name])
