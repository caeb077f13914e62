"""A project's records and commits are followed in the same way by every engine."""

import pytest

from recortex import Cortex
from recortex.domain.search import MemoryQuery
from repositories import git

WHEN = "2024-03-01T00:00:00Z"
NEW = "# 2. Use the post\n\nDate: 2024-02-02\n\n## Status\n\n{}\n\n## Decision\n\nWe use the post.\n"
OLD = "# 1. Use pigeons\n\nDate: 2024-01-01\n\n## Status\n\n{}\n\n## Decision\n\nWe use pigeons.\n"


def made(folder, old="Superseded by ADR 2"):
    (folder / "adr").mkdir(parents=True)
    (folder / "adr" / "0001-pigeons.md").write_text(OLD.format(old))
    (folder / "adr" / "0002-post.md").write_text(NEW.format("Accepted"))
    git(folder, "init", "-q", "-b", "main", ".")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Switch from pigeons to the post", at=WHEN)
    return folder


@pytest.fixture
def url(tmp_path, layout, server, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    return f"sqlite:///{tmp_path}/shared.db" if layout == "sqlite" else server.workspace_url(layout)


def standing(cx):
    found = cx._app.all_services()[0].store.memories.find(MemoryQuery(statuses=()))
    return sorted((one.source.rule, one.text.partition("\n")[0], one.status.value) for one in found)


def test_records_and_commits_are_followed(tmp_path, url, clock):
    root = made(tmp_path / "one")
    with Cortex.open(root, url=url, clock=clock) as cx:
        assert (cx.import_("adr").added, cx.import_("git").added) == (2, 1)
        assert (cx.import_("adr").unchanged, cx.import_("git", rebuild=True).unchanged) == (2, 1)
        assert standing(cx) == [
            ("commit_decision", "Switch from pigeons to the post.", "active"),
            ("decision_record", "We use pigeons.", "superseded"),
            ("decision_record", "We use the post.", "active"),
        ]
        (root / "adr" / "0001-pigeons.md").write_text(OLD.format("Accepted"))
        assert cx.import_("adr").changed == 1
        assert {status for _, _, status in standing(cx)} == {"active"}


def test_projects_that_share_a_store_end_nothing_of_each_other(tmp_path, url, layout, clock):
    if layout != "sqlite":
        pytest.skip("a server's workspace is one project's")
    with Cortex.open(made(tmp_path / "one"), url=url, clock=clock) as cx:
        cx.import_("adr")
        cx.import_("git")
        before = standing(cx)
    (tmp_path / "two" / "adr").mkdir(parents=True)
    (tmp_path / "two" / "adr" / "0001-other.md").write_text(
        OLD.format("Accepted").replace("pigeons", "ships")
    )
    git(tmp_path / "two", "init", "-q", "-b", "main", ".")
    git(tmp_path / "two", "add", ".")
    git(tmp_path / "two", "commit", "-q", "-m", "Drop support for ships", at=WHEN)
    with Cortex.open(tmp_path / "two", url=url, clock=clock) as cx:
        assert (cx.import_("adr").added, cx.import_("adr").ended) == (1, 0)
        assert (cx.import_("git").added, cx.import_("git", rebuild=True).ended) == (1, 0)
        assert set(before) < set(standing(cx))
