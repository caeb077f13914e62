"""The capture process, which learns from sessions: one at a time for a project, bounded in time and memory.

Hooks only put requests into a queue; this process takes them up. Whenever it dies, what it had not finished
waits for the next.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.app.brief import brief
from recortex.app.brief_cache import forget_briefs
from recortex.app.hooks import (
    ATTEMPTS,
    CLIENTS,
    STATUS,
    Window,
    claim_requests,
    digest,
    end_request,
    fail_request,
    log_error,
    note_progress,
    put_request,
    urgent_request,
    waiting_requests,
    write_status,
)
from recortex.app.jobs.instructions import keep_in_step
from recortex.app.jobs.running import run, run_due
from recortex.app.jobs.table import AFTER_SESSION, CHANGES, QUEUED, RENAMES
from recortex.app.past_sessions import TurnPlaces
from recortex.app.projects import shown, with_folder
from recortex.app.wiring import hook_context
from recortex.codebase.git import GitContext, git_context, working_tree
from recortex.deadlines import Ending
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.maintenance import Checkpoint
from recortex.domain.search import MemoryQuery
from recortex.domain.session import Signal
from recortex.domain.vocabulary import Actor, Origin, Scope, Status
from recortex.engines.exchanges.service import decision
from recortex.engines.extraction.sentences import identifiers
from recortex.engines.usage import GivenTexts, uses
from recortex.errors import FormatError, RecortexError
from recortex.filesystem import alone
from recortex.formats.transcripts.detection import detect

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from recortex.app.application import Application, StoreServices
    from recortex.app.hooks import HookContext, Request
    from recortex.app.jobs.learning import Lesson
    from recortex.domain.exchange import Turn
    from recortex.domain.memory import Memory
    from recortex.domain.session import Receipt, Session


# -- what the capture process does after it has learned: jobs, a new brief, and counts of all it did


@dataclass(slots=True)
class RunCounts:
    """What a run of the capture process did, in counts.

    Attributes:
        places: branch, folder and client of each session that was learned from: its next brief is made then.
    """

    sessions: int = 0
    passes: int = 0
    turns: int = 0
    found: int = 0
    added: int = 0
    merged: int = 0
    used: int = 0
    failed: int = 0
    places: list[tuple[str, str, str]] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """All counts by name."""
        return {name: value for name, value in asdict(self).items() if isinstance(value, int)}

    def count(self, lesson: Lesson) -> None:
        """Add a pass."""
        outcomes = [one.outcome for one in lesson.extracted.found]
        self.passes += 1
        self.turns += len(lesson.turns)
        self.found += len(outcomes)
        self.added += outcomes.count("added")
        self.merged += outcomes.count("merged")


def follow_up(context: HookContext, run_counts: RunCounts, *, seconds: float) -> None:
    """Bring the stores up to date with what was learned, in the order that `table.py` tells.

    Args:
        context: of the project.
        run_counts: what was learned.
        seconds: how long that took.
    """
    # A server's worker that was asked runs these jobs; here they would be done twice.
    ours = [services for services in context.app.readable_services() if not _handed_over(services)]
    first = [
        replace(job, seconds=OF_A_TURN) if job is CHANGES else job
        for job in AFTER_SESSION
        if job.before_brief
    ]
    counts = {count: 0 for job in first for count in job.counts}
    for services in ours:
        for done in run(services, context.clock, services.settings, first):
            counts |= {name: counts.get(name, 0) + count for name, count in done.counts.items()}
    # Before the new ones are made: whoever asks between the two has one made, and gets no old one.
    forget_briefs(context.locations)
    # Several sessions of one branch, folder and client have the same brief.
    for branch, folder, client in dict.fromkeys(run_counts.places):
        brief(context.app, branch=branch, cwd=folder, client=client)
    write_status(
        context.location.place(STATUS), context.clock().isoformat(), run_counts.counts() | counts, seconds
    )
    rest = [job for job in AFTER_SESSION if not job.before_brief]
    for services in ours:
        run(services, context.clock, services.settings, rest)
        run_due(services, context.clock, services.settings)


def after_import(app: Application) -> None:
    """Do what follows the end of a session: changes, renames, causes, links to symbols.

    What a job does not finish in its time, the end of the next session goes on with; those that look at the
    whole history are quick, and do.
    """
    jobs = [replace(job, seconds=math.inf) if job is RENAMES else job for job in AFTER_SESSION]
    for services in app.all_services():
        if _handed_over(services):
            continue
        for place, job in enumerate(jobs):
            app.progress(f"after the import: {job.name}", place, len(jobs))
            run(services, app.clock, services.settings, [job])
    forget_briefs(list(app.locations.values()))


def _handed_over(services: StoreServices) -> bool:
    """Whether a worker of the store's server was asked to run the jobs."""
    if not services.location.remote:
        return False
    from recortex.app.backends.queue import handed_over

    return handed_over(services.location, QUEUED)


