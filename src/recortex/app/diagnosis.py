"""The checks of `recortex doctor`."""

from __future__ import annotations

import math
import os
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from recortex.app.jobs.lifecycle import SMALL_FILE
from recortex.app.jobs.reembedding import index_notice, outlook
from recortex.app.projects import locate, unbound
from recortex.domain.maintenance import LOSING, LOST, Checkpoint
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Scope, Status
from recortex.engines.maintenance import bytes_per_day, days_until, fragmentation
from recortex.errors import CorruptStoreError, RecortexError
from recortex.lean import Value, lazy_module
from recortex.plugins import capabilities, load
from recortex.settings import LOCAL_EMBEDDERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib import metadata
    from pathlib import Path

    from recortex.app import past_sessions, whole_stores
    from recortex.app.application import Application, StoreServices
    from recortex.app.backends import files
    from recortex.app.jobs import running as job_running
    from recortex.app.projects import Location
    from recortex.codebase import grammars
    from recortex.domain.maintenance import DegradationRecord
    from recortex.ports.store import KeptStore, Store
    from recortex.settings import Settings
else:
    files = lazy_module("recortex.app.backends.files")
    grammars = lazy_module("recortex.codebase.grammars")
    job_running = lazy_module("recortex.app.jobs.running")
    metadata = lazy_module("importlib.metadata")
    past_sessions = lazy_module("recortex.app.past_sessions")
    whole_stores = lazy_module("recortex.app.whole_stores")


Level = Literal["ok", "notice", "loss", "problem"]


class HealthFinding(Value, frozen=True):
    """One thing that was checked.

    Attributes:
        level: `loss`: what was kept is gone, though nothing is broken and nothing brings it back.
        todo: what to do about it; empty where all is well.
    """

    check: str
    level: Level
    message: str
    todo: str = ""


_ANEW = "Copy the workspace into a new one with `recortex migrate-store`: what is derived is made anew there."
PACKAGES = ("recortex", "apsw", "sqlite-vec", "onnxruntime", "numpy", "tiktoken", "mcp", "msgspec")


def installed() -> dict[str, str]:
    """The installed versions of the packages that Recortex needs."""
    found = {"python": sys.version.split()[0]}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "missing"
    return found


def diagnose(app: Application) -> Iterator[HealthFinding]:
    """Make every check, one after the other."""
    for problem in app.settings.problems:
        yield HealthFinding("settings", "notice", problem, "Correct it, or remove it.")
    for name, found in installed().items():
        if found == "missing":
            yield HealthFinding("packages", "problem", f"{name} is not installed.", f"pip install {name}")
    # Memories of this project that are not used: of a moved checkout, or in an older version's folder
    project = locate(app.project.home, app.project.checkout)
    if why := whole_stores.refused(project):
        yield HealthFinding("project", "notice", why, "See `recortex init`.")
    for one in whole_stores.candidates(project):
        said = f"Memories of {one.path} are kept in {one.folder}, and are not used."
        yield HealthFinding(
            "project", "notice", said, "`recortex init` shows them; `recortex init --adopt` takes them over."
        )
    yield from _shared_notes(app)
    for scope, location in app.locations.items():
        yield from _store(app, scope.value if scope else "all", location)
    yield from _embedder(app)
    yield from _code()
    for check in (name for one in capabilities() for name in one.checks):
        yield from load(check)(app)


def _code() -> Iterator[HealthFinding]:
    """Whether code can be read: all grammars are loaded."""
    try:
        wrong = grammars.check()
    except grammars.GrammarError as error:
        yield HealthFinding("code", "ok", f"{error.message} Code is cited, but not understood.", error.hint)
        return
    for problem in wrong:
        yield HealthFinding("code", "problem", problem, f"{grammars.INSTALL} --force-reinstall")
    if not wrong:
        yield HealthFinding("code", "ok", "Ten languages can be read.", "")


def _shared_notes(app: Application) -> Iterator[HealthFinding]:
    """Notes of Claude Code that are not read, since they may be another project's."""
    folder, location = (
        past_sessions.notes_folder(app.settings.claude_folder, app.root),
        app.locations.get(Scope.PROJECT),
    )
    if location and location.project and app.settings["hooks.instructions"]:
        for one in past_sessions.sharers(location, location.project, [folder]).items():
            yield HealthFinding("notes", "notice", *past_sessions.describe_unread(*one))


