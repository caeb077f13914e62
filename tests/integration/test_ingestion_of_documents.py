"""Documents on a real store: ingested once, followed, found beside memories, and gone when they are."""

import json
import os

import pytest

from recortex import Cortex
from recortex.app.jobs.running import run
from recortex.app.jobs.table import JOBS
from recortex.domain.vocabulary import Actor, Domain
from recortex.errors import ChunkNotFoundError, InvalidInputError, PersonNeededError

FILLER = "Weather is discussed here at length, in many words. " * 40


@pytest.fixture
def docs(project):
    folder = project / "docs"
    (folder / "guide").mkdir(parents=True)
    (folder / "guide" / "parcels.md").write_text(
        f"# Parcels\n\n{FILLER}\n\n## Tracking\n\nA parcel is tracked by its walrus number.\n\n{FILLER}\n"
    )
    (folder / "notes.txt").write_text("The kiosk printer jams when it is cold.\n")
    (folder / "api.rst").write_text("API\n===\n\nThe lighthouse endpoint answers with JSON.\n")
    cell = {"cell_type": "markdown", "source": "# Numbers\nThe otter model is trained at night."}
    (folder / "study.ipynb").write_text(json.dumps({"cells": [cell], "nbformat": 4}))
    return folder


@pytest.fixture
def cx(project, docs, monkeypatch):  # noqa: ARG001  the documents are there before it is opened
    monkeypatch.chdir(project)
    with Cortex.open(project) as opened:
        yield opened


def problems(found):
    return {one.path: one.why for one in found.problems}


def answers(cx, question):
    return [hit.path for hit in cx.recall(question, among="documents").documents]


def test_bad_files_are_reported_and_never_fatal(cx, docs, tmp_path):
    (docs / "photo.txt").write_bytes(b"\x89PNG\0\0")
    (docs / "huge.md").write_text("word " * 2_500_000)
    (docs / "old.txt").write_bytes("Die Tür der Werkstatt klemmt.".encode("latin-1"))
    (docs / "broken.ipynb").write_text("{")
    os.mkfifo(docs / "pipe.md")
    (docs / "secret.md").write_text("x")
    (docs / "secret.md").chmod(0)
    outside = tmp_path / "outside.md"
    outside.write_text("The vault code is with the janitor.")
    (docs / "link.md").symlink_to(outside)
    (docs / "folder").symlink_to(tmp_path, target_is_directory=True)
    (docs / "again.txt").symlink_to(docs / "notes.txt")
    found = cx.ingest(["docs", "nowhere"])
    why = problems(found)
    assert set(why) >= {
        "docs/photo.txt", "docs/huge.md", "docs/old.txt", "docs/broken.ipynb", "docs/pipe.md",
        "docs/link.md", "docs/folder", "nowhere",
    }  # fmt: skip
    assert "Windows-1252" in why["docs/old.txt"]
    assert "larger than" in why["docs/huge.md"]
    assert answers(cx, "which door of the workshop klemmt, die Tür der Werkstatt?") == ["docs/old.txt"]
    assert "docs/again.txt" not in found.added
    assert found.documents in {5, 6}  # root reads what nobody may
    assert len(cx.ingest(["docs"]).added) == 0


def test_a_document_that_became_binary_is_no_longer_told(cx, docs):
    cx.ingest(["docs"])
    (docs / "notes.txt").write_bytes(b"\0\0\0")
    assert cx.ingest(["docs"]).removed == ("docs/notes.txt",)


def test_what_git_ignores_and_dot_folders_are_left_out(cx, docs, project):
    (project / ".git").mkdir(exist_ok=True)
    (docs / ".gitignore").write_text("build/\n*.txt\n!keep.txt\n")
    (docs / "keep.txt").write_text("kept")
    for folder in ("build", ".hidden", "node_modules"):
        (docs / folder).mkdir()
        (docs / folder / "a.md").write_text("not this")
    found = cx.ingest(["docs"])
    assert sorted(found.added) == [
        "docs/api.rst", "docs/guide/parcels.md", "docs/keep.txt", "docs/study.ipynb",
    ]  # fmt: skip
    assert cx.ingest(["docs/build/a.md"]).added == ("docs/build/a.md",)
    assert cx.ingest(["docs"]).removed == ()  # it was named itself


def test_patterns(cx):
    assert cx.ingest(["docs/**/*.md"]).added == ("docs/guide/parcels.md",)
    assert sorted(cx.ingest(["docs/*.[tr]*"]).added) == ["docs/api.rst", "docs/notes.txt"]
    assert (nothing := cx.ingest(["docs/*.png"])).problems[0].why == "no document is there"
    assert nothing.unread == 1


def test_documents_are_forgotten_and_their_files_stay(cx, docs):
    cx.ingest(["docs"])
    assert cx.ingest(["docs/guide"], remove=True, dry_run=True).documents == 4
    assert cx.ingest(["docs/guide"], remove=True).removed == ("docs/guide/parcels.md",)
    assert (docs / "guide" / "parcels.md").exists()
    assert cx._app.all_services()[0].store.documents.count()[0] == 3


def test_an_area_that_was_set_stays(cx, docs):
    cx.ingest(["docs"], domain=Domain.AUTH)
    (docs / "notes.txt").write_text("The kiosk printer jams when it rains.")
    assert cx.ingest(["docs"]).changed == ("docs/notes.txt",)
    documents = cx._app.all_services()[0].store.documents.all()
    assert {one.domain for one in documents} == {Domain.AUTH}
    assert len(cx.ingest(["docs"], domain=Domain.API).changed) == 4
    assert cx.recall("kiosk printer", domains=["AUTH"], among="documents").documents == ()


