"""A checkout's memory stays that of its data directory; what was purged or lies elsewhere stays out."""

import subprocess

import pytest

from recortex import Cortex

RULE = "Never push to main, always open a pull request."


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def _hits(folder):
    with Cortex.open(folder) as cortex:
        return [hit.memory.text for hit in cortex.recall("push to main").hits]


def test_two_data_directories_on_one_checkout_keep_their_memories(checkout, tmp_path, monkeypatch):
    with Cortex.open(checkout) as cortex:
        cortex.remember(RULE)
        assert not any("RECORTEX_HOME" in one for one in cortex.status().notices)
    configured = (checkout / ".git" / "config").read_text()
    with monkeypatch.context() as other:
        other.setenv("RECORTEX_HOME", str(tmp_path / "other home"))
        assert _hits(checkout) == []
        with Cortex.open(checkout) as cortex:
            cortex.remember("Push to main only what was reviewed by two people.")
            assert any("RECORTEX_HOME" in one for one in cortex.status().notices)
        assert _hits(checkout) == ["Push to main only what was reviewed by two people."]
    assert (checkout / ".git" / "config").read_text() == configured
    assert _hits(checkout) == [RULE]


def test_what_is_kept_in_the_home_folder_is_not_shared_by_the_folders_below(tmp_path, monkeypatch):
    home = tmp_path / "person"
    (home / "notes" / "deep").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    with Cortex.open(home) as cortex:
        cortex.remember(RULE)
        assert any("is no project" in one for one in cortex.status().notices)
    assert _hits(home) == [RULE]
    assert _hits(home / "notes" / "deep") == []


def test_documents_behind_a_link_out_of_the_project_are_not_read(checkout, tmp_path, monkeypatch):
    outside = tmp_path / "private"
    outside.mkdir()
    (outside / "notes.md").write_text("# Notes\n\nThe vault is opened on Mondays.\n")
    (checkout / "docs").symlink_to(outside)
    monkeypatch.chdir(checkout)
    with Cortex.open(checkout) as cortex:
        done = cortex.ingest(["docs"])
        assert done.documents == 0
        assert "leads out of the project" in done.problems[0].why
        assert cortex.ingest([str(outside)]).documents == 1


@pytest.mark.parametrize("by", ["id", "text"])
def test_what_was_purged_does_not_come_back_with_an_export_of_before(checkout, tmp_path, by):
    export = tmp_path / "all.jsonl"
    with Cortex.open(checkout) as cortex:
        gone = cortex.remember(RULE)
        cortex.remember("Releases are cut on Tuesdays.")
        cortex.export(str(export))
        cortex.purge(gone.id) if by == "id" else cortex.purge(text=RULE)
        done = cortex.import_("jsonl", path=str(export))
        assert done.skipped == {"it was purged here": 1}
        assert done.added == 0
    assert _hits(checkout) == []


def test_a_purge_names_what_an_agent_exported(checkout, home):
    with Cortex.open(checkout) as cortex:
        gone = cortex.remember(RULE)
        exports = home / "exports"
        exports.mkdir()
        cortex.export(str(exports / "all.jsonl"))
        assert cortex.purge(gone.id).traces == (str(exports / "all.jsonl"),)
