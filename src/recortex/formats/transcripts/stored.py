"""Sessions out of an editor's or an agent's own store, brought into one shape: what each side said.

Where sessions lie together in one file, a SQLite database or a site's export, each is a document. Its path is
that of the database with the session's id below it, `…/opencode.db/ses_1`, so that it is listed, remembered
and read again like a session in a file.

Such stores hold a message in many fields: the parts of the person's words, what was attached to them, calls
of tools with their results. A client makes a `Record` of each; one parser reads them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import quote

import apsw
import msgspec
from msgspec.structs import replace

from recortex.domain.text import INTERRUPTED, strip_injected
from recortex.errors import FormatError
from recortex.filesystem import open_regular, read_regular
from recortex.formats.transcripts.pieces import (
    Header,
    Parsed,
    Piece,
    Question,
    Result,
    decode,
    join_questions,
    moment,
    questions,
    spoken,
    tool_call,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


Answer = TypeVar("Answer")
MAGIC = b"SQLite format 3\0"
SUFFIXES = frozenset((".db", ".vscdb", ".sqlite"))
_TRIES = 3  # a client may write while its database is read
_SCHEMA = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"


@dataclass(frozen=True, slots=True)
class Database:
    """How a client's database is recognised and read.

    Attributes:
        begins: how the file's name begins.
        tables: that it has, perhaps among others.
        listed: a query for the id of each session and when it last changed, in milliseconds since 1970.
        document: makes the session with an id, as its format's `split` takes it; None where there is none.
    """

    begins: str
    tables: frozenset[str]
    listed: str
    document: Callable[[apsw.Connection, str], object]


class Kept(NamedTuple):
    """A session in a database: its path, its size in bytes, its last change in seconds since 1970."""

    path: Path
    size: int
    modified: float


def is_database(path: Path) -> bool:
    """Whether a file is a SQLite database.

    Raises:
        UntrustedFileError: it is no regular file.
        OSError: it cannot be read.
    """
    with open_regular(path) as file:
        return file.read(len(MAGIC)) == MAGIC


def tables(path: Path) -> frozenset[str]:
    """The names of a database's tables.

    Raises:
        FormatError: it cannot be read.
    """
    return reading(path, lambda opened: frozenset(name for (name,) in opened.execute(_SCHEMA)))


def sessions_in(path: Path, database: Database) -> list[Kept]:
    """The sessions in a database.

    Raises:
        FormatError: it cannot be read.
    """
    rows = reading(path, lambda opened: opened.execute(database.listed).fetchall())
    each = path.stat().st_size // max(1, len(rows))
    return [Kept(path / str(name), each, float(at or 0) / 1000) for name, at in rows]


def document(path: Path, database: Database) -> bytes:
    """The document of a session in a database.

    Raises:
        FormatError: it cannot be read, or has no such session.
    """
    found = reading(path.parent, lambda opened: database.document(opened, path.name))
    if found is None:
        raise FormatError(f"{path.parent} has no session {path.name}.", hint="It may have been deleted.")
    return msgspec.json.encode(found)


def json_of(text: object) -> object:
    """What a column of JSON holds; None where it is none."""
    try:
        return msgspec.json.decode(text) if isinstance(text, str | bytes) else None
    except (msgspec.DecodeError, RecursionError):
        return None


def reading(path: Path, question: Callable[[apsw.Connection], Answer]) -> Answer:
    """An answer of a database, which was not written meanwhile as far as can be waited for.

    Raises:
        FormatError: it cannot be read.
    """
    try:
        for _ in range(_TRIES):
            before = _state(path)
            with closing(_connect(path, logged=before[1][0] > 0)) as opened:
                found = question(opened)
            if _state(path) == before:
                break
    except (apsw.Error, OSError) as error:
        raise FormatError(
            f"{path} cannot be read as a database: {error}",
            hint="Close the program that uses it and try again.",
        ) from None
    return found


def _connect(path: Path, *, logged: bool) -> apsw.Connection:
    """A connection that writes nothing, neither to the database nor beside it.

    Without a log the file is read as one that nobody changes. A log is read through an index in memory, which
    SQLite only keeps where it asks nobody for locks; elsewhere, beside the client as another client would.
    """
    how = "&immutable=1" if not logged else "&vfs=unix-none" if os.name == "posix" else ""
    connection = apsw.Connection(
        f"file:{quote(os.fsencode(path.resolve()))}?mode=ro{how}",
        flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
    )
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    if logged and os.name == "posix":
        connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
    connection.execute("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF").fetchall()
    return connection


def _state(path: Path) -> tuple[tuple[int, int], tuple[int, int]]:
    """Size and time of change of a database and of its log."""
    found = []
    for one in (path, path.with_name(f"{path.name}-wal")):
        try:
            status = one.stat()
            found.append((status.st_size, status.st_mtime_ns))
        except FileNotFoundError:
            found.append((0, 0))
    return found[0], found[1]


# -- exports of ChatGPT and claude.ai: many conversations in one file, each read as a list of messages
#
# A conversation's path is that of the file with its id below it, as that of a session in a database. Of a
# conversation in which the person changed a message and asked again, only the branch that they were left
# with is read, and of a message only what was typed: no attachments, and no instructions that the site sent
# along.


MOST_BYTES = 512 * 1024 * 1024
_HEAD = 65_536
_TYPED = frozenset(("text", "multimodal_text"))
_LONGEST = 100_000
"""Messages of one conversation: a broken file may lead in a circle."""


def is_web_export(path: Path) -> bool:
    """Whether a file is such an export; by its name first, so that other JSON files are not opened for it."""
    if not (path.name.startswith("conversations") and path.suffix == ".json" and path.is_file()):
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD).lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith(b"[") and (b'"chat_messages"' in head or b'"mapping"' in head)


def conversations(path: Path) -> list[Kept]:
    """The conversations of an export.

    Raises:
        FormatError: it is broken.
        UntrustedFileError: it is no regular file, or too large.
        OSError: it cannot be read.
    """
    size, found = path.stat(), _parsed(path)
    each = size.st_size // max(1, len(found))
    return [Kept(path / id_, each, _changed(one) or size.st_mtime) for id_, one in found.items()]


def conversation(path: Path) -> bytes:
    """The messages of a conversation, one a line.

    Raises:
        FormatError: the export is broken, or has no such conversation.
        UntrustedFileError: it is no regular file, or too large.
        OSError: it cannot be read.
    """
    found = _parsed(path.parent).get(path.name)
    if found is None:
        raise FormatError(f"{path.parent} has no conversation {path.name}.", hint="Export it again.")
    said = _of_claude(found) if "chat_messages" in found else _of_chatgpt(found)
    return b"".join(json.dumps(one, ensure_ascii=True).encode() + b"\n" for one in said)


def _parsed(path: Path) -> dict[str, Mapping[str, Any]]:
    state = path.stat()
    return _read(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=1)  # a file of some hundred megabytes is not read anew for each of its conversations
def _read(path: Path, _size: int, _changed: int) -> dict[str, Mapping[str, Any]]:
    try:
        whole = json.loads(read_regular(path, MOST_BYTES).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path} is no JSON: {error}.", hint="Export it again.") from error
    found: dict[str, Mapping[str, Any]] = {}
    for one in whole if isinstance(whole, list) else ():
        ids = [one.get(name) for name in ("uuid", "conversation_id", "id")] if isinstance(one, dict) else []
        id_ = next(filter(None, ids), "")
        if isinstance(id_, str) and id_ and "/" not in id_:
            found[id_] = one
    return found


def _changed(one: Mapping[str, Any]) -> float:
    at = moment(one.get("update_time") or one.get("updated_at"))
    return at.timestamp() if at else 0.0


def _of_claude(one: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for message in one.get("chat_messages") or ():
        if not isinstance(message, dict):
            continue
        blocks = [part for part in message.get("content") or () if isinstance(part, dict)]
        typed = [part["text"] for part in blocks if part.get("type") == "text" and part.get("text")]
        text = "\n\n".join(map(str, typed)) or message.get("text")
        role = "user" if message.get("sender") == "human" else "assistant"
        yield from _message(role, text, message.get("uuid"), message.get("created_at"))


def _of_chatgpt(one: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    nodes = one.get("mapping")
    nodes = nodes if isinstance(nodes, dict) else {}
    branch: dict[str, Any] = {}
    at = one.get("current_node")
    while isinstance(at, str) and at in nodes and at not in branch and len(branch) < _LONGEST:
        node = nodes[at] if isinstance(nodes[at], dict) else {}
        branch[at] = node.get("message")
        at = node.get("parent")
    for id_, message in reversed(branch.items()):
        about = message if isinstance(message, dict) else {}
        author, content, more = (about.get(name) or {} for name in ("author", "content", "metadata"))
        if not (isinstance(author, dict) and isinstance(content, dict) and isinstance(more, dict)):
            continue
        hidden = more.get("is_visually_hidden_from_conversation") or about.get("recipient", "all") != "all"
        if hidden or content.get("content_type") not in _TYPED:
            continue
        typed = [part for part in content.get("parts") or () if isinstance(part, str) and part.strip()]
        yield from _message(author.get("role"), "\n\n".join(typed), id_, about.get("create_time"))


def _message(role: object, text: object, id_: object, at: object) -> Iterator[dict[str, Any]]:
    if role in {"user", "assistant"} and isinstance(text, str) and text.strip():
        yield {"role": role, "content": text, "id": id_, "timestamp": at}


ASK = "ask_question"  # Cursor's tool, by which the agent asks the person

# What a button sends in the person's name, in whatever language the editor speaks.
_BUTTON = re.compile(
    r'@agent [^:\n"]{1,40}: "[^"\n]{1,80}"'
    r"|@agent (?:Try Again|Retry|Wiederholen|Erneut versuchen|Reintentar|Réessayer|Riprova|Tentar novamente"
    r"|Повторить попытку|重试|重試|再試行|다시 시도)"
    r"|Implement the plan as specified, it is attached for your reference\b.*",
    re.DOTALL,
)
# What Cursor puts behind a prompt for a command of the repository: its file, to the last such end.
_CALLED = re.compile(
    r"^--- Cursor Command: [^\n]{1,200} ---[^\S\n]*\n(?:.*^--- End Command ---[^\S\n]*$|.*)",
    re.DOTALL | re.MULTILINE,
)
_COMMAND = re.compile(r"/[a-z][\w:-]{0,60}")


class Call(msgspec.Struct, omit_defaults=True):
    """A call of a tool, with its result where there is one."""

    id: str = ""
    name: str = ""
    given: Any = None
    ok: bool | None = None
    output: str = ""


class Record(msgspec.Struct, omit_defaults=True):
    """A message of a stored session.

    Attributes:
        role: `user`, `assistant` or `summary`.
        skipped: why it counts as said by nobody; empty where it counts.
        agent: another agent said it, or the session is a sub-agent's.
        answers: what `ASK` returned.
    """

    role: str = ""
    text: str = ""
    uuid: str = ""
    at: str | float | None = None
    skipped: str = ""
    agent: bool = False
    calls: list[Call] = []
    answers: list[dict[str, Any]] = []


class Stored(msgspec.Struct, omit_defaults=True):
    """A session as a client's `Database` gives it."""

    header: Header = Header()
    records: list[Record] = []