def _store(app: Application, name: str, location: Location) -> Iterator[HealthFinding]:
    title = f"{name} store"
    if location.unbound:
        error = unbound(location)
        yield HealthFinding(title, "problem", error.message, error.hint)
        return
    if not location.exists:
        if gone := _gone(location):
            yield HealthFinding(title, "problem", gone.message, gone.hint)
            return
        yield HealthFinding(
            title,
            "ok",
            f"There is none yet at {location.shown}. It is made when the first memory is kept.",
            "",
        )
        return
    if not location.remote:
        yield from _modes(title, location)
    try:
        services = app.services_at(location)
        found = services.store.check()
    except RecortexError as error:
        yield HealthFinding(title, "problem", error.message, error.hint)
        return
    yield from _unwritable(title, services)
    todo = _ANEW if location.remote else "Run `recortex recover`."
    for problem in found.problems:
        yield HealthFinding(title, "problem", problem, todo)
    if not found.index_whole:
        todo = _ANEW if location.remote else "Run `recortex recover`: it is rebuilt from the memories."
        yield HealthFinding(title, "problem", "The keyword index is damaged.", todo)
    changed = files.altered(services.store) if found.whole else []
    for problem in changed:
        yield HealthFinding(title, "problem", problem, "Run `recortex recover`: a backup may have it.")
    todo = "Write again what is missing; no backup holds it."
    yield from (HealthFinding(title, "loss", lost, todo) for lost in losses(services.store))
    if found.whole and not changed:  # of a damaged store, vectors need no word
        yield from _vectors(title, services, remote=location.remote)
        yield from _circles(title, services)
        yield from _unfinished(title, services)
        yield HealthFinding(title, "ok", f"{location.shown} is whole.", "")


def _unwritable(title: str, services: StoreServices) -> Iterator[HealthFinding]:
    if why := services.store.unwritable:
        said = f"It cannot be written: {why}. What is in it is told; nothing new is kept."
        yield HealthFinding(
            title, "problem", said, "Make room on the disk, or give yourself the right to write there."
        )


def losses(store: KeptStore) -> list[str]:
    """What a store lost of what it had acknowledged: its file lost its end, now or at an earlier opening.

    No fault of the file: a power cut takes the last commits too, which nobody can bring back.
    """
    now, found = files.lacking(store), []
    with suppress(CorruptStoreError):  # whoever reads the damaged part says what is wrong
        # The same loss is noted once when it is noticed, and found again at each opening.
        found = [
            f"{one.degradation.failure} (noticed on {one.first_at:%Y-%m-%d})."
            for one in store.ledger.degradations()
            if one.degradation.component == LOSING
        ]
    return found if not now or any(now in one for one in found) else [f"{LOST} {now}.", *found]


def failing(services: StoreServices) -> list[DegradationRecord]:
    """What could not be used and was not seen to work since, latest first."""
    working = {LOSING, "global store", *(["sqlite-vec"] if services.store.has_vectors else [])}
    return [
        one
        for one in services.store.ledger.degradations()
        if not (one.degradation.recovered or one.degradation.component in working)
    ]


def _circles(title: str, services: StoreServices) -> Iterator[HealthFinding]:
    """Memories that are causes of themselves: an older version let that be."""
    if found := services.store.relations.circular():
        first = f"{found[0].source_id[:8]} {found[0].type} {found[0].target_id[:8]}"
        yield HealthFinding(
            title,
            "notice",
            f"Memories are causes of themselves, by relations such as {first}, the weakest of its circle.",
            "`recortex gc` lets these wait for review; `recortex unlink` takes another one away.",
        )


def _unfinished(title: str, services: StoreServices) -> Iterator[HealthFinding]:
    """Background jobs that never end."""
    for one in services.store.ledger.degradations():
        told = one.degradation
        if told.failure == job_running.UNFINISHED and not told.recovered:
            said = f"The {told.component}: {told.failure}, last on {one.last_at:%Y-%m-%d}; {told.fallback}."
            yield HealthFinding(
                title, "notice", said, "Report it with what is special about the project's files."
            )


def _gone(location: Location) -> RecortexError | None:
    try:
        files.missing(location.database, location.backups)
    except RecortexError as error:
        return error
    return None


