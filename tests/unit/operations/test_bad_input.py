"""What does not fit is refused with a code and a hint, and nothing is changed by it."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recortex.errors import InvalidInputError, RecortexError

LONE = "\ud800"
NOBODY = "ffffffff-ffff-0"  # no id of version 4 begins like this
OLD = datetime(1999, 1, 1, tzinfo=UTC)
REMEMBER = [
    {"text": ""}, {"text": 5}, {"text": "x" * 100_001}, {"kind": "nope"}, {"importance": "huge"},
    {"priority": 0}, {"priority": 2**70}, {"confidence": 2}, {"confidence": float("nan")}, {"pinned": "no"},
    {"tags": "abc"}, {"tags": [f"t{number}" for number in range(65)]}, {"domain": "NOPE"}, {"files": [""]},
    {"files": ["a:9-3"]}, {"files": [":5"]}, {"files": ["a:" + "9" * 5000]}, {"source": {"nope": 1}},
    {"source": {"session": "s", "turn": 2**70}}, {"origin": "alien"}, {"status": "weird"},
    {"scope": "mars"}, {"valid_from": "soon"}, {"valid_until": OLD}, {"supersedes": NOBODY},
    {"summary": "x" * 100_001}, {"metadata": {"a": object()}}, {"metadata": {"a": "x" * 100_001}},
    {"content": {"nope": 1}}, {"content": {"observation": "x" * 100_001}},
]  # fmt: skip
OTHERS = [
    ("remember_many", {"memories": "abc"}),
    ("remember_many", {"memories": [{"text": "fits"}, {"text": ""}]}),
    ("remember_many", {"memories": [{"text": "fits"}, {"nope": 1}]}),
    ("get", {"id": ""}), ("get", {"id": NOBODY}), ("get", {"id": "%"}), ("get", {"id": LONE}),
    ("get", {"id": "ID", "as_of": "soon"}), ("get", {"id": "ID", "as_of": OLD}),
    ("get", {"id": "ID", "valid_at": OLD}), ("get", {"id": "ID", "around": 11}),
    ("remember", {"text": "fits well", "from_exchange": NOBODY}),
    ("sessions", {"limit": 0}), ("sessions", {"offset": -1}), ("sessions", {"session": NOBODY}),
    ("sessions", {"since": "soon"}), ("list", {"limit": 0}), ("list", {"offset": -1}),
    ("list", {"kinds": ["nope"]}), ("list", {"statuses": ["nope"]}), ("list", {"order": "nope"}),
    ("list", {"importance": "nope"}), ("list", {"min_confidence": "x"}), ("list", {"scope": "mars"}),
    ("list", {"session": 5}), ("recall", {"query": None}), ("recall", {"query": "x" * 20_001}),
    ("recall", {"query": "x", "limit": 0}), ("recall", {"query": "x", "recipe": "nope"}),
    ("edit", {"id": NOBODY, "text": "x"}), ("edit", {"id": "ID", "text": ""}),
    ("edit", {"id": "ID", "text": "x" * 100_001}), ("edit", {"id": "ID", "kind": "nope"}),
    ("edit", {"id": "ID", "confidence": 3}), ("edit", {"id": "ID", "priority": 99}),
    ("edit", {"id": "ID", "tags": "abc"}), ("edit", {"id": "ID", "domain": "nope"}),
    ("edit", {"id": "ID", "content": {"nope": 1}}), ("edit", {"id": "ID", "valid_until": OLD}),
    ("edit", {"id": "ID", "files": ["a:9-1"]}), ("edit", {"id": "ID", "metadata": 5}),
    ("forget", {"id": NOBODY}), ("restore", {"id": "ID", "version": 99}), ("restore", {"id": NOBODY}),
    ("link", {"id": "ID"}), ("link", {"id": "ID", "target": "ID"}),
    ("link", {"id": "ID", "target": NOBODY}),
    ("link", {"id": "ID", "target": "OTHER", "relation": "hates"}),
    ("link", {"id": "ID", "target": "OTHER", "strength": 2}),
    ("link", {"id": "ID", "target": "OTHER", "evidence": "abc"}),
    ("link", {"id": "ID", "file": "a:9-1"}), ("unlink", {"id": "ID", "target": NOBODY}),
    ("related", {"id": "ID", "depth": 0}), ("related", {"id": "ID", "limit": 0}),
    ("related", {"id": "ID", "direction": "up"}), ("related", {"id": "ID", "relations": ["nope"]}),
    ("history", {"id": NOBODY}), ("undo", {"id": NOBODY}), ("purge", {}),
    ("purge", {"id": "ID", "text": "abcd"}), ("purge", {"text": "abc"}), ("purge", {"id": NOBODY}),
    ("review", {"action": "approve"}), ("review", {"action": "approve", "ids": [NOBODY]}),
    ("review", {"action": "approve", "ids": ["ID"]}), ("review", {"action": "dance", "ids": ["ID"]}),
    ("review", {"limit": 0}), ("extract", {"path": "/nowhere"}), ("extract", {"path": "FOLDER"}),
    ("import_", {"format": "nope"}), ("import_", {"format": "jsonl"}),
    ("import_", {"format": "jsonl", "path": "FOLDER"}),
    ("import_", {"format": "markdown", "path": "FOLDER"}),
    ("export", {"path": "/nowhere/file"}), ("export", {"path": "FOLDER"}), ("export", {"path": "STORE"}),
    ("export", {"format": "xml"}), ("backfill", {"limit": -1}), ("backup", {"path": "FOLDER"}),
    ("backup", {"path": "STORE"}), ("backup", {"path": "STORE-wal"}),
]  # fmt: skip


@pytest.fixture(scope="module")
def store(fresh_cortex):
    """One store for all: nothing that is refused may change it."""
    with fresh_cortex() as opened:
        yield opened


@pytest.fixture(scope="module")
def ids(store):
    return [
        store.remember(text, kind="tribal").id
        for text in ("The tests need `TZ=UTC`.", "The queue drops jobs after a day.")
    ]


def refused(cortex, name, arguments):
    before = cortex.export().text
    with pytest.raises(RecortexError) as caught:
        getattr(cortex, name)(**arguments)
    error = caught.value
    assert error.code
    assert error.hint
    assert error.message
    assert len(error.message) < 500
    assert cortex.export().text == before


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir], ids=["device", "folder"])
def test_a_backup_takes_the_place_of_no_device_or_folder(make, cortex, tmp_path):
    cortex.remember("Jobs run at night.")
    there = tmp_path / "there"
    make(there)
    mode = there.stat().st_mode
    with pytest.raises(InvalidInputError):
        cortex.backup(str(there))
    assert there.stat().st_mode == mode
    assert sorted(path.name for path in tmp_path.glob("there*")) == ["there"]


def test_a_path_with_a_nul_is_refused(cortex):
    with pytest.raises(InvalidInputError):
        cortex.export("a\0b")


def test_a_time_may_be_a_date_as_text(cortex):
    new_year = datetime(2025, 1, 1, tzinfo=UTC)
    assert cortex.remember("Jobs run at night.", valid_from="2025-01-01").valid_from == new_year
    (id_,) = cortex.remember_many([{"text": "Jobs run at noon.", "valid_from": "2025-01-01"}]).ids
    assert cortex.get(id_).valid_from == new_year
    assert cortex.list(as_of="2024-12-31").memories == ()


def test_a_lone_surrogate_and_a_nul_are_kept_as_what_can_be_stored(cortex):
    kept = cortex.remember(f"a{LONE}b\0c", tags=[f"x{LONE}"], metadata={"k": [LONE]})
    assert (kept.text, kept.tags, kept.metadata) == ("a?bc", ("x?",), {"k": ["?"]})
    assert cortex.edit(kept.id, text=f"d{LONE}e", reason=LONE).text == "d?e"
    assert cortex.get(kept.id).text == "d?e"


@pytest.mark.parametrize(
    "arguments", REMEMBER, ids=[f"{n}-{next(iter(one))}" for n, one in enumerate(REMEMBER)]
)
def test_remember(store, ids, arguments):
    assert ids
    refused(store, "remember", {"text": "Something else entirely"} | arguments)


@pytest.mark.parametrize(
    ("name", "arguments"), OTHERS, ids=[f"{n}-{name}" for n, (name, _) in enumerate(OTHERS)]
)
def test_other_operations(store, ids, name, arguments):
    database = store._app.locations[None].database
    stand = {
        "ID": ids[0], "OTHER": ids[1], "FOLDER": str(database.parent), "STORE": str(database),
        "STORE-wal": f"{database}-wal",
    }  # fmt: skip

    def filled(value):
        if isinstance(value, list):
            return [filled(one) for one in value]
        return stand.get(value, value) if isinstance(value, str) else value

    refused(store, name, {key: filled(value) for key, value in arguments.items()})


def test_an_ambiguous_id_is_refused(cortex):
    ids = [cortex.remember(f"Memory number {number}").id for number in range(40)]
    first = {id_[0] for id_ in ids}
    shared = next(letter for letter in first if sum(id_[0] == letter for id_ in ids) > 1)
    with pytest.raises(RecortexError) as caught:
        cortex.get(shared)
    assert caught.value.code == "ambiguous_id"
    assert cortex.get(ids[0][:20].upper()).id == ids[0]
