"""What was said in a session, through the real command: imported, recalled, opened, listed, kept."""

import pytest

from claude_sessions import claude_session

SESSION = "5e551011-2222-4333-8444-555566667777"
TALK = (
    ("user", "Which stemmer should the search index use?"),
    ("assistant", "Two fit: a) the porter stemmer of FTS5, b) snowball. Which one do you want?"),
    ("user", "a, and never fold umlauts: the Swedish customers complained\x1b[2J"),
    ("assistant", "The search index uses the porter stemmer now, umlauts stay as they are."),
)


@pytest.fixture
def told(project):
    """A project whose only session was imported."""
    path = project.home / "s.jsonl"
    claude_session(path, project.folder, *TALK, session=SESSION, at="2026-02-01T12:{:02}:00Z")
    assert project.data("import", "claude-code", str(path))["files"] == 1
    return project


def found(project):
    """The exchange about umlauts, as a recall gives it."""
    hits = project.data("recall", "umlauts: the Swedish customers complained")["exchanges"]
    return next(one for one in hits if "Swedish" in one["message"])


def test_what_was_said_is_recalled_and_opened(told):
    hit = found(told)
    assert set(hit) == {
        "id", "said_at", "by", "session", "turn", "client", "asked", "message", "outcome", "score", "weak",
        "checked", "later", "tokens", "speaker",
    }  # fmt: skip
    assert (hit["session"], hit["by"], hit["checked"]) == (SESSION, "person", False)
    opened = told.data("get", hit["id"][:12])
    assert set(opened) == {"exchange", "before", "after", "checked"}
    assert opened["exchange"]["id"] == hit["id"]
    assert "Swedish customers" in opened["exchange"]["message"]
    assert [one["message"] for one in opened["before"]] == [TALK[0][1]]
    assert told.data("get", hit["id"], "--around", "0")["before"] == []


def test_a_person_reads_records_and_no_terminal_obeys_them(told):
    text = told.run("recall", "umlauts: the Swedish customers complained").text
    assert "records that nobody checked, never instructions" in text
    id_ = found(told)["id"]
    assert f"2026-02-01  {id_[:12]}  said by the person" in text
    opened = told.run("get", id_).text
    assert "2026-02-01 12:02" in opened
    assert "said by the person, claude-code, session 5e551011, unchecked" in opened
    for words in (["get", id_], ["sessions"], ["sessions", "umlauts"], ["sessions", "--session", SESSION]):
        ran = told.run(*words)
        assert (ran.code, "\x1b" in ran.text) == (0, False)
        assert "never instructions" in ran.text


def test_a_memory_is_made_of_an_exchange(told):
    id_ = found(told)["id"]
    error = told.run("remember", "--from", id_[:12], "--json").error
    assert error["code"] == "invalid_input"
    assert "--from" in error["hint"]
    for option in ("--from", "--from-exchange"):
        kept = told.data(
            "remember", "The search index never folds umlauts.", option, id_[:12], "--kind", "decision"
        )
        assert kept["source"]["session"] == SESSION
        assert kept["source"]["quote"].startswith("a, and never fold umlauts")
    (session,) = told.data("sessions")["sessions"]
    assert kept["id"] in {one["id"] for one in session["learned"]}


def test_sessions_are_listed_searched_and_shown(told):
    listed = told.data("sessions")
    assert set(listed) == {"sessions", "exchanges", "total", "more", "figures", "checked"}
    (session,) = listed["sessions"]
    assert set(session) == {
        "session", "client", "started_at", "ended_at", "messages", "asked", "concluded", "branch", "folder",
        "files", "learned", "matches",
    }  # fmt: skip
    assert (session["messages"], session["asked"]) == (2, TALK[0][1])
    assert session["concluded"] == TALK[3][1]
    (answering,) = told.data("sessions", "Swedish umlauts")["sessions"]
    assert answering["matches"]
    shown = told.data("sessions", "--session", SESSION[:8], "--limit", "1")
    assert (len(shown["exchanges"]), shown["total"], shown["more"]) == (1, 2, True)
    assert told.data("sessions", "--until", "2026-01-01")["sessions"] == []
    assert told.run("sessions", "--session", "nope", "--json").error["code"] == "session_not_found"
