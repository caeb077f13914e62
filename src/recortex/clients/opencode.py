"""Sessions of opencode and of Kilo, which was made of it: messages, each a list of parts.

They are in a database; `opencode export` prints the same as one JSON document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from recortex.clients.catalogue import TOOLS_ALONE, Client, InstallRequest, Share
from recortex.clients.installer import JsonPart
from recortex.domain.text import strip_injected
from recortex.formats.hook_events import as_mapping
from recortex.formats.transcripts.detection import Format, Head
from recortex.formats.transcripts.pieces import (
    TAKEN_BACK,
    Header,
    Parsed,
    Piece,
    Raw,
    Result,
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
    tool_call,
    with_carried,
)
from recortex.formats.transcripts.stored import Database, json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import apsw

    from recortex.domain.exchange import Form

_OUTCOMES = {"completed": True, "error": False}
_ASK = "question"
_REFUSED = "The user rejected permission to use this specific tool call with the following feedback: "
# Tools of the client whose errors hold its own words alone, so that a refusal in one is a refusal.
_OWN_WORDS = frozenset(
    ("edit", "multiedit", "write", "patch", "apply_patch", "bash", "todowrite", "plan_exit")
)


class _Times(msgspec.Struct, gc=False):
    created: float | None = None


class _Revert(msgspec.Struct, rename={"message": "messageID", "part": "partID"}, gc=False):
    message: str | None = None
    part: str | None = None


class _Session(msgspec.Struct, rename={"parent": "parentID"}, gc=False):
    id: str | None = None
    permission: Raw = Raw()
    revert: Raw = Raw()
    parent: str | None = None
    version: str | None = None
    directory: str | None = None
    time: Raw = Raw()


class _Document(msgspec.Struct, gc=False):
    info: Raw = Raw()
    messages: list[Raw] | None = None


class _Path(msgspec.Struct, gc=False):
    cwd: str | None = None


class _Info(msgspec.Struct, rename={"session": "sessionID"}, gc=False):
    id: str | None = None
    metadata: Raw = Raw()
    role: str | None = None
    session: str | None = None
    summary: Raw = Raw()
    time: Raw = Raw()
    path: Raw = Raw()


class _Marks(msgspec.Struct, gc=False):
    """What `split` tells the parser of a message: taken back, from a part of it on where one is named."""

    agent: bool = False
    program: bool = False
    taken_back: bool = False
    part: str = ""


class _Message(msgspec.Struct, rename={"marks": "recortex"}, gc=False):
    info: Raw = Raw()
    parts: list[Raw] | None = None
    marks: _Marks | None = None


class _Part(msgspec.Struct, rename={"call": "callID"}, gc=False):
    id: str | None = None
    type: str | None = None
    metadata: Raw = Raw()
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    tool: str | None = None
    call: str | None = None
    state: Raw = Raw()


class _State(msgspec.Struct, gc=False):
    status: str | None = None
    input: Raw = Raw()
    output: Raw = Raw()
    error: Raw = Raw()
    metadata: Raw = Raw()


def split(raw: bytes) -> tuple[Header, list[bytes]]:
    """The messages of an export. Raises MalformedLineError."""
    document = decode(raw, _Document)
    session = decode(document.info, _Session)
    header = Header(
        session.id or "",
        session.version or "",
        session.directory or "",
        parent_session=session.parent or "",
        at=moment(decode_optional(session.time, _Times).created),
    )
    messages = document.messages or []
    if session.parent:  # a parent agent gives the instructions; a fork has no parent
        messages = [_marked(message, agent=True) for message in messages]
    elif _unattended(session.permission):
        messages = [_marked(message, program=True) for message in messages]
    revert = decode_optional(session.revert, _Revert)
    return header, [bytes(message) for message in _without(messages, revert)]


def _unattended(permission: Raw) -> bool:
    """Whether nobody may be asked in the session: `opencode run` begins such ones, as programs call it."""
    rules = decode_any(permission)
    asking = [as_mapping(rule) for rule in (rules if isinstance(rules, list) else ())]
    return any(rule.get("permission") == _ASK and rule.get("action") == "deny" for rule in asking)


def _marked(message: Raw, **marks: Any) -> Raw:
    """A message with what the parser is to know of it."""
    value = decode_any(message)
    if not isinstance(value, dict):
        return message
    known = as_mapping(value.get("recortex"))
    return Raw(msgspec.json.encode({**value, "recortex": {**known, **marks}}))


def _without(messages: list[Raw], revert: _Revert) -> Iterator[Raw]:
    """The messages; from the one on that the person went back to they say that they were taken back."""
    gone = False
    for message in messages:
        here = (
            not gone
            and bool(revert.message)
            and decode_optional(decode_optional(message, _Message).info, _Info).id == revert.message
        )
        yield (
            _marked(message, taken_back=True, part=(revert.part or "") if here else "")
            if here or gone
            else message
        )
        gone = gone or here


class OpenCodeParser:
    """Reads one message at a time; keeps nothing between them."""

    def parse(self, raw: bytes) -> Parsed:
        """Read a message. Raises MalformedLineError."""
        message = decode(raw, _Message)
        info = decode(message.info, _Info)
        if info.role not in {"user", "assistant"}:
            return Parsed(skipped=info.role or "untyped")
        marks = message.marks or _Marks()
        parts = [decode_optional(part, _Part) for part in message.parts or ()]
        if marks.taken_back:
            at = next((place for place, part in enumerate(parts) if marks.part and part.id == marks.part), 0)
            parts = parts[:at]
            if not parts:
                return Parsed(skipped=TAKEN_BACK)
        states = [(part, decode_optional(part.state, _State)) for part in parts if part.type == "tool"]
        summary = info.role == "assistant" and bytes(info.summary) == b"true"
        created = decode_optional(info.time, _Times).created
        said = [part for part in parts if part.type == "text" and not part.ignored]
        piece = Piece(
            "summary" if summary else "user" if info.role == "user" else "assistant",
            group=info.id or "",
            uuid=_identity(info, created, said),
            at=moment(created),
            cwd=decode_optional(info.path, _Path).cwd or "",
            ends_calls=info.role == "user",
            author="repository" if _injected(info.metadata) else "program" if marks.program else "person",
            sidechain=marks.agent,
            calls=tuple(
                tool_call(part.call or "", part.tool or "", decode_any(state.input)) for part, state in states
            ),
            results=tuple(_result(part, state) for part, state in states if state.status in _OUTCOMES),
        )
        by_command = [part for part in said if _injected(part.metadata)]
        if by_command and all(part.synthetic or part in by_command for part in said):
            piece = replace(piece, author="repository")
        elif by_command:
            said = [replace(part, synthetic=True) if part in by_command else part for part in said]
        put_in = "\n".join(part.text or "" for part in said if part.synthetic)
        parsed = with_carried(spoken(piece, [part.text or "" for part in said if not part.synthetic]), put_in)
        replies = tuple(reply for part, state in states for reply in _reply(part, state, piece))
        return replace(parsed, pieces=(*parsed.pieces, *replies))


def _identity(info: _Info, created: float | None, said: list[_Part]) -> str:
    """What a message and its copy in a fork share: those have ids of their own, and the time of the first.

    What an agent says may still grow.
    """
    if created is None:
        return info.id or ""
    texts = [part.text or "" for part in said] if info.role == "user" else []
    return fingerprint(f"{info.role} {created}", *texts)


def _injected(metadata: Raw) -> bool:
    """Whether Kilo marks a message, or a part of one, as what a command of the repository put there."""
    return bool(as_mapping(as_mapping(decode_any(metadata)).get("kilo")).get("injected"))


def _reply(part: _Part, state: _State, piece: Piece) -> list[Piece]:
    """What the person answered to a question of the agent, or why they refused a call."""
    metadata, error = decode_any(state.metadata), plain(decode_any(state.error))
    given = as_mapping(decode_any(state.input))
    said = asked = ""
    if part.tool == _ASK and isinstance(metadata, dict):
        posed = questions(given.get("questions"))
        chosen = metadata.get("answers")
        pairs = zip(posed, chosen if isinstance(chosen, list) else [], strict=False)
        said, asked = (
            join_questions(question.answered(answer) for question, answer in pairs),
            join_questions(posed),
        )
    elif part.tool in _OWN_WORDS and state.status == "error" and error.startswith(_REFUSED):
        said, asked = strip_injected(error.removeprefix(_REFUSED))[0], described(part.tool, given)
    form: Form = "answer" if part.tool == _ASK else "refusal"
    uuid = f"{part.call} answered"
    return (
        [Piece("user", said, uuid=uuid, at=piece.at, cwd=piece.cwd, form=form, asked=asked)] if said else []
    )


def _result(part: _Part, state: _State) -> Result:
    output = plain(decode_any(state.output)) or plain(decode_any(state.error))
    metadata = decode_any(state.metadata)
    code = metadata.get("exit") if isinstance(metadata, dict) else None
    ok = _OUTCOMES[state.status or ""] and (code == 0 if isinstance(code, int) else True)
    return Result(part.call or "", ok, output)


# -- the same out of the client's database, in the shape of an export


_SESSION = "SELECT parent_id, directory, version, revert, permission, time_created FROM session WHERE id = ?"
_MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS = "SELECT message_id, id, data FROM part WHERE session_id = ? ORDER BY id"
_REVERTED = "SELECT id, revert FROM session WHERE revert IS NOT NULL AND id != ? AND time_updated <= ?"


def _export(opened: apsw.Connection, session: str) -> dict[str, Any] | None:
    row = next(iter(opened.execute(_SESSION, (session,))), None)
    if row is None:
        return None
    parent, directory, version, revert, permission, created = row
    parts: dict[str, list[Any]] = {}
    for message, part, data in opened.execute(_PARTS, (session,)):
        parts.setdefault(message, []).append(_named(data, id=part))
    info = {
        "id": session,
        "parentID": parent,
        "directory": directory,
        "version": version,
        "revert": json_of(revert),
        "permission": json_of(permission),
        "time": {"created": created},
    }
    gone = set(_taken_back(opened, session, created))
    messages = [
        {"info": _named(data, id=message, sessionID=session), "parts": parts.get(message, [])}
        | ({"recortex": {"taken_back": True}} if _moment(data) in gone else {})
        for message, data in opened.execute(_MESSAGES, (session,))
    ]
    return {"info": info, "messages": messages}


def _taken_back(opened: apsw.Connection, session: str, begun: Any) -> Iterator[tuple[Any, Any]]:
    """What was taken back in another session before this one began: a fork of that copies it as if it stood.

    A fork does not say what it is a fork of, but a copy keeps the time at which its message was created.
    """
    for other, revert in opened.execute(_REVERTED, (session, begun)).fetchall():
        mark, back = as_mapping(json_of(revert)), False
        for message, data in opened.execute(_MESSAGES, (other,)):
            back = back or (message == mark.get("messageID") and not mark.get("partID"))
            if back and (told := _moment(data)):
                yield told


def _moment(data: Any) -> tuple[Any, Any] | None:
    value = as_mapping(json_of(data))
    created = as_mapping(value.get("time")).get("created")
    return (str(value.get("role")), created) if isinstance(created, int | float) else None


def _named(data: Any, **ids: str) -> Any:
    value = json_of(data)
    return value | ids if isinstance(value, dict) else value


def _database(begins: str) -> Database:
    tables = frozenset(("session", "message", "part"))
    return Database(begins, tables, "SELECT id, time_updated FROM session", _export)


# -- what the clients are: their files and settings


def _is_opencode(head: Head) -> bool:
    """A first message with a long change in it can fill the head, so that no parts are in sight."""
    if not head.document:
        return False
    return head.mentions("info", "messages", "parts") or head.mentions("info", "messages", "projectID")


def _installer(name: str) -> Callable[[InstallRequest], Share]:
    """What `install` writes into the settings of a client of this family."""

    def share(wish: InstallRequest) -> Share:
        base, root = wish.environment.folder("XDG_CONFIG_HOME", ".config")
        usual = base / name / f"{name}.json"
        path = next((p for p in (usual.with_suffix(".jsonc"), usual) if p.exists()), usual)
        server = {"type": "local", "command": [*wish.words(), "mcp"], "enabled": True}
        return Share((JsonPart(path, root, ("mcp",), server),), (TOOLS_ALONE,))

    return share


CLIENTS = (
    Client(
        name="opencode",
        title="opencode",
        commands=("opencode",),
        history=(".local/share/opencode", ("opencode.db",)),
        files=("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"),
        own_folders=(".opencode",),
        formats=(
            Format(
                "opencode",
                _is_opencode,
                OpenCodeParser,
                split,
                rewritten=True,
                database=_database("opencode"),
            ),
        ),
        share=_installer("opencode"),
    ),
    Client(
        name="kilo",
        title="Kilo CLI",
        commands=("kilo", "kilocode"),
        history=(".local/share/kilo", ("kilo.db",)),
        files=("CLAUDE.md", "AGENTS.md"),
        own_folders=(".kilo", ".kilocode"),
        # What it exports cannot be told from an export of opencode.
        formats=(
            Format(
                "kilo", lambda _: False, OpenCodeParser, split, rewritten=True, database=_database("kilo")
            ),
        ),
        share=_installer("kilo"),
    ),
)
