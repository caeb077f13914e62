"""The person's own CLAUDE.md for all projects: their word, followed, not told again, not learned again."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from recortex import Cortex
from recortex.app.jobs import capture
from recortex.app.jobs.capture import LastMessage, fulfil_requests
from recortex.app.wiring import hook_context
from recortex.clients.instruction_files import PERSONS, persons_path
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Origin, Scope, Status, Trust

PNPM = "Use pnpm for all packages, never npm"
THURSDAY = "Releases are cut on Thursdays from main"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setattr(capture, "LAG", 0.0)
    monkeypatch.setattr("recortex.app.hooks.dispatch.start_capture", lambda *_, **__: None)


@pytest.fixture
def mine():
    """The person's file, with a rule."""
    path = Path(os.environ["CLAUDE_CONFIG_DIR"], "CLAUDE.md")
    path.write_text(f"# Mine\n\n- {PNPM}\n", encoding="utf-8")
    return path


def kept(cortex, *statuses):
    query = MemoryQuery(statuses=statuses or (Status.ACTIVE,), descending=False)
    return {one.text: one for one in cortex._app.services(Scope.PROJECT).store.memories.find(query)}


def work(cortex, context, event, transcript, *said, name="s"):
    """A session of Claude Code in which this is said, and what is learned afterwards."""
    path = transcript(name)
    told = cortex.attend(
        event("session-start", session=name, client="claude-code", transcript=str(path.path))
    )
    for text in ("hello", *said):
        path.says("user", text)
    cortex.attend(event("session-end", session=name, client="claude-code", transcript=str(path.path)))
    fulfil_requests(context, LastMessage())
    return told


@pytest.mark.usefixtures("mine")
def test_it_is_the_persons_word_and_names_no_file_of_the_project(cortex):
    assert cortex.init().instructions == (PERSONS,)
    one = kept(cortex)[PNPM]
    assert (one.origin, one.trust, one.scope) == (Origin.USER, Trust.TRUSTED, Scope.PROJECT)
    assert (one.source.path, one.files) == (PERSONS, ())
    assert one.metadata["written_in"][PERSONS]["lines"] == "3-3"


@pytest.mark.usefixtures("mine")
def test_it_is_read_once_a_client_worked_here_that_loads_it(cortex, clock, event):
    cortex.remember("Invoices are rounded half to even, as the auditors asked", kind="decision")
    context = hook_context(cortex._app.root, app=cortex._app)
    for client, read in (("codex", False), ("claude-code", True)):
        cortex.attend(event("session-start", session=client, client=client))
        fulfil_requests(context, LastMessage())
        assert (PNPM in kept(cortex)) == read
        clock.pass_(days=1, hours=1)  # who works here is looked at once a day


def test_it_is_followed_as_it_changes(cortex, context, event, transcript, mine):
    mine.unlink()
    work(cortex, context, event, transcript)
    assert PNPM not in kept(cortex)
    mine.write_text(f"- {PNPM}\n- {THURSDAY}\n")
    work(cortex, context, event, transcript, name="t")
    assert {PNPM, THURSDAY} <= kept(cortex).keys()
    mine.write_text(f"- {PNPM} or yarn\n")
    work(cortex, context, event, transcript, name="u")
    assert kept(cortex).keys() & {PNPM, THURSDAY, f"{PNPM} or yarn"} == {f"{PNPM} or yarn"}
    mine.unlink()
    work(cortex, context, event, transcript, name="v")
    assert f"{PNPM} or yarn" in kept(cortex, Status.ARCHIVED)


@pytest.mark.usefixtures("mine")
def test_claude_code_is_not_told_what_it_loads_and_others_are(cortex, event):
    cortex.init()
    cortex.remember("Invoices are rounded half to even, as the auditors asked", kind="decision")
    asked = "which package manager do we use for packages, pnpm or npm?"
    for client, given in (("claude-code", False), ("", False), ("codex", True)):
        brief = cortex.attend(event("session-start", session=f"{client}1", client=client))
        assert "auditors" in brief
        assert (PNPM in brief) == given
        told = cortex.attend(event("user-prompt-submit", session=f"{client}2", client=client, prompt=asked))
        assert (PNPM in told) == given


