"""Past sessions are replayed with the hooks' own code, and nothing that is kept is touched."""

import hashlib
import os
import signal
import tempfile
from pathlib import Path

import pytest

from recortex import Cortex
from recortex.app.wiring import replay_context
from recortex.errors import InvalidInputError

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
