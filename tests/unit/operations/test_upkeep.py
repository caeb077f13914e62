"""Regular upkeep over simulated years: what goes, what stays, what is said of it, and what a kill leaves."""

import json
import math
import os
import signal
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from example_exchanges import exchange, keep
from places import store_folder
from recortex import Cortex
from recortex.app.jobs import is_believed
from recortex.app.jobs.running import run_due, work_on
from recortex.app.wiring import application
from recortex.cli.rendering import render
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.vocabulary import Actor, Scope
from recortex.settings import read
from recortex.terminal import Terminal

pytestmark = pytest.mark.full

EPISODES = [
    f"On day {n} the {word} of service {n} failed" for n, word in enumerate(["queue", "cache", "index"] * 4)
]


@contextmanager
def services_of(project, clock):
    """The project's services, without the facade."""
    app = application(project, url=None, clock=clock, actor=Actor.USER, progress=None)
    try:
        services = app.services(Scope.PROJECT)
        trust(services, clock)
        yield services
    finally:
        app.close()


def trust(services, clock):
    """Say that the clock is right, however far a test set it forward."""
    is_believed(work_on(services, clock, services.settings, math.inf), trusted=True)


def put_away(cortex, clock):
    """Let time pass until what is unused is pruned."""
    clock.pass_(days=60)
    cortex.lifecycle(trust_clock=True)
    clock.pass_(days=40)
    return cortex.lifecycle(trust_clock=True).pruned


def chores(collected):
    (store,) = collected.stores
    return {one.name: one for one in store.chores}


def contents(project):
    """Every file of the store, byte by byte; the shared-memory file is no part of it."""
    folder = store_folder(project)
    return {
        path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".db-shm"
    }


# -- what was long put away


def test_a_memory_pruned_long_ago_goes_and_its_history_says_so(cortex, clock):
    ids = [cortex.remember(text, kind="episodic").id for text in EPISODES]
    kept = cortex.remember("The queue needs a dead letter exchange", kind="core").id
    assert put_away(cortex, clock) == len(ids)
    clock.pass_(days=89)
    assert chores(cortex.gc(all=True, trust_clock=True))["expiry"].counts["memories"] == 0
    assert cortex.get(ids[0]).status == "pruned"
    gone = clock.pass_(days=2)
    assert chores(cortex.gc(all=True, trust_clock=True))["expiry"].counts == {"memories": len(ids), "held": 0}
    history = cortex.history(ids[0])
    assert (history.gone, history.gone_at, history.versions) == ("expiry", gone, ())
    assert [one.operation for one in history.audit] == ["create", "archive", "prune", "expire"]
    shown = render(history, Terminal(100))
    assert "expired" in shown
    assert "purged" not in shown
    assert "failed" not in json.dumps([one.details for one in history.audit])
    assert cortex.get(kept).status == "active"


def test_what_was_used_pinned_or_is_stood_on_stays(cortex, clock):
    used, pinned, source, other = (cortex.remember(text, kind="episodic").id for text in EPISODES[:4])
    lesson = cortex.remember("Queues of all services need a limit", kind="core").id
    assert put_away(cortex, clock) == 4
    cortex.link(lesson, source, relation="derived_from")
    cortex.edit(pinned, pinned=True)
    clock.pass_(days=80)
    cortex.get(used)
    clock.pass_(days=30)
    found = chores(cortex.gc(all=True, trust_clock=True))["expiry"].counts
    left = {id_ for id_ in (used, pinned, source, other) if cortex.history(id_).gone is None}
    assert source in left
    assert pinned in left
    assert other not in left
    assert found["held"] == 1


def test_nothing_is_deleted_where_the_settings_say_never(cortex, clock, project, home):
    (home / "config.toml").write_text("[lifecycle]\ndelete_after_days = 0\n")
    cortex.remember(EPISODES[0], kind="episodic")
    put_away(cortex, clock)
    clock.pass_(days=4000)
    with Cortex.open(project, clock=clock) as opened:
        assert "expiry" not in chores(opened.gc(all=True, trust_clock=True))


# -- years


