"""Detects which client wrote a file, mainly from its contents. Each format is a row of `FORMATS`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from recortex import plugins
from recortex.errors import FormatError
from recortex.filesystem import open_regular
from recortex.formats.transcripts import (
    chat,
    claude_code,
    codex,
    copilot,
    gemini,
    opencode,
    pieces,
    qwen,
    specstory,
    trails,
)
from recortex.formats.transcripts.codex import Segments
from recortex.formats.transcripts.decoding import decode_any
from recortex.formats.transcripts.pieces import Header, MalformedLineError
from recortex.formats.transcripts.trails import Trail

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from recortex.formats.transcripts.pieces import Parsed

Result = TypeVar("Result")
HEAD_BYTES = 256 * 1024  # longer than the longest first line of a known client (22 KB)
FIRST_LINE_BYTES = 4 * 1024 * 1024
_SAMPLE = 40  # lines that are looked at
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
        headed: the first line alone says which session it is, and must be read also when resuming later.
        holding: with `headed`, marks of lines that hold for all that follow, such as a change of folder: they
            are read also when resuming later.
        prose: lines are text, and empty ones matter.
        follows: makes what adds each line to a trail, by which it is known what the person took back.
        segments: what other files of a session say of one of them, for a client that begins a new file when
            the person goes back.
        folder, digest: where the session of a file ran, or the SHA-256 of that, as the files around it say;
            for a client whose lines do not.
    """

    name: str
    recognises: Callable[[Head], bool]
    parser: Callable[[], TranscriptParser]
    split: Split | None = None
    rewritten: bool = False
    headed: bool = False
    holding: tuple[bytes, ...] = ()
    prose: bool = False
    follows: Callable[[], Follow] | None = None
    segments: Callable[[Path], Segments] = lambda _: Segments()
    folder: Callable[[Path], str] = lambda _: ""
    digest: Callable[[Path], str] = lambda _: ""


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


def _is_qwen(head: Head) -> bool:
    line = head.line_with("sessionId", "message")
    message = line["message"] if line else None
    return isinstance(message, dict) and "parts" in message


def _is_claude_code(head: Head) -> bool:
    keys = (("sessionId",), ("uuid", "message"), ("leafUuid",), ("snapshot", "messageId"))
    return any(head.line_with("type", *each) for each in keys) or (
        not head.values and head.mentions("parentUuid", "sessionId")
    )


def _is_codex(head: Head) -> bool:
    bare = head.line_with("id", "timestamp", "instructions") or head.line_with("record_type")
    return bare is not None or head.line_with("type", "payload", "timestamp") is not None


def _is_copilot(head: Head) -> bool:
    line = head.line_with("type", "data", "id", "timestamp")
    return line is not None and "." in str(line["type"])


def _is_pi(head: Head) -> bool:
    first = head.line_with("type", "id", "cwd", "timestamp")
    entry = head.line_with("type", "id", "parentId", "message")
    return (first is not None and first["type"] == "session") or (
        entry is not None and entry["type"] == "message"
    )


def _is_specstory(head: Head) -> bool:
    return head.name.lower().endswith(".md") and specstory.is_specstory(head.raw.decode("utf-8", "replace"))


def _is_gemini(head: Head) -> bool:
    line = head.line_with("sessionId", "projectHash")
    return line is not None and "messages" not in line


def _is_opencode(head: Head) -> bool:
    """A first message with a long change in it can fill the head, so that no parts are in sight."""
    if not head.document:
        return False
    return head.mentions("info", "messages", "parts") or head.mentions("info", "messages", "projectID")


def _is_chat(head: Head) -> bool:
    value: object = head.values[0] if head.values else None
    while isinstance(value, list) and value:
        value = value[0]
    return isinstance(value, dict) and "role" in value and "content" in value


def _is_swe_agent(head: Head) -> bool:
    return head.document and (head.name.endswith(".traj") or head.mentions("trajectory", "observation"))


def _is_prose(head: Head) -> bool:
    suffix = head.name.rpartition(".")[2].lower()
    return suffix in _TEXT_SUFFIXES and pieces.is_session(head.raw.decode("utf-8", "replace"))


_CLIENTS: tuple[Format, ...] = (
    Format("qwen", _is_qwen, qwen.QwenParser, follows=lambda: trails.qwen),
    Format(
        "codex",
        _is_codex,
        codex.CodexParser,
        headed=True,
        holding=(b'"turn_context"', b'"task_started"'),
        follows=trails.Codex,
        segments=codex.segments,
    ),
    Format("claude-code", _is_claude_code, claude_code.ClaudeCodeParser, follows=trails.ClaudeCode),
    Format(
        "copilot",
        _is_copilot,
        copilot.CopilotParser,
        headed=True,
        holding=(b'"session.context_changed"', b'"session.resume"'),
        follows=lambda: trails.copilot,
    ),
    Format("pi", _is_pi, chat.PiParser, headed=True, follows=trails.Pi),
    Format(
        "gemini",
        _is_gemini,
        gemini.GeminiParser,
        headed=True,
        follows=lambda: trails.gemini,
        folder=gemini.folder_of,
        digest=gemini.digest_of,
    ),
    Format(
        "gemini",
        lambda head: head.document and head.mentions("sessionId", "projectHash", "messages"),
        gemini.GeminiParser,
        gemini.split,
        folder=gemini.folder_of,
        digest=gemini.digest_of,
    ),
    Format(
        "opencode",
        _is_opencode,
        opencode.OpenCodeParser,
        opencode.split,
        rewritten=True,
    ),
    Format("swe-agent", _is_swe_agent, chat.SweAgentParser, chat.split),
    Format("specstory", _is_specstory, specstory.SpecStoryParser, specstory.split),
)
_GENERIC = (
    Format("chat", _is_chat, chat.ChatParser),
    Format("text", _is_prose, pieces.ProseParser, prose=True),
)
FORMATS = (*_CLIENTS, *_GENERIC)


def format_names() -> tuple[str, ...]:
    """The names of all formats, the built-in ones first."""
    return tuple(dict.fromkeys((*(row.name for row in FORMATS), *plugins.names(plugins.TRANSCRIPTS))))


def _rows() -> Iterator[Format]:
    """The formats in the order in which they are tried: known clients, plug-ins, generic formats."""
    yield from _CLIENTS
    for name in format_names()[len({row.name for row in FORMATS}) :]:
        row = plugins.plugin(plugins.TRANSCRIPTS, name, Format)
        if row is not None:
            yield guarded(name, row)
    yield from _GENERIC


def detect(path: Path) -> Format:
    """The format of a file.

    Raises:
        FormatError: it is not the transcript of a client that Recortex reads.
        UntrustedFileError: it is no regular file.
        OSError: it cannot be read.
    """
    with open_regular(path) as file:
        raw = file.read(HEAD_BYTES)
        if b"\n" not in raw:
            raw += file.readline(FIRST_LINE_BYTES)  # a session may begin with a long paste
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
    raise FormatError(f"{path} is not a transcript that Recortex can read.")
