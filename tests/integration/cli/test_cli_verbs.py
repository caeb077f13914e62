"""Every verb does what it says, and says it in the one envelope."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from places import has_folder, store_folder

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
