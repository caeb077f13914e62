"""Stores over sessions: changes of mind, and rows that refer to nothing."""

# ruff: noqa: S608  the tables are our own

import math
import os
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import apsw
import pytest

from choices import quick
from claude_sessions import claude_session
from recortex import Cortex
from recortex.app.changes import unread
from recortex.app.jobs import table
from recortex.app.jobs.running import run
from recortex.app.jobs.table import AFTER_SESSION, CHANGES, JOBS
from recortex.cli.rendering import render
from recortex.domain.vocabulary import Scope
from recortex.storage.sqlite.connection import connect
from recortex.storage.sqlite.migrations import RECORDS, known
from recortex.terminal import Terminal

# -- What the job `changes` finds, and what it leaves alone: judged pairs, and stores where no model runs.
MERGED, NO_MORE = "Pull requests are squash merged.", "No more squash merges."


@pytest.fixture
def cx(tmp_path):
    with Cortex.open(url=f"sqlite:///{tmp_path}/c.db") as opened:
        yield opened


def job(cx):
    services = cx._app.services(Scope.PROJECT)
    *_, done = run(services, cx._app.clock, services.settings, [*JOBS[:1], CHANGES])  # with vectors
    return done


def statuses(cx, *memories):
    return [cx.get(one.id).status.value for one in memories]


@pytest.fixture
def pairs_read(cx):
    """The pairs that the model is given, by the statements."""
    services = cx._app.services(Scope.PROJECT)
    asked, reader = [], services.change_reader

    class Noting:
        def chances(self, pairs):
            asked.extend(pairs)
            return reader.chances(pairs)

    services.change_reader = Noting()
    return asked


def test_a_pair_is_read_once_until_one_of_the_two_is_edited(cx, pairs_read):
    known = cx.remember("The cart is kept for 30 days.", kind="decision")
    new = cx.remember("The page of the cart no longer shows days.", kind="decision")
    assert pairs_read == [(known.text, new.text)]
    (verdict,) = cx._app.services(Scope.PROJECT).store.relations.verdicts(known.id)
    assert (verdict.known_id, verdict.new_id) == (known.id, new.id)
    assert (verdict.known_version, verdict.new_version, verdict.outcome) == (1, 1, "nothing")
    job(cx)
    assert len(pairs_read) == 1
    changed = cx.edit(new.id, text="The page of the cart no longer shows how many days.")
    assert cx._app.services(Scope.PROJECT).store.relations.verdicts(known.id) == []
    cx._app.services(Scope.PROJECT).store.maintenance.note("changes", cx._app.clock(), {"key": 0})
    job(cx)
    assert pairs_read[1:] == [(known.text, changed.text)]
    cx.purge(known.id)
    assert cx._app.services(Scope.PROJECT).store.relations.verdicts(new.id) == []


def test_what_a_person_judged_is_not_judged_again(cx):
    first, later = cx.remember(MERGED, kind="decision"), cx.remember(NO_MORE, kind="decision")
    assert len(cx.review().contradictions) == 1
    cx.review("both", [first.id, later.id])
    old = cx.remember("Routes are declared with chi", kind="decision")
    new = cx.remember("Throw chi out and use ServeMux", kind="decision")
    assert statuses(cx, old, new) == ["superseded", "active"]
    cx.undo(old.id)
    assert job(cx).counts == {"replaced": 0, "marked": 0}
    assert cx.review().contradictions == ()
    assert statuses(cx, old, new) == ["active", "active"]


def test_where_the_model_cannot_run_the_job_says_so_and_goes_on_later(cx, monkeypatch):
    cx.remember_many(
        [{"text": MERGED, "kind": "decision"}, {"text": NO_MORE, "kind": "decision"}], link=False
    )

    with monkeypatch.context() as patch:
        patch.setattr("recortex.embeddings.folder.CHANGES_FILE", "gone.onnx")
        assert job(cx).state == "failed"
        said = cx.remember("Now pull requests are merged without a squash", kind="decision")
        assert statuses(cx, said) == ["active"]
        assert {"job: changes", "changes"} <= {one.component for one in cx.status().fallbacks}
        assert cx.review().contradictions == ()
    assert job(cx).state == "done"
    assert len(cx.review().contradictions) > 0