def test_over_years_the_store_stays_small_and_its_log_adds_up(cortex, clock):
    made = 0
    for year in range(3):
        for month in range(12):
            for number in range(4):
                text = f"In month {month} of year {year} host {made} was rebooted {number} times"
                cortex.remember(text, kind="episodic")
                made += 1
            clock.pass_(days=30)
            cortex.lifecycle(trust_clock=True)
            cortex.gc()
    store = cortex._app.services(Scope.PROJECT).store
    assert store.maintenance.content().memories < made / 3
    assert store.maintenance.content().tombstones == made - store.maintenance.content().memories
    counted = {"create": 0, "expire": 0}
    for one in store.maintenance.summaries():
        counted[one.operation] = counted.get(one.operation, 0) + one.entries
    for one in store.ledger.recent(10_000):
        counted[one.operation] = counted.get(one.operation, 0) + 1
    assert counted["create"] == made
    assert counted["expire"] == store.maintenance.content().tombstones
    assert (
        store.maintenance.count_old_audit(
            clock.now - (clock.now - clock.now.replace(year=clock.now.year - 1))
        )
        == 0
    )
    health = cortex.status().stores[0].health
    assert health.bytes_per_month is not None
    assert health.last_gc == health.last_backup == clock.now
    assert len(store.backups.all()) == 5


def test_a_notice_is_given_before_a_store_is_too_large(cortex, clock, monkeypatch):
    cortex.remember(EPISODES[0])
    store = cortex._app.services(Scope.PROJECT).store
    for day in range(10):
        store.maintenance.sample(clock.pass_(days=1), memories=day, size=day * 50 * 2**20)
    assert cortex.status().stores[0].health.days_to_threshold == 21
    assert any("gc.threshold_mb" in notice for notice in cortex.status().notices)
    monkeypatch.setenv("RECORTEX_GC_THRESHOLD_MB", "100000")
    with Cortex.open(cortex._app.root, clock=clock) as opened:
        assert not any("gc.threshold_mb" in notice for notice in opened.status().notices)


# -- exchanges


@pytest.fixture
def talkative(project, clock, monkeypatch):
    """A project with 150 exchanges, one a day, with vectors; each takes about eight kilobytes."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    many = [
        exchange(number, ended_at=clock.pass_(days=1), conclusion=f"Word {number} of many. " * 180)
        for number in range(150)
    ]
    with Cortex.open(project, clock=clock) as cortex:
        keep(cortex._app.services(Scope.PROJECT), *many, at=clock())
        cortex.backfill()
    return project


@pytest.mark.parametrize(("setting", "stay"), [("KEEP_DAYS", 101), ("MOST_MB", 126)])
def test_exchanges_go_by_age_and_by_size_the_oldest_first(talkative, clock, monkeypatch, setting, stay):
    monkeypatch.setenv("RECORTEX_EXCHANGES_KEEP_DAYS", "0")
    with Cortex.open(talkative, clock=clock) as cortex:
        assert chores(cortex.gc(all=True, trust_clock=True))["exchanges"].counts == {"exchanges": 0}
    monkeypatch.setenv(f"RECORTEX_EXCHANGES_{setting}", {"KEEP_DAYS": "100", "MOST_MB": "1"}[setting])
    with Cortex.open(talkative, clock=clock) as cortex:
        planned = chores(cortex.gc(all=True, dry_run=True))
        done = chores(cortex.gc(all=True, trust_clock=True))
        store = cortex._app.services(Scope.PROJECT).store
        left = store.exchanges.find(ExchangeQuery())
        assert [one.first_turn for one in left] == [10 * number for number in range(149, 149 - len(left), -1)]
        assert abs(len(left) - stay) <= 3
        for name in ("exchanges", "vectors", "backup"):
            assert planned[name].counts.items() <= done[name].counts.items(), name
        assert done["exchanges"].counts == {"exchanges": 150 - len(left)}
        assert done["backup"].counts == {"backups": 1}
        assert store.pool.value("SELECT count(*) FROM embeddings WHERE key < 0") == 2 * len(left)
        assert store.check().whole
        assert chores(cortex.gc(all=True, trust_clock=True))["exchanges"].counts == {"exchanges": 0}


# -- a dry run


@pytest.fixture
def mixed(project, clock, monkeypatch):
    """A project whose store has some of everything that goes."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    chance = Random(7)  # noqa: S311  a story that is the same each time
    with Cortex.open(project, clock=clock) as cortex:
        ids = [cortex.remember(f"{text} at {chance.random()}", kind="episodic").id for text in EPISODES]
        for place in chance.sample(range(len(ids)), 4):
            for times in range(12):
                cortex.edit(ids[place], text=f"Service {place} failed {times} times in a row")
                clock.pass_(minutes=1)
        put_away(cortex, clock)
        lesson = cortex.remember("Queues of all services need a limit", kind="core").id
        cortex.link(lesson, ids[0], relation="derived_from")
        clock.pass_(days=400)
    return project