# -- the capture process, which learns from sessions: one at a time for a project, bounded in time and memory


OF_A_TURN = 0.4
"""Seconds after a turn in which changes of mind are looked for: the rest of many waits for the next ones."""
SECONDS = 120.0
"""After so long the process ends. What each pass taught is kept before the next begins, so nothing is lost:
the request waits for the next process."""
MOST_RAM = 2 * 1024**3
"""Bytes of data that the process may have. Learning from a session takes 70 MB, the embedding model 200 MB
more."""
LAG = 2.0
"""Seconds that a transcript may lag behind what the client says: Claude Code 2.1.100 writes its last message
0.4 s after Stop."""
PAUSE = 3.0
"""Seconds after the end of a turn before learning begins. Without it a prompt that follows at once competes
with it: the 95th percentile from prompt to request grew by 300 to 400 ms (bench/session_latency.py
--pause 0)."""
_TRANSCRIPT_POLL, _QUEUE_POLL = 0.05, 0.2
"""Seconds between two looks at a transcript for the last message, and at the queue for an urgent request."""
_TAIL = 512 * 1024
"""Bytes at the end of a transcript that are searched for the last message; also the most read from a hook."""
_PREFIX = 60  # characters of the last message that are looked for


@dataclass(frozen=True, slots=True)
class LastMessage:
    """What the client said last in a session, as reported by the hook."""

    session: str = ""
    message: str = ""

    def for_request(self, request: Request) -> str:
        """The message, where it was said in the session that a request is about, not by a sub-agent."""
        return self.message if not request.agent and request.session == self.session else ""


def fulfil_requests(context: HookContext, last_message: LastMessage, *, pause: float = 0.0) -> None:
    """Learn from every session that waits, unless another process holds the lock: it takes up these requests.

    Args:
        context: of the project.
        last_message: what the hook was told last.
        pause: seconds to let pass first, unless a session has just ended.
    """
    context.capture_lock.parent.mkdir(mode=0o700, exist_ok=True)
    left = -1
    # Again while more wait than were left just now: those are tried by the next process. Looked at after the
    # lock was given back, since a hook that finds it held starts no process of its own.
    while waiting_requests(context.queue) > left:
        with alone(context.capture_lock) as held:
            if not held:
                return
            # Let the turn that follows begin first: somebody waits for its hooks, and nobody for this
            # process.
            until = time.monotonic() + pause
            while time.monotonic() < until and not urgent_request(context.queue):
                time.sleep(_QUEUE_POLL)
            counts, began = RunCounts(), time.monotonic()
            counts.added += _read_instructions(context)
            before, taken = waiting_requests(context.queue), 0
            for claimed, request in claim_requests(context.queue):
                taken += 1
                if not _fulfil(context, claimed, request, last_message, counts):
                    return  # the others might fail for the same reason: they wait for the next process
            if counts.sessions + counts.failed + counts.added:
                follow_up(context, counts, seconds=time.monotonic() - began)
            # Where none of them could be taken, the queue's folder cannot be written.
            left = counts.failed if taken else before


def _read_instructions(context: HookContext) -> int:
    """Follow the project's instruction files, before sessions teach the same; returns how much is new."""
    if not context.exists:
        return 0
    try:
        reading = keep_in_step(context.app.services(Scope.PROJECT), context.clock())
        for line in reading.left_out:
            log_error(context.location, "instructions", line)
        return len(reading.new)
    except Exception as error:  # noqa: BLE001  a file must not keep sessions from being learned from
        log_error(context.location, "instructions", f"{type(error).__name__}: {error}")
        return 0


