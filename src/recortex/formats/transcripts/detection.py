"""Detects which client wrote a file, mainly from its contents; each client declares its formats.

Two formats that belong to no client are read here, too: lists of messages, and sessions saved as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple, Protocol, TypeVar

from recortex import plugins
from recortex.domain.exchange import Author
from recortex.errors import FormatError
from recortex.filesystem import open_regular
from recortex.formats.transcripts.pieces import (
    Header,
    MalformedLineError,
    Parsed,
    Piece,
    decode_any,
    moment,
    plain,
    spoken,
)
from recortex.formats.transcripts.stored import (
    MAGIC,
    Database,
    Kept,
    conversation,
    conversations,
    document,
    is_database,
    is_web_export,
    sessions_in,
    tables,
)
from recortex.lean import sha256

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Result = TypeVar("Result")
HEAD_BYTES = 256 * 1024  # longer than the longest first line of a known client (22 KB)
FIRST_LINE_BYTES = 4 * 1024 * 1024
_SAMPLE = 40  # lines that are looked at
_SHOWN = 12  # names that an error tells of what was seen
_LONGEST_NAME = 40  # characters of each
_TEXTS = ("role", "text", "group", "uuid", "cwd", "branch")
_BLANK = b"\xef\xbb\xbf \t\r\n"
_TEXT_SUFFIXES = frozenset(("txt", "md", "log", "text", "transcript"))


class TranscriptParser(Protocol):
    """Reads the lines of one file in order."""

    def parse(self, raw: bytes) -> Parsed:
        """Read a line or record. Raises MalformedLineError, nothing else, whatever the bytes are."""


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file: its name, its bytes, and its first lines as far as they are JSON."""

    name: str
    raw: bytes
    values: tuple[object, ...]

    def line_with(self, *keys: str) -> Mapping[str, object] | None:
        """The first line that is an object with all these keys."""
        for value in self.values:
            if isinstance(value, dict) and all(key in value for key in keys):
                return value
        return None

    @property
    def document(self) -> bool:
        """Whether the file is one JSON object, not lines of them."""
        objects = sum(isinstance(value, dict) for value in self.values)
        return self.raw.lstrip(_BLANK).startswith(b"{") and objects <= 1

    def mentions(self, *keys: str) -> bool:
        """Whether all these keys occur, at any depth: for documents that are longer than the head."""
        return all(f'"{key}"'.encode() in self.raw for key in keys)


# -- which lines of a transcript the person took back: those that lead nowhere


class _TrailEntry(NamedTuple):
    """An entry: the one that it follows, as far as the client says; the one before it in the file."""

    parent: str | None
    before: str
    prompt: bool


