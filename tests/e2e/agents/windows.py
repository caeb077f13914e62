"""Clients as their windows drive them: sessions that fork, go back and change folder, one prompt at a time.

Codex by its app server, opencode and Kilo by their HTTP server, Pi by its line protocol; the others by one
process for each prompt. Every client is asked for what it does of itself; nothing
is written for it.
"""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import tempfile
import threading
import uuid
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from agents.install import CLAUDE, NEWEST, PACKAGES, program
from agents.model import Model
from agents.others import CODEX, KEY
from agents.patience import SECONDS
from agents.script import Call, turn
from agents.terminal import begun_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from agents.model import Spec


@dataclass
class Window:
    """A client in a person's home; `home` is theirs, `project` the folder in which it was opened."""

    home: Path
    project: Path
    path: str
    model: Model
    at_work: bool = False
    """Our hooks are installed, which see whether a person gives the prompts."""
    format: ClassVar[str]
    history: ClassVar[str]
    """Where it keeps its sessions, or `export` left them: from the home."""
    can: ClassVar[frozenset[str]] = frozenset()
    """What it does without a terminal: names of methods, and `move` for a prompt in another folder."""
    shell: ClassVar[str] = "bash"
    """The tool that runs a command."""
    installs: ClassVar[str] = ""
    """Its name in `recortex install`."""
    needs_node: ClassVar[bool] = False
    stays: ClassVar[tuple[str, ...]] = ()
    """Words of the processes that run as long as it is open."""

    def opened(self) -> AbstractContextManager[None]:
        """The client runs, or can be run; opened once more, it goes on with the sessions of before."""
        raise NotImplementedError

    def begin(self) -> str:
        """A new session; returns what names it."""
        raise NotImplementedError

    def say(self, session: str, text: str, *turns: Spec, folder: Path | None = None) -> None:
        """One prompt, answered by these turns; in a folder into which the person changed."""
        raise NotImplementedError

    def fork(self, session: str) -> str:
        """A new session that begins with all that was said in this one."""
        raise NotImplementedError

    def back(self, session: str) -> None:
        """Take the last prompt back."""
        raise NotImplementedError

    def compact(self, session: str) -> None:
        """Have all that was said replaced by a summary."""
        raise NotImplementedError

    def order(self, text: str) -> Call:
        """The call by which the model gives another agent this prompt."""
        raise NotImplementedError

    def command(self, line: str) -> Call:
        """The call by which the model runs a command."""
        return Call(self.shell, {"command": line, "description": "look"})

    def ours(self, tool: str, arguments: dict[str, Any]) -> list[Spec]:
        """The turns in which the model calls a tool of the memory."""
        return [[Call(f"*{tool}", arguments)]]

    def send(self, text: str) -> None:
        """One prompt as a program sends it, which runs the client for that and then it ends."""
        raise NotImplementedError

    def ask(self, *words: str, text: str, folder: Path | None = None) -> None:
        """One prompt at a terminal; as it is quickest where nothing tells it from a program's."""
        if self.at_work:
            begun_with([*words, "-i", text], folder or self.project, self.environment, self.model, "/quit")
        else:
            self.run(*words, "-p", text, folder=folder)

    def export(self) -> None:
        """Leave in `history` what the client does not keep in files."""

    @property
    def exported(self) -> list[str]:
        """The folder that `export` filled, for the command line; empty where the client's own is read."""
        return []

    @property
    def environment(self) -> dict[str, str]:
        node = [str(program("node", *PACKAGES["node"]).parent)] if self.needs_node else []
        return {
            "PATH": os.pathsep.join([*node, self.path]), "HOME": str(self.home), "LANG": "C.UTF-8",
            "TERM": "dumb", "SHELL": "/bin/sh", "TMPDIR": tempfile.gettempdir(),
            "NO_PROXY": "127.0.0.1,localhost", "SCRIPTED_KEY": KEY, "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": f"{self.model.url}/v1", "OPENAI_MODEL": "scripted", "PI_OFFLINE": "1",
            "RECORTEX_HOME": str(self.home / "memory"), "GEMINI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": self.model.url, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "GOOGLE_GEMINI_BASE_URL": self.model.url, "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "COPILOT_OFFLINE": "true", "COPILOT_MODEL": "scripted", "COPILOT_PROVIDER_API_KEY": KEY,
            "COPILOT_PROVIDER_BASE_URL": f"{self.model.url}/v1",
        }  # fmt: skip

    def settings(self, folder: str, selected: str) -> None:
        """Say how the person logs in, beside what stands in the settings of the client."""
        file = self.home / folder / "settings.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        said = json.loads(file.read_text()) if file.exists() else {}
        said.setdefault("security", {}).setdefault("auth", {})["selectedType"] = selected
        file.write_text(json.dumps(said))

    def run(self, *words: str, folder: Path | None = None, **more: str) -> str:
        """Run a command of the client to its end; returns what it printed."""
        done = subprocess.run(
            words, cwd=folder or self.project, env=self.environment | more, stdin=subprocess.DEVNULL,
            text=True, capture_output=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout


@dataclass
class Lines:
    """A process that is told JSON, one object a line, and answers so."""

    words: list[str]
    folder: Path
    environment: dict[str, str]
    _told: queue.Queue[dict[str, Any]] = field(default_factory=queue.Queue)
    _seen: list[dict[str, Any]] = field(default_factory=list)

    @contextmanager
    def running(self) -> Iterator[None]:
        pipe = subprocess.PIPE
        with (
            tempfile.TemporaryFile() as errors,
            subprocess.Popen(
                self.words, cwd=self.folder, env=self.environment, stdin=pipe, stdout=pipe, stderr=errors,
                text=True,
            ) as self._process,
        ):  # fmt: skip
            reading = threading.Thread(target=self._read, daemon=True)
            reading.start()
            try:
                yield
            finally:
                assert self._process.stdin
                self._process.stdin.close()
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(10)
                self._process.kill()
                reading.join(SECONDS)

    def send(self, said: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(said) + "\n")
        self._process.stdin.flush()

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first answer that is wanted, among those that were not passed over yet."""
        while True:
            try:
                told = self._told.get(timeout=SECONDS)
            except queue.Empty:
                raise AssertionError(self._seen[-5:]) from None
            self._seen.append(told)
            if wanted(told):
                return told

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            with suppress(ValueError):  # a notice among them
                self._told.put(json.loads(line))


def as_editor(
    words: list[str], folder: Path, environment: dict[str, str], session: str, *asked: tuple[str, Any]
) -> str:
    """Talk to a client as an editor does, about a session or, without one, a new one; returns its id."""
    lines = Lines([*words, "--acp"], folder, environment)
    place = {"cwd": str(folder), "mcpServers": []}
    begun = ("session/load" if session else "session/new", place)
    hello = ("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    with lines.running():
        for number, (method, given) in enumerate((hello, begun, *asked)):
            named = {"sessionId": session, **given} if session else given
            lines.send({"jsonrpc": "2.0", "id": number, "method": method, "params": named})
            told = lines.until(lambda one, to=number: one.get("id") == to and "method" not in one)
            assert "result" in told, told
            session = (told["result"] or {}).get("sessionId", session)
    return session


class ClaudeCode(Window):
    """One process for each prompt, which goes on with a session or with its fork."""

    format = installs = "claude-code"
    history = ".claude/projects"
    can = frozenset(("fork", "back", "order", "send", "compact"))
    shell = "Bash"

    @contextmanager
    def opened(self) -> Iterator[None]:
        self._words: dict[str, tuple[str, ...]] = self.__dict__.get("_words", {})
        yield

    def begin(self) -> str:
        name = str(uuid.uuid4())
        self._words[name] = ("--session-id", name)
        return name

    def fork(self, session: str) -> str:
        name = str(uuid.uuid4())
        self._words[name] = ("--resume", session, "--fork-session", "--session-id", name)
        return name

    def say(self, session: str, text: str, *turns: Spec, folder: Path | None = None) -> None:
        assert folder is None, "a session of this client stays in its folder"
        self.model.then(*turns)
        self._print(text, *self._words[session])
        self._words[session] = ("--resume", session)

    def back(self, session: str) -> None:
        (file,) = (self.home / self.history).glob(f"*/{session}.jsonl")
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        last = max(n for n, line in enumerate(lines) if line["type"] == "user")
        answer = next(line["uuid"] for line in lines[last::-1] if line["type"] == "assistant")
        self._words[session] = ("--resume", session, "--resume-session-at", answer)

    def compact(self, session: str) -> None:
        self._print("/compact", *self._words[session])

    def send(self, text: str) -> None:
        self._print(text, by="sdk-cli")

    def order(self, text: str) -> Call:
        return Call("Agent", {"description": "parsers", "prompt": text, "subagent_type": "general-purpose"})

    def _print(self, text: str, *words: str, by: str = "claude-desktop") -> None:
        started = {"CLAUDE_CODE_ENTRYPOINT": by}
        allowed = ("--allowedTools", "Agent", "Bash", "mcp__recortex")
        program_ = str(program("claude", CLAUDE, NEWEST))
        self.run(program_, "-p", text, *words, *allowed, **started)


class Codex(Window):
    """By its app server, which editors talk to."""

    installs = "codex"
    can = frozenset(("fork", "back", "order", "send", "compact", "move"))
    shell = "exec_command"
    stays = ("app-server", "recortex mcp")

    format = "codex"
    history = ".codex/sessions"

    @contextmanager
    def opened(self) -> Iterator[None]:
        keys = CODEX | {"model_providers.scripted.base_url": f"{self.model.url}/v1"}
        settings = [word for key, value in keys.items() for word in ("-c", f"{key}={json.dumps(value)}")]
        self._words = [str(program("codex", *PACKAGES["codex"])), *settings]
        self._lines, self._count = Lines([*self._words, "app-server"], self.project, self.environment), 0
        self._turns: dict[str, list[str]] = self.__dict__.get("_turns", {})
        self._running = set[str]()
        with self._lines.running():
            who = {"name": "codex_vscode", "title": "An editor", "version": "1.0.0"}
            self._ask("initialize", clientInfo=who, capabilities={"experimentalApi": True})
            self._lines.send({"method": "initialized"})
            self._trust()
            yield

    def _trust(self) -> None:
        """As a person does with `/hooks`: without, none of them runs."""
        (here,) = self._ask("hooks/list", cwds=[str(self.project)])["data"]
        state = {one["key"]: {"trusted_hash": one["currentHash"]} for one in here["hooks"]}
        self._ask("config/value/write", keyPath="hooks.state", value=state, mergeStrategy="upsert")

    def begin(self) -> str:
        made = self._ask(
            "thread/start", cwd=str(self.project), approvalPolicy="never", sandbox="danger-full-access"
        )
        return self._begun(made)

    def _begun(self, made: dict[str, Any]) -> str:
        session = str(made["thread"]["id"])
        self._running.add(session)
        return session

    def say(self, session: str, text: str, *turns: Spec, folder: Path | None = None) -> None:
        self.model.then(*turns)
        self._go_on(session)
        place = {"cwd": str(folder)} if folder else {}
        said = [{"type": "text", "text": text, "text_elements": []}]
        turn = self._ask("turn/start", threadId=session, input=said, **place)["turn"]["id"]
        self._turns.setdefault(session, []).append(turn)
        ended = self._lines.until(
            lambda told: told.get("method") == "turn/completed" and told["params"]["turn"]["id"] == turn
        )
        assert ended["params"]["turn"]["status"] == "completed", ended

    def fork(self, session: str) -> str:
        return self._begun(self._ask("thread/fork", threadId=session))

    def _go_on(self, session: str) -> None:
        if session not in self._running:
            self._begun(self._ask("thread/resume", threadId=session))

    def back(self, session: str) -> None:
        self._ask("thread/revert", threadId=session, beforeTurnId=self._turns[session].pop())

    def send(self, text: str) -> None:
        self.run(*self._words, "exec", "--skip-git-repo-check", text)

    def compact(self, session: str) -> None:
        self._ask("thread/compact/start", threadId=session)
        self._lines.until(lambda told: told.get("method") == "turn/completed")

    def command(self, line: str) -> Call:
        return Call(self.shell, {"cmd": line})

    def order(self, text: str) -> Call:
        return Call("*spawn_agent", {"message": text, "task_name": "parsers"})

    def _ask(self, method: str, **parameters: Any) -> Any:
        self._count += 1
        number = self._count
        self._lines.send({"id": number, "method": method, "params": parameters})
        told = self._lines.until(lambda one: one.get("id") == number and "method" not in one)
        assert "result" in told, told
        return told["result"]


class Opencode(Window):
    """By its HTTP server, which its terminal and its editors talk to."""

    format = "opencode"
    history = "exports"
    can = frozenset(("fork", "back", "order", "send"))
    binary: ClassVar[str] = "opencode"

    @contextmanager
    def opened(self) -> Iterator[None]:
        options = {"baseURL": f"{self.model.url}/v1", "apiKey": KEY}
        one = {"name": "m", "tool_call": True, "limit": {"context": 100_000, "output": 4000}}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": options}
        said = {
            "provider": {"scripted": provider | {"models": {"m": one}}}, "model": "scripted/m",
            "small_model": "scripted/m", "autoupdate": False, "share": "disabled",
        }  # fmt: skip
        for name in {"opencode", self.binary}:
            (self.project / f"{name}.json").write_text(json.dumps(said))
        self._program = str(program(self.binary, *PACKAGES[self.binary]))
        words = [self._program, "serve", "--port", "0", "--hostname", "127.0.0.1", "--print-logs"]
        with subprocess.Popen(
            words, cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True,
        ) as running:  # fmt: skip
            assert running.stdout
            told = (re.search(r"http://127\.0\.0\.1:\d+", line) for line in running.stdout)
            reading = threading.Thread(target=list, args=(running.stdout,), daemon=True)
            try:
                self._url = next(filter(None, told))[0]
                self._sessions: list[str] = self.__dict__.get("_sessions", [])
                reading.start()
                yield
            finally:
                for sent in (signal.SIGTERM, signal.SIGKILL):  # it leaves helpers behind that hold its output
                    with suppress(ProcessLookupError):
                        os.killpg(running.pid, sent)
                    with suppress(subprocess.TimeoutExpired):
                        running.wait(10)
                reading.join(SECONDS)

    @property
    def exported(self) -> list[str]:
        return [str(self.home / self.history)]

    def begin(self) -> str:
        return self._new("/session")

    def say(self, session: str, text: str, *turns: Spec, folder: Path | None = None) -> None:
        assert folder is None, "a session of this client stays in its folder"
        self.model.then(*turns)
        parts = [{"type": "text", "text": text}]
        model = {"providerID": "scripted", "modelID": "m"}
        self._ask(f"/session/{session}/message", {"model": model, "parts": parts})

    def fork(self, session: str) -> str:
        return self._new(f"/session/{session}/fork")

    def back(self, session: str) -> None:
        said = [one["info"]["id"] for one in self._messages(session) if one["info"]["role"] == "user"]
        self._ask(f"/session/{session}/revert", {"messageID": said[-1]})

    def send(self, text: str) -> None:
        told = self.run(self._program, "run", "--model", "scripted/m", "--format", "json", text)
        self._sessions.append(json.loads(told.splitlines()[0])["sessionID"])

    def order(self, text: str) -> Call:
        return Call("task", {"description": "parsers", "prompt": text, "subagent_type": "general"})

    def export(self) -> None:
        folder = self.home / self.history
        folder.mkdir(exist_ok=True)
        children = [one["id"] for each in self._sessions for one in self._ask(f"/session/{each}/children")]
        for session in (*self._sessions, *children):
            told = self.run(self._program, "export", session)
            (folder / f"{session}.json").write_text(told)

    def _messages(self, session: str) -> Any:
        return self._ask(f"/session/{session}/message")

    def _new(self, place: str) -> str:
        self._sessions.append(self._ask(place, {})["id"])
        return self._sessions[-1]

    def _ask(self, place: str, body: dict[str, Any] | None = None) -> Any:
        host, method = self._url.removeprefix("http://"), "GET" if body is None else "POST"
        with closing(HTTPConnection(host, timeout=SECONDS)) as server:
            server.request(
                method,
                place,
                None if body is None else json.dumps(body),
                {"content-type": "application/json"},
            )
            answer = server.getresponse()
            told = answer.read()
        assert answer.status < HTTPStatus.BAD_REQUEST, (place, told)
        return json.loads(told or b"null")


class Kilo(Opencode):
    """A relative of opencode with settings of its own."""

    binary = "kilo"


BACK = """export default (pi) => pi.registerCommand("back", {
  description: "take the last prompt back",
  handler: async (_, ctx) => {
    const said = ctx.sessionManager.getBranch().filter((e) => e.message?.role === "user");
    await ctx.navigateTree(said.at(-1).id);
  },
});
"""


class Pi(Window):
    """By its line protocol; to go back in the tree, as `/tree` does, a command of an extension is needed."""

    format = "pi"
    history = ".pi/agent/sessions"
    can = frozenset(("fork", "back"))
    needs_node = True

    @contextmanager
    def opened(self) -> Iterator[None]:
        settings = self.home / ".pi/agent"
        settings.mkdir(parents=True, exist_ok=True)
        provider = {"baseUrl": f"{self.model.url}/v1", "api": "openai-completions", "apiKey": KEY}
        said = {"providers": {"scripted": provider | {"models": [{"id": "m"}]}}}
        (settings / "models.json").write_text(json.dumps(said))
        (self.home / "back.ts").write_text(BACK)
        words = [str(program("pi", *PACKAGES["pi"])), "--mode", "rpc", "--provider", "scripted"]
        words += ["--model", "m", "--offline", "-e", str(self.home / "back.ts")]
        self._lines = Lines(words, self.project, self.environment)
        with self._lines.running():
            yield

    def begin(self) -> str:
        return str(self._ask("get_state")["sessionFile"])

    def say(self, session: str, text: str, *turns: Spec, folder: Path | None = None) -> None:
        assert folder is None, "a session of this client stays in its folder"
        self.model.then(*turns)
        if self._ask("get_state")["sessionFile"] != session:
            self._ask("switch_session", sessionPath=session)
        self._ask("prompt", message=text)
        self._lines.until(lambda told: told.get("type") == "agent_end")

    def fork(self, session: str) -> str:
        assert self._ask("get_state")["sessionFile"] == session
        self._ask("clone")
        return self.begin()

    def back(self, session: str) -> None:
        assert self._ask("get_state")["sessionFile"] == session
        self._ask("prompt", message="/back")

    def _ask(self, kind: str, **more: Any) -> Any:
        self._lines.send({"type": kind, **more})
        told = self._lines.until(lambda one: one.get("type") == "response" and one.get("command") == kind)
        assert told["success"], told
        return told.get("data")


class Qwen(Window):
    """One process for each prompt, which goes on with a session or with its fork."""

    format = "qwen"
    history = ".qwen/projects"
    installs = "qwen"
    can = frozenset(("fork", "back", "order", "compact", "send at work"))
    shell = "run_shell_command"
    needs_node = True

    @contextmanager
    def opened(self) -> Iterator[None]:
        self.settings(".qwen", "openai")
        self._words: dict[str, tuple[str, ...]] = self.__dict__.get("_words", {})
        yield

    def begin(self) -> str:
        name = str(uuid.uuid4())
        self._words[name] = ("--session-id", name)
        return name

    def fork(self, session: str) -> str:
        name = str(uuid.uuid4())
        self._words[name] = (*self._words[session], "--fork-session")
        return name

    def say(self, session: str, text: str, *turns: Spec, folder: Path | None = None) -> None:
        assert folder is None, "a session of this client stays in its folder"
        # So many tokens that a summary is worth its while.
        self.model.then(*(replace(turn(spec), input_tokens=20_000) for spec in turns))
        before = self._chats()
        self.ask(str(program("qwen", *PACKAGES["qwen"])), "-y", *self._words[session], text=text)
        for begun in self._chats() - before:
            self._words[session] = ("--resume", begun)

    def compact(self, session: str) -> None:
        words = [str(program("qwen", *PACKAGES["qwen"])), *self._words[session]]
        assert "compressed" in self.run(*words, "-p", "/compress")

    def back(self, session: str) -> None:
        """As an editor does it."""
        name = self._words[session][1]
        (file,) = (self.home / self.history).glob(f"*/chats/{name}.jsonl")
        said = [json.loads(line) for line in file.read_text().splitlines()]
        prompts = sum(line["type"] == "user" and "subtype" not in line for line in said)
        words = [str(program("qwen", *PACKAGES["qwen"]))]
        as_editor(
            words, self.project, self.environment, name, ("rewindSession", {"targetTurnIndex": prompts - 1})
        )

    def send(self, text: str) -> None:
        self.run(str(program("qwen", *PACKAGES["qwen"])), "-p", text)

    def _chats(self) -> set[str]:
        return {file.stem for file in (self.home / self.history).glob("*/chats/*.jsonl")}

    def order(self, text: str) -> Call:
        return Call("*agent", {"description": "parsers", "prompt": text, "subagent_type": "general-purpose"})


class Gemini(Window):
    """One process for each prompt, which goes on with a session; in another folder it begins one there."""

    format = "gemini"
    history = ".gemini/tmp"
    installs = "gemini"
    can = frozenset(("fork", "order", "move", "compact", "send at work"))
    shell = "run_shell_command"
    needs_node = True

    @contextmanager
    def opened(self) -> Iterator[None]:
        self.settings(".gemini", "gemini-api-key")
        self._set(general={"sessionRetention": {"enabled": False}})  # takes more than what is old
        self._begun: dict[tuple[str, Path], str] = self.__dict__.get("_begun", {})
        self._from: dict[str, Path] = {}
        yield

    def begin(self) -> str:
        return str(uuid.uuid4())

    def fork(self, session: str) -> str:
        """As a person takes a session to another machine: what its file holds is copied into a new one."""
        name = self._begun[session, self.project]
        found = (self.home / self.history).glob(f"*/chats/*{name[:8]}.jsonl")
        fork = self.begin()
        self._from[fork] = max(found, key=lambda file: file.stat().st_size)
        return fork

    def compact(self, session: str) -> None:  # noqa: ARG002
        """Before the next prompt, as it does when little room is left."""
        self._set(model={"compressionThreshold": 0.000_001})

    def _set(self, **more: Any) -> None:
        file = self.home / ".gemini" / "settings.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | more))

    def say(self, session: str, text: str, *turns: Spec, folder: Path | None = None) -> None:
        self.model.then(*turns)
        place = (session, folder or self.project)
        name = self._begun.get(place, "")
        words = ("--resume", name) if name else ("--session-id", self._begun.setdefault(place, self.begin()))
        if session in self._from:
            words = ("--session-file", str(self._from[session]))
        self.ask(*self._client, *words, text=text, folder=folder)
        self._set(model={})

    def send(self, text: str) -> None:
        self.run(*self._client, "-p", text)

    @property
    def _client(self) -> list[str]:
        return [str(program("gemini", *PACKAGES["gemini"])), "-m", "gemini-2.5-flash", "-y"]

    def order(self, text: str) -> Call:
        return Call("*invoke_agent", {"agent_name": "generalist", "prompt": text})


class Copilot(Window):
    """One process for each prompt, which an editor starts, also in another folder."""

    format = installs = "copilot"
    history = ".copilot/session-state"
    can = frozenset(("order", "move", "compact", "send"))
    needs_node = True

    @contextmanager
    def opened(self) -> Iterator[None]:
        self._begun: dict[str, str] = self.__dict__.get("_begun", {})
        self._client = [str(program("copilot", *PACKAGES["copilot"])), "--allow-all-tools"]
        yield

    def begin(self) -> str:
        return str(uuid.uuid4())

    def say(self, session: str, text: str, *turns: Spec, folder: Path | None = None) -> None:
        self.model.then(*turns)
        said = ("session/prompt", {"prompt": [{"type": "text", "text": text}]})
        known, place = self._begun.get(session, ""), folder or self.project
        self._begun[session] = as_editor(self._client, place, self.environment, known, said)

    def compact(self, session: str) -> None:
        self.run(*self._client, "--resume", self._begun[session], "-p", "/compact")

    def send(self, text: str) -> None:
        self.run(*self._client, "-p", text)

    def order(self, text: str) -> Call:
        told = {"description": "parsers", "name": "parsers", "mode": "sync", "prompt": text}
        return Call("task", {"agent_type": "general-purpose", **told})


WINDOWS: dict[str, type[Window]] = {
    "claude-code": ClaudeCode, "codex": Codex, "gemini": Gemini, "qwen": Qwen, "copilot": Copilot,
    "opencode": Opencode, "kilo": Kilo, "pi": Pi,
}  # fmt: skip