def _fulfil(
    context: HookContext, claimed: Path, request: Request, last_message: LastMessage, counts: RunCounts
) -> bool:
    """Learn from what a request names.

    Returns False to stop: it failed, and the remaining requests may fail for the same reason.
    """
    given_up = f"Given up after {ATTEMPTS} attempts: `recortex extract` reads the file."
    # Only the file's name goes into the log: its folders may name persons or customers.
    name = Path(request.transcript).name
    if not request.transcript:
        counts.added += _read_instructions(context)
        end_request(claimed)
        return True
    # What ends the process, by time or memory, never reaches the code below: only the attempts tell of it.
    if request.attempts >= ATTEMPTS:
        counts.failed += 1
        end_request(claimed)
        log_error(context.location, "capture", f"{name} was never read to its end in time. {given_up}")
        return True
    try:
        learn_from(context, request, last_message, counts)
    except Exception as error:  # noqa: BLE001  one transcript must not block all others
        counts.failed += 1
        waits = fail_request(claimed, request)
        # The text of an unexpected error may quote the transcript, and the log is no place for that.
        known = isinstance(error, RecortexError | OSError)
        said = str(error) if known else f"{type(error).__name__} in {name}"
        log_error(context.location, "capture", said if waits else f"{said} {given_up}")
        # A file that cannot be read, or that was given up, says nothing of the others.
        return not waits or isinstance(error, FormatError)
    counts.sessions += 1
    counts.places.append((request.branch, request.folder, request.client))
    end_request(claimed)
    return True


def learn_from(context: HookContext, request: Request, last_message: LastMessage, counts: RunCounts) -> None:
    """Learn from a transcript what it has not taught yet, and note which memories its session used.

    Raises:
        RecortexError: it is no transcript, or the store cannot be used.
        OSError: it cannot be read.
    """
    from recortex.app.jobs.learning import Live, learn

    path = Path(request.transcript)
    session = None if request.agent else context.sessions.get(request.session)
    last = last_message.for_request(request)
    if not path.is_file():
        return
    # What stands in the transcript by now must not be taught a second time from the hook.
    if last and _holds(path, last):
        last = ""
    if session is None and not request.agent and not _of_this_project(context, path):
        return
    receipts, memories = _given_memories(context, request.session)
    git = _git(request)
    echo = GivenTexts(memory.text for memory in memories.values())
    # 0 differs from every size, so the next start reads what is written from now on.
    # Taken before reading: what is appended meanwhile makes the size differ, and is read next time.
    size = path.stat().st_size if request.final else 0
    # A long transcript is read in passes; what each taught is kept before the next one begins.
    more, elsewhere = True, set[Path]()
    while more:
        window = Window(last=last, told=session.told if session else "")
        adviser = context.app.adviser
        live = Live(window=window, adviser=adviser, given=echo, git=git, folder=request.folder)
        final = request.final or bool(last_message.for_request(request))
        lesson = learn(context.app.services, path, clock=context.clock, final=final, dry_run=False, live=live)
        counts.count(lesson)
        counts.used += _count_uses(context, receipts, memories, lesson.turns)
        more = lesson.more
        if more:
            note_progress(context.queue, request)
        elsewhere |= set(lesson.elsewhere)
    if not request.forwarded:
        for root in sorted(elsewhere):
            _forward(root, replace(request, folder=str(root), branch="", forwarded=True))
    if session:
        note_decision(context, session)
        check(context, session, path)
        context.sessions.captured(
            session.id, context.clock(), size=size, told=digest(last) if last else session.told
        )


def _forward(root: Path, request: Request) -> None:
    """Let another project learn what was said in it; it is not sent on from there."""
    from recortex.app.hooks.dispatch import start_capture

    context = hook_context(root)
    if context.settings["hooks.capture"] and not context.location.unbound:
        with_folder(context.location)
        put_request(context.queue, request)
        start_capture(context)


def _given_memories(context: HookContext, session: str) -> tuple[list[Receipt], dict[str, Memory]]:
    """What was given in a session, and the memories that are still there, by id."""
    receipts = context.sessions.receipts(session)
    ids = list(dict.fromkeys(one.memory for one in receipts))
    stores = context.app.readable_services() if ids else []
    found = [memory for services in stores for memory in services.store.memories.get(ids)]
    return receipts, {memory.id: memory for memory in found}


