"""What a statement names is looked for in the working tree."""

from __future__ import annotations

import json
import subprocess

import pytest

from recortex.codebase.named_things import WorkingTree


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "loader.py").write_text("x = 1\n")
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test:unit": "vitest"}}))
    (tmp_path / "Makefile").write_text("VAR := 1\nbuild lint: src\n\ttrue\n")
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return WorkingTree(tmp_path)


@pytest.mark.parametrize(
    ("text", "files", "commands", "lacking"),
    [
        ("`src/loader.py` reads the file twice.", ["src/loader.py"], [], ""),
        ("`loader.py` reads the file twice.", ["loader.py"], [], ""),
        ("`src/reader.py` reads the file twice.", ["src/reader.py"], [], "src/reader.py"),
        ("`src/reader.py` was renamed to `lib/reader.py`.", ["src/reader.py"], [], ""),
        ("`loader.py` calls `reader.py`.", ["loader.py", "reader.py"], [], ""),
        ("Run `npm run test:unit` first.", [], ["npm run test:unit"], ""),
        ("Run `npm run tests` first.", [], ["npm run tests"], "npm run tests"),
        ("`make lint` checks the types.", [], ["make lint"], ""),
        ("`make types` checks the types.", [], ["make types"], "make types"),
        ("Hosts are in `/etc/hosts`.", ["/etc/hosts"], [], ""),
    ],
)
def test_what_a_statement_names(tree, text, files, commands, lacking):
    assert tree.lacks(text, files, commands) == lacking


def test_a_file_that_is_not_yet_committed_is_there(tree):
    (tree.root / "new.py").write_text("")
    assert tree.lacks("`new.py` starts the server.", ["new.py"], []) == ""


def test_without_git_nothing_is_known(tmp_path):
    assert WorkingTree(tmp_path).lacks("`a.py` starts it.", ["a.py"], []) == ""
