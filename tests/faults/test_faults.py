"""A sample of every class of faults, by a seed.

Kills between statements of the smallest writes and of each migration.

`python tests/faults/run.py` tries all of them, and as many more as one likes.
"""

import json
from itertools import islice

import apsw
import pytest
from faultlib.classes import CLASSES, sample
from faultlib.sqlite import kills
from faultlib.sqlite.pages import PAGE
from faultlib.workbench import Workbench, ground

SEED = 7
SMALL = ("remember", "edit", "link", "purge", "backup")
"""The writes whose boundaries are tried here; `run.py` tries those of all."""
MOST_KILLS = 8
"""Boundaries of one write or migration that are tried here: the first, the last, and some between."""

SQLITE = {one.name: one for one in CLASSES["sqlite"]}
POSTGRES = {one.name: one for one in CLASSES["postgres"]}


@pytest.fixture(scope="module")
def bench():
    with ground() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECORTEX_HOME", str(folder / "home"))
        opened = Workbench(folder)
        yield opened
        opened.close()


@pytest.fixture(autouse=True)
def _with_vectors(monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")


def broken(faults):
    records = [fault.run() for fault in faults]
    assert records
    return [(one.name, one.lost, one.problems) for one in records if not one.ok]


def spread(faults):
    """The first and the last of some faults, and as many between them as the check has time for."""
    known = list(faults)
    step = max(1, (len(known) - 1) / (MOST_KILLS - 1))
    return [known[round(place * step)] for place in range(min(len(known), MOST_KILLS))]


@pytest.mark.parametrize("name", [name for name, one in SQLITE.items() if one.some])
def test_what_was_acknowledged_is_there_or_its_loss_is_named(bench, name):
    assert broken(sample(bench, SQLITE[name], SEED)) == []


@pytest.mark.parametrize("act", SMALL)
def test_a_kill_between_statements_of_a_write_loses_nothing(bench, act):
    assert broken(spread(kills.of_write(bench, act))) == []


@pytest.mark.parametrize("step", kills.known(), ids=lambda step: step.name)
def test_a_kill_between_statements_of_a_migration_loses_nothing(bench, step):
    assert broken(spread(kills.of_migration(bench, step))) == []


def test_every_schema_ever_released_leads_to_todays(bench):
    faults = [one for one in SQLITE["upgrade from an older schema"].complete(bench)]  # noqa: C416
    assert broken(one for one in faults if one.name.endswith(("open", "remember"))) == []


@pytest.mark.parametrize("name", [name for name, one in POSTGRES.items() if one.some])
def test_a_server_or_its_connection_fails_and_nothing_acknowledged_is_lost(bench, name):
    assert broken(islice(sample(bench, POSTGRES[name], SEED), 1)) == []


@pytest.mark.parametrize("schema", [step.version for step in kills.known()[:-1]])
def test_a_damaged_store_is_filled_from_the_backup_that_its_upgrade_made(bench, schema):
    with bench.site(f"schema-{schema}") as site:
        with site.open() as cortex:
            before = cortex.export().text
        wiped(site.database, "memories")
        with site.open() as cortex:
            done = cortex.recover()
            assert done.outcome == "restored", done.steps
            assert texts(cortex.export().text) == texts(before)
            assert cortex.doctor().healthy


def wiped(database, table):
    """Every page of rows of a table, gone."""
    connection = apsw.Connection(str(database))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    leaves = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'"
    pages = [row[0] for row in connection.execute(leaves, (table,))]
    connection.close()
    assert pages
    with database.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE)
            file.write(bytes(PAGE))


def texts(export):
    lines = [json.loads(line) for line in export.splitlines()]
    return {line["memory"]["id"]: line["memory"]["text"] for line in lines if line.get("type") == "memory"}
