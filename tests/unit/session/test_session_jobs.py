"""What runs beside a session: jobs, replays, clients that nobody attends."""

import hashlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from recortex import Cortex, hooks
from recortex.app.hooks import STATUS, HookContext, handle, read_status
from recortex.app.jobs import Outcome, capture, running, table
from recortex.app.jobs.capture import RunCounts
from recortex.app.jobs.running import run
from recortex.app.jobs.table import AFTER_SESSION, JOBS, MAINTENANCE, Job
from recortex.app.past_sessions import TurnPlaces
from recortex.app.wiring import replay_context
from recortex.domain.address import parse
from recortex.domain.vocabulary import Scope
from recortex.errors import InvalidInputError, RecortexError
from recortex.formats.hook_events import HookEvent
from recortex.formats.transcripts import open_transcript


# -- Background jobs are rows: a new one needs no other change, and one that fails holds up no other.
def test_every_job_follows_those_that_it_names():
    names = [job.name for job in JOBS]
    assert len(set(names)) == len(names)
    for job in JOBS:
        assert {*job.after} <= {*names[: names.index(job.name)]}, job.name


def test_jobs_that_gc_runs_can_say_what_they_would_do():
    assert [job.name for job in JOBS if (job.days is None) != (job.plan is None)] == []


def _broken(_):
    raise ValueError("out of order")


@pytest.fixture
def services(cortex):
    cortex.remember("Retries are bounded at five")
    return cortex._app.services(Scope.PROJECT)


def test_a_job_that_fails_is_told_and_holds_up_no_other(services, clock, cortex):
    done = run(services, clock, services.settings, [replace(JOBS[0], run=_broken), *AFTER_SESSION[1:]])
    other = ["skipped" if one.name == "sync" else "done" for one in AFTER_SESSION[1:]]  # nothing is shared
    assert [one.state for one in done] == ["failed", *other]
    assert [one.note for one in done if one.note and one.state != "skipped"] == ["out of order"]
    assert "job: embedding" in {one.component for one in cortex.status().fallbacks}


def test_a_job_that_fails_in_a_worker_is_told_and_given_back_to_the_queue(services, cortex, monkeypatch):
    broken = [replace(job, run=_broken) if job.name in {"embedding", "sessions"} else job for job in JOBS]
    monkeypatch.setattr(running, "AFTER_SESSION", [job for job in broken if job.days is None])
    monkeypatch.setattr(running, "JOBS", broken)
    of_server = running.Worker(parse("postgresql://host/db", workspace="a"), lambda _: cortex._app)
    for name, failed in (("embedding", "embedding"), (MAINTENANCE, "sessions")):
        with pytest.raises(RecortexError, match=f"{failed}: out of order"):
            of_server.do(name, "a")
        assert f"job: {failed}" in {one.component for one in cortex.status().fallbacks}
    of_server.do("lifecycle", "a")
    assert services.store.maintenance.all().keys() >= {"growth", "compaction"}


def test_what_a_new_job_counts_is_recorded(context, monkeypatch):
    new = Job(name="new", run=lambda _: Outcome({"things": 2}), counts=("things",), before_brief=True)
    monkeypatch.setattr(capture, "AFTER_SESSION", (*table.AFTER_SESSION, new))
    capture.follow_up(context, RunCounts(), seconds=0.0)
    record = read_status(context.location.place(STATUS))
    assert record["totals"]["things"] == 2 * len(list(context.app.readable_services()))


# -- Past sessions are replayed with the hooks' own code, and nothing that is kept is touched.
RULE = "From now on always run `make lint-strict` before you commit."
CAUSE = "Note: the billing worker drops events when Redis restarts, since `flush_pending` is never called."