def _count_uses(
    context: HookContext, receipts: Sequence[Receipt], memories: dict[str, Memory], turns: Sequence[Turn]
) -> int:
    """Note each use that the turns show; returns how many.

    Being shown does not count as an access of the memory; being used does.
    """
    counted = 0
    for used in uses(receipts, memories, turns) if receipts else ():
        if context.sessions.mark_used(used.receipt, used.at, used.use):
            counted += 1
            memory = memories[used.receipt.memory]
            services = context.app.services(memory.scope)
            with services.store.transaction():
                services.store.memories.touch([memory.id], used.at)
            if memory.status is Status.PROPOSED:
                _confirm(services, memory.id, context.clock())
    return counted


def _confirm(services: StoreServices, id_: str, now: datetime) -> None:
    """Let a proposal become active that was asked for and used."""
    for memory in services.store.memories.get([id_]):
        if memory.status is Status.PROPOSED:
            active = replace(memory, status=Status.ACTIVE)
            services.ingestion.change(
                memory, active, now=now, actor=Actor.LEARNING, operation="confirm", reason="it was used"
            )


def _of_this_project(context: HookContext, path: Path) -> bool:
    """Whether a transcript that no hook reported is of this project: a client's folder may hold others'.

    One of another project gets a checkpoint with nothing read, so that it is not looked at again.
    """
    # Unknown counts as this project's: only turns that name another folder are left alone.
    if TurnPlaces(context.root, context.project.home).has_own(path) is not False:
        return True
    store = context.app.services(Scope.PROJECT).store
    with store.transaction():
        store.ledger.save_checkpoint(
            Checkpoint(
                path=shown(str(path.resolve())),
                session_id="",
                client=detect(path).name,
                position=0,
                turns=0,
                extracted_at=context.clock(),
            )
        )
    return False


def _git(request: Request) -> GitContext:
    """The state of the checkout, if the session worked in one that is still there."""
    folder = Path(request.folder)
    return git_context(working_tree(folder)) if request.folder and folder.is_dir() else GitContext()


def _holds(path: Path, message: str) -> bool:
    """Whether a transcript has a message by now; waits for it up to `LAG` seconds."""
    # Clients write JSON with letters beyond ASCII either escaped or as they are.
    wanted = json.dumps(message[:_PREFIX])[1:-1].encode()
    wanted_plain = json.dumps(message[:_PREFIX], ensure_ascii=False)[1:-1].encode()
    patience = time.monotonic() + LAG
    while True:
        with suppress(OSError), path.open("rb") as file:
            # From the end: a transcript is appended to, and may be too large to be read whole.
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
            tail = file.read()
            if wanted in tail or wanted_plain in tail:
                return True
        if time.monotonic() > patience:
            return False
        time.sleep(_TRANSCRIPT_POLL)


# -- after the turn: whether the person decided something, and whether what was remembered was said


ASKED_FOR = "hooks.reflect"
"""The `tool` in the source of a memory that the agent kept because it was asked."""
_NUMBER = re.compile(r"\b\d(?:[\w.]*\w)?")
_NOTED = frozenset((
    "cwd", "gitBranch", "id", "message_id", "model", "parentUuid", "promptId", "requestId", "sessionId",
    "signature", "slug", "timestamp", "tool_use_id", "type", "usage", "uuid", "version",
))  # fmt: skip
"""Fields of a line that hold digits of their own: ids, times, the folder."""
MOST_READ = 64 * 1024 * 1024
"""Bytes of a transcript in which what was remembered is looked for; in a longer one nothing is checked."""
_BEGINNING = 40
"""Characters by which a memory's text is found in a transcript."""


def note_decision(context: HookContext, session: Session) -> None:
    """Note that the person decided something in a session, once, where that makes it worth asking."""
    if not context.settings["hooks.reflect"] or session.client not in CLIENTS:
        return
    seen = {one.name for one in context.sessions.signals(session.id)}
    if seen & {"decided", "mended", "reflected"}:
        return
    said = context.app.services(Scope.PROJECT).store.exchanges.find(ExchangeQuery(session=session.id))
    if any(map(decision, said)):
        context.note([Signal(session=session.id, at=context.clock(), name="decided", subject="")])


