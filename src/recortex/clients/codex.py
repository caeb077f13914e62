"""Codex rollouts, `rollout-*.jsonl`: each line is `{timestamp, type, payload}`, or (2025) the bare item.

What the person sees is written twice, as `response_item` and as `event_msg`; only the first is read.
"""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from recortex.clients import installer
from recortex.clients.catalogue import PLUGGED, Client, InstallRequest, Share
from recortex.clients.hooks import Dialect, usual_events
from recortex.clients.installer import JsonPart, TomlPart
from recortex.domain.text import is_put_in, strip_injected
from recortex.errors import RecortexError
from recortex.filesystem import open_regular
from recortex.formats.hook_events import as_mapping
from recortex.formats.transcripts.detection import Format, Head, Segments, Trail
from recortex.formats.transcripts.pieces import (
    Header,
    MalformedLineError,
    Parsed,
    Piece,
    Question,
    Raw,
    Result,
    decode,
    decode_any,
    decode_optional,
    exit_code_ok,
    fingerprint,
    join_questions,
    moment,
    plain,
    questions,
    spoken,
    tool_call,
)

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from recortex.domain.exchange import Author


# What an editor or the app shows the agent stands under headings of its own before the person's request: the
# files that are open, a review's guidelines or findings. To the last: what is open may have one, too.
_APP_REQUEST = re.compile(
    r"\A\s*#{1,2} [^\n:]{1,80}:[^\S\n]*\n.*^## My request for Codex:\s*", re.DOTALL | re.MULTILINE
)
_IMAGE = re.compile(
    r"\s*(?:<image(?:\s[^<>]{0,2000})?>|</image>)\s*"
)  # around a picture, as blocks of their own
# The agent's, accepted with a key; the second where the client begins a session of its own for it.
_PLANS = (
    "PLEASE IMPLEMENT THIS PLAN:\n",
    "A previous agent produced the plan below to accomplish the user's task.",
)
_CALLS = frozenset(("function_call", "custom_tool_call", "local_shell_call", "mcp_tool_call"))
_OUTPUTS = frozenset(("function_call_output", "custom_tool_call_output", "mcp_tool_call_output"))
_PERSONS_CLIENTS = ("cli", "vscode")
_PROGRAMS = ("exec", "mcp", "codex_exec", "codex_sdk_ts", "codex_sdk_py")  # what runs it without a person
_ASK = "request_user_input"
_NOTE = "user_note: "
_OUTPUT_MARK = re.compile(r"\A(?:[A-Z][a-z ]{2,30}:? [^\n]{0,80}\n){0,6}Output:\n?")


class _Line(msgspec.Struct, gc=False):
    type: str | None = None
    timestamp: str | float | None = None
    payload: Raw = Raw()
    id: str | None = None
    ordinal: int | None = None


class _Item(msgspec.Struct, gc=False):
    type: str | None = None
    id: str | None = None
    role: str | None = None
    name: str | None = None
    namespace: str | None = None
    call_id: str | None = None
    message: str | None = None
    turn_id: str | None = None
    num_turns: int | None = None
    cwd: str | None = None
    content: Raw = Raw()
    arguments: Raw = Raw()
    input: Raw = Raw()
    action: Raw = Raw()
    output: Raw = Raw()


class _Git(msgspec.Struct, gc=False):
    branch: str | None = None


class _Meta(msgspec.Struct, gc=False):
    id: str | None = None
    cwd: str | None = None
    cli_version: str | None = None
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    thread_source: str | None = None
    originator: str | None = None
    history_mode: str | None = None
    source: Raw = Raw()
    git: Raw = Raw()
    history_base: Raw = Raw()


