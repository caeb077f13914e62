"""What was said with a name that was given up: it waits for review, and is in no brief."""

import json
import subprocess
from datetime import timedelta

import pytest

from recortex import Cortex
from recortex.app.jobs.renames import NOTE
from recortex.domain.vocabulary import Status
from recortex.operations.base import learn_across_sessions

TOLD = {"origin": "user", "kind": "decision"}


@pytest.fixture
def history(tmp_path, clock, without_vectors):
    del without_vectors
    (tmp_path / "work").mkdir()
    (tmp_path / "sessions").mkdir()

    def say(session, day, *messages):
        lines = [
            {
                "type": "user",
                "sessionId": session,
                "uuid": f"{session}-{place}",
                "cwd": str(tmp_path / "work"),
                "timestamp": f"2026-03-{day:02}T10:0{place}:00Z",
                "message": {"role": "user", "content": text},
            }
            for place, text in enumerate(messages)
        ]
        path = tmp_path / "sessions" / f"{session}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    with Cortex.open(tmp_path / "work", clock=clock) as cortex:
        yield cortex, say, tmp_path / "sessions"


def status(cortex, memory):
    return cortex.get(memory.id).status


def test_a_name_that_sessions_gave_up_leaves_the_brief_and_waits_for_review(history):
    cortex, say, sessions = history
    old = cortex.remember("Drafts are kept on the branch notes/v1", valid_from="2026-02-01T00:00:00Z", **TOLD)
    both = cortex.remember("notes/v1 came before notes/v2", valid_from="2026-02-01T00:00:00Z", **TOLD)
    say("s1", 2, "Please rename the branch notes/v1 to notes/v2, the reader needs it.")
    cortex.import_("any", str(sessions))
    assert status(cortex, old) is Status.ACTIVE
    say("s2", 3, "Why are there no drafts on notes/v2?", "Is notes/v2 pushed by the server?")
    cortex.import_("any", str(sessions))
    assert cortex.get(old.id).metadata[NOTE] == ["notes/v1", "notes/v2"]
    assert (status(cortex, old), status(cortex, both)) == (Status.PROPOSED, Status.ACTIVE)
    assert old.id not in {one.id for one in cortex.surface().memories}
    assert old.id in {one.id for one in cortex.review().memories}
    assert "`notes/v1` is `notes/v2` since 2026-03-02" in str(cortex.history(old.id))
    cortex.review("approve", [old.id])
    cortex.import_("any", str(sessions))
    learn_across_sessions(cortex._app)
    assert status(cortex, old) is Status.ACTIVE


def test_what_is_said_later_with_an_old_name_or_after_it_came_back_stays(history, clock):
    cortex, _, _ = history
    first = cortex.remember("Traces go to trace.example.com", **TOLD)
    clock.pass_(days=1)
    cortex.remember("trace.example.com was replaced by spans.example.com", **TOLD)
    clock.pass_(days=1)
    cortex.remember("spans.example.com was replaced by trace.example.com", **TOLD)
    clock.pass_(days=1)
    later = cortex.remember("Dashboards are on trace.example.com", **TOLD)
    learn_across_sessions(cortex._app)
    assert status(cortex, later) is Status.ACTIVE
    assert NOTE not in cortex.get(first.id).metadata


def test_a_file_that_git_renamed_takes_along_what_names_it(history, tmp_path, clock):
    cortex, _, _ = history
    git = ["git", "-C", str(tmp_path / "work"), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    found = {"files": ["lib/store.py"], "kind": "tribal", "valid_from": clock.now - timedelta(days=900)}
    memory = cortex.remember("The lock in lib/store.py is taken before the cache", **found)
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "a"]):
        (tmp_path / "work" / "lib").mkdir(exist_ok=True)
        (tmp_path / "work" / "lib" / "store.py").write_text("lock = 1\n" * 20, encoding="utf-8")
        subprocess.run([*git, *command], check=True)
    learn_across_sessions(cortex._app)
    assert status(cortex, memory) is Status.ACTIVE
    subprocess.run([*git, "mv", "lib/store.py", "shelf.py"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "b"], check=True)
    learn_across_sessions(cortex._app)
    assert status(cortex, memory) is Status.PROPOSED
