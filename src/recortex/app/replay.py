"""Replays past sessions: what the hooks would have given each, in stores that are made for it and deleted.

Everything goes through the hooks' own code and the capture process's, with a clock that stands where the
session stood. Whenever the agent stopped, the session is learned from up to there, as the hooks do; where the
client keeps one JSON document, at the end alone.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from recortex.app.hooks import HookContext, Request, handle
from recortex.app.jobs.capture import LastMessage, RunCounts, follow_up, learn_from
from recortex.app.past_sessions import PastSession, Step, past_session
from recortex.app.projects import shown
from recortex.app.wiring import replay_context
from recortex.domain.reports import Given, ReplayedSession, SaidAgain
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Scope
from recortex.engines.copies import Typed, says_the_same
from recortex.engines.exchanges.service import decision
from recortex.engines.privacy import output_redacted, redact
from recortex.engines.usage import uses
from recortex.errors import RecortexError
from recortex.filesystem import open_regular
from recortex.formats.transcripts import open_transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recortex.app.application import Application
    from recortex.domain.memory import Memory
    from recortex.domain.session import Receipt
    from recortex.formats.session_files import SessionFile

SHOWN = 300
"""Characters of a prompt or a memory that are kept for people to read."""
ANSWERS = 5
"""Memories among which one is looked for that says what was typed again."""
CHUNK = 1024 * 1024
"""Bytes that are copied at once."""
_BEGINNING = datetime.min.replace(tzinfo=UTC)


class Replayed(NamedTuple):
    """What a replay gave.

    Attributes:
        sessions: in order of their beginnings, those without a prompt too.
        agents: files of sub-agents, which are learned from and are given nothing.
        unread: files that could not be read or learned from, with the reason.
    """

    sessions: tuple[ReplayedSession, ...]
    agents: int
    unread: tuple[str, ...]


@dataclass(slots=True)
class _Progress:
    """What is known of a session while it is replayed."""

    given: list[Given] = field(default_factory=list)
    again: list[SaidAgain] = field(default_factory=list)
    prompts: int = 0
    answered: int = 0
    tokens: int = 0
    learned: int = 0
    failure: str = ""


@dataclass(slots=True)
class _Clock:
    """Stands still between two steps."""

    now: datetime = _BEGINNING

    def __call__(self) -> datetime:
        return self.now


class _PastContext(HookContext, kw_only=True, eq=False, dict=True):
    """A context whose branch is the one that a transcript tells."""

    recorded: str = ""

    def branch(self, cwd: str) -> str:  # noqa: ARG002
        """The branch that was checked out then."""
        return shown(self.recorded)


def replay(
    app: Application, files: Sequence[SessionFile], *, limit: int = 0, meaning: bool = False
) -> Replayed:
    """Replay sessions in order of time.

    Args:
        app: of the project; only its settings are used, and its stores are not opened.
        files: the transcripts.
        limit: only the latest so many sessions with a prompt; 0: all.
        meaning: make vectors, and answer by them too, as where a server runs.

    Raises:
        RecortexError: the stores of the replay cannot be made.
    """
    # A session may stand in several files, as copies do: it is replayed once.
    known: set[str] = set()
    pasts, unread = [], []
    for file in files:
        try:
            pasts.append(past_session(file, known))
        except (RecortexError, OSError) as error:
            unread.append(f"{file.path}: {error}")
    pasts = _latest([one for one in pasts if one.steps], limit)
    clock = _Clock()
    scratch = TemporaryDirectory(prefix="recortex-replay-", ignore_cleanup_errors=True)
    with _unwinding_when_ended(), scratch as folder:
        context = replay_context(app, Path(folder), clock, new_id=_ids(), meaning=meaning)
        past = {name: getattr(context, name) for name in HookContext.__struct_fields__}
        try:
            found = _Replay(_PastContext(**past), clock, pasts, Path(folder), app.progress).run()
        finally:
            context.app.close()
    unread += [f"{one.path}: {done.failure}" for one, done in zip(pasts, found, strict=True) if done.failure]
    sessions = [_session(one, done) for one, done in zip(pasts, found, strict=True) if not one.agent]
    return Replayed(tuple(sessions), sum(one.agent for one in pasts), tuple(unread))


@contextmanager
def _unwinding_when_ended() -> Iterator[None]:
    """Let a request to end the process raise SystemExit, so that what was made for the replay is deleted."""

    def end(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    ours = threading.current_thread() is threading.main_thread()  # no other may say what a signal does
    names = [one for one in ("SIGTERM", "SIGHUP") if ours and hasattr(signal, one)]
    before = {name: signal.signal(getattr(signal, name), end) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler or signal.SIG_DFL)


def _ids() -> Callable[[], str]:
    """Ids that are the same in every replay: some decisions between equals are taken by id."""
    random = Random(0)  # noqa: S311  nobody has to be kept from guessing them
    return lambda: str(UUID(int=random.getrandbits(128), version=4))


def _latest(pasts: list[PastSession], limit: int) -> list[PastSession]:
    """The sessions in order of their beginnings; of more than the limit the latest, with what ran since."""
    # The path decides between sessions that began at the same moment, so that each replay has the same
    # order.
    ordered = sorted(pasts, key=lambda one: (one.steps[0].at, str(one.path)))
    asked = [
        place
        for place, one in enumerate(ordered)
        if not one.agent and sum(step.event.name == "user-prompt-submit" for step in one.steps)
    ]
    return ordered[asked[-limit] :] if 0 < limit < len(asked) else ordered


def _session(past: PastSession, done: _Progress) -> ReplayedSession:
    return ReplayedSession(
        session=past.id,
        path=shown(str(past.path)),
        client=past.client,
        started_at=past.steps[0].at,
        prompts=done.prompts,
        answered=done.answered,
        given=tuple(done.given),
        again=tuple(done.again),
        tokens=done.tokens,
        learned=done.learned,
        timed=past.timed,
    )


class _Replay:
    """Sessions replayed in one pair of stores."""

    def __init__(
        self,
        context: _PastContext,
        clock: _Clock,
        pasts: Sequence[PastSession],
        folder: Path,
        progress: Callable[[str, int, int], None],
    ) -> None:
        self._context, self._clock, self._pasts = context, clock, pasts
        self._folder, self._tell = folder, progress
        self._done = [_Progress() for _ in pasts]
        self._typed = Typed()

    def run(self) -> list[_Progress]:
        """Take every step of every session in order of time; what became of each session."""
        order = sorted(
            (step.at, place, number)
            for place, past in enumerate(self._pasts)
            for number, step in enumerate(past.steps)
        )
        ended = 0
        for at, place, number in order:
            past, step = self._pasts[place], self._pasts[place].steps[number]
            self._clock.now, self._context.recorded = at, step.branch
            if not past.agent:
                self._take(past, step, self._done[place])
            if step.event.name == "stop" and past.grows:
                self._learn(past, self._done[place], self._grown(past, place, step.size))
            if step.event.name == "session-end":
                self._end(past, self._done[place], place)
                ended += 1
                self._tell("replaying sessions", ended, len(self._pasts))
        return self._done

    def _take(self, past: PastSession, step: Step, done: _Progress) -> None:
        """Call a hook and note what it gave."""
        event = step.event
        asks = event.name == "user-prompt-submit" and event.asks
        # Before the prompt is answered: the memory of what it repeats must have been known until then.
        if asks:
            done.prompts += 1
            done.again += self._again(past, event.prompt, done)
        text = handle(self._context, event)
        if not text:
            return
        done.answered += asks
        done.tokens += self._context.app.services(Scope.PROJECT).count_tokens(text)
        prompt = redact(" ".join(event.prompt.split())).text[:SHOWN]
        for receipt in self._context.sessions.receipts(past.id):
            # The clock stands still during a step, so these are the receipts of this one.
            if receipt.at == self._clock.now:
                done.given.append(self._given(receipt, prompt))

    def _given(self, receipt: Receipt, prompt: str) -> Given:
        blank = Given(
            memory=receipt.memory,
            kind="",
            text="",
            learned_in="",
            said_at=None,
            channel=receipt.channel,
            session=receipt.session,
            at=receipt.at,
            prompt=prompt,
            tokens=receipt.tokens,
        )
        if memory := self._memory(receipt):
            learned_in, text = memory.source.session, output_redacted(memory).text[:SHOWN]
            return replace(
                blank, kind=memory.kind, text=text, learned_in=learned_in, said_at=memory.valid_from
            )
        for said in self._context.app.services(Scope.PROJECT).store.exchanges.get([receipt.memory]):
            text = redact(decision(said) or said.message).text[:SHOWN]
            return replace(blank, kind="exchange", text=text, learned_in=said.session, said_at=said.ended_at)
        return blank

    def _memory(self, receipt: Receipt) -> Memory | None:
        found = self._context.app.services(receipt.scope).store.memories.get([receipt.memory])
        return found[0] if found else None

    def _again(self, past: PastSession, prompt: str, done: _Progress) -> Iterator[SaidAgain]:
        """What a prompt repeats, with the memory that stood for it."""
        had = {given.memory for given in done.given}
        for text, first in self._typed.again(past.id, prompt):
            memory = self._find_known(text, first.text)
            yield SaidAgain(
                text=redact(text).text[:SHOWN],
                session=past.id,
                at=self._clock.now,
                first_text=redact(first.text).text[:SHOWN],
                first_session=first.session,
                memory=memory,
                given=memory in had,
            )

    def _find_known(self, *texts: str) -> str:
        """The id of an active memory that says what was typed; empty where there is none."""
        now = self._clock.now
        for services in self._context.app.readable_services():
            for text in texts:
                hits = services.retrieval.recall(
                    text, limit=ANSWERS, now=now, recipe="keyword", only=MemoryQuery(valid_at=now),
                    floor=False, decayed=False,
                ).hits  # fmt: skip
                for hit in hits:
                    if any(says_the_same(one, hit.memory.text) for one in texts):
                        return hit.memory.id
        return ""

    def _grown(self, past: PastSession, place: int, size: int) -> Path:
        """A copy of a transcript as it was when it had so many bytes."""
        copy = self._folder / "transcripts" / str(place) / past.path.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        with open_regular(past.path) as file, copy.open("ab") as grown:
            # Only what is new is copied: a transcript is copied at each stop, and may be large.
            file.seek(grown.tell())
            while (left := size - grown.tell()) > 0 and (part := file.read(min(left, CHUNK))):
                grown.write(part)
        return copy

    def _end(self, past: PastSession, done: _Progress, place: int) -> None:
        """Learn from the rest of a session, and mark what of the given it used."""
        path = self._grown(past, place, past.path.stat().st_size) if past.grows else past.path
        self._learn(past, done, path)
        # The copies of all sessions together may be larger than the disk has room for.
        if past.grows:
            path.unlink()
        if not done.given:
            return
        receipts = self._context.sessions.receipts(past.id)
        used = {(one.memory, one.at): one.used_as for one in receipts}
        # Which of the receipts name something that the session came to, from whatever source.
        memories = {one.memory: found for one in receipts if (found := self._memory(one))}
        unmarked = [replace(one, used_as="", used_at=None) for one in receipts]
        came = uses(unmarked, memories, open_transcript(past.path), unexplained=False)
        came_up = {(one.receipt.memory, one.receipt.at) for one in came}
        done.given = [
            replace(given, used=used.get(key, ""), came_up=key in came_up)
            for given in done.given
            for key in [(given.memory, given.at)]
        ]

    def _learn(self, past: PastSession, done: _Progress, path: Path) -> None:
        """Learn from a session as the capture process does, as far as its transcript goes."""
        counts = RunCounts()
        request = Request(
            session=past.id,
            transcript=str(path),
            client=past.client,
            agent=past.path.stem if past.agent else "",
            final=True,
        )
        before = self._active()
        try:
            learn_from(self._context, request, LastMessage(), counts)
        except (RecortexError, OSError) as error:
            done.failure = str(error)
        follow_up(self._context, counts, seconds=0.0)
        done.learned += max(0, self._active() - before)

    def _active(self) -> int:
        return sum(
            services.store.memories.count(MemoryQuery()) for services in self._context.app.readable_services()
        )
