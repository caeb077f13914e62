"""With a store that is broken, missing or cannot be written, a session is what it is without a memory."""

import pytest
from agents.knowledge import ASKED_INVOICES, INVOICES, SHIP

from places import store_folder


def assert_unharmed(ran) -> None:
    assert ran.unharmed, ran
    assert len(ran.requests) == 2
    assert ran.given() == []


def talk(person):
    return person.session([SHIP, ASKED_INVOICES], ["I will.", "I do not know."])


@pytest.mark.parametrize("damage", ["garbage", "half", "folder", "empty schema"])
def test_a_broken_store_harms_no_session(newest, damage):
    newest.memory("remember", INVOICES)
    store = store_folder(newest.project, newest.home / "memory") / "cortex.db"
    data = store.read_bytes()
    for leftover in store.parent.glob("cortex.db*"):
        leftover.unlink()
    if damage == "folder":
        store.mkdir()
    else:
        broken = {
            "garbage": b"no database\n" * 4000,
            "half": data[: len(data) // 2],
            "empty schema": data[:100],
        }
        store.write_bytes(broken[damage])
    ran = talk(newest)
    assert_unharmed(ran)
    newest.settle()


def test_a_home_that_cannot_be_written_harms_no_session(newest):
    (newest.home / "file").write_text("not a folder")
    newest.extra["RECORTEX_HOME"] = str(newest.home / "file" / "memory")
    ran = talk(newest)
    assert ran.unharmed, ran
    assert "Traceback" not in ran.errors


def test_a_project_without_a_place_for_its_memory_harms_no_session(newest):
    (newest.home / "memory").mkdir()
    (newest.home / "memory" / "projects").write_text("not a folder")
    assert_unharmed(talk(newest))


def test_without_the_command_the_plugin_is_silent(newest, tmp_path):
    """The plug-in is there and the program is not."""
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    newest.extra["PATH"] = f"{bin_}:/usr/bin:/bin"
    ran = newest.session(["hi", "more"], ["hello", "end"])
    assert ran.code == 0
    assert [one["is_error"] for one in ran.results] == [False, False]
    assert "recortex" not in ran.requests[-1].last
