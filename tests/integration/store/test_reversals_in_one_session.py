"""A change of mind gives the same whichever way it came in, and what was said later is told first."""

import math
from dataclasses import replace

import pytest

from claude_sessions import claude_session
from recortex import Cortex
from recortex.app.jobs.running import run
from recortex.app.jobs.table import AFTER_SESSION
from recortex.domain.vocabulary import Scope

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
