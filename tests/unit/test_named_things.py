"""Whether the commands that a statement names are declared in the working tree."""

from __future__ import annotations

import json
import subprocess

import pytest

from recortex.codebase.manifests import WorkingTree


@pytest.fixture
def tree(tmp_path):
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
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return WorkingTree(tmp_path)


@pytest.mark.parametrize(
    ("command", "lacking"),
    [
        ("npm run test:unit", False), ("npm run tests", True), ("npm run dev", False), ("make lint", False),
        ("make types", True), ("just fmt", False), ("just check", False), ("just f", False),
        ("just format", True), ("cargo xtask dist", False),
    ],
)  # fmt: skip
def test_a_command_that_the_tree_does_not_declare(tree, command, lacking):
    assert tree.lacks(command) is lacking


def test_what_a_makefile_takes_in_is_not_known(tree):
    (tree.root / "Makefile").write_text("include rules.mk\nbuild:\n\ttrue\n")
    assert not tree.lacks("make types")


def test_a_manifest_that_is_no_json_declares_nothing_known(tree):
    (tree.root / "package.json").write_text("{")
    assert not tree.lacks("npm run tests")
