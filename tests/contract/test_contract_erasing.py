"""A project's memory is deleted whole, on every engine, and nothing else is."""

import subprocess
from pathlib import Path

import pytest
from servers import LAYOUTS, PARTITIONS

from example_exchanges import exchange, keep
from places import store_folder
from recortex import Cortex
from recortex.app.whole_stores import ENDING

TOLD = "Parcels are keyed by parcel_id"
NOTES = "# Queue\n\nThe queue holds nine parcels.\n"


@pytest.fixture
def checkout(project, monkeypatch):
    """A project under git with a document and a file of code."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    (project / ".git").rmdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=project, check=True)
    (project / "notes.md").write_text(NOTES)
    (project / "parcels.py").write_text("def keyed():\n    return 'parcel_id'\n")
    subprocess.run(["git", "add", "."], cwd=project, check=True)
    return project


def filled(checkout, url=None, text=TOLD):
    """The memory of a project with something in it of every kind."""
    cortex = Cortex.open(checkout, url=url)
    cortex.remember(text, files=["parcels.py"])
    cortex.ingest([str(checkout / "notes.md")])
    cortex.code("map")
    cortex.backup()
    return cortex


def told(folder, text):
    """The files below a folder that hold a text."""
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def test_a_store_in_a_file_is_gone_with_all_that_lies_beside_it(checkout, home):
    with filled(checkout) as cortex:
        cortex.remember("Short answers are liked", kind="preference", scope="global")
        folder = store_folder(checkout)
        assert told(home, "parcel_id")
        would = cortex.erase(dry_run=True)
        assert would.memories == 1
        assert would.left == ()
        assert told(home, "parcel_id")
        done = cortex.erase()
        assert (done.files.keys(), done.memories, done.left) == (would.files.keys(), 1, ())
        assert {Path(path).name for path in done.files} >= {"cortex.db", "project.json"}
        assert not folder.exists()
        assert told(home, "parcel_id") == told(home, "nine parcels") == []
        assert git_id(checkout) == ""
        assert [one.text for one in cortex.list().memories] == ["Short answers are liked"]
        assert cortex.erase().changes_nothing
        assert cortex.remember(TOLD).known == ()
        assert cortex.list(scope="project").total == 1


def git_id(checkout):
    asked = ["git", "config", "--local", "recortex.id"]
    return subprocess.run(asked, cwd=checkout, capture_output=True, text=True, check=False).stdout.strip()


def test_what_a_kill_left_half_deleted_is_deleted_by_the_next_run(checkout, home):
    with filled(checkout) as cortex:
        folder = store_folder(checkout)
        folder.rename(folder.with_name(folder.name + ENDING))
    with Cortex.open(checkout) as cortex:
        assert cortex.list().memories == ()
        assert cortex.erase().left == ()
    assert told(home, "parcel_id") == []


def test_another_project_keeps_its_own(checkout, tmp_path):
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    with Cortex.open(other) as theirs:
        theirs.remember(TOLD)
    with filled(checkout) as cortex:
        cortex.erase()
    with Cortex.open(other) as theirs:
        assert theirs.list().total == 1


@pytest.mark.parametrize("layout", ["postgres", "postgres-partitioned"])
def test_a_workspace_on_a_server_is_gone_and_others_stay(checkout, server, layout):
    own, other = server.workspace_url(layout), server.workspace_url(layout)
    with (
        filled(checkout, other, "Another team keeps parcels by number") as theirs,
        filled(checkout, own) as cortex,
    ):
        would = cortex.erase(dry_run=True)
        assert would.rows["memories"] == 1
        assert would.rows["workspaces"] == 1
        done = cortex.erase()
        assert (done.rows, done.left) == (would.rows, ())
        assert theirs.list().total == 1
        assert theirs.recall("parcels by number").hits
    with Cortex.open(checkout, url=own) as again:
        assert again.list().total == 0


def test_a_store_that_a_url_names_is_deleted_alone(checkout, tmp_path):
    (tmp_path / "stores").mkdir()
    bystander = tmp_path / "stores" / "mine.txt"
    bystander.write_text("mine")
    with filled(checkout, f"sqlite:///{tmp_path}/stores/team.db") as cortex:
        assert cortex.erase().left == ()
    assert told(tmp_path / "stores", "parcel_id") == []
    assert bystander.exists()


SECRET = "zanzibar-quicksilver"  # noqa: S105  no password: any word that must go
TABLES = (
    "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname !~ '^(pg_|information_)'"
)


def dumped(server, layout):
    """Every row of every table of a server's database, bytes too, by its table."""
    database = f"store_{PARTITIONS[layout]}"
    rows = {}
    for (table,) in server.run(TABLES, database=database):
        asked = f"SELECT one::text FROM {table} one"  # noqa: S608  a name that the server quoted
        rows[table] = "\n".join(row[0] for row in server.run(asked, database=database))
    return rows


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_purged_text_stands_nowhere_in_any_case(checkout, server, layout, home):
    """The server's whole database and the whole data directory are read."""
    url = None if layout == "sqlite" else server.workspace_url(layout)
    odd = "".join(sign.upper() if at % 2 else sign for at, sign in enumerate(SECRET))
    (checkout / "gate.py").write_text(f'def gate():\n    """Opened by {odd}."""\n')
    (checkout / "gate.md").write_text(f"# Gate\n\nWhoever says {SECRET.upper()} may go through the gate.\n")

    def found():
        needles = [SECRET, "quicksilv"]
        texts = dumped(server, layout) if url else {}
        texts |= {
            str(path): path.read_bytes().decode("latin-1") for path in home.rglob("*") if path.is_file()
        }
        forms = [
            *needles,
            *(form(one).encode().hex() for one in needles for form in (str, str.upper, str.title)),
        ]
        return sorted(place for place, text in texts.items() if any(one in text.lower() for one in forms))

    with Cortex.open(checkout, url=url) as cortex:
        services = cortex._app.services("project")
        kept = cortex.remember("The gate is painted green.")
        told = cortex.remember(f"The word is {SECRET.title()} for the gate.", tags=[odd], files=["gate.py"])
        edited = cortex.remember(f"The word is {odd} for the door.")
        cortex.edit(edited.id, text="The word for the door is not written down.", reason=f"{SECRET} leaked")
        cortex.link(kept.id, edited.id, evidence=[f"both say {SECRET}"])
        keep(
            services,
            exchange(1, message=f"Say {SECRET.upper()} please"),
            exchange(2, failed=(f"open --word {odd}",)),
            exchange(3, files=(f"src/{SECRET.upper()}.py",)),
        )
        cortex.ingest([str(checkout / "gate.md")])
        cortex.code()
        cortex.recall(SECRET)
        cortex.context(f"open the gate with {odd}")
        cortex.reembed()
        if not url:
            cortex.backup()
        before = found()
        assert len(before) >= 3, before
        done = cortex.purge(text=SECRET)
        assert (set(done.ids), len(done.exchanges), done.traces) == ({told.id, edited.id}, 3, ())
        assert found() == []
        assert [one.id for one in cortex.list().memories] == [kept.id]
        assert cortex.recall(SECRET, recipe="keyword").hits == ()
    assert found() == []


@pytest.mark.parametrize("layout", ["sqlite", "postgres"])
def test_a_purge_names_the_files_beside_a_store_that_hold_the_text(checkout, server, layout, home):
    """What waits to be learned, logs and exports, of the project and of the person."""
    url = None if layout == "sqlite" else server.workspace_url(layout)
    with Cortex.open(checkout, url=url) as cortex:
        cortex.remember("The gate is painted green.")
        if not url:
            cortex.remember("Gates are green.", kind="preference", scope="global")
        planted = [home / "exports" / "old" / "all.jsonl"]
        for services in cortex._app.all_services():
            place = services.location.place
            planted += [place("queue") / "one.json", place("hooks.log"), place("instructions.json")]
        for path in planted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"... {SECRET.upper()} ...")
        assert set(cortex.purge(text=SECRET).traces) == {str(path) for path in planted}