class Trail:
    """The entries of one transcript, added in the order of the file; keys are the client's ids or places.

    Args:
        end: the number of the first entry of which another file says that it was taken back, if there is one.

    Attributes:
        tip: the entry after which the conversation goes on.
        dropped: the entries from there on, as far as they are numbered.
    """

    def __init__(self, end: int | None = None) -> None:
        self.end = end
        self._entries: dict[str, _TrailEntry] = {}
        self._doubtful: set[str] = set()  # prompts that begin anew, if the client stood at what came of them
        self._leaves: list[str] = []
        self.tip = ""
        self.dropped: set[str] = set()

    @property
    def keys(self) -> frozenset[str]:
        """All entries."""
        return frozenset(self._entries)

    def add(self, key: str, parent: str | None = None, *, prompt: bool = False) -> None:
        """Add an entry.

        Args:
            key: of the entry; one that is known is a copy and changes nothing.
            parent: what it follows: empty for nothing, None where the client does not say.
            prompt: a prompt begins with it.
        """
        if key in self._entries:
            return
        if parent == "" and prompt and self._entries:
            self._doubtful.add(key)
        self._entries[key] = _TrailEntry(self.tip if parent is None else parent, self.tip, prompt)
        self.tip = key

    def stands_at(self, key: str, *, surely: bool = False) -> None:
        """The client says that the conversation stands at an entry, or `surely` that it went back there."""
        if key in self._entries:
            self._leaves.append(key)
            self.tip = key if surely else self.tip

    def begins_anew(self) -> None:
        """The client says that the prompt to which the last entry belongs follows nothing."""
        prompt = self._prompt_of({}, self.tip)
        if prompt:
            self._entries[prompt] = self._entries[prompt]._replace(parent="", before="")

    def back_before(self, key: str) -> bool:
        """The person went back to where the conversation stood before an entry; False if there is none."""
        known = key in self._entries
        self.tip = self._entries[key].before if known else self.tip
        return known

    def prompts(self) -> list[str]:
        """The prompts on the way to where the conversation stands, the last first."""
        found: dict[str, None] = {}
        prompt = self._prompt_of({}, self.tip)
        while prompt and prompt not in found:
            found[prompt] = None
            prompt = self._prompt_of({}, self._parent(prompt))
        return list(found)

    def taken_back(self) -> frozenset[str]:
        """The entries that were taken back."""
        for key in [key for key in self._doubtful if any(self._leads(leaf, key) for leaf in self._leaves)]:
            self._doubtful.remove(key)
        standing, owner = set(self.prompts()), dict[str, str]()
        return frozenset(
            key for key in self._entries if (prompt := self._prompt_of(owner, key)) and prompt not in standing
        )

    def _leads(self, leaf: str, root: str) -> bool:
        seen = set[str]()
        while leaf and leaf not in seen and leaf != root:
            seen.add(leaf)
            leaf = self._parent(leaf)
        return leaf == root

    def _parent(self, key: str) -> str:
        """What an entry follows; where the client names nothing that is here, what stands before it."""
        entry = self._entries[key]
        if entry.parent in self._entries or (entry.parent == "" and key not in self._doubtful):
            return entry.parent
        return entry.before

    def _prompt_of(self, owner: dict[str, str], key: str) -> str:
        """The prompt that an entry belongs to; empty before the first. `owner` keeps what was found."""
        passed: dict[str, None] = {}
        while key and key not in owner and key not in passed:
            if self._entries[key].prompt:
                owner[key] = key
                break
            passed[key] = None
            key = self._parent(key)
        found = owner.get(key, "")
        owner.update(dict.fromkeys(passed, found))
        return found


# -- what a client declares of its files


class Segments(NamedTuple):
    """What the files of a session say of one of them.

    Attributes:
        end: the number of the first line that was taken back; None where all stands.
        others: its other files.
    """

    end: int | None = None
    others: tuple[Path, ...] = ()


Follow = Callable[[Trail, bytes, str], None]  # takes a line in; raises MalformedLineError
Split = Callable[[bytes], tuple[Header, list[bytes]]]  # raises MalformedLineError


@dataclass(frozen=True, slots=True)
class Format:
    """A row: how a client's files are recognised and read.

    Attributes:
        name: the client, as `import` and `SessionInfo.client` spell it.
        recognises: whether a file that begins like this is one.
        parser: makes the reader of its lines or records.
        split: parts a file that is one JSON document into its header and records; None for files of lines.
        rewritten: the client makes the whole document again, without the records that the person took back;
            what says the same in two of them has the same id.
        cut: the client cuts a file of lines off where the person went back to, and goes on there.
        headed: the first line alone says which session it is, and must be read also when resuming later.
        holding: with `headed`, marks of lines that hold for all that follow, such as a change of folder: they
            are read also when resuming later.
        prose: lines are text, and empty ones matter.
        follows: makes what adds each line to a trail, by which it is known what the person took back.
        segments: what other files of a session say of one of them, for a client that begins a new file when
            the person goes back.
        database: how its sessions are read out of a database of the client's.
        folder, digest: where the session of a file ran, or the SHA-256 of that, as the files around it say;
            for a client whose lines do not.
        author: whose the prompts of a file are, as the files around it say.
    """

    name: str
    recognises: Callable[[Head], bool]
    parser: Callable[[], TranscriptParser]
    split: Split | None = None
    rewritten: bool = False
    cut: bool = False
    headed: bool = False
    holding: tuple[bytes, ...] = ()
    prose: bool = False
    follows: Callable[[], Follow] | None = None
    segments: Callable[[Path], Segments] = lambda _: Segments()
    database: Database | None = None
    folder: Callable[[Path], str] = lambda _: ""
    digest: Callable[[Path], str] = lambda _: ""
    author: Callable[[Path], Author] = lambda _: "person"


