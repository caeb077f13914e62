"""Sessions in a client's database are read as they are, and the database is not touched."""

import json
import shutil
import sqlite3

import pytest

from recortex.errors import FormatError
from recortex.formats.session_files import find_sessions, histories
from recortex.formats.transcripts import open_transcript

RULE = "From now on run the tests with `make check`."
GONE = "From now on we never use tabs."
ORDER = "Look through it. Answer in JSON only."
TABLES = """
CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, version TEXT, revert TEXT, permission TEXT,
  time_created INTEGER, time_updated INTEGER);
CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);
"""
AT = 1_795_960_814_000


def fill(path, *, log=False):
    """A database as opencode writes it; with `log`, all of it stands in the write-ahead log."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA wal_autocheckpoint = 0")
    database.executescript(TABLES)
    put(database, "ses_1", [RULE, GONE], revert={"messageID": "ses_1m1"})
    put(database, "ses_2", [ORDER], parent="ses_1")
    put(database, "ses_3", ["Sum up the week."], permission=[{"permission": "question", "action": "deny"}])
    if log:
        kept = path.parent / "kept"
        kept.mkdir()
        for name in (path.name, f"{path.name}-wal"):
            shutil.copy(path.with_name(name), kept / name)
        return kept / path.name
    database.close()
    return path


def put(database, session, said, *, parent=None, revert=None, permission=None):
    marks = (revert and json.dumps(revert), permission and json.dumps(permission))
    row = (session, parent, "/home/ada/kiln", "1.18.33", *marks, AT, AT + 1000 * int(session[-1]))
    database.execute("INSERT INTO session VALUES (?,?,?,?,?,?,?,?)", row)
    for number, text in enumerate(said):
        message, at = f"{session}m{number}", AT + number
        info = {"role": "user", "time": {"created": at}}
        database.execute("INSERT INTO message VALUES (?,?,?,?)", (message, session, at, json.dumps(info)))
        part = json.dumps({"type": "text", "text": text})
        database.execute("INSERT INTO part VALUES (?,?,?,?)", (f"p{message}", message, session, part))


def beside(path):
    return {one.name: one.read_bytes() for one in path.parent.iterdir() if one.is_file()}


@pytest.mark.parametrize("log", [False, True], ids=["written back", "in the log"])
def test_each_session_is_read_and_the_database_left_alone(tmp_path, log):
    path = fill(tmp_path / "opencode.db", log=log)
    before = beside(path)
    found = find_sessions("opencode", path).sessions
    assert [(one.path.name, one.modified) for one in found] == [
        ("ses_1", AT / 1000 + 1), ("ses_2", AT / 1000 + 2), ("ses_3", AT / 1000 + 3),
    ]  # fmt: skip
    said = {one.path.name: list(open_transcript(one.path)) for one in found}
    assert [turn.text for turn in said["ses_1"]] == [RULE]  # the rest was taken back
    assert [turn.author for turns in said.values() for turn in turns] == ["person", "agent", "program"]
    reader = open_transcript(path / "ses_2")
    assert list(reader)
    info = reader.info
    assert (info.session_id, info.parent_session, info.cwd) == ("ses_2", "ses_1", "/home/ada/kiln")
    assert beside(path) == before


@pytest.mark.parametrize(
    ("later", "stands"), [(2_000, [RULE]), (-2_000, [RULE, GONE])], ids=["after", "before"]
)
def test_a_fork_repeats_what_had_been_taken_back_as_taken_back(tmp_path, later, stands):
    path = fill(tmp_path / "opencode.db")
    database = sqlite3.connect(path, isolation_level=None)
    put(database, "ses_4", [RULE, GONE])  # a copy has ids of its own, and the times of the first
    database.execute("UPDATE session SET time_created = ? WHERE id = 'ses_4'", (AT + 1000 + later,))
    database.close()
    assert [turn.text for turn in open_transcript(path / "ses_4")] == stands


def test_a_client_that_keeps_a_database_has_a_history(tmp_path):
    folder = tmp_path / ".local" / "share" / "kilo"
    folder.mkdir(parents=True)
    assert histories(tmp_path) == ()
    fill(folder / "kilo.db")
    assert histories(tmp_path) == ("kilo",)
    assert {one.client for one in find_sessions("kilo", home=tmp_path).sessions} == {"kilo"}


def test_what_is_no_clients_database_is_named(tmp_path):
    path = tmp_path / "stock.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE orders (id)")
    found = find_sessions("opencode", path)
    assert (found.sessions, found.unknown) == ([], [path])
    with pytest.raises(FormatError, match="a database with the tables orders"):
        open_transcript(path)


def test_a_session_that_is_gone_says_so(tmp_path):
    path = fill(tmp_path / "opencode.db")
    reader = open_transcript(path / "ses_9")
    with pytest.raises(FormatError, match="has no session ses_9"):
        list(reader)


def test_a_broken_database_says_so(tmp_path):
    path = fill(tmp_path / "opencode.db")
    path.write_bytes(path.read_bytes()[:4096] + b"\1" * 4096)
    with pytest.raises(FormatError, match="cannot be read as a database"):
        open_transcript(path)
    assert find_sessions("opencode", path).unknown == [path]


def test_a_whole_database_is_no_session(tmp_path):
    with pytest.raises(FormatError, match="holds many sessions"):
        open_transcript(fill(tmp_path / "opencode.db"))
