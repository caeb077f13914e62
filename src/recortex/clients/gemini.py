"""Gemini CLI's `session-*.jsonl`, and the older single JSON object with the same messages in a list.

A message is written again, with the same id, when its tools have answered.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from recortex.clients.catalogue import Client, InstallRequest, Share
from recortex.clients.hooks import Dialect, Event
from recortex.clients.installer import JsonPart
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_own
from recortex.formats.hook_events import as_mapping
from recortex.formats.transcripts.detection import Format, Head, Trail
from recortex.formats.transcripts.pieces import (
    Header,
    MalformedLineError,
    Parsed,
    Piece,
    Raw,
    Result,
    decode,
    decode_any,
    decode_optional,
    described,
    join_questions,
    moment,
    plain,
    questions,
    spoken,
    tool_call,
    with_carried,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


# The client writes this line and then the contents of the files that a prompt names with `@`.
_ATTACHED = re.compile(r"^[^\S\n]*--- Content from referenced files ---", re.MULTILINE)
_ASK = "ask_user"  # the client's own, as is the next; tools of MCP servers have their server's name before
_PLAN = "exit_plan_mode"
_REFUSED_PLAN = "Plan rejected. User feedback: "
_STORED_PLAN = "\nThe plan is stored at: "  # what the client adds
# What it has the model answer to the summary, which stands as the person's for all that was compressed.
_COMPRESSED = "Got it. Thanks for the additional context!"
_OUTCOMES = {"success": True, "error": False, "cancelled": False}


class _Line(msgspec.Struct, rename="camel", gc=False):
    id: str | None = None
    type: str | None = None
    timestamp: str | float | None = None
    session_id: str | None = None
    start_time: str | float | None = None
    kind: str | None = None
    content: Raw = Raw()
    display_content: Raw = Raw()
    tool_calls: list[Raw] | None = None
    update: Raw = msgspec.field(name="$set", default=Raw())
    rewind: Raw = msgspec.field(name="$rewindTo", default=Raw())


class _Update(msgspec.Struct, gc=False):
    messages: list[Raw] | None = None


class _Call(msgspec.Struct, rename="camel", gc=False):
    id: str | None = None
    name: str | None = None
    status: str | None = None
    args: Raw = Raw()
    result: Raw = Raw()


class _Document(msgspec.Struct, rename="camel", gc=False):
    session_id: str | None = None
    start_time: str | float | None = None
    messages: list[Raw] | None = None


def split(raw: bytes) -> tuple[Header, list[bytes]]:
    """The messages of the older form. Raises MalformedLineError."""
    document = decode(raw, _Document)
    header = Header(document.session_id or "", at=moment(document.start_time))
    return header, [bytes(message) for message in document.messages or ()]


class GeminiParser:
    """Reads the messages of one session."""

    def __init__(self) -> None:
        self._sidechain = False

    def parse(self, raw: bytes) -> Parsed:
        """Read a line or message. Raises MalformedLineError."""
        line = decode(raw, _Line)
        if line.type is not None:
            return self._message(line)
        if line.session_id:
            self._sidechain = line.kind == "subagent"
            return Parsed(skipped="header", header=Header(line.session_id, at=moment(line.start_time)))
        if bytes(line.rewind):
            return Parsed(skipped="$rewindTo")
        return self._updated(line) if bytes(line.update) else Parsed(skipped="untyped")

    def _updated(self, line: _Line) -> Parsed:
        """A change of the session's record, which may repeat the whole history.

        After a compression it repeats what was kept of it, under other ids, below the summary.
        """
        parsed = list[Parsed]()
        for message in decode(line.update, _Update).messages or ():
            try:
                told = decode(message, _Line)
                if parsed and told.type == "gemini" and _compressed(decode_any(told.content)):
                    parsed[-1] = _summary(parsed[-1])
                    break
                parsed.append(self._message(told))
            except MalformedLineError:
                continue  # one broken message does not lose the others
        pieces = tuple(piece for one in parsed for piece in one.pieces)
        return Parsed(pieces, skipped="$set", carried="\n".join(one.carried for one in parsed if one.carried))

    def _message(self, line: _Line) -> Parsed:
        if line.type not in {"user", "gemini"}:
            return Parsed(skipped=line.type or "untyped")
        blocks = decode_any(line.content)
        texts, results = _parts(blocks if isinstance(blocks, list) else [blocks])
        calls = [decode_optional(raw, _Call) for raw in line.tool_calls or ()]
        piece = Piece(
            "user" if line.type == "user" else "assistant",
            group=line.id or "",
            uuid=line.id or "",
            at=moment(line.timestamp),
            sidechain=self._sidechain,
            whole=True,
            ends_calls=line.type == "user" and not results,
            calls=tuple(tool_call(call.id or "", call.name or "", decode_any(call.args)) for call in calls),
            results=tuple(result for call in calls for result in _result(call)),
        )
        if results and line.type == "user":
            return Parsed((replace(piece, role="results", results=results),))
        parsed = typed(piece, texts, decode_any(line.display_content))
        replies = tuple(reply for call in calls for reply in _reply(call, piece))
        return replace(parsed, pieces=(*parsed.pieces, *replies)) if replies else parsed


def _compressed(content: Any) -> bool:
    """Whether it is the answer to a summary."""
    return plain(content) == _COMPRESSED


def _summary(parsed: Parsed) -> Parsed:
    """The message before the client's answer to it: no person's, whatever the model wrote there."""
    pieces = tuple(replace(one, role="summary", ends_calls=False) for one in parsed.pieces)
    return replace(parsed, pieces=pieces)


def typed(piece: Piece, texts: list[str], shown: Any = None) -> Parsed:
    """A message without the files that the client appended to what was typed.

    Args:
        piece: the message without its text.
        texts: the parts that were sent to the model.
        shown: the parts that the person was shown, where the client records them.
    """
    if piece.role != "user":
        return spoken(piece, texts)
    before = _parts(shown)[0] if isinstance(shown, list) else texts
    parsed = spoken(piece, list(_typed(before)))
    return with_carried(parsed, "" if list(_typed(texts)) == texts else "\n".join(texts))


def _typed(texts: list[str]) -> Iterator[str]:
    for text in texts:
        said, *attached = _ATTACHED.split(text, maxsplit=1)
        yield said
        if attached:
            return


def _parts(blocks: list[Any]) -> tuple[list[str], tuple[Result, ...]]:
    """The texts and tool results of content parts; thoughts and images are left out."""
    texts: list[str] = []
    results: list[Result] = []
    for block in blocks:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict) and not block.get("thought"):
            answer = block.get("functionResponse")
            if isinstance(answer, dict):
                results.append(response(answer))
            elif isinstance(block.get("text"), str):
                texts.append(block["text"])
    return texts, tuple(results)


def response(answer: dict[str, Any]) -> Result:
    """A `functionResponse`: its id and what the tool said; an `error` field tells that it failed."""
    given = answer.get("response")
    failed = isinstance(given, dict) and bool(given.get("error"))
    call = answer.get("id")
    return Result(call if isinstance(call, str) else "", not failed, plain(given))


def _reply(call: _Call, piece: Piece) -> list[Piece]:
    """What the person answered to a question of the agent, or why they refused its plan."""
    if piece.role == "user" or call.name not in {_ASK, _PLAN}:
        return []
    output = "".join(result.output for result in _result(call))
    given = as_mapping(decode_any(call.args))
    said = Piece("user", group=f"{call.id} answered", uuid=f"{call.id} answered", at=piece.at, whole=True)
    if call.name == _PLAN:
        reason = output.removeprefix(_REFUSED_PLAN).partition(_STORED_PLAN)[0].strip()
        refused = replace(said, form="refusal", text=reason, asked=described(_PLAN, given))
        return [refused] if output.startswith(_REFUSED_PLAN) and reason else []
    posed = questions(given.get("questions"))
    chosen = as_mapping(as_mapping(output).get("answers"))
    words = join_questions(
        question.answered(chosen.get(str(number))) for number, question in enumerate(posed)
    )
    return [replace(said, form="answer", text=words, asked=join_questions(posed))] if words else []


def _result(call: _Call) -> list[Result]:
    if call.status not in _OUTCOMES:
        return []
    given = decode_any(call.result)
    parts = given if isinstance(given, list) else []
    answers = [part.get("functionResponse") for part in parts if isinstance(part, dict)]
    output = "\n".join(response(answer).output for answer in answers if isinstance(answer, dict))
    return [Result(call.id or "", _OUTCOMES[call.status], output)]


# -- where a session of Gemini CLI ran: its file does not say, the files around it do


_CHATS, _ROOT, _REGISTRY = "chats", ".project_root", "projects.json"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LONGEST = 4096  # bytes of a folder's name
_MOST_BYTES = 4 * 1024 * 1024  # of the registry


def folder_of(path: Path) -> str:
    """The folder in which the session of a file ran; empty where nothing tells."""
    project = _project(path)
    if project is None:
        return ""
    named = _read(project / _ROOT, _LONGEST).strip()
    return named if Path(named).is_absolute() else _registered(project)


def digest_of(path: Path) -> str:
    """The SHA-256 of the folder, where the session's file lies in a folder of that name; else empty."""
    project = _project(path)
    return project.name if project is not None and _DIGEST.fullmatch(project.name) else ""


