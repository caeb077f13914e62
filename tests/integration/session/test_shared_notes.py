"""Claude Code calls `/a-b` and `/a/b` by one name: notes in a folder that two projects share are nobody's."""

import subprocess

import pytest

from claude_sessions import claude_session
from recortex import Cortex
from recortex.app.jobs.capture import LastMessage, fulfil_requests
from recortex.app.past_sessions import notes_folder
from recortex.app.wiring import hook_context
from recortex.cli.main import run
from recortex.domain.vocabulary import Actor, Status
from recortex.errors import InvalidInputError, PersonNeededError
from recortex.formats.hook_events import HookEvent

NOTE = "The staging database is reset every night"
LATER = "Parcels are keyed by their number"


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)


@pytest.fixture
def dashed(tmp_path):
    return checkout(tmp_path / "a-b")


@pytest.fixture
def slashed(tmp_path):
    return tmp_path / "a" / "b"


@pytest.fixture
def folder(dashed):
    made = notes_folder(None, dashed)
    made.mkdir(parents=True)
    (made / "MEMORY.md").write_text(f"- {NOTE}\n")
    return made


def checkout(path):
    subprocess.run(["git", "init", "-q", "-b", "main", path], check=True)
    return path


def session(folder, name, cwd):
    return claude_session(folder.parent / f"{name}.jsonl", cwd, "Why is it slow?", session=name)


def notes(project):
    """What the project knows of the notes."""
    with Cortex.open(project) as cortex:
        return sorted(one.text for one in cortex.list().memories)


def begun(project):
    with Cortex.open(project) as cortex:
        return cortex.init().unread_notes


@pytest.mark.parametrize("shown_by", ["a folder", "a session", "both"])
def test_notes_of_a_shared_folder_are_nobodys_until_the_person_says_whose(dashed, slashed, folder, shown_by):
    if shown_by != "a session":
        checkout(slashed)
    if shown_by != "a folder":
        session(folder, "s1", slashed)
    session(folder, "s2", dashed)
    (told,) = begun(dashed)
    assert str(slashed) in told
    assert f"recortex import rules {folder}" in told
    assert notes(dashed) == []
    with Cortex.open(dashed) as cortex:
        assert cortex.import_("rules").problems == (told,)
        assert [one for one in cortex.doctor().findings if told == f"{one.message} {one.todo}"]
        assert cortex.import_("rules", str(folder)).problems == ()
    assert notes(dashed) == [NOTE]
    assert begun(dashed) == ()
    (folder / "MEMORY.md").write_text(f"- {LATER}\n")
    with Cortex.open(dashed) as cortex:
        cortex.import_("rules")
    assert notes(dashed) == [LATER]  # it is remembered
    if shown_by != "a session":
        assert begun(slashed)
        assert notes(slashed) == []  # it is not the other's


@pytest.mark.usefixtures("folder")
def test_what_was_read_of_them_is_put_away_when_the_folder_is_shared(dashed, slashed):
    assert begun(dashed) == ()
    checkout(slashed)
    with Cortex.open(dashed) as cortex:
        cortex.import_("rules")
        assert cortex.list().memories == ()
        (known,) = cortex.list(statuses=[Status.ARCHIVED]).memories
        assert known.text == NOTE


def test_a_live_session_reads_none_of_them(dashed, slashed, folder):
    checkout(slashed)
    begun(dashed)
    transcript = session(folder, "s1", dashed)
    event = HookEvent(name="session-start", session="s1", cwd=str(dashed), transcript=str(transcript))
    with Cortex.open(dashed) as cortex:
        cortex.attend(event)
    fulfil_requests(hook_context(dashed), LastMessage())
    assert notes(dashed) == []


def test_only_the_person_says_it_and_only_of_such_a_folder(
    dashed, slashed, folder, tmp_path, monkeypatch, capsys
):
    checkout(slashed)
    with Cortex.open(dashed) as cortex, pytest.raises(InvalidInputError, match="not where"):
        cortex.import_("rules", str(tmp_path))
    with Cortex.open(dashed, actor=Actor.AGENT) as cortex, pytest.raises(PersonNeededError):
        cortex.import_("rules", str(folder))
    monkeypatch.chdir(dashed)
    assert run(["init"]) == 0
    assert "nothing says whose they are" in capsys.readouterr().out.replace("\n", " ")
    assert run(["import", "rules", str(folder)]) == 0
    assert notes(dashed) == [NOTE]