class _GuardedParser:
    """A plug-in's parser. Whatever it raises, the line counts as malformed."""

    def __init__(self, name: str, make: Callable[[], TranscriptParser]) -> None:
        self._guard = partial(_guard, name)
        self._make = make
        self._parser: TranscriptParser | None = None

    def parse(self, raw: bytes) -> Parsed:
        """Read a line. Raises MalformedLineError."""
        if self._parser is None:
            self._parser = self._guard(self._make)
        return self._guard(self._checked, self._parser.parse, raw)

    @staticmethod
    def _checked(parse: Callable[[bytes], Parsed], raw: bytes) -> Parsed:
        parsed = parse(raw)
        if not all(isinstance(getattr(piece, name), str) for piece in parsed.pieces for name in _TEXTS):
            raise TypeError(f"Of each piece, {', '.join(_TEXTS)} must be texts.")
        return parsed


def _guard(name: str, function: Callable[..., Result], *arguments: Any) -> Result:
    try:
        return function(*arguments)
    except MalformedLineError:
        raise
    except Exception as error:
        plugins.warn(plugins.TRANSCRIPTS, name, repr(error))
        raise MalformedLineError(str(error)) from error


def guarded(name: str, row: Format) -> Format:
    """A plug-in's format under the name of its entry point. Its errors count as errors of the file."""

    def recognises(head: Head) -> bool:
        try:
            return bool(_guard(name, row.recognises, head))
        except MalformedLineError:
            return False

    return replace(
        row,
        name=name,
        recognises=recognises,
        parser=partial(_GuardedParser, name, row.parser),
        split=partial(_guard, name, row.split) if row.split else None,
    )


# -- messages as `{"role", "content", "timestamp"}`: one, or a list of them, on each line or in a document


_DEPTH = 4  # lists within lists
_NAMED = re.compile(r"\A(?:user|human|assistant|agent|ai):[ \t]+", re.IGNORECASE)
_PEOPLE = frozenset(("user", "human"))
_AGENTS = frozenset(("assistant", "model", "ai", "agent"))


class ChatParser:
    """Reads one line at a time; keeps nothing between lines."""

    def parse(self, raw: bytes) -> Parsed:
        """Read a line. Raises MalformedLineError."""
        value = decode_any(raw)
        if not isinstance(value, list | dict):
            raise MalformedLineError("neither a message nor a list of them")
        parsed = [_message(message) for message in _messages(value)]
        pieces = tuple(piece for one in parsed for piece in one.pieces)
        reasons = [one.skipped for one in parsed if one.skipped]
        return Parsed(pieces, "" if pieces else (reasons or ["empty"])[0])


def _messages(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list) and depth < _DEPTH:
        for item in value:
            yield from _messages(item, depth + 1)


def _message(message: dict[str, Any]) -> Parsed:
    role, at = message.get("role"), message.get("timestamp")
    if not isinstance(role, str) or role not in _PEOPLE | _AGENTS:
        return Parsed(skipped=f"role/{role}"[:80])
    uuid = message.get("id") if isinstance(message.get("id"), str) else ""
    when = moment(at if isinstance(at, str | int | float) else None)
    piece = Piece("user" if role in _PEOPLE else "assistant", uuid=uuid or "", at=when)
    return spoken(piece, [_NAMED.sub("", plain(message.get("content")))])


# -- sessions as plain text: saved from a terminal, or written with the speakers' names