def _project(path: Path) -> Path | None:
    """The folder of the project that a session's file lies in; a sub-agent's lies one deeper."""
    return next((one.parent for one in list(path.parents)[:2] if one.name == _CHATS), None)


def _registered(project: Path) -> str:
    try:
        known: Any = json.loads(_read(project.parent.parent / _REGISTRY, _MOST_BYTES) or "null")
    except (ValueError, RecursionError):
        return ""
    projects = known.get("projects") if isinstance(known, dict) else None
    if not isinstance(projects, dict):
        return ""
    found = [folder for folder, name in projects.items() if name == project.name]
    return found[0] if len(found) == 1 and Path(found[0]).is_absolute() else ""


def _read(path: Path, most: int) -> str:
    try:
        return read_own(path, most).decode("utf-8", "replace")
    except (OSError, UntrustedFileError):
        return ""


# -- which lines the person took back


class _Way:
    """Follows a session, which the person may lead back in two ways.

    `$rewindTo` names the first message that was taken back; where none has that id, all were. `/restore` and
    `/chat resume` name nothing: all that is said from then on follows is written again, under other ids, and
    then once more as the whole history.
    """

    def __init__(self) -> None:
        self._said: dict[str, str] = {}  # what the person said, by the message's id
        self._fetched = set[str]()  # answers that the model did not give there: those come as plain texts

    def __call__(self, trail: Trail, raw: bytes, place: str) -> None:  # noqa: ARG002
        """Take a line in. Raises MalformedLineError."""
        line = decode(raw, _Line)
        message = decode_any(line.rewind)
        if isinstance(message, str) and message and not trail.back_before(message):
            trail.tip = ""
        repeated = [
            decode_optional(one, _Line) for one in decode_optional(line.update, _Update).messages or ()
        ]
        for one in repeated:
            self._add(trail, one)
        answers = {one.id for one in repeated if one.type == "gemini"}
        if answers and answers <= self._fetched:
            self._go_back(trail, [one.id or "" for one in repeated])
        self._add(trail, line)
        content = decode_any(line.content)
        if line.id and line.type == "gemini" and isinstance(content, list) and not _compressed(content):
            self._fetched.add(line.id)

    def _add(self, trail: Trail, line: _Line) -> None:
        if not (line.id and line.type):
            return
        asked = line.type == "user" and not _parts(decode_any(line.content))[1]
        if asked:
            pieces = typed(Piece("user"), _parts(decode_any(line.content))[0]).pieces
            self._said.setdefault(line.id, "\n".join(piece.text for piece in pieces))
        trail.add(line.id, prompt=asked)

    def _go_back(self, trail: Trail, copies: list[str]) -> None:
        """Stand where the messages stood of which these are copies, or where they were fetched into."""
        tip = trail.tip
        if copies[0] in trail.dropped or not (trail.back_before(copies[0]) and trail.tip):
            trail.tip = tip  # it has only grown since then, or it is all of the session
            return
        trail.dropped.update(copies)
        said = [one for one in reversed(trail.prompts()) if self._said[one]]
        again = [words for one in copies if (words := self._said.get(one))]
        if len(again) < len(said) and [self._said[one] for one in said[: len(again)]] == again:
            trail.back_before(said[len(again)])