def test_a_dry_run_changes_nothing_and_tells_what_is_done(mixed, clock):
    with Cortex.open(mixed, clock=clock) as cortex:
        cortex.status()
        before = contents(mixed)
        planned = chores(cortex.gc(all=True, dry_run=True))
        assert contents(mixed) == before
        done = chores(cortex.gc(all=True, trust_clock=True))
    assert contents(mixed) != before
    for name in ("sessions", "leftovers", "expiry", "versions", "audit", "vectors", "growth", "backup"):
        assert planned[name].counts.items() <= done[name].counts.items(), name
    assert planned["expiry"].counts == {"memories": len(EPISODES) - 1, "held": 1}
    assert planned["vectors"].counts["vectors"] >= len(EPISODES) - 1
    assert planned["audit"].counts["entries"] > 50


def test_a_run_without_time_does_nothing_and_the_next_goes_on(mixed, clock):
    with services_of(mixed, clock) as services:
        assert run_due(services, lambda: clock.now, read(mixed), seconds=0.0, everything=True) == []
        done = run_due(services, lambda: clock.now, read(mixed), seconds=math.inf, everything=True)
        assert {one.state for one in done} <= {"done", "skipped"}
        assert services.store.maintenance.expired(clock.now, 1) == []


# -- the file


def filled(services, count):
    """Notes on transcripts of a folder that is not there: 400 bytes each."""
    rows = [(f"/nowhere/{number:07}{'x' * 350}", "s", "c", 1, 1, number) for number in range(count)]
    with services.store.transaction():
        services.store.pool.run_many("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?)", rows)


def test_a_file_of_which_half_holds_nothing_is_written_anew(cortex, project, clock):
    cortex.remember(EPISODES[0])
    cortex.close()
    with services_of(project, clock) as services:
        filled(services, 24_000)
        settings = read(project)
        done = {one.name: one for one in run_due(services, lambda: clock.now, settings, seconds=math.inf)}
        assert done["rewrite"].note == "too little is unused to rewrite the file"
        filled_size = services.store.bytes()
        with services.store.transaction():
            services.store.pool.rows("DELETE FROM checkpoints WHERE extracted_at % 2")
        later = clock.pass_(days=91)
        done = {one.name: one for one in run_due(services, lambda: later, settings, seconds=math.inf)}
        assert done["rewrite"].counts["rewritten"] == 1
        assert services.store.bytes() < 0.7 * filled_size
        assert services.store.compaction.waste() < 0.3 * services.store.bytes()
        assert services.store.check().whole
        assert services.store.pool.value("PRAGMA auto_vacuum") == 2


def test_a_keyword_index_in_many_parts_is_merged_into_one(cortex, project, clock):
    cortex.remember(EPISODES[0])
    cortex.close()
    with services_of(project, clock) as services:
        pool = services.store.pool
        pool.rows("INSERT INTO memories_fts (memories_fts, rank) VALUES ('automerge', 0)")
        for number in range(12):
            pool.rows("UPDATE memories SET text = text || ' ' || ?", (f"word{number}",))
        parts = "SELECT count(DISTINCT segid) FROM memories_fts_idx"
        assert pool.value(parts) > 8
        steps = iter([1.0, 0.0])
        services.store.compaction.tidy(lambda: next(steps, 0.0))
        assert services.store.compaction.tidy(lambda: 1.0)["pages_given_back"] >= 0
        assert pool.value(parts) <= 2
        assert services.store.check().index_whole


def test_free_pages_are_given_back_in_steps(cortex, project, clock):
    cortex.remember(EPISODES[0])
    cortex.close()
    with services_of(project, clock) as services:
        filled(services, 24_000)
        with services.store.transaction():
            services.store.pool.rows("DELETE FROM checkpoints")
        assert services.store.compaction.space().free > 8_000_000
        assert services.store.compaction.tidy(lambda: 0.0)["pages_given_back"] == 0
        steps = iter([1.0, 1.0, 1.0, 1.0, 0.0])  # one for each keyword index, and one for pages
        assert services.store.compaction.tidy(lambda: next(steps))["pages_given_back"] >= 1000
        services.store.compaction.tidy(lambda: 1.0)
        assert services.store.compaction.space().free == 0
        assert services.store.bytes() < 2_000_000


# -- backups


