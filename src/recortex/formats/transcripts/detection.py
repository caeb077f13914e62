"""Which client wrote a file: told from what is in it, with its name as a hint. A new format is one row of `FORMATS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from recortex.errors import FormatError
from recortex.formats.transcripts import claude_code
from recortex.formats.transcripts.decoding import decode_any
from recortex.formats.transcripts.pieces import Header, MalformedLineError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from recortex.formats.transcripts.pieces import Parsed

HEAD_BYTES = 256 * 1024  # longer than the longest first line of a known client (22 KB)
_SAMPLE = 40  # lines that are looked at


class Parser(Protocol):
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

    def mentions(self, *keys: str) -> bool:
        """Whether all these keys occur, at any depth: for documents that are longer than the head."""
        return all(f'"{key}"'.encode() in self.raw for key in keys)


@dataclass(frozen=True, slots=True)
class Format:
    """A row: how a client's files are recognised and read.

    Attributes:
        name: the client, as `import` and `SessionInfo.client` spell it.
        recognises: whether a file that begins like this is one.
        parser: makes the reader of its lines or records.
        split: parts a file that is one JSON document into its header and records; None for files of lines.
        headed: the first line alone says which session it is, and must be read also when resuming later.
        prose: lines are text, and empty ones matter.
    """

    name: str
    recognises: Callable[[Head], bool]
    parser: Callable[[], Parser]
    split: Callable[[bytes], tuple[Header, list[bytes]]] | None = None
    headed: bool = False
    prose: bool = False


FORMATS: tuple[Format, ...] = (
    Format(
        "claude-code",
        lambda head: any(
            head.line_with("type", *keys)
            for keys in (("sessionId",), ("uuid", "message"), ("leafUuid",), ("snapshot", "messageId"))
        ),
        claude_code.Parser,
    ),
)


def detect(path: Path) -> Format:
    """The format of a file.

    Raises:
        FormatError: it is not the transcript of a client that Recortex reads.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        head = _head(path.name, file.read(HEAD_BYTES))
    for row in FORMATS:
        if row.recognises(head):
            return row
    raise FormatError(f"{path} is not a transcript that Recortex can read.")


def _head(name: str, raw: bytes) -> Head:
    parts = raw.removeprefix(b"\xef\xbb\xbf").split(b"\n", _SAMPLE)[:_SAMPLE]
    values = []
    for part in parts:
        try:
            values.append(decode_any(part.strip(b" \t\r\n\0")))
        except MalformedLineError:
            continue
    return Head(name, raw, tuple(values))