class CodexParser:
    """Reads the lines of one rollout.

    Consecutive items of the agent are one turn until a result comes back. A fork's rollout and a sub-agent's
    begin with their own `session_meta` and may then repeat their parent's, with its history: the first says
    whose the file is, unless a later one names that as its parent.
    """

    def __init__(self) -> None:
        self._own = _Meta()
        self._turn = ""  # the client's id of it
        self._said = 0  # messages of this turn; where turns have no ids, of the session
        self._author: Author = "person"
        self._step = 0
        self._answered = False
        self._sidechain = False
        self._asked: dict[str, list[Question]] = {}  # by the call that is not answered yet
        self._cwd = self._branch = ""

    def parse(self, raw: bytes) -> Parsed:
        """Read a line. Raises MalformedLineError."""
        line = decode(raw, _Line)
        at = moment(line.timestamp)
        if line.type == "session_meta" or (line.type is None and line.id):
            return self._session(line, raw, at)
        payload = bytes(line.payload)
        if line.type in {"turn_context", "event_msg"}:
            turn = decode_optional(line.payload, _Item)
            self._cwd = turn.cwd or self._cwd  # a turn may be in another folder than the session began in
            if turn.turn_id and turn.turn_id != self._turn and turn.type in {None, "task_started"}:
                self._turn, self._said = turn.turn_id, 0
        if payload and line.type not in {"response_item", "compacted", "event_msg"}:
            return Parsed(skipped=line.type or "untyped")
        item = decode(payload or raw, _Item)
        if line.type == "compacted":
            return spoken(Piece("summary", at=at, cwd=self._cwd, branch=self._branch), [item.message or ""])
        if line.type == "event_msg":
            return Parsed(skipped=f"event_msg/{item.type}", interrupted=item.type == "turn_aborted")
        return self._item(item, at)

    def _session(self, line: _Line, raw: bytes, at: datetime | None) -> Parsed:
        meta = decode(bytes(line.payload) or raw, _Meta)
        if self._own.id and self._own.id not in {meta.id, meta.forked_from_id, meta.parent_thread_id}:
            return Parsed(skipped="session_meta")  # the parent's
        self._own = meta
        source = decode_any(meta.source)
        inner = isinstance(source, dict) and "subagent" in source
        # A thread that another one began in a person's client is one that they talk to.
        self._sidechain = inner or (meta.thread_source == "subagent" and source not in _PERSONS_CLIENTS)
        self._author = "program" if source in _PROGRAMS or meta.originator in _PROGRAMS else "person"
        self._cwd, self._branch = meta.cwd or "", decode_optional(meta.git, _Git).branch or ""
        parent = meta.parent_thread_id or meta.forked_from_id or ""
        header = Header(meta.id or "", meta.cli_version or "", self._cwd, self._branch, parent, at)
        return Parsed(skipped="session_meta", header=header)

    def _item(self, item: _Item, at: datetime | None) -> Parsed:
        base = Piece(
            "assistant",
            uuid=item.id or item.call_id or "",
            at=at,
            cwd=self._cwd,
            branch=self._branch,
            sidechain=self._sidechain,
        )
        if item.type == "message":
            return self._message(item, base)
        if item.type in _CALLS:
            given = decode_any(item.arguments) or decode_any(item.action) or decode_any(item.input)
            call = tool_call(item.call_id or item.id or "", _name(item), given)
            if call.name == _ASK:
                self._asked[call.id] = questions(as_mapping(given).get("questions"))
            return Parsed((replace(base, group=self._group(), calls=(call,)),), uuid=f"{call.id} asked")
        if item.type in _OUTPUTS:
            self._answered = True
            result = _result(item.call_id or "", decode_any(item.output))
            asked = self._asked.pop(result.call, [])
            said = _answers(asked, as_mapping(decode_any(item.output)).get("answers"))
            answer = replace(base, role="user", uuid=f"{result.call} answered", form="answer", text=said)
            pieces = (replace(base, role="results", results=(result,)),)
            return Parsed((*pieces, replace(answer, asked=join_questions(asked))) if said else pieces)
        return Parsed(skipped=item.type or "untyped")

    def _message(self, item: _Item, base: Piece) -> Parsed:
        content = decode_any(item.content)
        texts = [plain(block) for block in (content if isinstance(content, list) else [content])]
        if item.role == "assistant":
            return self._identified(spoken(replace(base, group=self._group()), texts), base.uuid)
        if item.role != "user":
            return Parsed(skipped=f"message/{item.role}", carried="\n".join(texts))
        self._answered = True
        texts = [_APP_REQUEST.sub("", text) for text in texts if not _IMAGE.fullmatch(text)]
        role = "plan" if texts and texts[0].startswith(_PLANS) else "user"
        said = replace(base, role=role, ends_calls=True, author=self._author)
        return self._identified(spoken(said, texts), base.uuid)

    def _identified(self, parsed: Parsed, id_: str) -> Parsed:
        """The message with the client's id, or one that is the same in a fork, which repeats the turn's."""
        self._said += bool(parsed.pieces)
        if parsed.pieces and not id_:
            begun = self._turn or self._own.forked_from_id or self._own.id or ""
            id_ = fingerprint(begun, str(self._said), parsed.pieces[0].text)
        return replace(parsed, pieces=tuple(replace(one, uuid=id_) for one in parsed.pieces), uuid=id_)

    def _group(self) -> str:
        if self._answered:
            self._step += 1
            self._answered = False
        return f"step {self._step}"