def test_a_backup_is_made_when_something_changed_and_the_newest_stay(cortex, clock, project):
    folder = store_folder(project) / "backups"
    for number in range(8):
        cortex.remember(f"Fact {number} about the scheduler of host {number * 7}")
        assert chores(cortex.gc())["backup"].counts == {"backups": 1}
        clock.pass_(days=7)
        assert chores(cortex.gc())["backup"].state == "skipped"
        clock.pass_(days=7)
    kept = sorted(path.name for path in folder.iterdir())
    assert len(kept) == 5
    assert all(name.endswith("-regular.db") for name in kept)
    assert cortex.status().stores[0].backups == 5


def test_a_backup_that_a_person_named_is_as_old_as_its_file_and_stays(cortex, clock, project):
    folder = store_folder(project) / "backups"
    cortex.remember("The scheduler runs on host one")
    named = folder / "mine.db"
    cortex.backup(str(named))
    os.utime(named, (1_000_000_000, 1_000_000_000))
    newest = cortex.remember("The scheduler moved to host two").id
    for _ in range(7):
        made = cortex.backup().path
    assert len(list(folder.iterdir())) == 5 + 1
    assert cortex._app.services(Scope.PROJECT).store.backups.all()[0] == named
    cortex.close()
    (store_folder(project) / "cortex.db").write_bytes(b"")
    with Cortex.open(project, clock=clock) as opened:
        assert any(Path(made).name in step for step in opened.recover().steps)
        assert opened.get(newest).status == "active"


def test_a_copy_of_a_damaged_store_is_not_kept_and_the_last_good_one_stays(cortex, clock, project):
    told = "Fact {} about the scheduler of host {}, told at length: " + "x" * 300
    cortex.remember_many([{"text": told.format(number, number * 7)} for number in range(200)], link=False)
    cortex.gc()
    folder = store_folder(project) / "backups"
    good = sorted(folder.iterdir())
    cortex.close()
    damage(store_folder(project) / "cortex.db")
    clock.pass_(days=8)
    cortex.remember("One more fact")
    failed = chores(cortex.gc())["backup"]
    assert failed.state == "failed"
    assert "backup was not kept" in failed.note
    assert sorted(folder.iterdir()) == good
    assert any(one.component == "job: backup" for one in cortex.status().fallbacks)
    assert cortex.recover().memories >= 200


def damage(path):
    """Overwrite the middle of a page that an index of memories has."""
    import apsw

    connection = apsw.Connection(str(path))
    root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'memories_recorded'").get
    size = connection.execute("PRAGMA page_size").get
    connection.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * size + size - 200)
        file.write(bytes(range(200)))


# -- a kill


def killed_at(project, clock, statement):
    """Run the upkeep in a process of its own, killed at a statement; returns whether it came to that."""
    child = os.fork()
    if not child:
        try:
            with services_of(project, clock) as services:
                seen = iter(range(1, 10**9))
                services.store.pool.exclusive().set_exec_trace(
                    lambda *_: (
                        True if next(seen) != statement else os.kill(os.getpid(), signal.SIGKILL) or True
                    )
                )
                run_due(services, lambda: clock.now, read(project), seconds=math.inf, everything=True)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that begin as copies")
def test_a_kill_at_any_statement_loses_nothing_and_the_next_run_ends_the_work(mixed, clock):
    with services_of(mixed, clock) as services:
        before = set(all_ids(services))
        entries = services.store.maintenance.content().newest_audit
    kills = 0
    for statement in (1, 5, 12, 30, 55, 80, 130, 200, 260, 320, 500, 800):
        kills += killed_at(mixed, clock, statement)
        with services_of(mixed, clock) as services:
            assert services.store.check().whole
            there = set(all_ids(services))
            buried = {id_ for id_ in before if services.store.ledger.buried(id_)}
            assert there | buried == before
            assert not there & buried
            summed = sum(one.entries for one in services.store.maintenance.summaries())
            left = len(services.store.ledger.recent(10_000))
            assert summed + left == entries + len(buried)
    assert kills >= 6
    with services_of(mixed, clock) as services:
        done = run_due(services, lambda: clock.now, read(mixed), seconds=math.inf, everything=True)
        assert {one.state for one in done} <= {"done", "skipped"}
        assert services.store.maintenance.count_expired(clock.now) == (0, 1)
        assert len(all_ids(services)) == 2
        assert services.store.backups.all()


def all_ids(services):
    return [row[0] for row in services.store.pool.rows("SELECT id FROM memories")]


@pytest.mark.parametrize("now", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_a_clock_that_is_far_off_stops_no_upkeep(cortex, clock, now):
    clock.now = now
    cortex.remember("Kept at the end of time")
    (done,) = cortex.gc(all=True, trust_clock=True).stores
    assert {chore.state for chore in done.chores} <= {"done", "skipped"}