def _vectors(title: str, services: StoreServices, *, remote: bool) -> Iterator[HealthFinding]:
    if not services.store.has_vectors:
        yield HealthFinding(
            title,
            "problem",
            "sqlite-vec cannot be loaded: recall goes by words alone.",
            "pip install --force-reinstall sqlite-vec",
        )
    elif not services.store.vectors.agrees():
        todo = _ANEW if remote else "Run `recortex recover`."
        yield HealthFinding(title, "notice", "Some vectors have no signs to be found by.", todo)
    state = outlook(services)
    if state.missing:
        yield HealthFinding(
            title,
            "notice",
            f"{_memories(state.missing)} no vector yet.",
            "Recall makes them, a few at a time.",
        )
    if state.outdated:
        former = ", ".join(state.former)
        said = f"{_memories(state.outdated)} a vector of {former}, not of {state.model}."
        yield HealthFinding(
            title, "notice", f"{said} Those are found by their words.", "Run `recortex reembed`."
        )
    for count, name in ((state.exchanges, "exchange"), (state.chunks, "part of a document")):
        if not count:
            continue
        many = "parts of documents have" if name[0] == "p" else "exchanges have"
        said = f"{count:,} {f'{name} has' if count == 1 else many}"
        model = f" of {state.model}" if state.model else ""
        yield HealthFinding(
            title,
            "notice",
            f"{said} no vectors{model} yet: they are found by their words.",
            "A job after each session makes them; `recortex reembed` does it now.",
        )
    if slow := index_notice(services, thorough=True):
        yield HealthFinding(title, "notice", *slow)


def _memories(count: int) -> str:
    return f"{count:,} {'memory has' if count == 1 else 'memories have'}"


def _modes(title: str, location: Location) -> Iterator[HealthFinding]:
    """POSIX only: elsewhere the folder's own access list counts."""
    if os.name != "posix":
        return
    # The folder of a file that a person named is theirs to share.
    wanted: list[tuple[Path, int]] = [(location.database, 0o600)]
    if location.project is not None:
        wanted.append((location.folder, 0o700))
    for path, mode in wanted:
        actual = path.stat().st_mode & 0o777
        if actual & ~mode:
            yield HealthFinding(
                title, "problem", f"{path} can be read by others (mode {actual:o}).", f"chmod {mode:o} {path}"
            )


def _embedder(app: Application) -> Iterator[HealthFinding]:
    if app.settings["embedder"] == "none":
        yield HealthFinding(
            "embedding",
            "notice",
            "Vectors are switched off.",
            'Set embedder = "onnx" to recall by meaning too.',
        )
        return
    try:
        name = app.probe_embedder()
    except RecortexError as error:
        yield HealthFinding("embedding", "problem", error.message, error.hint)
        return
    # The setting is not `hashed`, so the model failed.
    if name.startswith("hashed") and app.settings["embedder"] != "hashed":
        yield HealthFinding(
            "embedding",
            "problem",
            "The embedding model cannot be used; hashed TF-IDF stands in.",
            "pip install --force-reinstall recortex onnxruntime",
        )
    else:
        yield HealthFinding("embedding", "ok", f"{name} makes vectors{_elsewhere(app)}.", "")


def _elsewhere(app: Application) -> str:
    """Who reads the texts that vectors are made of, where it is not this machine."""
    embedder, url = app.settings["embedder"], app.settings["embedding.url"]
    if embedder in LOCAL_EMBEDDERS or (embedder == "ollama" and not url):
        return ""
    return f"; texts are sent to {url or embedder}"


# -- the health of a store: its size, its growth, and what a person might do about them


SAMPLES = 400
"""Sizes of the store that growth is computed from: more than its window holds."""
SOON_DAYS = 30
"""How long before a store reaches its threshold a notice is given."""
_MONTH = 30
_MEGABYTE = 1024 * 1024
_STAMP = "%Y%m%dT%H%M%S%f"


class Health(Value, frozen=True, kw_only=True):
    """The health of a store.

    Attributes:
        active: memories with that status, as everywhere.
        archived: memories that are archived or pruned.
        fragmentation: the share that holds nothing, from 0 to 1, as of the last maintenance.
        bytes_per_month: by which it grows; None where too little is known.
        days_to_threshold: until it has the size of `gc.threshold_mb`; None where it will not, as things are.
        last_gc, last_backup: when maintenance was done, and when a backup was made; None: never.
    """

    bytes: int
    active: int
    archived: int
    vector_bytes: int
    index_bytes: int
    fragmentation: float
    bytes_per_month: int | None
    days_to_threshold: int | None
    last_gc: datetime | None
    last_backup: datetime | None


