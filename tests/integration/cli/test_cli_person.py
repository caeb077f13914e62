"""What a person at a terminal sees: a question before a removal, colours, progress."""

from __future__ import annotations

import json

import pytest

from person import at_a_terminal


@pytest.mark.parametrize(("answer", "status"), [(b"y\n", "archived"), (b"n\n", "active"), (b"\n", "active")])
def test_a_person_is_asked_before_something_is_removed(project, answer, status):
    known = project.remember("The nightly job takes the write lock at two, so deployments wait.")
    code, shown = at_a_terminal(project, "forget", known, answer=answer)
    assert code == 0
    assert "Would be put away" in shown
    assert "The nightly job" in shown
    assert ("Nothing was changed." in shown) is (status == "active")
    assert project.data("get", known)["status"] == status


@pytest.mark.parametrize("json_", [True, False])
def test_words_to_forget_show_what_they_may_mean_without_a_terminal(project, json_):
    known = project.remember("The nightly job takes the write lock at two, so deployments wait.")
    ran = project.run("forget", "the nightly job and its write lock", *(["--json"] if json_ else []))
    assert ran.code == 0
    if json_:
        assert [one["id"] for one in ran.data["candidates"]] == [known]
    else:
        assert "Which one is it?" in ran.text
        assert f"`recortex forget {known[:8]}`" in ran.text
    assert project.data("get", known)["status"] == "active"
    assert project.run("forget", known).code == 1  # what would be put away is asked for all the same


def test_a_dry_run_wins_over_yes(project):
    known = project.remember("The nightly job takes the write lock at two, so deployments wait.")
    assert "Would be put away" in project.run("forget", known, "--yes", "--dry-run").text
    assert project.data("get", known)["status"] == "active"


def test_colours_for_a_person_and_none_with_no_color(project):
    project.remember("The nightly job takes the write lock at two, so deployments wait.")
    assert "\x1b[36m" in at_a_terminal(project, "list", env={"NO_COLOR": ""})[1]
    assert "\x1b" not in at_a_terminal(project, "list")[1]


def test_long_work_shows_its_progress(project, tmp_path):
    rows = [
        {"text": f"Part {n} of the service waits {n} seconds for the lock of part {n + 1}."}
        for n in range(300)
    ]
    (tmp_path / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    code, shown = at_a_terminal(project, "remember_many", f"@{tmp_path / 'rows.json'}")
    assert code == 0
    assert "#" * 24 in shown
    assert "300 memories added." in shown
    assert shown.rstrip().endswith("300 memories added.")