def split(raw: bytes) -> tuple[Header, list[bytes]]:
    """The records of a stored session. Raises MalformedLineError."""
    stored = decode(raw, Stored)
    return stored.header, [msgspec.json.encode(one) for one in stored.records]


class StoredParser:
    """Reads one record at a time; keeps nothing between them."""

    def parse(self, raw: bytes) -> Parsed:
        """Read a record. Raises MalformedLineError."""
        record = decode(raw, Record)
        piece = Piece("user", uuid=record.uuid, at=moment(record.at), sidechain=record.agent)
        if record.skipped:
            return Parsed(skipped=record.skipped[:80], carried=record.text)
        if record.role == "user":
            return by_person(replace(piece, ends_calls=True), record.text)
        if record.role == "summary":
            return spoken(replace(piece, role="summary"), [record.text])
        calls = tuple(tool_call(one.id, one.name, one.given) for one in record.calls)
        results = tuple(
            Result(one.id, one.ok, one.output) for one in record.calls if one.ok is not None or one.output
        )
        parsed = spoken(replace(piece, role="assistant", calls=calls, results=results), [record.text])
        posed = [
            one
            for call in record.calls
            if call.name == ASK and isinstance(call.given, dict)
            for one in questions(call.given.get("questions"))
        ]
        reply = replace(piece, uuid=f"{record.uuid} answered")
        return replace(parsed, pieces=(*parsed.pieces, *replied(reply, posed, record.answers)))