def _answers(asked: list[Question], given: Any) -> str:
    """What the person answered; `given` is the client's record, by the questions' ids."""
    said: list[str] = []
    for question in asked:
        reply = as_mapping(as_mapping(given).get(question.id)).get("answers")
        words = [one for one in reply if isinstance(one, str)] if isinstance(reply, list) else []
        notes = [one.removeprefix(_NOTE) for one in words if one.startswith(_NOTE)]
        said.append(question.answered([one for one in words if not one.startswith(_NOTE)], "\n".join(notes)))
    return join_questions(said)


def _name(item: _Item) -> str:
    name = item.name or ("shell" if item.type == "local_shell_call" else "")
    return f"{item.namespace}__{name}" if item.namespace else name


def _result(call: str, output: Any) -> Result:
    """The result of a call. Codex writes its exit code in a JSON string (2025) or in the first lines."""
    text = plain(output)
    if text.startswith('{"output"'):
        text, ok = _json_output(text)
        return Result(call, ok, text)
    ok = exit_code_ok(text)
    return Result(call, ok, strip_injected(_OUTPUT_MARK.sub("", text))[0])


def _json_output(text: str) -> tuple[str, bool | None]:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text, None
    metadata = value.get("metadata") if isinstance(value, dict) else None
    code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    return plain(value), code == 0 if isinstance(code, int) else None


# -- where a Codex session went on after the person had gone back, as its files show it


_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NAME = re.compile(rf"rollout-[0-9T-]{{10,30}}-({_ID})(?:_({_ID}))?\.jsonl")
_MOST_FILES = 200
_FIRST_LINE = 4 * 1024 * 1024


class _Base(msgspec.Struct, gc=False):
    thread_id: str | None = None
    end_ordinal_exclusive: int | None = None


def segments(path: Path) -> Segments:
    """Which part of a file stands.

    Files that cannot be read say nothing.
    """
    named = _NAME.fullmatch(path.name)
    files = _files(path, named[1]) if named and _meta(path).history_mode == "paginated" else {}
    if named is None or len(files) < 2:  # noqa: PLR2004  itself, and another one
        return Segments()
    newest, stand = max(files.keys() - {named[1]}), dict[str, int | None]()
    segment, end = newest, None
    while segment in files and segment not in stand:
        stand[segment] = end
        base = decode_optional(_meta(files[segment]).history_base, _Base)
        segment, end = base.thread_id or "", base.end_ordinal_exclusive
    others = tuple(file for file in files.values() if file.name != path.name)
    return Segments(stand.get(named[2] or named[1], 0), others)


def _files(path: Path, session: str) -> dict[str, Path]:
    """The files of a session by their ids, which grow with time; the first has the session's."""
    found: dict[str, Path] = {}
    year = path.parents[2] if len(path.parents) > len("YMD") else path
    by_day = all(one.name.isdigit() for one in list(path.parents)[:3])
    top, depth = (year.parent, "*/*/*/") if by_day else (path.parent, "")
    with suppress(OSError):
        for file in top.glob(f"{depth}rollout-*-{session}*.jsonl"):
            named = _NAME.fullmatch(file.name)
            if named and named[1] == session and len(found) < _MOST_FILES:
                found[named[2] or session] = file
    return found