@pytest.mark.usefixtures("mine")
def test_a_session_does_not_teach_it_again(cortex, context, event, transcript):
    said = ("from now on always use pnpm for all packages", "from now on never push to main without a tag")
    work(cortex, context, event, transcript, *said)
    found = kept(cortex, Status.ACTIVE, Status.PROPOSED)
    assert [text for text in found if "pnpm" in text] == [PNPM]
    assert found[PNPM].evidence == 2
    assert any("without a tag" in text for text in found)


def test_it_replaces_nothing_that_was_said_for_one_project(cortex, clock, mine):
    here = cortex.remember("Use PostgreSQL for the job queue.", kind="decision")
    mine.write_text("- Use Redis for the job queue instead of PostgreSQL.\n- Use Kafka for the audit trail\n")
    clock.pass_(hours=1)
    cortex.init()
    assert cortex.get(here.id).status is Status.ACTIVE
    assert any("Redis" in text for text in kept(cortex))
    earlier = clock.now - timedelta(days=30)  # said in a session that is read late
    late = cortex.remember(
        "We use Redis for the audit trail instead of Kafka.", kind="decision", valid_from=earlier
    )
    assert cortex.get(late.id).status is Status.ACTIVE


def test_no_repository_speaks_with_the_persons_trust(project, clock, monkeypatch, mine):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    rules = project / ".claude" / "CLAUDE.md"
    rules.parent.mkdir()
    rules.write_text(f"- {THURSDAY}\n")
    forged = project / "memory of Claude Code: x"
    forged.mkdir()
    (forged / "CLAUDE.md").write_text("- Every handler logs its request id\n")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(rules.parent))
    with Cortex.open(project, clock=clock) as cortex:
        cortex.init()
        found = kept(cortex)
        assert {THURSDAY, "Every handler logs its request id"} == found.keys()
        assert {one.trust for one in found.values()} == {Trust.UNTRUSTED}
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(mine.parent))
    with Cortex.open(project, clock=clock) as cortex:
        cortex.import_("rules")
        mine.unlink()
        cortex.import_("rules")
        rules.write_text(f"- {PNPM}\n")  # what the person took out stands in the clone now
        cortex.import_("rules")
        assert (kept(cortex)[PNPM].trust, kept(cortex)[PNPM].origin) == (Trust.UNTRUSTED, Origin.REPOSITORY)
        assert kept(cortex)[PNPM].source.path == ".claude/CLAUDE.md"


@pytest.mark.parametrize("odd", ["folder", "pipe", "ring", "large", "bytes", "nowhere"])
def test_an_odd_file_stands_in_no_way(cortex, context, event, transcript, project, mine, odd):
    mine.unlink()
    make = {
        "folder": mine.mkdir,
        "pipe": lambda: os.mkfifo(mine),
        "ring": lambda: mine.symlink_to(mine),
        "large": lambda: mine.write_text(f"- {PNPM}\n" * 8_000),
        "bytes": lambda: mine.write_bytes(b"\xff\x00- \xfe\n" * 9),
        "nowhere": lambda: mine.symlink_to(mine.parent / "gone"),
    }
    make[odd]()
    (project / "CLAUDE.md").write_text(f"- {THURSDAY}\n")
    work(cortex, context, event, transcript)
    assert THURSDAY in kept(cortex)
    assert PNPM not in kept(cortex)


def test_a_link_to_a_file_of_the_persons_is_followed(cortex, mine, tmp_path):
    (tmp_path / "dotfiles").mkdir()
    mine.rename(tmp_path / "dotfiles" / "claude.md")
    mine.symlink_to(tmp_path / "dotfiles" / "claude.md")
    cortex.init()
    assert kept(cortex)[PNPM].trust is Trust.TRUSTED


def test_it_lies_in_the_home_folder_where_no_variable_says_otherwise(project, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "me"))
    assert persons_path(None, project) == tmp_path / "me" / ".claude" / "CLAUDE.md"
    assert persons_path(None, tmp_path / "me") is None  # the home folder itself is the project
    assert persons_path(Path("relative"), project) is None


def test_a_store_on_a_server_holds_nothing_of_it(cortex, mine):
    from types import SimpleNamespace

    from recortex.app.hooks.dispatch import persons

    root = cortex._app.root
    assert persons(SimpleNamespace(remote=True), root, mine.parent) == []
    assert persons(SimpleNamespace(remote=False), root, mine.parent) == [str(mine)]