def replied(piece: Piece, posed: list[Question], results: Iterable[Mapping[str, Any]]) -> tuple[Piece, ...]:
    """What the person answered to the questions of a call of `ASK`, if they did."""
    known = {one.id: one for one in posed}
    answers: list[Any] = next((one["answers"] for one in results if isinstance(one.get("answers"), list)), [])
    said: list[str] = []
    for answer in (one for one in answers if isinstance(one, dict)):
        question = known.get(str(answer.get("questionId")), Question(""))
        said.append(question.answered(answer.get("selectedOptionIds"), answer.get("freeformText")))
    if not any(said):
        return ()
    return (replace(piece, form="answer", text=join_questions(said), asked=join_questions(known.values())),)


def by_person(piece: Piece, text: str) -> Parsed:
    """A message of the person's, without what a button or a command of the repository put there."""
    if _BUTTON.fullmatch(text):
        return Parsed(skipped="button")
    called = "\n".join(found.group() for found in _CALLED.finditer(text))
    text = _CALLED.sub("", text).strip()
    if _COMMAND.fullmatch(text):
        return Parsed(skipped="command", carried=called)
    said, injected = strip_injected(text)
    if called:
        piece, injected = replace(piece, form="command"), "\n".join(filter(None, (injected, called)))
    if not said:
        stopped = INTERRUPTED in injected
        return Parsed(skipped="injected" if injected else "empty", carried=injected, interrupted=stopped)
    return Parsed((replace(piece, text=said, injected=injected),))
