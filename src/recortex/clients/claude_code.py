"""Claude Code's `.jsonl`, from 1.0 (2025) to 2.1.330.

One assistant message is split over several lines with the same `message.id`; tool results are `user` lines.
What the person says while the agent works is in `queue-operation` lines, and often nowhere else.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from recortex.clients import installer, jsonc
from recortex.clients.catalogue import PLUGGED, Client, InstallRequest, Share
from recortex.clients.hooks import Dialect, usual_events
from recortex.clients.installer import JsonPart
from recortex.domain.text import strip_injected
from recortex.errors import RecortexError
from recortex.formats.transcripts.detection import Format, Head, Trail
from recortex.formats.transcripts.pieces import (
    Content,
    Message,
    Parsed,
    Piece,
    Raw,
    SessionLine,
    decode,
    decode_any,
    decode_optional,
    described,
    fingerprint,
    join_questions,
    moment,
    plain,
    questions,
    spoken,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from recortex.domain.exchange import Author, Form, ToolCall


# -- what a person says in Claude Code beside prompts: while the agent works, on a question, on a refusal


ASK = "AskUserQuestion"
# Tools of the client whose results hold its own words alone, so that a refusal in one is a refusal.
_OWN_WORDS = frozenset(
    (ASK, "Edit", "MultiEdit", "Write", "NotebookEdit", "ExitPlanMode", "EnterPlanMode", "TodoWrite")
)
_SHELL = "Bash"  # from version 2 on a command's own output stands below its exit code
_REFUSED = "The user doesn't want to proceed with this tool use."
_REASON = "To tell you how to proceed, the user said:\n"
_ADVICE = "\n\nNote: The user's next message may contain"  # of the client to the agent
# The client's own words, with the agent's questions in them, where the person answered none of these.
_QUESTIONNAIRE = "The user wants to clarify these questions."
_NOTE = re.compile(r"\s*<user-memory-input>(.*)</user-memory-input>\s*", re.DOTALL)
_COMMAND = re.compile(
    r"<command-name>(/[^<\n]{1,100})</command-name>.*<command-args>(.*\S.*)</command-args>", re.DOTALL
)
# Commands that set up the client: what follows their name is a setting, not said to anybody.
_SETTINGS = re.compile(
    r"/(?:add-dir|agents|color|config|effort|export|fast|ide|login|mcp|model|output-style|permissions|plugin"
    r"|rename|resume|statusline|theme|vim)"
)
_BARE_COMMAND = re.compile(r"/[a-z][\w:-]{0,80}(?:\s|$)")


def note(text: str) -> str:
    """What the person noted for the client's memory with `#`; empty for anything else."""
    found = _NOTE.fullmatch(text)
    return found[1].strip() if found else ""


def command(text: str) -> str:
    """A command as it was typed, where the person said something behind its name; empty for anything else."""
    found = _COMMAND.search(text)
    return f"{found[1]} {found[2].strip()}" if found and not _SETTINGS.fullmatch(found[1]) else ""


class Calls:
    """The calls without a result so far of tools whose results can tell what the person said."""

    def __init__(self) -> None:
        self._calls: dict[str, ToolCall] = {}

    def note(self, calls: Iterable[ToolCall]) -> None:
        """Remember calls that the agent makes."""
        known = (call for call in calls if call.name in _OWN_WORDS or call.name == _SHELL)
        self._calls.update((call.id, call) for call in known)

    def pop(self, call: str) -> ToolCall | None:
        """The call that a result answers."""
        return self._calls.pop(call, None)


def refusal(call: ToolCall | None, output: str, version: str) -> str:
    """Why the person refused a call, out of its failed result; empty where that proves nothing."""
    trusted = call is not None and (call.name in _OWN_WORDS or not version.startswith(("0.", "1.")))
    if not trusted or not version or not output.startswith(_REFUSED) or _REASON not in output:
        return ""
    return typed_feedback(output.partition(_REASON)[2])


def typed_feedback(said: str) -> str:
    """What the person typed on refusing, without what the client put before or behind it."""
    return "" if said.startswith(_QUESTIONNAIRE) else strip_injected(said.partition(_ADVICE)[0])[0]