def _meta(path: Path) -> _Meta:
    with suppress(OSError, MalformedLineError), open_regular(path) as file:
        return decode_optional(decode(file.readline(_FIRST_LINE), _Line).payload, _Meta)
    return _Meta()


# -- which lines the person took back


class CodexTrail:
    """`thread_rolled_back` says how many of the turns that the person began were taken back.

    What the client puts into messages of the person, and turns without such a message, do not count.
    """

    def __init__(self) -> None:
        self._turn = ""
        self._begun = ""  # the turn whose first message was seen

    def __call__(self, trail: Trail, raw: bytes, place: str) -> None:
        """Take a line. Raises MalformedLineError."""
        line = decode(raw, _Line)
        item = decode(bytes(line.payload) or raw, _Item)
        if trail.end is not None and (line.ordinal or 0) >= trail.end:
            trail.dropped.add(place)
        if line.type == "turn_context" or item.type == "task_started":
            self._turn = item.turn_id or ""
        if item.type == "thread_rolled_back":
            prompts = trail.prompts()[: max(item.num_turns or 0, 0)]
            if prompts:
                trail.back_before(prompts[-1])
            return
        message = item.type == "message" and item.role == "user" and _typed(decode_any(item.content))
        first = bool(message) and (not self._turn or self._turn != self._begun)
        trail.add(place, prompt=first)
        if first:
            self._begun = self._turn


def _typed(content: Any) -> bool:
    blocks = content if isinstance(content, list) else [content]
    texts = [one.get("text") if isinstance(one, dict) else one for one in blocks]
    return any(isinstance(text, str) and text.strip() and not is_put_in(text) for text in texts)


# -- what the client is: its files and settings


def _is_codex(head: Head) -> bool:
    bare = head.line_with("id", "timestamp", "instructions") or head.line_with("record_type")
    return bare is not None or head.line_with("type", "payload", "timestamp") is not None


_HOOKS = Dialect("codex", usual_events("apply_patch|Edit|Write", "apply_patch|Edit|Write|Bash"))

FORWARDED = ["RECORTEX_HOME", "RECORTEX_URL", "RECORTEX_WORKSPACE", "PGPASSFILE", "PGPASSWORD"]
"""Variables that Codex passes on to our server, which otherwise sees few: hooks see all, and both must find
the same memory. The plug-in's `.mcp.json` names the same."""


def _share(wish: InstallRequest) -> Share:
    base, root = wish.environment.folder("CODEX_HOME", ".codex")
    plugged = _plugin(base / "config.toml", root)
    parts = (
        TomlPart(
            base / "config.toml", root, "mcp_servers", None if plugged else wish.server(env_vars=FORWARDED)
        ),
        JsonPart(base / "hooks.json", root, hooks={} if plugged else wish.groups(_HOOKS)),
    )
    if plugged:
        return Share(parts, (PLUGGED.format("Codex"),), f"codex plugin remove {plugged}")
    trust = "Codex runs hooks once you have trusted them: start it and open /hooks."
    return Share(parts, (trust,) if wish.hooks else ())


def _plugin(path: Path, root: Path) -> str:
    """The name of our plug-in where it is enabled; else empty."""
    try:
        plugins = tomllib.loads(installer.read(path, root).text or "").get("plugins")
    except (RecortexError, ValueError, RecursionError):
        return ""  # reported when the file itself is read
    enabled = (
        name
        for name, one in (plugins.items() if isinstance(plugins, dict) else ())
        if name.startswith("recortex@") and isinstance(one, dict) and one.get("enabled") is True
    )
    return next(enabled, "")


CLIENTS = (
    Client(
        name="codex",
        title="Codex",
        commands=("codex",),
        history=(".codex", ("sessions", "archived_sessions")),
        files=("AGENTS.md", "AGENTS.override.md"),
        unloaded=(".claude/AGENTS.md",),
        nested=("AGENTS.md",),
        own_folders=(".codex",),
        formats=(
            Format(
                "codex",
                _is_codex,
                CodexParser,
                headed=True,
                holding=(b'"turn_context"', b'"task_started"'),
                follows=CodexTrail,
                segments=segments,
            ),
        ),
        share=_share,
    ),
)
