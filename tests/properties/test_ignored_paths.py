"""What a repository ignores is what git says, with git or without it, in time proportional to the names."""

import os
import subprocess
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from generated import drawn
from recortex.codebase import fact_store, record_files
from recortex.codebase.fact_store import visits
from recortex.codebase.record_files import find, hides, ignored_above, place, with_own

NAMES = ("a", "b", "ab", "aab", "build", "x.log", "keep.log", "a.md", "[a]")
names = st.sampled_from(NAMES)
paths = st.sets(st.lists(names, min_size=1, max_size=4).map("/".join), min_size=1, max_size=14)
words = st.sampled_from(
    ["a", "b", "*", "**", "?", "a*", "*.log", "[ab]", "[!a]*", "build", "a.md", "\\[a\\]"]
)
patterns = st.builds(
    lambda no, lead, parts, end: no + lead + "/".join(parts) + end,
    st.sampled_from(["", "", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(words, min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
)


def _made(folder, files, rules):
    for one in sorted(files):
        target = folder / one
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("x")
        except OSError:  # a name that is a file and a folder
            continue
    for where, lines in rules.items():
        if (folder / where).is_dir():
            (folder / where / ".gitignore").write_text("\n".join(lines) + "\n")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)


def _walked(folder, above):
    """The files that are not ignored."""
    above = with_own(above, folder)
    for entry in sorted(os.scandir(folder), key=lambda one: one.name):
        if entry.name in {".git", ".gitignore"} or hides(above, entry.path, folder=entry.is_dir()):
            continue
        if entry.is_dir():
            yield from _walked(Path(entry.path), above)
        else:
            yield Path(entry.path)


@given(files=paths, top=st.lists(patterns, max_size=5), inner=st.lists(patterns, max_size=3))
@example(files={"a/b", "a/a"}, top=["a/**", "!a/b"], inner=[])
@example(files={"a/b/ab", "ab"}, top=["**/ab"], inner=["!ab"])
@settings(max_examples=drawn(40), deadline=None)
def test_it_is_what_git_lists(files, top, inner):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        _made(folder, files, {"": top, "a": inner})
        listed = subprocess.run(
            ["git", "ls-files", "--others", "--exclude-per-directory=.gitignore", "-z"],
            cwd=folder,
            capture_output=True,
            check=True,
        ).stdout.decode()
        wanted = {one for one in listed.split("\0") if one and not one.endswith(".gitignore")}
        asked = {str(one.relative_to(folder)) for one in _walked(folder, ignored_above(folder))}
        with patch.object(record_files, "_listed", lambda _: None):
            read = {str(one.relative_to(folder)) for one in _walked(folder, ignored_above(folder))}
        assert asked == wanted
        assert read == wanted


def test_a_new_file_in_a_folder_whose_files_are_all_ignored_is_found(tmp_path):
    _made(tmp_path, {"a/x.log"}, {"": ["*.log"]})
    assert list(_walked(tmp_path, ignored_above(tmp_path))) == []
    (tmp_path / "a" / "a.md").write_text("x")
    assert list(_walked(tmp_path, ignored_above(tmp_path))) == [tmp_path / "a" / "a.md"]


def test_what_is_in_an_ignored_folder_is_hidden_from_a_walk_that_begins_there(tmp_path):
    _made(tmp_path, {"build/docs/a.md"}, {"": ["build/"]})
    inside = tmp_path / "build" / "docs"
    assert list(_walked(inside, ignored_above(inside))) == []
    with patch.object(record_files, "_listed", lambda _: None):
        assert list(_walked(inside, ignored_above(inside))) == []


@pytest.mark.parametrize("repository", [True, False])
def test_no_pattern_takes_long(tmp_path, repository):
    deep = "/".join(["a" * 200] * 8)
    (tmp_path / deep).mkdir(parents=True)
    (tmp_path / deep / ("a" * 200)).write_text("x")
    stars = ["*a" * 15 + "b", "**/" * 8 + "b", "a*" * 15 + "b/**/b", "*" * 2_000 + "b", "[" * 200]
    (tmp_path / ".gitignore").write_text("\n".join(stars * 40))
    if repository:
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    began = time.process_time()
    with patch.object(record_files, "SECONDS", 1.0):
        assert len(list(_walked(tmp_path, ignored_above(tmp_path)))) == 1
    assert time.process_time() - began < 2


def test_a_git_that_does_not_answer_is_not_waited_for(tmp_path, monkeypatch):
    """The program hangs: then the files themselves are read."""
    _made(tmp_path, {"a.md", "x.log"}, {"": ["*.log"]})
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(record_files, "SECONDS", 0.2)
    found = {one.name for one in _walked(tmp_path, ignored_above(tmp_path))}
    assert "a.md" in found
    assert "x.log" not in found


def test_nothing_of_the_repositorys_configuration_is_run(tmp_path):
    _made(tmp_path, {"a.md", "x.log"}, {"": ["*.log"]})
    mark = tmp_path / "ran"
    script = tmp_path / ".git" / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    (tmp_path / ".git" / "config").write_text(
        f"[core]\n\tfsmonitor = {script}\n\thooksPath = {script.parent}\n\texcludesFile = /etc/passwd\n"
        f'[filter "x"]\n\tclean = {script}\n\tprocess = {script}\n'
    )
    (tmp_path / ".gitattributes").write_text("* filter=x\n")
    assert {one.name for one in _walked(tmp_path, ignored_above(tmp_path))} == {"a.md", ".gitattributes"}
    assert not mark.exists()


def test_a_folder_that_nobody_has_time_for_is_told_and_the_rest_goes_on(tmp_path, monkeypatch):
    _made(tmp_path, {"a/a.md", "b/a.md"}, {})
    monkeypatch.setattr(record_files, "SECONDS", -1.0)
    found = find(place(str(tmp_path), tmp_path), {".md"})
    assert "took longer" in found.passed_over[0][1]
    monkeypatch.setattr(fact_store, "SECONDS", -1.0)
    told = []
    assert list(visits(tmp_path, {}, left_out=told.append)) == []
    assert told == [""]
