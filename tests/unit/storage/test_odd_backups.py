"""What may stand in the place of a backup, and where one may be written.

Nothing of anybody else's is lost for it.
"""

import os
import sqlite3
from pathlib import Path

import pytest

from places import store_folder
from recortex import Cortex
from recortex.errors import InvalidInputError

pytestmark = pytest.mark.usefixtures("without_vectors", "database")

TEXTS = [f"The worker number {number} takes job {number * 7} of the queue." for number in range(20)]


def foreign(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE places (url TEXT)")
        connection.execute("INSERT INTO places VALUES ('somebody else''s')")
    connection.close()


ODD = {
    "empty": lambda path: path.touch(),
    "foreign": foreign,
    "folder": lambda path: path.mkdir(),
    "dangling": lambda path: path.symlink_to(path.with_name("nowhere")),
    "pipe": os.mkfifo,
    "text": lambda path: path.write_text("no database\n" * 500),
    "no time": lambda path: path.with_name("99999999T999999999999-x.db").write_text("x"),
    "end of time": lambda path: path.with_name("99991231T235959999999-x.db").write_text("x"),
}


@pytest.fixture
def database(project, clock):
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember_many([{"text": text} for text in TEXTS], link=False)
        clock.pass_(minutes=1)
        cortex.backup()
    return store_folder(project) / "cortex.db"


@pytest.mark.parametrize("odd", ODD)
def test_what_is_no_backup_stands_in_no_backups_way(project, clock, database, odd):
    ODD[odd](database.parent / "backups" / "zz.db")
    clock.pass_(minutes=1)
    with Cortex.open(project, clock=clock) as cortex:
        cortex.status()
        Path(cortex.backup().path).unlink()
    os.truncate(database, 4096)
    with Cortex.open(project, clock=clock) as cortex:
        done = cortex.recover()
        assert (done.outcome, done.memories) == ("restored", len(TEXTS))


def opened(path):
    with Cortex.open(path.parent, url=f"sqlite:///{path}") as cortex:
        cortex.remember("What another project keeps")


@pytest.mark.parametrize("make", [foreign, opened, lambda path: path.write_text("a letter")])
def test_a_backup_replaces_nothing_but_a_backup(project, clock, tmp_path, make):
    there = tmp_path / "there.db"
    make(there)
    before = there.read_bytes()
    with Cortex.open(project, clock=clock) as cortex:
        with pytest.raises(InvalidInputError, match="is no backup"):
            cortex.backup(str(there))
        assert there.read_bytes() == before


@pytest.mark.parametrize("suffix", ["", "-wal", ".recovered", ".part", ".from-backup"])
def test_no_backup_takes_the_place_of_a_part_of_the_store(project, clock, database, suffix):
    with Cortex.open(project, clock=clock) as cortex:
        with pytest.raises(InvalidInputError):
            cortex.backup(f"{database}{suffix}")
        cortex.remember("It still works")
