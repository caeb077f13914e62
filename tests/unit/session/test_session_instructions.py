"""What instruction files say: followed as they change, not learned again, not told to who loads them."""

import pytest

from recortex import Cortex
from recortex.app.jobs import capture
from recortex.app.jobs.capture import LastMessage, fulfil_requests
from recortex.app.wiring import hook_context
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor, Origin, Scope, Status, Trust

CLAUDE = """# Notes

- Use pnpm for all packages, never npm
- Regenerate the client with `make client` after each change of the schema

```bash
pnpm vitest run   # unit tests
```
"""
PORTS = "Always bind the billing service to port 7443 in every environment"
CURSOR = f"---\nalwaysApply: true\n---\n\n- {PORTS}\n"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setattr(capture, "LAG", 0.0)
    monkeypatch.setattr("recortex.app.hooks.dispatch.start_capture", lambda *_, **__: None)


@pytest.fixture(autouse=True)
def files(project):
    (project / "CLAUDE.md").write_text(CLAUDE)
    (project / ".cursor/rules").mkdir(parents=True)
    (project / ".cursor/rules/ports.mdc").write_text(CURSOR)
    return project


def kept(cortex, *statuses):
    query = MemoryQuery(statuses=statuses or (Status.ACTIVE,), descending=False)
    return cortex._app.services(Scope.PROJECT).store.memories.find(query)


def texts(cortex, *statuses):
    return {memory.text for memory in kept(cortex, *statuses)}


def cited(cortex):
    return {one.text: (one.files[0].path, one.files[0].line_start) for one in kept(cortex)}


def work(cortex, context, event, transcript, *said, client="claude-code"):
    """A session in which this is said, and what is learned afterwards."""
    path = transcript("s")
    cortex.attend(event("session-start", client=client, transcript=str(path.path)))
    for role, text in said or (("user", "hello"),):
        path.says(role, text)
    cortex.attend(event("session-end", client=client, transcript=str(path.path)))
    fulfil_requests(context, LastMessage())


def test_rules_for_other_clients_speak_after_the_person_said_so(cortex):
    made = cortex.init()
    assert (made.instructions, made.rules) == (("CLAUDE.md",), (".cursor/rules/ports.mdc",))
    assert PORTS not in texts(cortex)
    cortex.import_("rules")
    assert PORTS in texts(cortex)
    assert cortex.init().rules == ()


def test_what_they_say_is_the_repositorys_word_with_its_lines(cortex):
    cortex.import_("rules")
    assert cited(cortex) == {
        "Use pnpm for all packages, never npm": ("CLAUDE.md", 3),
        "Regenerate the client with `make client` after each change of the schema": ("CLAUDE.md", 4),
        "unit tests: `pnpm vitest run`": ("CLAUDE.md", 7),
        PORTS: (".cursor/rules/ports.mdc", 5),
    }
    assert {(one.origin, one.trust, one.scope, one.pinned) for one in kept(cortex)} == {
        (Origin.REPOSITORY, Trust.UNTRUSTED, Scope.PROJECT, False)
    }
    (hit,) = cortex.recall("which port is the billing service bound to?", limit=1).hits
    assert (hit.memory.text, hit.freshness) == (PORTS, "fresh")


def test_they_are_kept_in_step(cortex, files):
    cortex.import_("rules")
    changed = CLAUDE.replace("# Notes\n", "# Notes\n\n- Releases are cut on Thursdays from main\n")
    changed = changed.replace(
        "- Use pnpm for all packages, never npm", "- Use pnpm for all packages, never npm or yarn"
    )
    (files / "CLAUDE.md").write_text(changed.replace("pnpm vitest run   # unit tests", ""))
    done = cortex.import_("rules")
    assert (done.files, done.added) == (2, 2)
    assert cited(cortex) == {
        "Releases are cut on Thursdays from main": ("CLAUDE.md", 3),
        "Use pnpm for all packages, never npm or yarn": ("CLAUDE.md", 5),
        "Regenerate the client with `make client` after each change of the schema": ("CLAUDE.md", 6),
        PORTS: (".cursor/rules/ports.mdc", 5),
    }
    assert texts(cortex, Status.SUPERSEDED) == {"Use pnpm for all packages, never npm"}
    (gone,) = kept(cortex, Status.ARCHIVED)
    assert gone.text == "unit tests: `pnpm vitest run`"
    assert cortex.import_("rules").added == 0

    (files / "CLAUDE.md").write_text(CLAUDE)  # another branch is checked out
    cortex.import_("rules")
    assert "unit tests: `pnpm vitest run`" in texts(cortex)
    assert len(kept(cortex, *Status)) == 6
    assert cortex.undo(gone.id).status is Status.ARCHIVED


