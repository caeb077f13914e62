"""Output on a terminal of 80 columns: nothing is wider, and it reads well; a pipe keeps its plain form."""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import datetime, timedelta

import pytest

from person import at_a_terminal

MIGRATIONS = (
    "Migrations run with lock_timeout = 5s, since a blocked ALTER took the site down for an hour in March"
)
WIDE = "データベースの移行は必ず夜間に実行する。昼間はロックが長くなり、サイトが止まるためである。" * 2
PATH = "/a/very/long/path/that/has/no/blank/in/it" * 4 + ".py"


@pytest.fixture
def known(project):
    """A project whose memories are long, wide and without a place to break; returns the id of the first."""
    first = project.remember(MIGRATIONS, "--kind", "decision", "--importance", "high", "--tags", "db")
    second = project.remember(WIDE, "--kind", "tribal", "--tags", "日本語")
    project.remember(f"The worker stands in {PATH} and nowhere else.", "--files", PATH)
    project.data("link", first, second, "--relation", "supersedes")
    project.data("edit", first, "--summary", "How migrations run", "--reason", "shorter")
    (project.folder / "notes.md").write_text(
        f"- {WIDE}\n- Prices are cents, as `{PATH}` says.\n", encoding="utf-8"
    )
    project.data("import", "markdown", "notes.md")
    return first


def screen(project, *words, env=None):
    code, shown = at_a_terminal(project, *words, env={"COLUMNS": "80", "NO_COLOR": ""} | (env or {}))
    assert code == 0, shown
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", shown.replace("\r\n", "\n")).rpartition("\r")[2]


def width(line):
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in line)


@pytest.mark.full
def test_no_line_is_wider_than_the_screen(project, known):
    for words in (
        ["list"], ["list", "--full"], ["review", "list"], ["status"], ["inspect"], ["doctor"],
        ["doctor", "--full"], ["init"], ["history", known], ["get", known], ["related", known],
        ["traverse", known],
        ["recall", "how do migrations run?"], ["surface"], ["forget", "how migrations run"], ["backup"],
        ["gc", "--dry-run"], ["help"], ["recall", "--help"], ["install", "codex", "--dry-run"],
        ["import", "claude-code"], ["export"],
    ):  # fmt: skip
        wide = [line for line in screen(project, *words).split("\n") if width(line) > 80]
        assert not wide, (words, wide)


def test_a_list_is_a_table_with_headings_and_days(project, known):
    shown = screen(project, "list")
    assert re.search(r"^id +kind +memory +changed$", shown, re.MULTILINE)
    assert re.search(
        rf"^{known[:8]} +decision +! How migrations run #db +today \d\d:\d\d UTC$", shown, re.MULTILINE
    )
    assert "3 memories." in shown
    assert "2 days ago" in screen(project, "list", env={"RECORTEX_NOW": in_days(project, known, 2)})


def in_days(project, known, days):
    return (
        datetime.fromisoformat(project.data("get", known)["updated_at"]) + timedelta(days=days)
    ).isoformat()


def test_what_waits_shows_how_sure_it_is_whole(project, known):  # noqa: ARG001  the memories that it made
    shown = screen(project, "review", "list")
    assert "% sure  quarantined" in shown
    assert WIDE in re.sub(r"\n +", "", shown)
    assert "2 memories wait for you." in shown


def test_a_quote_stands_beside_what_is_to_be_approved(project):
    said = "I think the retry in queue.py hides errors of the database, so we should probably drop it."
    source = {"session": "s", "turn": 0, "speaker": "user", "quote": said}
    row = {
        "text": "The retry in queue.py hides errors.",
        "status": "proposed",
        "source": source,
        "confidence": 0.55,
    }
    project.data("remember_many", json.dumps([row]))
    shown = screen(project, "review", "list")
    assert "55% sure  proposed" in shown
    assert f"“{said}”" in re.sub(r"\n +", " ", shown)
    assert "said by user" in shown


def test_history_names_changes_in_words(project, known):
    shown = screen(project, "history", known)
    assert re.search(r"^Version 2  from today [\d:]+ UTC until now, by user: shorter$", shown, re.MULTILINE)
    assert "fields summary" in shown
    assert "relation supersedes; target " in re.sub(r"\n +", " ", shown)
    assert "[" not in shown
    assert "fields=[" not in project.run("history", known).text


def test_only_settings_that_were_changed(project):
    shown = screen(project, "doctor", env={"RECORTEX_RECALL_LIMIT": "5"})
    assert re.search(r"recall.limit +5 +environment", shown)
    assert "lifecycle.hub" not in shown
    assert "more are as they come" in shown
    assert "lifecycle.hub" in screen(project, "doctor", "--full")
    assert "lifecycle.hub" in project.run("doctor").text


def test_whole_records_on_request(project, known):
    for text in (screen(project, "list", "--full"), project.run("list", "--full").text):
        assert known in text
        assert "importance    high (8 of 10)" in text


def test_a_pipe_keeps_its_plain_form_and_imports_no_rich(project, known):
    ran = project.run("list", env={"PYTHONPROFILEIMPORTTIME": "1"})
    assert f"{known[:8]}  decision           !  How migrations run  #db\n" in ran.text
    assert "rich" not in {line.rpartition("|")[2].strip().partition(".")[0] for line in ran.err.splitlines()}


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb", "NO_COLOR": ""}])
def test_no_colour_where_none_is_wanted(project, known, env):  # noqa: ARG001  the memories that it made
    for words in (["list"], ["review", "list"], ["status"], ["doctor"], ["inspect"]):
        assert "\x1b[3" not in at_a_terminal(project, *words, env={"COLUMNS": "80"} | env)[1]


def test_words_without_quotes_are_told_to_take_them(project):
    assert "in quotes" in project.run("recall", "how", "do", "we", "deploy").err
