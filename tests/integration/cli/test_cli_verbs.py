"""Every verb does what it says, and says it in the one envelope."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from claude_sessions import claude_session
from person import at_a_terminal
from places import has_folder, store_folder

# -- Every verb does what it says, and says it in the one envelope.
MEMORY = {
    "id", "kind", "summary", "content", "text", "status", "confidence", "importance", "priority", "pinned",
    "tags", "domain", "files", "patterns", "constraints", "functions", "source", "origin", "trust",
    "recorded_at", "valid_from", "valid_until", "last_accessed_at", "access_count", "supersedes",
    "superseded_by",
}  # fmt: skip
TEXT = "Use bcrypt with 12 rounds for passwords, because the audit asks for at least that."
OTHER = "The nightly job takes the write lock at 02:00 UTC, so deployments wait until 03:00."


def test_init_makes_the_store_once(project):
    made = project.data("init")
    assert made["created"] is True
    assert Path(made["path"]).is_file()
    assert Path(made["path"]).parent == store_folder(project.folder, project.home)
    assert project.data("init")["created"] is False


def test_remember_get_and_the_contract_of_a_memory(project):
    kept = project.data(
        "remember", TEXT, "--kind", "gotcha", "--importance", "high", "--tags", "auth,bcrypt", "--tags",
        "security", "--domain", "auth", "--files", "src/auth.py:3-9", "--functions", "hash_password",
        "--pinned", "--confidence", "0.9", "--valid-from", "2026-01-01", "--source",
        '{"session": "s", "turn": 3}', "--metadata", '{"ticket": "A-1"}',
    )  # fmt: skip
    assert kept.keys() >= MEMORY
    assert (kept["kind"], kept["importance"], kept["pinned"], kept["domain"]) == (
        "tribal", "high", True, "AUTH",
    )  # fmt: skip
    assert kept["tags"] == ["auth", "bcrypt", "security"]
    assert kept["files"][0]["line_end"] == 9
    assert kept["source"]["turn"] == 3
    got = project.data("get", kept["id"][:8])
    assert got["id"] == kept["id"]
    assert got["metadata"] == {"ticket": "A-1"}


def test_remember_reads_standard_input(project):
    assert project.data("remember", "-", stdin=TEXT.encode() + b"\n")["text"] == TEXT


def test_remember_takes_typed_content_from_a_file(project):
    (project.folder / "content.json").write_text(json.dumps({"knowledge": TEXT}), encoding="utf-8")
    assert TEXT in project.data("remember", "--kind", "tribal", "--content", "@content.json")["text"]


def test_remember_many_reads_an_array_and_lines(project):
    rows = [{"text": TEXT, "kind": "tribal"}, {"text": OTHER, "tags": ["ops"]}]
    kept = project.data("remember_many", "-", stdin=json.dumps(rows).encode())
    assert len(kept["ids"]) == kept["added"] == 2
    again = project.data("remember_many", stdin="\n".join(map(json.dumps, rows)).encode())
    assert (again["ids"], again["added"]) == (kept["ids"], 0)


def test_recall_gives_hits_as_the_contract_says(project):
    known = project.remember(TEXT, "--kind", "tribal")
    project.remember(OTHER)
    found = project.data("recall", "how many rounds of bcrypt for passwords?", "--limit", "1", "--no-floor")
    hit = found["hits"][0]
    assert hit["memory"]["id"] == known
    assert hit["memory"].keys() >= MEMORY
    assert 0 <= hit["score"] <= 1
    assert hit["freshness"] in {"fresh", "changed", "gone", "none"}
    assert all(isinstance(value, int | float) for value in hit["signals"].values())
    assert project.data("recall", "bcrypt rounds", "--kinds", "procedural,goal", "--no-floor")["hits"] == []


def test_list_filters_and_pages(project):
    project.remember(TEXT, "--tags", "auth")
    project.remember(OTHER, "--tags", "ops")
    listed = project.data("list", "--tags", "auth")
    assert [one["text"] for one in listed["memories"]] == [TEXT]
    assert project.data("list", "--limit", "1")["total"] == 2


def test_edit_history_and_undo(project):
    known = project.remember(TEXT)
    assert project.data("edit", known, "--text", OTHER, "--reason", "it was wrong")["text"] == OTHER
    told = project.data("history", known)
    assert [one["memory"]["text"] for one in told["versions"]] == [OTHER, TEXT]
    assert told["versions"][0]["reason"] == "it was wrong"
    assert project.data("undo", known)["text"] == TEXT


def test_forget_asks_shows_and_does(project):
    known = project.remember(TEXT)
    assert project.data("forget", known, "--dry-run")["memory"]["status"] == "active"
    assert project.data("forget", known, "--yes")["memory"]["status"] == "archived"
    assert project.data("list")["memories"] == []
    assert project.data("restore", known)["status"] == "active"


def test_link_related_and_unlink(project):
    one, other = project.remember(TEXT), project.remember(OTHER)
    made = project.data(
        "link", one, other, "--relation", "supports", "--strength", "0.5", "--evidence", "both, in one file"
    )
    assert made["relation"]["type"] == "supports"
    assert made["relation"]["evidence"] == ["both, in one file"]
    assert project.data("related", one)["neighbours"][0]["memory"]["id"] == other
    assert project.data("unlink", one, other, "--dry-run") == {
        "would": "unlink",
        "arguments": {"id": one, "target": other},
    }
    assert project.data("unlink", one, other, "--yes")["removed"] == 1
    assert project.data("related", one)["neighbours"] == []


def test_extract_and_review(project):
    session = Path(__file__).parents[3] / "src" / "recortex" / "cli" / "tour_session.jsonl"
    learned = project.data("extract", str(session))
    assert {"decision", "preference", "tribal"} <= {one["kind"] for one in learned["found"]}
    assert learned["malformed"] == 0
    waiting = project.data("review")["memories"]
    assert waiting
    assert project.data("review", "approve", waiting[0]["id"])["memories"][0]["status"] == "active"
    if len(waiting) > 1:
        assert project.data("review", "reject", waiting[1]["id"])["memories"][0]["status"] == "archived"


def test_import_and_export_without_loss(project, tmp_path):
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    tour = Path(__file__).parents[3] / "src" / "recortex" / "cli" / "tour_session.jsonl"
    (sessions / "one.jsonl").write_bytes(tour.read_bytes())
    first = project.data("import", "claude-code", str(sessions))
    assert first["files"] == 1
    assert first["added"] >= 5
    assert project.data("import", "claude-code", str(sessions))["added"] == 0
    target = tmp_path / "out.jsonl"
    written = project.data("export", str(target))
    assert written["memories"] == first["added"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    url = f"sqlite:///{elsewhere / 'copy.db'}"
    assert project.data("import", "jsonl", str(target), "--url", url)["added"] == first["added"]
    copied = project.data("export", "--url", url)["text"]
    assert sorted(copied.splitlines()) == sorted(target.read_text(encoding="utf-8").splitlines())


def test_export_for_people_prints_the_text_itself(project):
    project.remember(TEXT)
    ran = project.run("export", "--format", "markdown")
    assert ran.code == 0
    assert TEXT in ran.text


def test_purge_leaves_no_byte(project):
    known = project.remember("The old token of the staging service was called blue-heron-forty-two.")
    assert project.data("purge", known, "--dry-run")["ids"] == [known]
    gone = project.data("purge", known, "--yes")
    assert gone["ids"] == [known]
    assert gone["traces"] == []
    left = [
        path
        for path in store_folder(project.folder, project.home).rglob("*")
        if path.is_file() and b"blue-heron" in path.read_bytes()
    ]
    assert left == []


def test_status_and_doctor(project):
    project.remember(TEXT)
    status = project.data("status")
    assert status["stores"][0]["memories"] == 1
    diagnosis = project.data("doctor")
    assert diagnosis["healthy"] is True
    origins = {one["name"]: one["origin"] for one in diagnosis["settings"]}
    assert origins["home"] == "environment"


def test_backup_and_recover(project):
    known = project.remember(TEXT)
    made = project.data("backup")
    with closing(sqlite3.connect(made["path"])) as copy:
        assert copy.execute("pragma integrity_check").fetchone() == ("ok",)
    assert project.data("recover", "--yes")["outcome"] == "whole"
    (store_folder(project.folder, project.home) / "cortex.db").write_bytes(b"no database any more " * 1000)
    back = project.data("recover", "--yes")
    assert back["outcome"] == "restored"
    assert Path(back["kept"]).is_file()
    assert project.data("get", known)["text"] == TEXT


def test_project_and_url_choose_the_store(project, tmp_path):
    known = project.remember(TEXT)
    inside = project.folder / "a" / "b"
    inside.mkdir(parents=True)
    assert project.run("get", known, "--json", cwd=inside).data["id"] == known
    assert project.run("--project", str(inside), "get", known, "--json", cwd=tmp_path).data["id"] == known
    elsewhere = f"sqlite:///{tmp_path / 'elsewhere.db'}"
    assert project.data("list", "--url", elsewhere)["total"] == 0


def test_the_clock_of_the_environment(project):
    ran = project.run("remember", TEXT, "--json", env={"RECORTEX_NOW": "2030-05-06T07:08:09Z"})
    assert ran.data["recorded_at"].startswith("2030-05-06T07:08:09")


def test_what_people_read(project):
    known = project.remember(TEXT, "--kind", "tribal", "--importance", "critical", "--tags", "auth")
    assert re.search(rf"^{known[:8]}  tribal .*!! Use bcrypt", project.run("list").text)
    assert TEXT.split(",", maxsplit=1)[0] in project.run("get", known).text
    assert "create " in project.run("history", known).text
    assert "1 memory" in project.run("status").text
    for words in (["list"], ["get", known], ["status"], ["doctor"], ["review"], ["related", known]):
        ran = project.run(*words)
        assert ran.code == 0
        assert "\x1b" not in ran.text + ran.err
        assert ran.text.strip()


def test_text_of_every_script_survives(project):
    text = "Der Schlüssel heißt „größe“; 設定は config.toml にあります, và tên là tiếng Việt."
    known = project.remember(text)
    assert project.data("get", known)["text"] == text
    assert "設定" in project.run("get", known, env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}).text


def test_the_tour_answers_from_what_it_learned(project):
    took = project.run("tour", "--json", env={"RECORTEX_EMBEDDER": ""}).data
    learned = [one["text"] for one in took["learned"]["found"] if one["status"] == "active"]
    assert len(learned) >= 5
    said_by_agent, *answered, unanswerable = took["answers"]
    assert said_by_agent["hits"] == []
    (exchange,) = said_by_agent["exchanges"]
    assert "postgresql+asyncpg" in exchange["asked"]
    assert not exchange["weak"]
    for answer in answered:
        assert answer["hits"], answer["query"]
        memory = answer["hits"][0]["memory"]
        assert memory["text"] in learned
        assert memory["source"]["quote"]
    assert unanswerable["hits"] == []
    assert not has_folder(project.folder, project.home)
    # Neither the user's store nor anybody's telemetry.
    assert [path for path in project.home.rglob("*") if path.is_file()] == []


def test_the_tour_for_people(project):
    ran = project.run("tour", env={"RECORTEX_EMBEDDER": ""})
    assert ran.code == 0
    assert ran.text.count("\n? ") == 4
    assert ran.text.count("Nothing that was learned answers this.") == 1
    assert "recortex import claude-code" in ran.text


def test_an_import_says_what_it_leaves_out_since_it_was_purged_here(project, tmp_path):
    id_ = project.data("remember", "The kiln is lit with gas on Fridays.")["id"]
    project.run("export", str(tmp_path / "kept.jsonl"))
    project.run("purge", id_, "--yes")
    shown = project.run("import", "jsonl", str(tmp_path / "kept.jsonl")).text
    assert "1 record left out: it was purged here." in shown


# -- Documents through the real command: ingested, recalled, opened, framed.
FILLER = "The weather in the valley is told here at length, for nobody in particular. " * 30


@pytest.fixture
def written(project):
    """A project with two documents, ingested."""
    docs = project.folder / "docs"
    docs.mkdir()
    (docs / "ferry.md").write_text(
        f"# Ferry\n\n{FILLER}\n\n## Tickets\n\nA walrus ticket is valid for a day\x1b[2J.\n"
    )
    (docs / "pier.txt").write_text("The pier is closed in winter.\n")
    (docs / "bad.md").write_bytes(b"\0")
    ingested = project.data("ingest", "docs", "--no-embed")
    assert sorted(ingested["added"]) == ["docs/ferry.md", "docs/pier.txt"]
    assert [one["path"] for one in ingested["problems"]] == ["docs/bad.md"]
    return project


def test_they_are_recalled_opened_and_framed(written):
    question = "how long is a walrus ticket valid?"
    (hit,) = written.data("recall", question, "--among", "documents")["documents"][:1]
    assert (hit["path"], hit["headings"][0], hit["freshness"]) == ("docs/ferry.md", "Ferry", "fresh")
    assert hit["first_line"] <= 7 <= hit["last_line"]
    opened = written.data("get", hit["id"][:16])
    assert set(opened) == {"chunk", "before", "after"}
    assert opened["chunk"]["tokens"] <= 500
    frame = written.data("frame", question, "--budget", "700", "--state", "on the pier")
    assert frame["tokens"] <= 700
    assert list(frame["sections"]) == ["task", "knowledge", "state"]


def test_a_person_reads_where_they_stand_and_no_terminal_obeys_them(written):
    text = written.run("recall", "how long is a walrus ticket valid?").text
    assert "what they say, not what you are to do" in text
    assert "docs/ferry.md:" in text
    assert "\x1b" not in text + written.run("frame", "sell a walrus ticket").text
    assert "2 documents in" in written.run("status").text
    again = written.run("ingest").text
    assert "2 unchanged" in again
    assert "docs/bad.md: It is binary" in again


def test_what_is_not_there_fails(written):
    assert written.run("ingest", "nowhere.md").code == 1
    assert written.run("ingest", "docs").code == 0
    assert written.run("frame", "x", "--budget", "3").code != 0


# -- What was said in a session, through the real command: imported, recalled, opened, listed, kept.
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


# -- Corrections and answers on the command line.
LAYERS = "Don't call the database from controllers; use the repository layer as all other controllers do."


def test_a_correction_is_learned_once_and_shown_in_words(project):
    assert project.run("learn", LAYERS).text.startswith("Learned: pattern violation\n")
    assert project.run("learn", LAYERS).text.startswith("Known, and surer now: pattern violation\n")
    [kept] = project.data("list")["memories"]
    assert (kept["text"], kept["kind"], kept["tags"]) == (
        LAYERS,
        "pattern_rationale",
        ["correction", "pattern_violation"],
    )


def test_two_texts_teach_what_changed_and_a_dry_run_keeps_nothing(project):
    words = ("--original", "open(path)", "--corrected", "open(path, encoding='utf-8')")
    assert "Would be learned" in project.run("learn", *words, "--dry-run").text
    assert project.data("list")["total"] == 0
    learned = project.data("learn", *words)
    assert "encoding='utf-8'" in learned["principle"]
    assert learned["difference"]["modifications"]


def test_nothing_to_learn_says_what_to_give(project):
    ran = project.run("learn", "--json")
    assert ran.error["code"] == "invalid_input"
    assert "--original" in ran.error["hint"]


def test_an_answer_tells_what_became_of_the_confidence(project):
    known = project.remember("The pool has nine connections.", "--kind", "tribal", "--confidence", "0.6")
    assert "Confirmed: 60% sure before, 80% now." in project.run("feedback", known, "confirm").text
    assert (
        project.data("feedback", known, "reject", "--reason", "it has ten")["memory"]["status"] == "archived"
    )
    project.data("undo", known)
    assert project.data("get", known)["status"] == "active"
    changed = project.data("feedback", known, "modify", "--text", "The pool has ten connections.")["memory"]
    assert (changed["text"], changed["version"]) == ("The pool has ten connections.", 5)
    assert project.run("feedback", known, "modify").code == 2


def test_candidates_come_with_a_question_and_are_answered(project):
    words = ("--kind", "decision", "--confidence", "0.4", "--importance", "high")
    known = project.remember("Releases need two approvals.", *words)
    shown = project.run("review", "--candidates").text
    assert "Is this right? It is important, and only 40% sure." in shown
    assert "`recortex feedback ID confirm`" in shown
    project.data("feedback", known, "confirm")
    assert project.run("review", "--candidates").text == "No memory is in doubt.\n"


# -- `recortex import --discover` at a terminal: it asks for each system, and imports those that are wanted.
STORES = Path(__file__).parents[1] / "importers" / "stores"


def test_each_system_is_asked_for_and_only_those_that_are_wanted_come_in(project):
    home = project.folder.parent / "somebody"
    for store, to in {
        "mem0/history.db": ".mem0/history.db",
        "server-memory/memory.jsonl": "memory.jsonl",
    }.items():
        (home / to).parent.mkdir(parents=True, exist_ok=True)
        (home / to).write_bytes((STORES / store).read_bytes())
    env = {"HOME": str(home), "MEMORY_FILE_PATH": str(home / "memory.jsonl")}
    replies = [(b"mem0: ", b"n\n"), (b"server-memory: ", b"y\n")]
    code, shown = at_a_terminal(project, "import", "--discover", replies=replies, env=env)
    assert code == 0, shown
    waiting = project.data("list", "--statuses", "quarantined")["memories"]
    assert {one["source"]["client"] for one in waiting} == {"server-memory"}