def test_what_is_forgotten_stays_so_and_what_was_known_is_no_second_memory(cortex, files):
    mine = cortex.remember(f"{PORTS}.", kind="environment")
    short = cortex.remember("Regenerate the client with `make client`", kind="procedural")
    cortex.import_("rules")
    assert len(kept(cortex)) == 4 + 1  # the longer statement of the file is one more
    (one,) = [memory for memory in kept(cortex) if memory.id == short.id]
    assert {"claude-code", "opencode"} <= set(one.metadata["loaded_by"].split())
    assert cortex.get(mine.id).trust is Trust.TRUSTED
    (unit,) = [memory for memory in kept(cortex) if "vitest" in memory.text]
    cortex.forget(unit.id)
    (files / "CLAUDE.md").write_text(CLAUDE + "\n- Commits are signed with the team's key\n")
    cortex.import_("rules")
    assert "unit tests: `pnpm vitest run`" not in texts(cortex)
    (files / ".cursor/rules/ports.mdc").unlink()
    cortex.import_("rules")
    assert mine.id in {memory.id for memory in kept(cortex)}  # the person said it, whatever the file says


def test_a_session_teaches_nothing_that_is_written_already(cortex, event, transcript):
    cortex.remember("Invoices are rounded half to even, as the auditors asked", kind="decision")
    context = hook_context(cortex._app.root, app=cortex._app)
    work(
        cortex, context, event, transcript,
        ("user", "from now on always use pnpm for all packages"),
        ("user", "from now on never push to the release branch without a tag"),
    )  # fmt: skip
    by_text = {memory.text: memory for memory in kept(cortex)}
    assert PORTS not in by_text  # Cursor has not worked here, and the person did not ask
    assert by_text["Use pnpm for all packages, never npm"].evidence == 2
    assert by_text["Use pnpm for all packages, never npm"].trust is Trust.UNTRUSTED
    assert [text for text in by_text if "pnpm for" in text] == ["Use pnpm for all packages, never npm"]
    assert any("release branch" in text for text in by_text)


def test_a_repository_replaces_nothing_and_an_agent_has_no_more_of_it_read(project, cortex, files):
    mine = cortex.remember("Use yarn for all packages", kind="preference")
    with Cortex.open(project, actor=Actor.AGENT) as agents:
        assert agents.import_("rules").files == 0
    (files / "CLAUDE.md").write_text(
        "- We moved from yarn to pnpm: use pnpm instead of yarn for all packages\n"
    )
    cortex.import_("rules")
    assert cortex.get(mine.id).status is Status.ACTIVE
    (theirs,) = [memory for memory in kept(cortex) if "pnpm" in memory.text]
    now = cortex.remember(
        "We moved from pnpm to bun: use bun instead of pnpm for all packages", kind="preference"
    )
    assert now.status is Status.ACTIVE
    assert cortex.edit(theirs.id, tags=["packages"]).trust is Trust.UNTRUSTED


def test_imports_are_read_for_those_who_follow_them(cortex, files, tmp_path):
    (tmp_path / "outside.md").write_text("- This file lies outside of the project\n")
    (files / "docs").mkdir()
    (files / "docs/style.md").write_text("- Names of tables are in the singular\n")
    (files / "AGENTS.md").write_text("- Every handler logs its request id\n")
    (files / "CLAUDE.md").write_text("@docs/style.md\n@AGENTS.md\n@../outside.md\n")
    cortex.import_("rules")
    loaded = {one.text: set(one.metadata["loaded_by"].split()) for one in kept(cortex)}
    assert loaded["Names of tables are in the singular"] == {"claude-code"}
    assert {"claude-code", "codex"} <= loaded["Every handler logs its request id"]
    assert not any("outside" in text for text in loaded)


def test_claude_codes_own_notes_are_the_agents_word(cortex, context, event, transcript):
    path = transcript("s").says("user", "hello").path
    (path.parent / "memory").mkdir()
    (path.parent / "memory/MEMORY.md").write_text("- The staging database is reset every night\n")
    cortex.attend(event("session-start", transcript=str(path)))
    fulfil_requests(context, LastMessage())
    (note,) = [one for one in kept(cortex) if "staging" in one.text]
    assert (note.origin, note.trust, note.files) == (Origin.AGENT, Trust.DERIVED, ())
    assert note.source.path == "memory of Claude Code: MEMORY.md"
    assert note.metadata["loaded_by"] == "claude-code"


def test_a_start_only_looks_whether_something_changed(cortex, context, event, files, monkeypatch):
    started = []
    monkeypatch.setattr("recortex.app.hooks.dispatch.start_capture", lambda *_, **__: started.append(1))
    cortex.import_("rules")
    cortex.attend(event("session-start", session="a"))
    assert started == []
    (files / "AGENTS.md").write_text("- Every handler logs its request id\n")
    cortex.attend(event("session-start", session="b"))
    assert started == [1]
    fulfil_requests(context, LastMessage())
    cortex.attend(event("session-start", session="c"))
    assert started == [1]
    assert "Every handler logs its request id" in texts(cortex)


def test_the_setting_switches_it_off(project, monkeypatch):
    monkeypatch.setenv("RECORTEX_HOOKS_INSTRUCTIONS", "false")
    with Cortex.open(project) as quiet:
        assert quiet.init().instructions == ()
        assert texts(quiet) == set()