def test_brief_and_frame_do_not_have_both_side_by_side(cx):
    words = {"kind": "decision", "importance": "high"}
    first = cx.remember(MERGED, **words)
    task = "how are pull requests merged, squash or not?"

    def told():
        return cx.surface(fresh=True).text, cx.frame(task, budget=1_000).text

    assert all(first.text in text for text in told())
    later = cx.remember(NO_MORE, **words)
    assert [one.done for one in later.known] == ["contradicts"]
    assert all(first.text not in text for text in told())


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("Write tests for each parser.", "We are done with the tests."),
        ("In the container there is another ssh key than on the host.", "Now there are two ssh keys."),
        ("The bar counts batches, which now are phases.", "Progress events: batches now are phases."),
        ("Inter is no free typeface on our platform.", "Decision: use the typeface Inter instead."),
        ("The cart is kept for 30 days.", "The cart may be kept for 60 days too, for members."),
    ],
)
def test_a_guess_that_what_the_person_pinned_ends_is_not_asked_about(cx, first, later):
    known = cx.remember(first, kind="decision", pinned=True)
    new = cx.remember(later, kind="decision")
    job(cx)
    assert cx.review().contradictions == ()
    assert statuses(cx, known, new) == ["active", "active"]


def test_a_file_of_the_repository_is_not_shown_as_later_than_what_the_person_said(tmp_path):
    (tmp_path / ".git").mkdir()
    with Cortex.open(tmp_path) as cx:
        cx.remember(MERGED, kind="preference")
        (tmp_path / "CLAUDE.md").write_text(f"# Rules\n\n- {NO_MORE}\n- Never squash merge pull requests.\n")
        cx.import_("rules")
        job(cx)
        assert cx.review().contradictions == ()
        assert "later one" not in str(cx.recall("how are pull requests merged, squash or not?"))


def test_a_contradiction_is_told_with_days_with_who_said_it_and_with_what_to_do(cx):
    cx.remember(MERGED, kind="decision")
    cx.remember(NO_MORE, kind="decision")
    told, (day,) = render(cx.review(), Terminal(400)), {f"{cx._app.clock():%Y-%m-%d}"}
    assert (
        f"The first is of {day}, by you; the second of {day}, by you: the two, read together, exclude" in told
    )
    assert "review replace NEW OLD" in told
    assert "review both ONE OTHER" in told
    assert told.index(NO_MORE) < told.index(MERGED)


def test_many_are_read_over_several_turns_and_the_latest_first(cx, monkeypatch):
    monkeypatch.setattr(table, "LATEST", 2)
    rows = [{"text": "Routes are declared with chi", "kind": "decision"}]
    rows += [{"text": f"Part {n} is called {n}", "kind": "decision"} for n in range(3)]
    rows += [{"text": "Throw chi out and use ServeMux for routes", "kind": "decision"}]
    cx.remember_many(rows, link=False)
    services, runs = cx._app.services(Scope.PROJECT), []
    while not runs or runs[-1].state == "partly":
        runs += run(services, cx._app.clock, services.settings, [replace(CHANGES, seconds=0.0)])
    assert [one.note for one in runs] == [f"{n} follow next time" for n in (5, 5, 4, 3, 2, 1)] + [""]
    assert [one.counts["replaced"] for one in runs] == [0, 1, 0, 0, 0, 0, 0]
    assert unread(services) == []


def test_purging_what_was_replaced_spares_what_replaced_it(cx):
    old = cx.remember("The staging hint is zebrafish quokka", kind="decision")
    new = cx.remember("The staging hint is in the vault now", kind="decision", supersedes=old.id)
    purged = cx.purge(text="zebrafish quokka")
    assert (purged.ids, purged.traces) == ((old.id,), ())
    assert cx.get(new.id).text == "The staging hint is in the vault now"


# -- A change of mind gives the same whichever way it came in, and what was said later is told first.
THEN = "All timestamps of the reports are kept in local time, that is what the office needs."
NOW = "Timestamps of the reports must be UTC from now on, no more local time."
RULE_THEN, RULE_NOW = (
    "Always indent with tabs in this project.",
    "Never indent with tabs, from now on always spaces.",
)


def write(folder, session, said):
    path, at = folder / f"{session}.jsonl", "2026-03-01T1{}:00:00Z"
    return claude_session(path, folder.parent / "work", *said, session=session, at=at)


@pytest.fixture
def opened(tmp_path):
    def of(name):
        root = tmp_path / name / "work"
        (root / ".git").mkdir(parents=True)
        (root.parent / "sessions").mkdir()
        return root, root.parent / "sessions"

    return of


