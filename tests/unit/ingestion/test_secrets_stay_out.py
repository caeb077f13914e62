"""A secret is taken out before the first write: no file of the store ever holds it."""

import subprocess

import pytest

from claude_sessions import claude_session
from places import store_folder
from recortex import Cortex

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def leaks(project):
    found = [
        path
        for path in store_folder(project).rglob("*")
        if path.is_file() and TOKEN.encode() in path.read_bytes()
    ]
    return [path.name for path in found]


WISHES = [
    {"text": f"The deploy key is {TOKEN} for now."},
    {"content": {"knowledge": "known", "warnings": [f"never print {TOKEN}"]}, "kind": "tribal"},
    {"text": "The deploy key is known.", "summary": f"It is {TOKEN}"},
    {"text": "The deploy key is known.", "tags": [TOKEN]},
    {"text": "The deploy key is known.", "metadata": {"env": {"GITHUB_TOKEN": TOKEN}}},
    {"text": "The deploy key is known.", "source": {"session": "s", "quote": f"use {TOKEN}"}},
    {"text": "The deploy key is known.", "source": {"url": f"https://{TOKEN}@github.com/a/b"}},
    {"text": "The deploy key is known.", "files": [f"keys/{TOKEN}.txt"]},
    {"text": "The deploy key is known.", "functions": [f"login({TOKEN})"]},
    {"text": "The deploy key is known.", "patterns": [TOKEN], "constraints": [TOKEN]},
]


@pytest.mark.parametrize("wish", WISHES, ids="-".join)
def test_remember(cortex, project, wish):
    kept = cortex.remember(**wish)
    cortex.remember_many([{**wish, "supersedes": kept.id}])
    assert leaks(project) == []
    assert TOKEN not in cortex.export().text


CHANGES = [
    {"text": f"The deploy key is {TOKEN} for now."},
    {"content": {"warnings": [TOKEN]}},
    {"summary": f"It is {TOKEN}"},
    {"tags": [TOKEN]},
    {"metadata": {"password": TOKEN}},
    {"files": [f"keys/{TOKEN}.txt"]},
    {"reason": f"{TOKEN} was leaked"},
]


@pytest.mark.parametrize("change", CHANGES, ids="-".join)
def test_edit(cortex, project, change):
    kept = cortex.remember("The deploy key is known.", kind="tribal")
    cortex.edit(kept.id, **change)
    cortex.edit(kept.id, priority=9)
    cortex.undo(kept.id)
    assert leaks(project) == []


@pytest.mark.parametrize(
    "link",
    [
        {"evidence": [f"both use {TOKEN}"]},
        {"function": f"login({TOKEN})"},
        {"file": f"{TOKEN}.txt"},
        {"pattern": TOKEN},
    ],
    ids="-".join,
)
def test_link(cortex, project, link):
    one, other = cortex.remember("The deploy key is known."), cortex.remember("Nobody writes it down.")
    cortex.link(one.id, other.id, **link)
    assert leaks(project) == []


@pytest.mark.parametrize("action", ["forget", "restore"])
def test_a_reason_to_put_away(cortex, project, action):
    kept = cortex.remember("The deploy key is known.")
    cortex.forget(kept.id, reason=f"{TOKEN} leaked")
    getattr(cortex, action)(kept.id)
    assert leaks(project) == []


def test_imports(cortex, project, tmp_path):
    with Cortex.open(tmp_path, url=f"sqlite:///{tmp_path}/other.db") as other:
        kept = other.remember("The deploy key is known.")
        other.edit(kept.id, tags=["x"])
        exported = other.export().text
    poisoned = tmp_path / "export.jsonl"
    poisoned.write_text(exported.replace("is known", f"is {TOKEN}"))
    notes = tmp_path / "notes.md"
    notes.write_text(f"# Keys {TOKEN}\n\n- The deploy key is {TOKEN} for now.\n")
    assert cortex.import_("jsonl", str(poisoned)).added == 1
    assert cortex.import_("markdown", str(notes)).added == 1
    assert leaks(project) == []
    assert cortex.history(kept.id).versions


def test_a_transcript(cortex, project, tmp_path):
    said = f"Remember: always use the token {TOKEN} for the deploy script in CI."
    path = claude_session(tmp_path / "s1.jsonl", project, said, ("assistant", f"Noted: {TOKEN}."))
    cortex.extract(str(path))
    assert leaks(project) == []


def test_memory_from_before_a_rule_is_shown_without_the_secret(cortex, project):
    kept = cortex.remember("The deploy key is PLACE for now.")
    pool = cortex._app.all_services()[0].store.pool
    with pool.transaction():
        pool.rows("UPDATE memories SET text = replace(text, 'PLACE', ?), summary = NULL", (TOKEN,))
    assert leaks(project)
    for shown in (
        cortex.get(kept.id).text,
        cortex.export().text,
        str(cortex.list()),
        str(cortex.history(kept.id)),
    ):
        assert TOKEN not in shown
    assert TOKEN not in str(cortex.recall("deploy key", recipe="keyword", floor=False))


def test_nothing_of_it_is_in_the_folder_when_a_process_wrote_it(project, home):
    import os
    import sys

    command = [sys.executable, "-m", "recortex", "remember", f"The deploy key is {TOKEN} for now.", "--json"]
    done = subprocess.run(
        command, cwd=project, env=os.environ | {"RECORTEX_EMBEDDER": "none"}, capture_output=True, check=True
    )
    assert TOKEN.encode() not in done.stdout + done.stderr
    assert leaks(project) == []
    assert not [path for path in home.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