def check(context: HookContext, session: Session, transcript: Path) -> int:
    """Mark what the agent remembered because it was asked, and let wait what was not said in the session.

    A name of code, a file, a product or a number in it that stands nowhere in the transcript before it makes
    it a proposal. Returns how many wait.
    """
    signals = context.sessions.signals(session.id)
    asked = next((one.at for one in signals if one.name == "reflected"), None)
    if asked is None:
        return 0
    services, waiting = context.app.services(Scope.PROJECT), 0
    # After a compaction the agent is asked before a prompt, at the end of a turn after it.
    later = [one.at for one in signals if one.name == "prompted" and one.at > asked][1:2]
    until = later[0] if later else None
    query = MemoryQuery(origins=(Origin.AGENT,), recorded_after=asked, recorded_before=until)
    # What has a tool in its source was marked by an earlier pass.
    new = [one for one in services.store.memories.find(query) if not one.source.tool]
    if not new or transcript.stat().st_size > MOST_READ:
        return 0
    raw = transcript.read_text(encoding="utf-8", errors="replace")
    for memory in new:
        if memory.id not in raw:  # another session's
            continue
        missing = list(dict.fromkeys(_unsaid(memory, raw)))
        source = replace(
            memory.source, session=session.id, client=session.client or "claude-code", tool=ASKED_FOR
        )
        marked = replace(memory, source=source, status=Status.PROPOSED if missing else memory.status)
        reason = f"not said in the session: {', '.join(missing)}" if missing else "it was asked for"
        services.ingestion.change(
            memory, marked, now=context.clock(), actor=Actor.LEARNING, operation="check", reason=reason
        )
        waiting += bool(missing)
    return waiting


def _unsaid(memory: Memory, transcript: str) -> Iterator[str]:
    """The names and numbers of a memory that stand nowhere before it in a transcript of JSON lines."""
    begins = [json.dumps(memory.text[:_BEGINNING], ensure_ascii=plain)[1:-1] for plain in (False, True)]
    place = max(map(transcript.find, begins))
    if place < 0:
        return
    # Without the line of the call itself, in which the memory's own text stands.
    lines = transcript[:place].splitlines()[:-1]
    before = "\n".join(chain.from_iterable(map(_texts, map(_parsed, lines)))).casefold()
    for name in (*identifiers(memory.text), *_NUMBER.findall(memory.text)):
        # As a whole name: `port` must not be found in `export`, nor `1.2` in `11.2`.
        if not re.search(rf"(?<![\w.:]){re.escape(name.strip('.,;:').casefold())}(?!\w)", before):
            yield name


def _parsed(line: str) -> Any:
    # Deeply nested JSON ends the parser, and must not end the process.
    with suppress(ValueError, RecursionError):
        return json.loads(line)
    return line


def _texts(value: Any) -> Iterator[str]:
    """The texts of a line, without what a client notes about it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            if key not in _NOTED:
                yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


# -- the process


def main(context: HookContext) -> int:
    """Be the capture process; what the hook was told last comes on standard input."""
    # Before anything is read: a transcript of any size is the reason for the limit.
    limit_ram()
    # It ends the process wherever it hangs; what waits stays in the queue.
    Ending(SECONDS)
    last_message = _last_message()
    try:
        fulfil_requests(context, last_message, pause=PAUSE)
    except Exception as error:  # noqa: BLE001  nobody sees what this process says: the log does
        log_error(context.location, "capture", f"{type(error).__name__}: {error}")
    return 0


def limit_ram() -> None:
    """Cap the process's memory, where the system can."""
    if os.name != "posix":
        return
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_RAM, MOST_RAM))


def _last_message() -> LastMessage:
    # A terminal gives no end of input: started by hand, the process would wait for ever.
    if sys.stdin is None or sys.stdin.isatty():
        return LastMessage()
    try:
        given: Any = json.loads(sys.stdin.buffer.read(_TAIL))
        return LastMessage(session=str(given["session"]), message=str(given["message"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return LastMessage()
