"""The first commands in a project say what can be done next, and where they looked."""

from __future__ import annotations

import os

from claude_sessions import claude_session


def session(project, cwd):
    """A session of Claude Code that ran in a folder."""
    said = "We always deploy with `make ship`, never by hand."
    claude_session(project.home / ".claude" / "projects" / "one" / "s.jsonl", cwd, said)


def client(project, name):
    """A program on the PATH."""
    folder = project.home / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}/nowhere"}


def test_init_names_what_is_on_this_machine(project):
    session(project, project.folder)
    shown = project.run("init", env=client(project, "codex")).text
    assert "recortex import claude-code" in shown
    assert "recortex install codex" in shown
    assert "import gemini" not in shown
    assert "install claude-code" not in shown
    assert 'recortex recall "…"' in shown


def test_init_names_no_agent_that_has_the_memory_already(project):
    path = client(project, "codex")
    assert project.run("install", "codex", env=path).code == 0
    assert "install codex" not in project.run("init", env=path).text


def test_an_import_that_found_nothing_says_where_it_looked(project):
    ran = project.run("import", "claude-code")
    assert ran.code == 0
    assert "No session of claude-code was found for this project" in ran.text
    assert str(project.home / ".claude" / "projects") in ran.text
    assert "recortex import claude-code FOLDER" in ran.text
    assert project.data("import", "claude-code")["places"] == [str(project.home / ".claude" / "projects")]


def test_an_import_says_that_all_that_it_found_is_of_other_projects(project, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    session(project, other)
    ran = project.run("import", "claude-code")
    assert "1 session there belongs to another project." in ran.text
    assert project.data("import", "claude-code")["elsewhere"] == 1


def test_a_client_without_a_known_place_is_told(project):
    assert "no session files in a place that is known" in project.run("import", "swe-agent").text


def test_an_import_that_read_something_says_nothing_of_places(project):
    session(project, project.folder)
    assert "Looked in" not in project.run("import", "claude-code").text


def test_an_import_ends_with_status_1_where_a_file_cannot_be_read(project):
    history = project.folder / "history"
    history.mkdir()
    (history / "empty.jsonl").write_text("")
    alone = project.run("import", "any", str(history / "empty.jsonl"))
    assert alone.code == 1
    assert "is empty" in alone.err
    (history / "talk.md").write_text("User: heat the oven\n\nAssistant: It is hot.\n")
    ran = project.run("import", "any", str(history))
    assert ran.code == 1
    assert "Read 1 file" in ran.text
    assert "empty.jsonl: is empty" in " ".join(ran.text.split())
    (history / "empty.jsonl").unlink()
    assert project.run("import", "any", str(history)).code == 0