@pytest.fixture
def history(transcript, tmp_path: Path) -> Path:
    """Three sessions on three days: a rule and a cause; the cause is asked for and used; the rule again."""
    first = transcript("one").says("user", RULE, "2026-03-01T10:00:00Z")
    first.says("assistant", "I will.", "2026-03-01T10:01:00Z")
    first.says("user", CAUSE, "2026-03-01T10:02:00Z").says("assistant", "Noted.", "2026-03-01T10:03:00Z")
    second = transcript("two").says("user", "Good morning", "2026-03-02T09:00:00Z")
    second.says("assistant", "Hello.", "2026-03-02T09:01:00Z")
    second.says("user", "why does the billing worker drop events?", "2026-03-02T09:02:00Z")
    second.says(
        "assistant",
        "The billing worker drops events when Redis restarts, since flush_pending is never called.",
        "2026-03-02T09:03:00Z",
    )
    third = transcript("three").says("user", RULE.lower(), "2026-03-03T09:00:00Z")
    third.says("assistant", "Yes.", "2026-03-03T09:01:00Z")
    (tmp_path / "broken.jsonl").write_text("{}\n")
    return tmp_path


def digests(folder: Path) -> dict[str, str]:
    """Every file below a folder with its hash."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "timings"  # that it was replayed is counted
    }


def test_each_session_gets_what_the_earlier_ones_taught(cortex, history):
    found = cortex.replay([str(history)])
    assert [one.session for one in found.sessions] == ["one", "two", "three"]
    first, second, third = found.sessions
    assert first.given == ()
    assert first.learned
    assert {one.learned_in for one in second.given} == {"one"}
    (used,) = [one for one in second.given if one.used and "billing" in one.text]
    assert used.used == "quoted"
    assert used.came_up
    (again,) = third.again
    assert again.first_session == "one"
    assert again.memory
    assert again.given
    assert (found.total.sessions, found.total.prompts, found.total.again) == (3, 5, 1)
    assert found.total.tokens > 0
    assert any("broken.jsonl" in problem for problem in found.problems)


def test_nothing_that_is_kept_is_touched(project: Path, home: Path, history: Path):
    with Cortex.open(project) as cortex:
        cortex.remember("The staging key is rotated every Monday", kind="tribal")
    before = digests(home), digests(project)
    temporary = set(Path(tempfile.gettempdir()).glob("recortex-replay-*"))
    with Cortex.open(project) as cortex:
        found = cortex.replay([str(history)])
    assert (digests(home), digests(project)) == before
    assert set(Path(tempfile.gettempdir()).glob("recortex-replay-*")) <= temporary
    assert not any("staging key" in one.text for each in found.sessions for one in each.given)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_what_is_made_for_a_replay_is_deleted_when_it_is_ended(project, history, tmp_path, monkeypatch):
    scratch = tmp_path / "temporary"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    seen = []

    def progress(what: str, *_: int) -> None:
        if what == "replaying sessions":
            seen.extend(scratch.iterdir())
            os.kill(os.getpid(), signal.SIGTERM)

    handler = signal.getsignal(signal.SIGTERM)
    with Cortex.open(project, progress=progress) as cortex, pytest.raises(SystemExit):
        cortex.replay([str(history)])
    assert seen
    assert list(scratch.iterdir()) == []
    assert signal.getsignal(signal.SIGTERM) == handler


def test_vectors_are_made_only_where_meaning_is_asked_for(cortex, history):
    app, folder = cortex._app, history / "scratch"
    folder.mkdir()
    plain = replay_context(app, folder, app.clock)
    assert (plain.ready(), plain.app.embedder) == (False, None)
    assert replay_context(app, folder, app.clock, meaning=True).ready()
    assert cortex.replay([str(history)], meaning=True).total.prompts == 5


def test_without_a_path_the_sessions_of_this_project_are_found(cortex, history, transcript, tmp_path: Path):
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"], "projects", "any")
    folder.mkdir(parents=True)
    for name in ("one", "two"):
        (history / f"{name}.jsonl").rename(folder / f"{name}.jsonl")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = transcript("four").says("user", "Hello there", "2026-03-02T10:00:00Z").path
    other.write_text(other.read_text().replace(str(cortex._app.root), str(elsewhere)))
    other.rename(folder / "four.jsonl")
    assert [one.session for one in cortex.replay().sessions] == ["one", "two"]


def test_the_latest_sessions_alone(cortex, history):
    assert [one.session for one in cortex.replay([str(history)], limit=2).sessions] == ["two", "three"]
    with pytest.raises(InvalidInputError):
        cortex.replay(limit=-1)


def test_a_session_is_learned_from_wherever_its_agent_stopped(cortex, transcript, tmp_path: Path):
    asked = "why does the billing worker drop events?"
    talk = transcript("long").says("user", CAUSE, "2026-03-01T10:00:00Z")
    talk.says("assistant", "Noted.", "2026-03-01T10:01:00Z")
    talk.says("user", asked, "2026-03-01T11:00:00Z").says("assistant", "See above.", "2026-03-01T18:00:00Z")
    transcript("during").says("user", asked, "2026-03-01T12:00:00Z")
    long, during = cortex.replay([str(tmp_path)]).sessions
    assert (long.given, long.learned) == ((), 1)
    assert [one.learned_in for one in during.given] == ["long"]


# -- Prompts that a program gives to a client whose transcript does not say so: hooks see how it was
# started.
GEMINI = ("node", "--max-old-space-size=12052", "/usr/bin/gemini", "-m", "gemini-2.5-flash", "-y")
QWEN = ("node", "--expose-gc", "/lib/@qwen-code/qwen-code/cli.js", "-y")


@pytest.mark.parametrize(
    ("client", "words", "piped", "expected"),
    [
        ("gemini", (*GEMINI, "-p", "Sum up."), False, True),
        ("gemini", (*GEMINI, "--prompt=Sum up."), True, True),
        ("gemini", GEMINI, True, True), ("gemini", GEMINI, False, False),
        ("gemini", (*GEMINI, "Begin with the tests."), False, False),
        ("gemini", (*GEMINI, "-i", "Begin with the tests."), False, False),
        ("gemini", (*GEMINI, "-i", "-p"), False, False), ("gemini", (*GEMINI, "--acp"), True, False),
        ("gemini", (*GEMINI, "--experimental-acp"), True, False),
        ("gemini", ("node", "/lib/a2a-server.mjs"), True, False),
        ("qwen", (*QWEN, "-p", "Sum up."), True, True),
        ("qwen", (*QWEN, "--prompt-interactive", "Begin."), False, False),
        ("qwen", QWEN, True, True), ("qwen", (*QWEN, "--acp"), True, False),
    ],
)  # fmt: skip
def test_how_a_client_was_started_tells_who_gives_it_its_prompts(client, words, piped, expected):
    assert hooks.is_unattended(client, words, piped=piped) is expected


@pytest.mark.skipif(not shutil.which("ps"), reason="there is no ps")
def test_where_there_is_no_proc_ps_tells_the_words_and_the_age_of_a_process():
    age, words = hooks._asked_words(os.getpid())
    assert Path(words[0]).name.startswith("python") or words[0] == sys.executable
    assert 0 < age < time.clock_gettime(time.CLOCK_MONOTONIC) + 60
    assert hooks._asked_words(2**22 + 1) == (0.0, [])


def chat(path: Path, *said: tuple[datetime, str]) -> Path:
    head = {"sessionId": "s", "projectHash": "h", "startTime": said[0][0].isoformat(), "kind": "main"}
    lines = [
        {"id": str(number), "timestamp": at.isoformat(), "type": "user", "content": [{"text": text}]}
        for number, (at, text) in enumerate(said)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in [head, *lines]))
    return path


@pytest.mark.parametrize("name", ["user-prompt-submit", "stop"])
def test_only_what_was_said_while_a_program_ran_the_client_is_the_programs(
    context: HookContext, event: Callable[..., HookEvent], tmp_path: Path, name: str
):
    now = context.clock()
    began = (now - timedelta(seconds=5)).timestamp()
    handle(context, event(name, prompt="Sum up the week.", client="gemini", unattended_since=began))
    handle(context, event(name, session="other", prompt="Go on.", client="gemini"))
    path = chat(
        tmp_path / "session-1.jsonl",
        (now - timedelta(minutes=5), "Before."),
        (now + timedelta(milliseconds=100), "Sum up the week."),
        (now + timedelta(minutes=5), "After."),
    )
    reader = open_transcript(path)
    places = TurnPlaces.from_services(context.app.services(Scope.PROJECT))
    found = [(turn.author, turn.text) for turn in places.own(reader, reader)]
    assert found == [("person", "Before."), ("program", "Sum up the week."), ("person", "After.")]
