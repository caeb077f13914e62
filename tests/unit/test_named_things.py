"""What a statement names is looked for in the working tree."""

from __future__ import annotations

import json
import subprocess

import pytest

from recortex.codebase.manifests import WorkingTree


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "loader.py").write_text("def read_rows(): ...\nclass RowReader: ...\n")
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "package.json").write_text(json.dumps({"scripts": {"dev": "vite"}}))
    (tmp_path / "justfile").write_text(
        "alias f := fmt\nversion := '1'\nfmt *args: check\n  ruff\n@check:\n  x\n"
    )
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test:unit": "vitest"}}))
    (tmp_path / "Makefile").write_text("VAR := 1\nbuild lint: src\n\ttrue\n")
    for words in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
        ["branch", "feature/rows"],
        ["update-ref", "refs/remotes/origin/release/2", "HEAD"],
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
        ("Run `npm run dev` in the web folder.", [], ["npm run dev"], ""),
        ("`just fmt` formats all.", [], ["just fmt", "just check", "just f"], ""),
        ("`just format` formats all.", [], ["just format"], "just format"),
        ("`cargo xtask dist` builds it.", [], ["cargo xtask dist"], ""),
        ("`read_rows` keeps the header.", [], [], ""),
        ("`RowReader.read_rows()` keeps the header.", [], [], ""),
        ("`read_lines` keeps the header.", [], [], "read_lines"),
        ("`LineReader.read_lines()` keeps the header.", [], [], "LineReader.read_lines"),
        ("`read_rows` calls `json_loads`.", [], [], ""),
        ("`read_row` is no longer called.", [], [], ""),
        ("`strict` and `HTTP_PROXY` are set in CI.", [], [], ""),
        ("Releases come from the `release/2` branch.", [], [], ""),
        ("Work on rows is on branch `feature/rows`.", [], [], ""),
        ("Pull requests go to branch `develop`.", [], [], "develop"),
        ("Pull requests go to the team/next branch.", [], [], "team/next"),
        ("Pull requests go to branch `../../HEAD`.", [], [], ""),
    ],
)
def test_what_a_statement_names(tree, text, files, commands, lacking):
    assert tree.lacks(text, files, commands) == lacking


def test_a_file_that_is_not_yet_committed_is_there(tree):
    (tree.root / "new.py").write_text("")
    assert tree.lacks("`new.py` starts the server.", ["new.py"], []) == ""


def test_branches_are_found_when_they_are_packed(tree):
    subprocess.run(["git", "pack-refs", "--all"], cwd=tree.root, check=True)
    assert tree.lacks("Releases come from branch `release/2`.", [], []) == ""
    assert tree.lacks("Releases come from branch `release/3`.", [], []) == "release/3"


def test_what_a_makefile_takes_in_is_not_known(tree):
    (tree.root / "Makefile").write_text("include rules.mk\nbuild:\n\ttrue\n")
    assert tree.lacks("`make types` checks the types.", [], ["make types"]) == ""


def test_a_manifest_that_is_no_json_declares_nothing_known(tree):
    (tree.root / "package.json").write_text("{")
    assert tree.lacks("Run `npm run tests` first.", [], ["npm run tests"]) == ""


def test_without_git_nothing_is_known(tmp_path):
    assert WorkingTree(tmp_path).lacks("`a.py` starts it.", ["a.py"], []) == ""
