"""Every verb that reads a project's files names the one that takes too long, and goes on with the rest."""

import pytest

from recortex import Cortex
from recortex.app import commit_import
from recortex.app.jobs import instructions
from recortex.cli.rendering import render
from recortex.code import facts
from recortex.codebase import extraction
from recortex.decisions import importing as decision_import
from recortex.documents import operations as document_operations
from recortex.domain.vocabulary import Status
from recortex.terminal import Terminal
from repositories import git

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""The error that stops the reading may be raised first in a finaliser."""
ONE_STEP = 1e-6
"""Seconds within which nothing is read that takes longer than the system's clock ticks, some 0.01 s."""
LONG = "It is said once more and once more, in other words.\n\n" * 6_000
HANDLERS = (
    "from fastapi import FastAPI\n\nfrom answers import Answer\n\napp = FastAPI()\n\n\n"
    + "\n\n\n".join(
        f'@app.get("/kilns/{number}")\nasync def part{number}(number: int) -> Answer:\n    return 1'
        for number in range(9)
    )
)


@pytest.fixture
def root(tmp_path, monkeypatch, without_vectors):  # noqa: ARG001
    """A project with code, documents, records and commits."""
    made = tmp_path / "project"
    (made / "docs" / "adr").mkdir(parents=True)
    (made / "requirements.txt").write_text("fastapi==0.115.0\n")
    (made / "answers.py").write_text("class Answer:\n    pass\n")
    (made / "app.py").write_text(HANDLERS)
    (made / "docs" / "first.md").write_text("# Kilns\n\nThey are hot.\n" + LONG)
    (made / "docs" / "second.md").write_text("# Clay\n\nIt is kept wet.\n" + LONG)
    record = "# 1. Fire with gas\n\n## Status\n\nAccepted\n\n## Decision\n\nWe fire with gas.\n\n"
    (made / "docs" / "adr" / "0001-fire-with-gas.md").write_text(record + LONG)
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["commit", "-qm", "Fire with gas\n\nCoal is too dirty.\n\n" + LONG[:19_000]],
    ):
        git(made, *words)
    monkeypatch.chdir(made)
    return made


@pytest.fixture
def cortex(root):
    with Cortex.open(root) as opened:
        yield opened


def test_code_names_code_that_takes_too_long(root, cortex, monkeypatch):
    with monkeypatch.context() as hurried:
        hurried.setattr(extraction, "LIMITS_SECONDS", -1.0)
        (root / "slow.py").write_text("def late():\n    pass\n" * 20_000)
        for answer in (cortex.code(), cortex.code("find", "part1"), cortex.code("patterns")):
            assert "slow.py: parsing takes too long" in answer.problems
            assert "slow.py: parsing takes too long" in render(answer, Terminal())


def test_a_manifest_that_takes_too_long_is_named(root, cortex, monkeypatch):
    monkeypatch.setattr(facts, "FILE_SECONDS", ONE_STEP)
    (root / "requirements.txt").write_text("fastapi==0.115.0\n" + "a==1\n" * 100_000)
    assert any(one.startswith("requirements.txt: left out") for one in cortex.code("patterns").problems)


@pytest.mark.parametrize("format_", ["adr", "git"])
def test_an_import_names_what_takes_too_long(cortex, monkeypatch, format_):
    with monkeypatch.context() as hurried:
        hurried.setattr(decision_import, "SECONDS", ONE_STEP)
        hurried.setattr(commit_import, "SECONDS", ONE_STEP)
        done = cortex.import_(format_)
    assert not done.added
    assert any("left out: reading it took longer" in one for one in done.problems)
    assert cortex.import_(format_).added == (format_ == "adr")  # a commit is read once


def test_what_is_known_of_a_record_that_takes_too_long_stays(root, cortex, monkeypatch):
    cortex.import_("adr")
    with monkeypatch.context() as hurried:
        hurried.setattr(decision_import, "SECONDS", ONE_STEP)
        path = root / "docs" / "adr" / "0001-fire-with-gas.md"
        path.write_text(path.read_text() + LONG)
        assert cortex.import_("adr").ended == 0
    assert [one.status for one in cortex.list(kinds=["decision"]).memories] == ["active"]


def test_ingest_names_what_takes_too_long(cortex, monkeypatch):
    with monkeypatch.context() as hurried:
        hurried.setattr(document_operations, "SECONDS", ONE_STEP)
        done = cortex.ingest(["docs"])
    assert {one.path for one in done.problems} == {
        "docs/first.md",
        "docs/second.md",
        "docs/adr/0001-fire-with-gas.md",
    }
    assert len(cortex.ingest(["docs"]).added) == 3


INSTRUCTIONS = (
    "# Rules\n\n- Never push to main, always open a pull request.\n- Run `just check` before each commit.\n"
)


@pytest.mark.usefixtures("without_vectors")
def test_instructions_that_take_too_long_are_named_and_nothing_is_forgotten(project, clock, monkeypatch):
    (project / "CLAUDE.md").write_text(INSTRUCTIONS)
    with Cortex.open(project, clock=clock) as cortex:
        assert cortex.import_("rules").added
        before = {one.id: one.status for one in cortex.list().memories}
        (project / "CLAUDE.md").write_text(
            INSTRUCTIONS + "- A line about nothing in particular, said again.\n" * 2_500
        )
        with monkeypatch.context() as hurried:
            hurried.setattr(instructions, "SECONDS", 0.001)
            done = cortex.import_("rules")
        assert [one for one in done.problems if one.startswith("CLAUDE.md: left out: reading it took")]
        assert {one.id: one.status for one in cortex.list().memories} == before
        assert set(before.values()) == {Status.ACTIVE}
        again = cortex.import_("rules")
        assert again.problems == ()