def health(services: StoreServices, settings: Settings) -> Health:
    """Measure the health of a store."""
    store = services.store
    space = store.compaction.space()
    archived = store.maintenance.archived()
    rate = bytes_per_day(store.maintenance.samples(SAMPLES))
    left = days_until(space.total, settings["gc.threshold_mb"] * _MEGABYTE, rate)
    runs = store.maintenance.all()
    # Growth and backups are noted more often, and are no maintenance.
    done = [run.done_at for name, run in runs.items() if name not in {"growth", "backup"}]
    # Free pages are counted now; half-empty ones are known from the last maintenance.
    waste = max(runs["compaction"].outcome.get("waste_bytes", 0) if "compaction" in runs else 0, space.free)
    # The time in the newest backup's name; None for one that a person named
    stamps = (path.name.partition("-")[0] for path in services.store.backups.all())
    return Health(
        bytes=space.total,
        active=sum(statuses.get(Status.ACTIVE, 0) for statuses in store.memories.counts().values()),
        archived=archived,
        vector_bytes=space.vectors,
        index_bytes=space.keyword_index,
        fragmentation=fragmentation(waste, space.total),
        bytes_per_month=None if rate is None else round(rate * _MONTH),
        days_to_threshold=None if left is None else math.ceil(left),
        last_gc=max(done, default=None),
        last_backup=max(filter(None, map(_stamped, stamps)), default=None),
    )


def notices(value: Health, settings: Settings) -> list[str]:
    """What a person might do about a store's size."""
    found = []
    if value.days_to_threshold is not None and value.days_to_threshold <= SOON_DAYS:
        size = f"{settings['gc.threshold_mb']:,} MB (gc.threshold_mb)"
        when = (
            f"will have {size} in {value.days_to_threshold} days"
            if value.days_to_threshold
            else f"has {size}"
        )
        found.append(f"The store {when}: `recortex gc --all --dry-run` shows what can go.")
    # Only large files are told of: small ones are written anew unasked.
    if value.fragmentation > settings["gc.fragmentation"] and value.bytes > SMALL_FILE:
        share = f"{value.fragmentation:.0%} of the store's file holds nothing"
        found.append(f"{share}: run `recortex gc --full` when nobody works with it.")
    return found


def _stamped(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


# -- when it is time to look for what is said twice


CHECKPOINT = "consolidation"
"""The name of the checkpoint that says when somebody last looked."""
MOST_SESSIONS = 100
"""The latest sessions that are counted; the threshold is a tenth of it."""
MOST_EXTRACTIONS, MOST_MEMORIES = 10, 80


class Due(Value, frozen=True, kw_only=True):
    """What was learned since somebody last looked for duplicates.

    Attributes:
        since: when that was; None if never.
        extractions: sessions that were learned from since then.
        memories: active memories recorded since then.
        notice: «consolidation is due» with the reason and the command; empty while it is not.
    """

    since: datetime | None
    extractions: int
    memories: int
    notice: str = ""


def due(since: datetime | None, *, extractions: int, memories: int) -> Due:
    """Whether one of two thresholds is reached: 10 extractions, or 80 active memories."""
    if extractions >= MOST_EXTRACTIONS:
        reason = f"{extractions} sessions were learned from"
    elif memories >= MOST_MEMORIES:
        reason = f"{memories} memories were added"
    else:
        return Due(since=since, extractions=extractions, memories=memories)
    notice = (
        f"Consolidation is due: {reason} since the last one. `recortex consolidate` shows what may be said "
        f"twice."
    )
    return Due(since=since, extractions=extractions, memories=memories, notice=notice)


def pending(services: StoreServices) -> Due:
    """What was learned since duplicates were last listed; its `notice` says when to list them again."""
    store = services.store
    last = store.ledger.checkpoint(CHECKPOINT)
    since = last.extracted_at if last else None
    captured = [session.captured_at for session in store.sessions.recent(MOST_SESSIONS)]
    return due(
        since,
        extractions=sum(at is not None and (since is None or at > since) for at in captured),
        memories=store.memories.count(MemoryQuery(recorded_after=since)),
    )


def record_search(store: Store, now: datetime, found: int) -> None:
    """Record that somebody looked, and how much was found."""
    checkpoint = Checkpoint(
        path=CHECKPOINT, session_id="", client=CHECKPOINT, position=found, turns=0, extracted_at=now
    )
    with store.transaction():
        store.ledger.save_checkpoint(checkpoint)