def test_they_are_found_beside_memories_and_push_none_out(cx, docs):
    cx.ingest(["docs"])
    for number in range(9):
        cx.remember(f"Walrus parcels number {number} are tracked by hand on day {number}.")
    found = cx.recall("how is a parcel tracked by its walrus number?")
    assert len(found.hits) == 8
    (hit,) = found.documents[:1]
    assert hit.path == "docs/guide/parcels.md"
    assert hit.freshness == "fresh"
    lines = (docs / "guide" / "parcels.md").read_text().split("\n")
    assert "\n".join(lines[hit.first_line - 1 : hit.last_line]).strip("\n").endswith(hit.text)
    assert "walrus number" in hit.text
    assert cx.recall("walrus parcels", among="memories").documents == ()
    assert cx.recall("walrus parcels", kinds=["insight"]).documents == ()
    small = cx.recall("how is a parcel tracked by its walrus number?", budget=found.hits[0].memory.tokens)
    assert [one.memory.id for one in small.hits] == [found.hits[0].memory.id]
    assert small.documents == ()
    (docs / "guide" / "parcels.md").write_text("# Other")
    assert cx.recall("walrus number of a parcel").documents[0].freshness == "changed"


def test_a_part_is_opened_with_its_neighbours(cx):
    cx.ingest(["docs"])
    hit = cx.recall("walrus number of a parcel", among="documents").documents[0]
    opened = cx.get(hit.id[:16])
    assert "walrus number" in opened.chunk.text
    assert opened.before or opened.after
    with pytest.raises(ChunkNotFoundError):
        cx.get("chk-nothing")


def test_secrets_are_never_kept(cx, docs):
    token = "ghp_" + "a8Kd93jfLq0ZxVb7NmT2RyUe5WcH1sPo4gXi"
    (docs / "deploy.md").write_text(f"# Deploy\n\nUse the token {token} to push.\n")
    assert cx.ingest(["docs"]).redacted == 1
    folder = cx._app.locations[next(iter(cx._app.locations))].place("")
    assert all(token.encode() not in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.usefixtures("docs")
def test_an_agent_ingests_documents_of_the_project_only(project, tmp_path):
    (tmp_path / "a.md").write_text("elsewhere")
    with Cortex.open(project, actor=Actor.AGENT) as cx:
        assert len(cx.ingest(["docs"]).added) == 4
        with pytest.raises(PersonNeededError):
            cx.ingest([str(tmp_path)])
        with pytest.raises(PersonNeededError):
            cx.ingest(["../.."])


def test_wrong_use_says_what_to_do(cx):
    with pytest.raises(InvalidInputError):
        cx.ingest()
    with pytest.raises(InvalidInputError):
        cx.ingest(["a\0b"])


def test_hostile_names_and_depths_are_reported(cx, docs):
    (docs / os.fsdecode(b"caf\xe9.md")).write_text("not UTF-8")
    (docs / "ghp_a8Kd93jfLq0ZxVb7NmT2RyUe5WcH1sPo4gXi.md").write_text("a secret")
    deep = docs
    for _ in range(80):
        deep /= "a"
        deep.mkdir()
    (deep / "deep.md").write_text("too deep")
    found = cx.ingest(["docs"])
    assert len(found.added) == 4
    assert sorted(one.why for one in found.problems) == [
        "it lies too deep",
        "its name holds a secret",
        "its name is not UTF-8",
    ]
    assert "ghp_a8" not in json.dumps([one.path for one in found.problems])


def test_a_folder_that_cannot_be_read_loses_nothing(cx, monkeypatch):
    cx.ingest(["docs"])
    scandir = os.scandir

    def refusing(path):  # as the system refuses whoever is not root
        if str(path).endswith("guide"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    monkeypatch.setattr(os.path, "lexists", lambda path: "guide" not in str(path))
    for places in (["docs"], ["docs/guide"]):
        assert cx.ingest(places).removed == ()
    assert cx._app.all_services()[0].store.documents.count()[0] == 4


def test_vectors_that_wait_are_made_by_the_job_and_by_backfill(cx, docs):
    cx.ingest(["docs"], embed=False)
    (services,) = cx._app.all_services()
    waiting = services.store.chunk_vectors.count_waiting()
    assert waiting == cx.ingest(["docs"], embed=False).all_chunks
    assert cx.backfill(dry_run=True).chunks_left == waiting
    job = next(one for one in JOBS if one.name == "embedding")
    run(services, cx._app.clock, services.settings, [job])
    assert services.store.chunk_vectors.count_waiting() == 0
    (docs / "more.md").write_text("A ninth harbour was built.")
    cx.ingest(["docs"], embed=False)
    done = cx.backfill()
    assert (done.chunks, done.chunks_left) == (1, 0)
    assert cx.reembed(afresh=True).chunks == waiting + 1


@pytest.fixture
def guide(project, docs):  # noqa: ARG001  it is one of several documents
    steps = "Add the carrier to the table, then write its label printer and a test of its tariff."
    (project / "docs" / "carriers.md").write_text(
        f"# Shipping\n\n{FILLER}\n\n## Adding a carrier\n\nA new carrier has three parts. {steps}\n"
    )


@pytest.mark.usefixtures("guide")
def test_a_task_about_a_new_name_is_told_how_such_things_are_done(cx):
    cx.ingest(["docs"])
    for task in ("add a new carrier for Velopost to the table", "write the label printer of Zwiebelkurier"):
        told = cx.context(task)
        assert "docs/carriers.md:" in told.text, task
        assert "(Shipping" in told.text
        assert told.tokens <= told.budget
        assert "then write its label printer" in cx.frame(task).text
    assert "docs/" not in cx.context("add a new wallpaper for Velopost").text
    assert answers(cx, "what did Velopost pay for a new wallpaper?") == []