_PERSON = r"(?P<person>user|human)"
_AGENT = (
    r"(?P<agent>assistant|agent|ai|claude(?: code)?|codex|gemini(?: cli)?|qwen(?: code)?"
    r"|opencode|copilot|chatgpt)"
)
# `User: …`, `## Assistant`, `**Human:** …`, `**Claude**`
_SPEAKER = re.compile(
    rf"^(?P<marked>#{{1,4}}[ \t]+|\*\*)?(?:{_PERSON}|{_AGENT})(?P<end>\*\*:?|:\*\*|:)?(?:[ \t]+|$)",
    re.IGNORECASE,
)
_PROMPT = re.compile(r"^[>\u276f][ \t]+")  # terminal: the person's prompt
_SPOKEN = re.compile(r"^[\u23fa\u25cf][ \t]+")  # terminal: the agent's bullet
_TOOL = re.compile(r"^[\u23fa\u25cf][ \t]+[A-Z][A-Za-z]{1,30}\(")  # … before a tool's name
_OUTPUT = re.compile(r"^[ \t]*\u23bf")  # terminal: a tool's output

Speaker = Literal["user", "assistant", ""]


class ProseParser:
    """Reads line by line; a line with no speaker belongs to the last one who spoke."""

    def __init__(self) -> None:
        self._role: Speaker = ""
        self._number = 0
        self._output = False  # within what a tool printed
        self._named = False  # speakers are named here, so `>` begins a quotation, not a prompt

    def parse(self, raw: bytes) -> Parsed:
        """Read a line."""
        line = raw.decode("utf-8", "replace").replace("\0", "").rstrip("\r\n")
        if (self._output and line.startswith((" ", "\t"))) or _OUTPUT.match(line) or _TOOL.match(line):
            self._output = True
            return Parsed(skipped="tool-output")
        self._output = False
        role, text = self._speaker(line)
        if role:
            self._number += 1
            self._role = role
        if not self._role:
            return Parsed(skipped="preamble" if line.strip() else "blank")
        return Parsed((Piece(self._role, text, group=str(self._number), joint="\n", raw=True),))

    def _speaker(self, line: str) -> tuple[Speaker, str]:
        named, rest = speaker(line)
        if named:
            self._named = True
            return named, rest
        prompt, spoken = _PROMPT.match(line), _SPOKEN.match(line)
        if prompt and not self._named:
            return "user", line[prompt.end() :]
        return ("assistant", line[spoken.end() :]) if spoken else ("", line)


def speaker(line: str) -> tuple[Speaker, str]:
    """Who a line names as its speaker, and the rest of the line; a bare name counts only as a heading."""
    named = _SPEAKER.match(line)
    if named is None or not (named["end"] or (named["marked"] and named.end() == len(line))):
        return "", line
    return ("user" if named["person"] else "assistant"), line[named.end() :]


def is_session(text: str) -> bool:
    """Whether a text is a session: a person and an agent speak, by name or by the marks of a terminal."""
    lines = text.splitlines()
    speakers = {speaker(line)[0] for line in lines}
    return {"user", "assistant"} <= speakers or (
        any(map(_PROMPT.match, lines)) and any(map(_SPOKEN.match, lines))
    )


# -- which formats there are, and which one a file has


def _is_chat(head: Head) -> bool:
    value: object = head.values[0] if head.values else None
    while isinstance(value, list) and value:
        value = value[0]
    return isinstance(value, dict) and "role" in value and "content" in value


def _is_prose(head: Head) -> bool:
    suffix = head.name.rpartition(".")[2].lower()
    return suffix in _TEXT_SUFFIXES and is_session(head.raw.decode("utf-8", "replace"))


GENERIC = (
    Format("chat", _is_chat, ChatParser),
    Format("text", _is_prose, ProseParser, prose=True),
)
TRIED = (*("qwen", "codex", "claude-code", "copilot", "pi", "gemini", "opencode", "swe-agent", "specstory"),)
"""The order in which clients are tried, since what one recognises may look like another's; others follow."""


def formats() -> Iterator[Format]:
    """The formats of known clients in the order in which they are tried, each loaded when it is needed."""
    for client in plugins.in_order((one for one in plugins.clients() if one.reads), TRIED):
        yield from plugins.declared(client).formats


def folder_digest(folder: Path) -> str:
    """What the client calls a folder by."""
    return sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()