def answers(value: Any) -> tuple[str, str]:
    """What the person answered to the agent's questions, and the questions with their options.

    Args:
        value: the client's own record of the result, `toolUseResult`.
    """
    given = value if isinstance(value, dict) else {}
    chosen, notes = _mapping(given.get("answers")), _mapping(given.get("annotations"))
    asked = questions(given.get("questions"))
    said = [one.answered(chosen.get(one.text), _mapping(notes.get(one.text)).get("notes")) for one in asked]
    return join_questions(said), join_questions(asked)


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


class Queue:
    """What the person typed while the agent was at work, until a line tells what became of it.

    The client delivers such a message as a line of its own (when the agent has ended) or as an attachment
    (some lines later). Older versions, which do not say what they take off the queue, write nothing more of
    it: the agent has it with its next message. Lines from before it was typed, such as a fork repeats behind
    it, tell nothing of it.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, str] = {}  # group: text
        self._since: dict[str, datetime | None] = {}
        self._taken: set[str] = set()  # off the queue by an older version
        self._named: set[str] = set()  # off the queue by a newer one: an attachment follows, unless dropped

    def add(self, content: str, at: str, since: datetime | None) -> tuple[str, str]:
        """Take a message in; its group and its text, both empty if no person typed it."""
        text, injected = strip_injected(content)
        if not text or injected or text.startswith(("<", '{"task_id"')) or _BARE_COMMAND.match(text):
            return "", ""
        group = fingerprint("queued", at, text)
        self._waiting[group], self._since[group] = text, since
        return group, text

    def take(self, content: str) -> None:
        """A message was taken off the queue: the named one, or the oldest."""
        for group, text in self._waiting.items():
            if group not in self._taken | self._named and (not content or text == content.strip()):
                (self._named if content else self._taken).add(group)
                return

    def take_back(self) -> tuple[str, ...]:
        """The person took all that waits back into the input, or dropped it; returns their groups."""
        return self._leave([group for group in self._waiting if group not in self._taken])

    def dropped(self, at: datetime | None) -> tuple[str, ...]:
        """The messages that were taken off the queue, and that no attachment told until the next prompt."""
        return self._leave([group for group in self._by(at) if group in self._named])

    def delivered(self, said: str) -> tuple[str, ...]:
        """The messages that a line tells, which may hold several."""
        lines = f"\n{said.strip()}\n"
        return self._leave([group for group, text in self._waiting.items() if f"\n{text}\n" in lines])

    def answered(self, at: datetime | None) -> tuple[str, ...]:
        """The agent writes its next message: what was taken is told by no other line."""
        return self._leave([group for group in self._by(at) if group in self._taken])

    def emptied(self, at: datetime | None) -> tuple[str, ...]:
        """The person was asked for a new prompt: what waits is told by no other line."""
        return self._leave(self._by(at))

    def _by(self, at: datetime | None) -> list[str]:
        """The messages that waited at a time."""
        return [group for group, since in self._since.items() if not (at and since and since > at)]

    def _leave(self, groups: list[str]) -> tuple[str, ...]:
        for group in groups:
            del self._waiting[group], self._since[group]
            self._taken.discard(group)
            self._named.discard(group)
        return tuple(groups)


# -- Claude Code's `.jsonl`, from 1.0 (2025) to 2.1.330


# Summaries began like this before `isCompactSummary` existed.
_CONTINUED = "This session is being continued from a previous conversation"
_PLAN = "Implement the following plan:\n\n# "  # the agent's, accepted with a key, before `planContent`
_REJECTED = "user-rejected"
# Where a person types into another program that runs the client for them.
_HOSTS = frozenset(
    """
    claude-vscode claude-jetbrains claude-desktop claude-desktop-3p claude-in-slack claude_in_slack
    claude-in-teams claude-coworker claude-coworker-terminal local-agent local_agent remote
    remote_desktop remote_mobile remote_projects remote_cowork ssh-remote
    """.split()
)
_ORIGINS: dict[str, Author] = {
    "scheduled": "agent",
    "peer": "agent",
    "task_notification": "harness",
    "auto_continuation": "harness",
    "host_synthetic": "harness",
    "system": "harness",
}
_NOT_TYPED = frozenset(("system", "suggestion_accepted"))  # a suggestion is the agent's text
_NO_CONTENT = "(no content)"


class _Line(SessionLine, rename="camel", gc=False):
    agent_id: str | None = None
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    leaf_uuid: str | None = None
    explicit: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    prompt_source: str | None = None
    turn_origin: str | None = None
    entrypoint: str | None = None
    tool_denial_kind: str | None = None
    user_feedback: str | None = None
    operation: str | None = None
    content: str | None = None
    tool_use_result: Raw = Raw()
    origin: Raw = Raw()
    plan_content: Raw = Raw()
    attachment: Raw = Raw()
    turn_position: Raw = Raw()


class _Attachment(msgspec.Struct, rename="camel", gc=False):
    type: str | None = None
    command_mode: str | None = None
    origin: Raw = Raw()
    content: Raw = Raw()
    prompt: Raw = Raw()


class ClaudeCodeParser:
    """Reads the lines of one file; keeps what was asked for and what waits in the queue."""

    def __init__(self) -> None:
        self._calls = Calls()
        self._queue = Queue()
        self._message = ""  # the agent's message that is being written
        self._entrypoint = ""  # of the lines so far: those of the queue do not say it

    def parse(self, raw: bytes) -> Parsed:
        """Read a line. Raises MalformedLineError."""
        line = decode(raw, _Line)
        session, parent = line.session_id or "", ""
        self._entrypoint = line.entrypoint = line.entrypoint or self._entrypoint
        if line.agent_id and session:
            session, parent = f"{session}/agent-{line.agent_id}", session
        read = _READERS.get(line.type or "")
        parsed = read(line) if read else self._queued(line)
        if line.type == "user":
            # The results of a line with what the person said to the calls that they answer.
            replies: list[Piece] = []
            for result in (result for piece in parsed.pieces for result in piece.results):
                call = self._calls.pop(result.call)
                asked = described(call.name, call.arguments) if call else ""
                form: Form = "refusal"
                if result.ok and call is not None and call.name == ASK:
                    form = "answer"
                    said, asked = answers(decode_any(line.tool_use_result))
                elif line.tool_denial_kind == _REJECTED and line.user_feedback:
                    said = typed_feedback(line.user_feedback)
                else:
                    said = "" if result.ok else refusal(call, result.output, line.version or "")
                replies.extend([line.piece("user", form=form, text=said, asked=asked)] if said else [])
            parsed = replace(parsed, pieces=(*parsed.pieces, *replies))
        for piece in parsed.pieces:
            self._calls.note(piece.calls)
        return self._settled(parsed).under(line.header(session, parent), line.uuid or "")

    def _queued(self, line: _Line) -> Parsed:
        parsed = Parsed(skipped=line.label)
        if line.type == "queue-operation" and line.operation == "enqueue":
            group, text = self._queue.add(line.content or "", str(line.timestamp), moment(line.timestamp))
            said = line.piece("user", form="queued", group=group, held=True, text=text, author=_author(line))
            held = replace(said, uuid=group)
            return Parsed((held,)) if text else parsed
        if line.type == "queue-operation" and line.operation == "popAll":
            return replace(parsed, withdrawn=self._queue.take_back())
        if line.type == "queue-operation" and line.operation == "remove":
            self._queue.take(line.content or "")
        return parsed

    def _settled(self, parsed: Parsed) -> Parsed:
        """The line with what it tells of the messages in the queue."""
        for piece in parsed.pieces:
            if piece.sidechain or piece.held:
                continue
            if piece.role == "assistant" and piece.group != self._message:
                self._message = piece.group
                return replace(parsed, told=self._queue.answered(piece.at))
            if piece.role == "user" and piece.form in {"prompt", "queued", "command"}:
                withdrawn = self._queue.delivered(piece.text)
                if withdrawn or piece.form == "queued":
                    return replace(parsed, withdrawn=withdrawn)
                dropped = self._queue.dropped(piece.at)
                return replace(parsed, withdrawn=dropped, told=self._queue.emptied(piece.at))
        return parsed


def _assistant(line: _Line) -> Parsed:
    message = decode(line.message, Message)
    if line.is_api_error_message or message.model == "<synthetic>":
        return Parsed(skipped="api-error" if line.is_api_error_message else "synthetic")
    content = Content.read(message.content)
    said = content._replace(texts=[text for text in content.texts if text != _NO_CONTENT])
    return said.by_agent(line.piece("assistant", group=message.id or ""))


def _user(line: _Line) -> Parsed:
    texts, _, results, _ = Content.read(decode(line.message, Message).content)
    author = _author(line)
    if line.is_meta or author == "harness" or line.prompt_source in _NOT_TYPED or not _human(line.origin):
        parsed = Parsed(skipped="meta", carried="\n".join(texts))
    elif bytes(line.plan_content) or (texts and texts[0].startswith(_PLAN)):
        parsed = spoken(line.piece("plan"), texts)  # the agent's words, sent on by the client
    elif line.is_compact_summary or (texts and texts[0].startswith(_CONTINUED)):
        parsed = spoken(line.piece("summary"), texts)
    else:
        parsed = _prompted(line, texts, ends_calls=not results)
    pieces = (line.piece("results", results=results), *parsed.pieces)
    return replace(parsed, pieces=pieces, skipped="") if results else parsed


def _prompted(line: _Line, texts: list[str], *, ends_calls: bool) -> Parsed:
    said = line.piece("user", ends_calls=ends_calls, author=_author(line))
    parsed = spoken(said, texts)
    whole = "\n".join(texts)
    noted, ordered = note(whole), command(whole)
    if parsed.pieces or not (noted or ordered):
        return parsed
    return Parsed((replace(said, form="note" if noted else "command", text=noted or ordered),))


def _author(line: _Line) -> Author:
    """Who wrote a prompt, as the client tells: what a program sends for an editor, a person typed there."""
    by_program = (line.entrypoint or "").startswith("sdk-")
    by_program = by_program or "sdk" in {line.turn_origin, line.prompt_source}
    if by_program and line.turn_origin in {None, "sdk", "unknown"}:
        return "person" if line.entrypoint in _HOSTS else "program"
    return _ORIGINS.get(line.turn_origin or "", "person")


def _human(origin: Raw) -> bool:
    """Whether a message comes from a person, and not from a task, channel or timer that the client names."""
    named = decode_any(origin)
    return not isinstance(named, dict) or named.get("kind") in {None, "human"}


def _attachment(line: _Line) -> Parsed:
    attached = decode(line.attachment, _Attachment)
    queued = attached.type == "queued_command" and attached.command_mode in {None, "prompt"}
    if queued and _human(attached.origin):
        said = line.piece("user", form="queued", author=_author(line))
        return spoken(said, [plain(decode_any(attached.prompt))])
    carried = plain(decode_any(attached.content)) if attached.type == "hook_additional_context" else ""
    return Parsed(skipped=f"attachment/{attached.type or 'untyped'}", carried=carried)


_READERS = {"assistant": _assistant, "user": _user, "attachment": _attachment}


# -- which lines the person took back


_NOTHING = "00000000-0000-0000-0000-000000000000"


class _Position(msgspec.Struct, rename="camel", gc=False):
    turn_index: int | None = None


class ClaudeCodeTrail:
    """`parentUuid` names what a line follows; at a compaction, which begins anew, `logicalParentUuid` does.

    Newer clients mark with `last-prompt` where the person went back; when that was to the very beginning, the
    prompt's `turnPosition` alone tells.
    """

    def __init__(self) -> None:
        self._turn = 0  # the place of the last prompt in the conversation, from 1

    def __call__(self, trail: Trail, raw: bytes, place: str) -> None:  # noqa: ARG002
        """Take a line. Raises MalformedLineError."""
        line = decode(raw, _Line)
        if line.type == "last-prompt":
            if line.leaf_uuid == _NOTHING and self._turn == 1:
                trail.begins_anew()
            elif line.leaf_uuid:
                trail.stands_at(line.leaf_uuid, surely=bool(line.explicit))
        elif line.uuid and not line.is_sidechain:
            prompt = _begins(line)
            parent = line.parent_uuid or line.logical_parent_uuid or ("" if prompt else None)
            trail.add(line.uuid, parent, prompt=prompt)
            if prompt:
                self._turn = decode_optional(line.turn_position, _Position).turn_index or 0


def _begins(line: _Line) -> bool:
    """Whether a line begins a prompt of whoever talks to the agent."""
    if line.type != "user" or line.is_meta or line.is_compact_summary:
        return False
    return not Content.read(decode_optional(line.message, Message).content).results


# -- what the client is: its files and settings


def _is_claude_code(head: Head) -> bool:
    keys = (("sessionId",), ("uuid", "message"), ("leafUuid",), ("snapshot", "messageId"))
    return any(head.line_with("type", *each) for each in keys) or (
        not head.values and head.mentions("parentUuid", "sessionId")
    )


_FILES = "Edit|Write|Read|MultiEdit|NotebookEdit"
# Claude Code 2.1.100 takes PostToolUseFailure too; an event that it did not know would cost all hooks.
HOOKS = Dialect("claude-code", usual_events(_FILES, f"{_FILES}|Bash", "Bash"), forgiving=True)


def _share(wish: InstallRequest) -> Share:
    """Its settings file rather than the plug-in: that needs no copy of the plug-in's folder."""
    around = wish.environment
    base, root = around.folder("CLAUDE_CONFIG_DIR", ".claude")
    state = base if around.environ.get("CLAUDE_CONFIG_DIR") else around.home
    plugged = _plugin(base / "settings.json", root)
    parts = (
        JsonPart(base / "settings.json", root, hooks={} if plugged else wish.groups(HOOKS)),
        JsonPart(
            state / ".claude.json", root, ("mcpServers",), None if plugged else wish.server(type="stdio")
        ),
    )
    if plugged:
        return Share(parts, (PLUGGED.format("Claude Code"),), f"claude plugin uninstall {plugged}")
    scoped = _of_projects(base / "plugins" / "installed_plugins.json", root)
    notes = (_IN_PROJECTS.format(", ".join(shlex.quote(path) for path, _ in scoped)),) if scoped else ()
    return Share(parts, notes, "; ".join(command for _, command in scoped))