def test_of_two_exchanges_on_one_thing_the_later_comes_first(opened):
    root, sessions = opened("a")
    said = [("user", THEN), ("assistant", "Local time it is."), ("user", NOW), ("assistant", "UTC it is.")]
    write(sessions, "s", said)
    with Cortex.open(root) as cortex:
        cortex.import_("any", str(sessions))
        question = "in which time zone are timestamps of reports kept?"
        found = cortex.recall(question, among="exchanges").exchanges
        beside = cortex.recall(question)
        assert [one.message[:10] for one in found[:2]] == [NOW[:10], THEN[:10]]
        assert (found[0].later, found[1].later) == ("", found[0].id)
        assert beside.hits
        assert beside.exchanges[0].id == found[0].id


def test_passes_and_an_import_give_the_same(opened):
    told = [
        ("user", RULE_THEN),
        ("assistant", "Tabs it is."),
        ("user", RULE_NOW),
        ("assistant", "Spaces then."),
    ]
    outcomes = []
    for name in ("import", "passes"):
        root, sessions = opened(name)
        with Cortex.open(root) as cortex:
            if name == "import":
                write(sessions, "s", told)
                cortex.import_("any", str(sessions))
            else:
                services = cortex._app.services(Scope.PROJECT)
                jobs = [replace(job, seconds=math.inf) for job in AFTER_SESSION]
                for end in (2, 4):
                    path = write(sessions, "s", told[:end])
                    cortex.extract(str(path), final=end == len(told))
                    run(services, cortex._app.clock, services.settings, jobs)
            kept = cortex.list(statuses=["active", "proposed", "superseded", "archived"]).memories
            lines = [
                line.rpartition(" [")[0] for line in cortex.surface().text.splitlines() if "2026-03" in line
            ]
            outcomes.append((sorted((one.text, str(one.status)) for one in kept), lines))
    assert outcomes[0] == outcomes[1]
    assert not any("with tabs in this" in line for line in outcomes[0][1])


# -- Rows that refer to memories which are not there: a store of any schema opens, says so, and keeps them.
TABLES = ("memory_files", "memory_functions", "memory_patterns", "versions", "relations", "evidence")
VALUES = {"INTEGER": 0, "REAL": 0, "BLOB": b"x"}
NOWHERE = 999


def orphan(connection: apsw.Connection, table: str) -> None:
    columns = [(row[1], row[2]) for row in connection.execute(f"PRAGMA table_info({table})")]
    values = [NOWHERE if name.endswith("key") else VALUES.get(type_, "x") for name, type_ in columns]
    names, marks = ", ".join(name for name, _ in columns), ", ".join("?" * len(columns))
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)


@pytest.mark.parametrize("schema", quick([step.version for step in known()][::-1], 3))
@pytest.mark.usefixtures("without_vectors")
def test_a_store_with_orphan_rows_opens_tells_and_loses_nothing(tmp_path, project, clock, schema):
    path = tmp_path / "old.db"
    with closing(connect(path, vectors=False)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(RECORDS)
        for step in known()[:schema]:
            connection.execute(step.sql)
            record = (step.version, step.name, 1, "0")
            connection.execute("INSERT INTO schema_migrations VALUES (?, ?, ?, ?)", record)
        for table in TABLES:
            orphan(connection, table)
    with Cortex.open(project, url=f"sqlite:///{path}", clock=clock) as cortex:
        kept = cortex.remember("The queue is drained at night.")
        assert [one.id for one in cortex.list().memories] == [kept.id]
        told = [one.message for one in cortex.doctor().findings if one.level == "problem"]
        assert [one for one in told if one.endswith("rows refer to memories that are not there")]
    with closing(connect(path, vectors=False)) as connection:
        for table in TABLES:
            assert connection.execute(f"SELECT count(*) FROM {table}").get, table


# -- Nothing is written outside the store and the user's own folder, and nobody is told anything.
SCRIPT = """
from recortex import Cortex
with Cortex.open(url="sqlite:///kept.db") as cortex:
    cortex.remember("The parser reads one token ahead")
    assert cortex.recall("how far does the parser read ahead?").hits
"""


def test_the_embedding_runtime_leaves_no_trace_in_the_home_folder(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("RECORTEX_", "XDG_", "ORT_"))
    }
    subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, env=environment | {"HOME": str(home)}, check=True,
    )  # fmt: skip
    assert list(home.rglob("*")) == []
