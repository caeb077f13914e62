"""Builds turns from pieces: joins split messages, adds tool results to their calls, drops copied history."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, cast

from recortex.domain.injection import strip_injected
from recortex.domain.transcript import Role, ToolCall, Turn
from recortex.formats.transcripts.pieces import TEXT_LIMIT, Piece, shorten
from recortex.formats.transcripts.tools import answered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.formats.transcripts.pieces import Parsed, Result

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
            uuid=piece.uuid or _fingerprint(self.role, text, str(piece.at), str(self.start)),
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
        self._settle(parsed)
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

    def _settle(self, parsed: Parsed) -> None:
        for group in (*parsed.told, *parsed.withdrawn):
            held = self._groups.get(group)
            if held is not None and held.first.held:
                held.growing = False
                if group in parsed.withdrawn:
                    held.texts.clear()

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
            return self._hold(piece, start, end)
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

    def _hold(self, piece: Piece, start: int, end: int) -> _Open:
        """Begin a turn that ends no other, and after which nothing is yielded before it is settled."""
        turn = _Open(cast("Role", piece.role), piece.group, piece, start, end, interrupts=False)
        before = self._latest.get(piece.sidechain)
        if before is not None and before.growing:
            turn.behind, before.behind = before.behind, turn
        self._pending.append(turn)
        self._groups[piece.group] = turn
        return turn

    def _answer(self, results: tuple[Result, ...], end: int) -> str:
        reason = "orphan-result"
        for result in results:
            if (turn := self._calls.pop(result.call, None)) is not None:
                turn.answer(result, end)
                reason = ""
        return reason


def _fingerprint(*parts: str) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()