_IN_PROJECTS = (
    "The Recortex plug-in is enabled in {} too; take it out there, so that nothing is given twice: see "
    "`claude plugin list`."
)


class _Install(msgspec.Struct):
    """Where a plug-in was enabled, as Claude Code 2.1 keeps it."""

    scope: str = ""
    project: str = msgspec.field(default="", name="projectPath")


class _Installs(msgspec.Struct):
    plugins: dict[str, list[_Install]] = {}


def _of_projects(path: Path, root: Path) -> list[tuple[str, str]]:
    """The projects in whose own settings our plug-in is enabled, with the command that takes it out there."""
    try:
        kept = msgspec.json.decode(installer.read(path, root).text or "{}", type=_Installs)
    except (RecortexError, msgspec.MsgspecError):
        return []
    return [
        (one.project, f"cd {shlex.quote(one.project)} && {_TAKE_OUT.format(shlex.quote(name), one.scope)}")
        for name, places in kept.plugins.items()
        for one in places
        if name.startswith(_PLUGIN) and one.scope in _SCOPES and one.project
    ]


_TAKE_OUT = "claude plugin uninstall {} --scope {}"
_PLUGIN = "recortex@"
_SCOPES = ("project", "local")


def _plugin(path: Path, root: Path) -> str:
    """The name of our plug-in where it is enabled; else empty."""
    try:
        text = installer.read(path, root).text or ""
        node = jsonc.at(jsonc.parse(text), ("enabledPlugins",)) if text.strip() else None
    except RecortexError:
        return ""  # reported when the file itself is read
    plugins = node.plain() if node else None
    enabled = plugins.items() if isinstance(plugins, dict) else ()
    return next((name for name, on in enabled if on is True and name.startswith(_PLUGIN)), "")


CLIENTS = (
    Client(
        name="claude-code",
        title="Claude Code",
        commands=("claude",),
        history=(".claude", ("projects",)),
        files=("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
        folders={".claude/rules": (".md",)},
        nested=("CLAUDE.md",),
        imports=True,
        own_folders=(".claude",),
        formats=(Format("claude-code", _is_claude_code, ClaudeCodeParser, follows=ClaudeCodeTrail),),
        share=_share,
    ),
)