# -- what the client is: its files and settings


def _is_gemini(head: Head) -> bool:
    line = head.line_with("sessionId", "projectHash")
    return line is not None and "messages" not in line


# PreCompress is left out: 0.61.0 fires it before every request to the model, with nothing to compress.
_HOOKS = Dialect(
    "gemini",
    (
        Event("SessionStart", "session-start"),
        Event("BeforeAgent", "user-prompt-submit"),
        Event("BeforeTool", "pre-tool-use", "^(read_file|write_file|replace)$"),
        Event("AfterTool", "post-tool-use", "^(read_file|write_file|replace|run_shell_command)$"),
        Event("AfterAgent", "stop"),
        Event("SessionEnd", "session-end"),
    ),
    unit=0.001,
)


def _share(wish: InstallRequest) -> Share:
    base, root = wish.environment.folder("GEMINI_CLI_HOME")
    path = base / ".gemini" / "settings.json"
    return Share((JsonPart(path, root, ("mcpServers",), wish.server(), wish.groups(_HOOKS)),))


CLIENTS = (
    Client(
        name="gemini",
        title="Gemini CLI",
        commands=("gemini",),
        history=(".gemini", ("tmp",)),
        files=("GEMINI.md",),
        nested=("GEMINI.md",),
        imports=True,
        own_folders=(".gemini",),
        formats=(
            Format(
                "gemini",
                _is_gemini,
                GeminiParser,
                headed=True,
                follows=_Way,
                folder=folder_of,
                digest=digest_of,
            ),
            Format(
                "gemini",
                lambda head: head.document and head.mentions("sessionId", "projectHash", "messages"),
                GeminiParser,
                split,
                folder=folder_of,
                digest=digest_of,
            ),
        ),
        share=_share,
    ),
)
