"""An external package adds an embedder, a transcript format and an importer; a broken one breaks nothing."""

from __future__ import annotations

import json

import pytest

POINTS = {
    "recortex.embedders": "letters = harvest_plugin:letters",
    "recortex.transcripts": "harvest = harvest_plugin:HARVEST",
    "recortex.importers": "diary = harvest_plugin:diary",
}
MODULE = """
import json
from recortex.formats.transcripts.detection import Format
from recortex.formats.transcripts.pieces import Parsed, Piece


class Letters:
    name = "counts"
    dimensions = 32

    def embed(self, texts, *, purpose="passage"):
        return [[1 + text.lower().count(letter) for letter in map(chr, range(97, 129))] for text in texts]


def letters(settings):
    return Letters()


class Lines:
    def parse(self, raw):
        line = json.loads(raw)
        return Parsed((Piece("user" if line["by"] == "me" else "assistant", line["said"], group=line["n"]),))


HARVEST = Format("anything", lambda head: head.line_with("by", "said") is not None, Lines)


def diary(path):
    for line in path.read_text().splitlines():
        yield {"text": line, "tags": ["diary"], "pinned": True}
"""
SESSION = [
    {"n": "1", "by": "me", "said": "Never run the harvest tests in parallel, they share one silo."},
    {"n": "2", "by": "it", "said": "Understood."},
    {"n": "3", "by": "me", "said": 5},
]


def package(folder, name, module, points):
    """A package as an installer lays it down."""
    (folder / f"{name}.py").write_text(module)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = (f"[{group}]\n{line}\n" for group, line in points.items())
    (info / "entry_points.txt").write_text("\n".join(lines))


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of packages that every command sees."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


@pytest.fixture
def plugged(project, site):
    package(site, "harvest_plugin", MODULE, POINTS)
    return project


def test_an_embedder(plugged):
    letters = {"RECORTEX_EMBEDDER": "letters"}
    assert plugged.run("remember", "The silo holds nine tons of barley.", env=letters).code == 0
    recalled = plugged.run(
        "recall", "How many tons of barley does the silo hold?", "--json", env=letters
    ).data
    assert len(recalled["hits"]) == 1
    assert recalled["degraded"] == []
    assert "letters/counts makes vectors" in plugged.run("doctor", env=letters).text


def test_a_transcript(plugged, tmp_path):
    session = tmp_path / "session.jsonl"
    session.write_text("".join(json.dumps(line) + "\n" for line in SESSION))
    imported = plugged.data("import", "harvest", str(session))
    assert (imported["files"], imported["turns"], imported["added"]) == (1, 2, 1)
    (kept,) = plugged.data("list")["memories"]
    assert "share one silo" in kept["text"]
    assert kept["source"]["client"] == "harvest"


def test_an_importer(plugged, tmp_path):
    notes = tmp_path / "notes"
    notes.write_text("Barley is sown in March.\nRye is sown in October.\n")
    assert plugged.data("import", "diary", str(notes))["added"] == 2
    waiting = plugged.data("review")["memories"]
    assert {one["text"] for one in waiting} == set(notes.read_text().splitlines())
    assert {(one["status"], one["pinned"], *one["tags"]) for one in waiting} == {
        ("quarantined", False, "diary")
    }


def test_names_are_told(plugged):
    assert "a plug-in's name" in plugged.run("status", env={"RECORTEX_EMBEDDER": "lettres"}).err
    hint = plugged.run("import", "dairy", "x", "--json").error["hint"]
    assert "harvest" in hint
    assert "diary" in hint


@pytest.mark.full
@pytest.mark.parametrize("module", ["import no_such_module", "harvest = HARVEST = diary = letters = 5"])
def test_a_broken_plugin_is_named_once_and_breaks_nothing(project, site, tmp_path, module):
    package(site, "harvest_plugin", module, POINTS)
    broken = {"RECORTEX_EMBEDDER": "letters"}
    kept = project.run("remember", "The silo holds nine tons of barley.", env=broken)
    assert kept.code == 0
    assert kept.err.count("plug-in 'letters'") == 1
    assert "'harvest_plugin'" in kept.err
    assert len(project.run("recall", "silo barley", "--json", env=broken).data["hits"]) == 1
    talk = tmp_path / "talk.jsonl"
    talk.write_text(json.dumps({"role": "user", "content": "Never sow rye in spring."}) + "\n")
    read = project.run("import", "chat", str(talk), "--json")
    assert read.data["turns"] == 1
    assert read.err.count("plug-in 'harvest'") == 1
    assert "diary" in project.run("import", "diary", str(talk), "--json").error["message"]


def test_a_parser_that_fails_spoils_its_own_lines_alone(project, site, tmp_path):
    package(site, "harvest_plugin", MODULE.replace('line["said"]', 'line["sad"]', 1), POINTS)
    session = tmp_path / "session.jsonl"
    session.write_text("".join(json.dumps(line) + "\n" for line in SESSION))
    ran = project.run("import", "harvest", str(session), "--json")
    assert ran.code == 1
    assert "none of its 3 lines can be read" in ran.answer["data"]["problems"][0]
    assert ran.err.count("plug-in 'harvest'") == 1


def test_a_start_looks_at_no_plugin(plugged):
    known = plugged.data("remember", "The silo holds nine tons of barley.")["id"]
    for words in (["--help"], ["get", known]):
        ran = plugged.run(*words, env={"PYTHONPROFILEIMPORTTIME": "1"})
        imported = {line.rpartition("|")[2].strip() for line in ran.err.splitlines()}
        assert ran.code == 0
        assert not imported & {"importlib.metadata", "harvest_plugin"}
