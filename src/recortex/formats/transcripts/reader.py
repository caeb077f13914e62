"""Reads a transcript turn by turn, counts every line, and keeps a cursor to continue from."""

from __future__ import annotations

import sys
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from msgspec.structs import replace

from recortex.domain.exchange import ReadCounts, Role, SessionInfo, ToolCall, Turn
from recortex.domain.text import known_as, strip_injected
from recortex.errors import FormatError
from recortex.formats.transcripts.detection import Trail, detect, open_session
from recortex.formats.transcripts.pieces import (
    TAKEN_BACK,
    TEXT_LIMIT,
    Header,
    MalformedLineError,
    Piece,
    answered,
    fingerprint,
    shorten,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from recortex.formats.transcripts.detection import Format, Split, TranscriptParser
    from recortex.formats.transcripts.pieces import Parsed, Result


# -- builds turns from pieces: joins split messages, adds tool results to their calls, drops copied history


# Turns that may wait for a tool's result at once. A sub-agent's turns within its parent's file wait for the
# parent's call.
PENDING_LIMIT = 1_024
INJECTED_LIMIT = 20_000  # characters of injected text that are kept with a turn


@dataclass(slots=True)
class _Open:
    """A turn that may still grow."""

    role: Role
    group: str
    first: Piece
    start: int
    end: int
    interrupts: bool
    texts: list[str] = field(default_factory=list)
    length: int = 0
    raw: bool = False
    injected: list[str] = field(default_factory=list)
    tools: dict[str, ToolCall] = field(default_factory=dict)
    waiting: int = 0
    growing: bool = True
    behind: _Open | None = None  # what is held within this turn, which therefore cannot be closed yet

    def add(self, piece: Piece, end: int) -> list[str]:
        """Take a piece in; returns the ids of calls that now wait for a result."""
        if piece.whole:
            self.texts.clear()
            self.length = 0
        if (piece.text or piece.raw) and self.length < TEXT_LIMIT:
            self.texts.extend([piece.joint, piece.text] if self.texts else [piece.text])
            self.length += len(piece.text) + 1
        if piece.injected:
            self.injected.append(piece.injected)
        if piece.author != self.first.author:
            self.first = replace(self.first, author=piece.author)
        self.raw = self.raw or piece.raw
        self.end = max(self.end, end)
        asked = []
        for call in piece.calls:
            if call.id and call.id not in self.tools:
                asked.append(call.id)
            self.tools.setdefault(call.id or f"unnamed {len(self.tools)}", call)
        self.waiting += len(asked)
        return asked

    def answer(self, result: Result, end: int) -> None:
        self.tools[result.call] = answered(self.tools[result.call], result.ok, result.output)
        self.waiting -= 1
        self.end = max(self.end, end)

    @property
    def closed(self) -> bool:
        return not self.growing and self.waiting <= 0 and (self.behind is None or self.behind.closed)

    def turn(self, index: int) -> Turn:
        text = "".join(self.texts)
        if self.raw:
            text, taken = strip_injected(text, wrappers=self.role != "assistant")
            self.injected.append(taken)
        text = shorten(text, TEXT_LIMIT)
        piece = self.first
        return Turn(
            index=index,
            role=self.role,
            text=text,
            at=piece.at,
            uuid=piece.uuid or fingerprint(self.role, text, str(piece.at), str(self.start)),
            tools=tuple(self.tools.values()),
            injected=shorten("\n".join(filter(None, self.injected)), INJECTED_LIMIT),
            cwd=piece.cwd,
            branch=piece.branch,
            sidechain=piece.sidechain,
            start=self.start,
            end=self.end,
            interrupts=self.interrupts,
            form=piece.form,
            asked=piece.asked,
            author="agent" if piece.sidechain else piece.author,
            certain=piece.certain,
        )


class Assembler:
    """Takes lines in order and gives turns in order; holds only those that may still change."""

    def __init__(self, first_index: int = 0) -> None:
        self.index = first_index
        self._pending: deque[_Open] = deque()
        self._groups: dict[str, _Open] = {}
        self._calls: dict[str, _Open] = {}
        self._latest: dict[bool, _Open] = {}  # of the main chain, of sub-agents
        self._seen: set[int] = set()  # hashes of ids: eight bytes of key for each line of a long history
        self._carried: list[str] = []
        self._interrupted = False

    def take(self, parsed: Parsed, start: int, end: int) -> str:
        """Add a line. Returns why nothing of it was used, empty if something was."""
        if parsed.uuid and self._known(parsed.uuid):
            return "duplicate"
        if parsed.carried:
            self._carried.append(shorten(parsed.carried, INJECTED_LIMIT))
        self._interrupted = self._interrupted or parsed.interrupted
        for group in (*parsed.told, *parsed.withdrawn):
            held = self._groups.get(group)
            if held is not None and held.first.held:
                held.growing = False
                if group in parsed.withdrawn:
                    held.texts.clear()
        if not parsed.pieces:
            return parsed.skipped or "empty"
        reasons = [self._add(piece, start, end) for piece in parsed.pieces]
        return "" if "" in reasons else reasons[0]

    def ready(self, *, final: bool = False) -> Iterator[Turn]:
        """The turns that will not change any more; with `final`, all of them."""
        while self._pending and (final or self._pending[0].closed or len(self._pending) > PENDING_LIMIT):
            done = self._pending.popleft()
            if self._groups.get(done.group) is done:
                del self._groups[done.group]
            for call in done.tools:
                self._calls.pop(call, None)
            turn = done.turn(self.index)
            if turn.text or turn.tools:
                self.index += 1
                yield turn

    @property
    def interrupted(self) -> bool:
        """Whether the person stopped the agent after the last turn that was given."""
        turns = (turn for turn in self._pending if turn.role == "user" and not turn.first.sidechain)
        following = next(turns, None)
        return following.interrupts if following else self._interrupted

    def resume_at(self, position: int) -> int:
        """Where a later reader must start: before the oldest turn that may still change."""
        return self._pending[0].start if self._pending else position

    def _known(self, uuid: str) -> bool:
        key = hash(uuid)
        known = key in self._seen
        self._seen.add(key)
        return known

    def _add(self, piece: Piece, start: int, end: int) -> str:
        if piece.role == "results":
            return self._answer(piece.results, end)
        turn = self._groups.get(piece.group) if piece.group else None
        if turn is None:
            if piece.whole and self._known(f"{piece.role} {piece.group}"):
                return "duplicate"
            turn = self._begin(piece, start, end)
        self._calls.update(dict.fromkeys(turn.add(piece, end), turn))
        self._answer(piece.results, end)
        return ""

    def _begin(self, piece: Piece, start: int, end: int) -> _Open:
        if piece.held:
            # Begin a turn that ends no other, and after which nothing is yielded before it is settled.
            turn = _Open(cast("Role", piece.role), piece.group, piece, start, end, interrupts=False)
            before = self._latest.get(piece.sidechain)
            if before is not None and before.growing:
                turn.behind, before.behind = before.behind, turn
            self._pending.append(turn)
            self._groups[piece.group] = turn
            return turn
        before = self._latest.get(piece.sidechain)
        if before is not None:
            before.growing = False
        if piece.ends_calls and not piece.sidechain:
            for other in self._pending:
                other.waiting = other.waiting if other.first.sidechain else 0
        interrupts = piece.role == "user" and self._interrupted
        turn = _Open(
            cast("Role", piece.role), piece.group, piece, start, end, interrupts, growing=bool(piece.group)
        )
        if interrupts:
            self._interrupted = False
        turn.injected, self._carried = self._carried, []
        self._latest[piece.sidechain] = turn
        self._pending.append(turn)
        if piece.group:
            self._groups[piece.group] = turn
        return turn

    def _answer(self, results: tuple[Result, ...], end: int) -> str:
        reason = "orphan-result"
        for result in results:
            if (turn := self._calls.pop(result.call, None)) is not None:
                turn.answer(result, end)
                reason = ""
        return reason


# -- reads a growing file line by line in bounded memory


LINE_LIMIT = 16 * 1024 * 1024


class Line(NamedTuple):
    """A line with its byte offsets. `raw` is None if it is too long; `ended` says if it has a line break."""

    start: int
    end: int
    raw: bytes | None
    ended: bool


def lines(file: BinaryIO, start: int, limit: int = LINE_LIMIT) -> Iterator[Line]:
    """Read every line from a byte offset on, holding one at a time."""
    file.seek(start)
    while raw := file.readline(limit):
        end = start + len(raw)
        if raw.endswith(b"\n") or len(raw) < limit:
            yield Line(start, end, raw, raw.endswith(b"\n"))
        else:
            del raw
            end, ended = _past_line(file, end)
            yield Line(start, end, None, ended)
        start = end


def _past_line(file: BinaryIO, position: int) -> tuple[int, bool]:
    while rest := file.readline(1024 * 1024):
        position += len(rest)
        if rest.endswith(b"\n"):
            return position, True
    return position, False


# -- reads a transcript turn by turn, counts every line, and keeps a cursor to continue from


DOCUMENT_LIMIT = 64 * 1024 * 1024  # bytes of a file that is one JSON document and so must be held whole
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PADDING = b" \t\r\n\0"  # a crash can leave NUL bytes where a line should be


class TranscriptReader:
    """Iterate over a reader for the turns; its other attributes are complete after the iteration.

    Attributes:
        client: the client whose format this is, such as `claude-code`.
        cursor: everything before it is consumed: a later reader given this cursor yields what came since, and
            nothing twice. A byte offset; the number of records for a file that is one JSON document. While
            iterating it never runs ahead of the turns already yielded.
        revoked: the person took back what was read before the cursor, since it was read.
        restarted: the file is shorter than the cursor said, so it is read from its beginning.
    """

    def __init__(
        self,
        path: Path,
        row: Format,
        *,
        cursor: int = 0,
        final: bool = True,
        first_index: int = 0,
        until: int | None = None,
    ) -> None:
        self.path = path
        self.client = row.name
        self._row = row
        self._from = cursor
        self._final = final
        self._first_index = first_index
        self._until = sys.maxsize if until is None else until
        self._folder, self._digest, self._author = row.folder(path), row.digest(path), row.author(path)
        self._begin()

    def _begin(self) -> None:
        self.cursor = self._reached = self._from
        self.restarted = False
        self._assembler = Assembler(self._first_index)
        self._header = Header()
        self._taken_back: frozenset[str] = frozenset()
        self.revoked = False
        self._last: Turn | None = None
        self._lines = self._used = self._turns = self._malformed = self._torn = 0
        self._skipped: dict[str, int] = {}

    @property
    def info(self) -> SessionInfo:
        """What is known about the session so far."""
        head = self._header
        return SessionInfo(
            session_id=known_as(head.session_id or self.path.stem),
            client=self.client,
            path=str(self.path),
            version=head.version,
            cwd=head.cwd or self._folder,
            branch=head.branch,
            parent_session=known_as(head.parent_session),
            started_at=head.at,
            digest="" if head.cwd or self._folder else self._digest,
        )

    @property
    def in_lines(self) -> bool:
        """Whether the file is one of lines, so that its beginning is a transcript too."""
        return self._row.split is None

    @property
    def rewritten(self) -> bool:
        """Whether what was read of the file before may stand in it no more."""
        return self._row.rewritten or (self._row.cut and self._cut_off())

    @property
    def others(self) -> tuple[Path, ...]:
        """The session's other files, where going back in it begins a new one."""
        return self._row.segments(self.path).others

    @property
    def resumed(self) -> bool:
        """Whether it goes on where an earlier reader ended."""
        return self._from > 0 and not self.restarted

    @property
    def interrupted(self) -> bool:
        """Whether the person stopped the agent after the last turn before the cursor.

        A later reader may not see it: it begins behind the line that says so.
        """
        last = self._last
        return last.interrupts if last and self.cursor <= last.start else self._assembler.interrupted

    @property
    def counts(self) -> ReadCounts:
        """How many lines were used, skipped or malformed."""
        return ReadCounts(
            self._lines, self._turns, self._used, dict(self._skipped), self._malformed, self._torn
        )

    def __iter__(self) -> Iterator[Turn]:
        """The turns, in order. Iterating again reads again from the given cursor.

        Raises:
            OSError: the file cannot be read.
        """
        self._begin()
        with open_session(self.path) as file:
            parser = self._row.parser()
            for line in self._source(file, parser):
                self._lines += 1
                if not self._consume(parser, line):
                    self._torn = 1
                    break
                self._reached = line.end
                yield from self._ready()
                self.cursor = self._assembler.resume_at(self._reached)
        if self._final:
            yield from self._ready(final=True)
            self.cursor = self._reached

    def _ready(self, *, final: bool = False) -> Iterator[Turn]:
        for turn in self._assembler.ready(final=final):
            self._turns += 1
            self._last = turn
            yield turn

    def _source(self, file: BinaryIO, parser: TranscriptParser) -> Iterator[Line]:
        if self._row.split is not None:
            return self._records(file, self._row.split)
        self._restart_beyond(min(file.seek(0, 2), self._until))
        self._follow(file)
        if self.cursor and self._row.headed:
            end = self.cursor if self._row.holding else 1
            for line in takewhile(lambda line: line.start < end, lines(file, 0)):
                if not line.start or any(mark in (line.raw or b"") for mark in self._row.holding):
                    with suppress(MalformedLineError):  # it was counted when it was read
                        self._learn(parser.parse(_bare(line.raw or b"")).header)
        return self._up_to(lines(file, self.cursor))

    def _up_to(self, found: Iterator[Line]) -> Iterator[Line]:
        return takewhile(lambda line: line.start < self._until, found)

    def _follow(self, file: BinaryIO) -> None:
        """Find out what the person took back, from the whole file."""
        if self._row.follows is None:
            return
        # As it was when it was shorter, no other file had gone back behind it.
        end = self._row.segments(self.path).end if self._until == sys.maxsize else None
        trail, follow = Trail(end), self._row.follows()
        before: frozenset[str] | None = None
        for line in self._up_to(lines(file, 0)):
            if before is None and line.start >= self.cursor:
                before, known = trail.taken_back(), trail.keys
            with suppress(MalformedLineError):
                follow(trail, _bare(line.raw or b""), _place(line))
        self._taken_back = trail.taken_back()
        if before is not None:
            self.revoked = not (self._taken_back & known) <= before
        self._taken_back |= trail.dropped

    def _records(self, file: BinaryIO, split: Split) -> Iterator[Line]:
        """The records of a document as lines. An unreadable document is one torn or oversized line."""
        size = file.seek(0, 2)
        file.seek(0)
        try:
            header, records = split(file.read(size) if size <= DOCUMENT_LIMIT else b"")
        except MalformedLineError:
            yield Line(self.cursor, self.cursor, None, ended=size > DOCUMENT_LIMIT)
            return
        self._learn(header)
        self._restart_beyond(len(records))
        for number in range(self.cursor, len(records)):
            yield Line(number, number + 1, records[number], ended=True)

    def _cut_off(self) -> bool:
        """Whether the file ends before the cursor, or no line ends there any more."""
        with open_session(self.path) as file:
            file.seek(max(0, self._from - 1))
            return self._from > 0 and file.read(1) != b"\n"

    def _restart_beyond(self, size: int) -> None:
        if self.cursor > size:
            self.restarted = True
            self.cursor = self._reached = 0

    def _consume(self, parser: TranscriptParser, line: Line) -> bool:
        """Take a line in; False if it is still being written."""
        if not line.ended and (not self._final or line.end == line.start):
            return False
        if line.raw is None:
            return self._skip("oversized")
        raw = line.raw if self._row.prose else _bare(line.raw)
        if not raw:
            return self._skip("blank")
        try:
            parsed = parser.parse(raw)
        except MalformedLineError:
            self._malformed += line.ended
            return line.ended
        self._learn(parsed.header)
        parsed = self._drop_withdrawn(parsed, _place(line)) if self._taken_back else parsed
        if self._author != "person":
            by = self._author
            said = (replace(one, author=by) if one.author == "person" else one for one in parsed.pieces)
            parsed = replace(parsed, pieces=tuple(said))
        reason = self._assembler.take(parsed, line.start, line.end)
        self._used += not reason
        return self._skip(reason) if reason else True

    def _drop_withdrawn(self, parsed: Parsed, place: str) -> Parsed:
        """The line without what the person took back."""
        gone = self._taken_back
        kept = () if place in gone else tuple(piece for piece in parsed.pieces if piece.uuid not in gone)
        if len(kept) == len(parsed.pieces) and parsed.uuid not in gone:
            return parsed
        return replace(
            parsed, pieces=kept, skipped=parsed.skipped or TAKEN_BACK, carried="", interrupted=False
        )

    def _skip(self, reason: str) -> bool:
        self._skipped[reason] = self._skipped.get(reason, 0) + 1
        return True

    def _learn(self, header: Header | None) -> None:
        """Keep the first value of each field, but prefer lines of the session that names the file."""
        known = self._header
        if header is None:
            return
        if not known.session_id or (self._named(header) and not self._named(known)):
            self._header = _joined(header, known)
        elif not (known.session_id and known.version and known.cwd and known.branch and known.at):
            self._header = _joined(known, header)

    def _named(self, header: Header) -> bool:
        return bool(header.session_id) and self.path.stem.endswith(header.session_id)


def _joined(first: Header, second: Header) -> Header:
    return Header(*(getattr(first, name) or getattr(second, name) for name in Header.__struct_fields__))


def _place(line: Line) -> str:
    """What a line without an id is known by on its trail."""
    return f"@{line.start}"


def _bare(raw: bytes) -> bytes:
    return raw.removeprefix(_BYTE_ORDER_MARK).strip(_PADDING)


def open_transcript(
    path: str | PathLike[str],
    *,
    cursor: int = 0,
    final: bool = True,
    first_index: int = 0,
    until: int | None = None,
) -> TranscriptReader:
    """A reader of a session's file, whatever client wrote it.

    Args:
        path: the file.
        cursor: the `cursor` of an earlier reader of this file; 0 reads all.
        final: the session has ended or is read as if it had: the last message is yielded though it may still
            grow, and tool calls without a result stay open (`ok` None). With False the cursor stays before
            both.
        first_index: the `index` of the first turn.
        until: read a file of lines as it was when it had so many bytes.

    Raises:
        FormatError: the file is of no known format, or cannot be read.
        UntrustedFileError: it is no regular file.
    """
    file = Path(path)
    try:
        row = detect(file)
    except OSError as error:
        raise FormatError(
            f"{file} cannot be read: {error.strerror or error}", hint="Check the path."
        ) from error
    return TranscriptReader(
        file, row, cursor=max(0, cursor), final=final, first_index=first_index, until=until
    )