def format_names() -> tuple[str, ...]:
    """The names of all formats, the built-in ones first."""
    return tuple(dict.fromkeys((*_built_in(), *plugins.names(plugins.TRANSCRIPTS))))


def _built_in() -> tuple[str, ...]:
    known = plugins.in_order((one for one in plugins.clients() if one.reads), TRIED)
    return (*(one.name for one in known), *(one.name for one in GENERIC))


def _rows() -> Iterator[Format]:
    """The formats in the order in which they are tried: known clients, plug-ins, generic formats."""
    yield from formats()
    for name in format_names()[len(_built_in()) :]:
        row = plugins.plugin(plugins.TRANSCRIPTS, name, Format)
        if row is not None:
            yield guarded(name, row)
    yield from GENERIC


def in_database(path: Path) -> bool:
    """Whether a path names a session in a database, not a file: what is above it is no folder."""
    return path.parent.is_file()


def open_session(path: Path) -> BinaryIO:
    """The bytes of a session in a file, or in a client's database.

    Raises:
        FormatError: the database cannot be read, or has no such session.
        UntrustedFileError: it is no regular file.
        OSError: it cannot be read.
    """
    if not in_database(path):
        return open_regular(path)
    kept = conversation(path) if is_web_export(path.parent) else document(path, _database_of(path.parent)[1])
    return BytesIO(kept)


def kept_in(path: Path) -> tuple[str, list[Kept]]:
    """The client whose database a file is, and the sessions in it.

    Raises:
        FormatError: it is the database of no client that Recortex reads, or cannot be read.
        UntrustedFileError: it is no regular file.
        OSError: it cannot be read.
    """
    if is_web_export(path):
        return GENERIC[0].name, conversations(path)
    row, database = _database_of(path)
    return row.name, sessions_in(path, database)


def _database_of(path: Path) -> tuple[Format, Database]:
    found = tables(path) if is_database(path) else frozenset[str]()
    for row in formats():
        known = row.database
        if known and path.name.startswith(known.begins) and known.tables <= found:
            return row, known
    seen = f"a database with the tables {', '.join(sorted(found)[:_SHOWN])}" if found else "no database"
    raise FormatError(f"{path} is {seen}: it is of no client whose sessions Recortex reads.")


def detect(path: Path) -> Format:
    """The format of a file, or of a session in a client's database.

    Raises:
        FormatError: it is not the transcript of a client that Recortex reads.
        UntrustedFileError: it is no regular file.
        OSError: it cannot be read.
    """
    if in_database(path):
        return GENERIC[0] if is_web_export(path.parent) else _database_of(path.parent)[0]
    with open_regular(path) as file:
        raw = file.read(HEAD_BYTES)
        if b"\n" not in raw:
            raw += file.readline(FIRST_LINE_BYTES)  # a session may begin with a long paste
    if raw.startswith(MAGIC):
        row, _ = _database_of(path)
        raise FormatError(
            f"{path} holds many sessions.", hint=f"Import them all: `recortex import {row.name} {path}`."
        )
    values = []
    for line in raw.removeprefix(b"\xef\xbb\xbf").split(b"\n", _SAMPLE)[:_SAMPLE]:
        with suppress(MalformedLineError):
            values.append(decode_any(line.strip(b" \t\r\n\0")))
    head = Head(path.name, raw, tuple(values))
    for row in _rows():
        if row.recognises(head):
            return row
    if not raw.strip(_BLANK + b"\0"):
        raise FormatError(f"{path} is empty.", hint="It may not have been written yet.")
    raise FormatError(f"{path} is not a transcript that Recortex can read: it holds {_seen(head)}.")


def _seen(head: Head) -> str:
    """What a file holds, for the person who takes it for a session: the fields of its first record."""
    first = next((value for value in head.values if isinstance(value, dict) and value), {})
    names = [repr(str(name)[:_LONGEST_NAME]) for name in list(first)[:_SHOWN]]
    more = " and others" if len(first) > _SHOWN else ""
    return f"objects with the fields {', '.join(names)}{more}" if names else "no JSON object"
