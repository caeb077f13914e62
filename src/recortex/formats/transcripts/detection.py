"""Detects which client wrote a file, mainly from its contents; each client declares its formats."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from recortex import plugins
from recortex.errors import FormatError
from recortex.filesystem import open_regular
from recortex.formats.transcripts import chat, pieces
from recortex.formats.transcripts.pieces import Header, MalformedLineError, decode_any
from recortex.formats.transcripts.trails import Trail
from recortex.lean import sha256

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


def _is_chat(head: Head) -> bool:
    value: object = head.values[0] if head.values else None
    while isinstance(value, list) and value:
        value = value[0]
    return isinstance(value, dict) and "role" in value and "content" in value


def _is_prose(head: Head) -> bool:
    suffix = head.name.rpartition(".")[2].lower()
    return suffix in _TEXT_SUFFIXES and pieces.is_session(head.raw.decode("utf-8", "replace"))


GENERIC = (
    Format("chat", _is_chat, chat.ChatParser),
    Format("text", _is_prose, pieces.ProseParser, prose=True),
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
