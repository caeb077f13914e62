"""What a person does with memories, on every engine."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from random import Random
from string import ascii_letters, digits
from threading import Barrier

import pytest

from recortex import Cortex
from recortex.domain.exchange import Exchange
from recortex.domain.vocabulary import Actor, Scope, Status
from recortex.errors import InvalidInputError, NothingToUndoError
from recortex.storage.records.rows import MOST_VALUES


@pytest.fixture
def cortex(project, clock, layout, server, monkeypatch):
    """The memory of a project, without vectors, kept by each engine."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    url = f"sqlite:///{project}/cortex.db" if layout == "sqlite" else server.workspace_url(layout)
    with Cortex.open(project, url=url, clock=clock) as opened:
        yield opened


def test_the_audit_log_names_actor_and_operation(cortex):
    kept = cortex.remember("The tests need `TZ=UTC`.", kind="tribal")
    cortex.edit(kept.id, tags=["tests"])
    cortex.forget(kept.id)
    cortex.restore(kept.id)
    cortex.undo(kept.id)
    log = cortex.history(kept.id).audit
    assert [entry.operation for entry in log] == ["create", "update", "archive", "restore", "undo"]
    assert {entry.actor for entry in log} == {Actor.USER}
    assert log[1].details == {"fields": ["tags"]}
    assert "TZ" not in str([entry.details for entry in log])


def test_a_rollback_gives_the_former_content(cortex, clock):
    first = cortex.remember(
        content={"topic": "auth", "knowledge": "Use bcrypt", "warnings": ["slow"]}, kind="tribal"
    )
    clock.pass_(hours=1)
    cortex.edit(first.id, text="Use argon2", content={"warnings": []})
    clock.pass_(hours=1)
    cortex.undo(first.id)
    back = cortex.get(first.id)
    assert (back.content, back.text, back.summary) == (first.content, first.text, first.summary)
    assert back.version == 3


def test_at_most_ten_versions_are_kept(cortex, clock):
    kept = cortex.remember("Version 0", kind="tribal")
    for number in range(1, 12):
        clock.pass_(minutes=1)
        cortex.edit(kept.id, text=f"Version {number}")
    versions = cortex.history(kept.id).versions
    assert [one.memory.text for one in versions] == [f"Version {number}" for number in range(11, 1, -1)]
    for _ in range(3):
        cortex.undo(kept.id)
    assert len(cortex.history(kept.id).versions) == 10


def test_undo_of_a_creation_archives_and_a_second_one_brings_back(cortex):
    kept = cortex.remember("Made by mistake", kind="tribal")
    assert cortex.undo(kept.id).status is Status.ARCHIVED
    assert cortex.undo(kept.id).status is Status.ACTIVE


def test_nothing_to_undo_is_said(cortex):
    kept = cortex.remember("Born archived", status=Status.ARCHIVED)
    with pytest.raises(NothingToUndoError) as caught:
        cortex.undo(kept.id)
    assert "history" in caught.value.hint


def test_no_text_of_a_memory_holds_a_nul(cortex):
    kept = cortex.remember(
        content={"topic": "au\0th", "knowledge": "Use\0 bcrypt", "warnings": ["sl\0ow"]}, kind="tribal",
        tags=["a\0b"], files=["src/a\0.py"], metadata={"k\0": ["v\0", {"deep": "\0"}]},
    )  # fmt: skip
    edited = cortex.edit(kept.id, tags=["c\0d"])
    for memory in (kept, edited, cortex.get(kept.id)):
        assert "\\x00" not in repr(memory)
    assert (kept.content.knowledge, kept.tags, edited.tags) == ("Use bcrypt", ("ab",), ("cd",))
    assert kept.metadata == {"k": ["v", {"deep": ""}]}


ESCAPES = "Strip \\u0000 and \\\\u0000 from what goes into jsonb"
"""What code and its messages say of NUL: characters like any other."""


def test_an_escape_of_nul_is_a_text_like_any_other(cortex):
    kept = cortex.remember(
        ESCAPES, kind="tribal", tags=[ESCAPES], files=["src/\\u0000.py"], metadata={"k": ESCAPES}
    )
    back = cortex.get(kept.id)
    assert (back.text, back.tags, back.metadata, back.files) == (
        ESCAPES, (ESCAPES,), {"k": ESCAPES}, kept.files,
    )  # fmt: skip
    assert [one.id for one in cortex.list(tags=[ESCAPES]).memories] == [kept.id]
    assert [hit.memory.text for hit in cortex.recall("strip from jsonb").hits] == [ESCAPES]
    assert cortex.edit(kept.id, text=f"{ESCAPES} columns").version == 2
    assert cortex.history(kept.id).versions[-1].memory.text == ESCAPES


# nothing that an index could pack
LONG = "".join(Random(7).choices(ascii_letters + digits, k=5_000))  # noqa: S311
AT_MOST = LONG[:1_980]


@pytest.mark.parametrize(
    "labels",
    [
        {"tags": [LONG]}, {"files": [f"src/{LONG}.py"]}, {"functions": [LONG]}, {"patterns": [LONG]},
        {"constraints": [LONG]}, {"source": {"session": LONG}}, {"source": {"speaker": LONG}},
        {"tags": ["日" * 700]},
    ],
)  # fmt: skip
def test_a_name_that_no_index_takes_is_refused_alike(cortex, labels):
    with pytest.raises(InvalidInputError, match="is too long") as caught:
        cortex.remember("What is about something with a long name", kind="tribal", **labels)
    assert "in the memory's text" in caught.value.hint
    kept = cortex.remember("What has a short name", kind="tribal")
    if {"tags", "files"} & set(labels):
        with pytest.raises(InvalidInputError, match="is too long"):
            cortex.edit(kept.id, **labels)


def test_the_longest_names_are_kept_and_found(cortex):
    kept = cortex.remember(
        "What has the longest names", kind="tribal", tags=[AT_MOST], files=[AT_MOST], functions=[AT_MOST],
        patterns=[AT_MOST], constraints=[AT_MOST],
        source={"session": AT_MOST, "speaker": AT_MOST, "turn": 1},
    )  # fmt: skip
    assert (
        cortex.list(files=[AT_MOST]).memories
        == cortex.list(tags=[AT_MOST]).memories
        == (cortex.get(kept.id),)
    )


def test_more_values_than_a_statement_takes_are_refused_alike(cortex):
    kept = cortex.remember("What has a tag", kind="tribal", tags=["t7"])
    many = [f"t{number}" for number in range(MOST_VALUES + 1)]
    assert [memory.id for memory in cortex.list(tags=many[: MOST_VALUES - 100]).memories] == [kept.id]
    for act in (
        lambda: cortex.list(tags=many),
        lambda: cortex.list(files=many),
        lambda: cortex.recall("tag", tags=many),
    ):
        with pytest.raises(InvalidInputError, match="at most 10,000") as caught:
            act()
        assert caught.value.hint


@pytest.mark.full
def test_two_imports_of_one_export_at_once_keep_each_memory_once(cortex, project, layout, server, tmp_path):
    """The second one opens its own store and begins while the first one works; both count what they did."""
    texts = [f"Fact {number} is about item{number}" for number in range(120)]
    cortex.remember_many([{"text": text} for text in texts], embed=False, link=False)
    (project / "all.jsonl").write_text(cortex.export().text)
    url = f"sqlite:///{tmp_path}/two.db" if layout == "sqlite" else server.workspace_url(layout)
    begin = Barrier(2)

    def take_in(_):
        with Cortex.open(project, url=url) as own:
            own.status()
            begin.wait()
            return own.import_("jsonl", str(project / "all.jsonl"), embed=False)

    with ThreadPoolExecutor(2) as both:
        one, other = both.map(take_in, range(2))
    assert one.added + other.added == len(texts)
    assert one.unchanged + other.unchanged == len(texts)
    with Cortex.open(project, url=url) as own:
        assert own.status().stores[0].memories == len(texts)


def test_what_was_said_is_recalled_opened_listed_and_kept(cortex):
    at = datetime(2026, 2, 1, 9, tzinfo=UTC)
    common = {"client": "codex", "opener": "person", "started_at": at, "ended_at": at}
    places = [("one", 0), ("one", 10), ("two", 0)]
    said = [
        Exchange(
            id=f"{number:032x}", session=session, first_turn=turn, last_turn=turn + 1, root_turn=turn,
            message=f"Rule {number}: the ledger export never runs while billing holds its lock.", **common,
        )
        for number, (session, turn) in enumerate(places, 1)
    ]  # fmt: skip
    store = cortex._app.services(Scope.PROJECT).store
    with store.transaction():
        store.exchanges.put([(one, "") for one in said], at)
    found = cortex.recall("when must the ledger export not run?", among="exchanges")
    assert {one.id for one in found.exchanges} <= {one.id for one in said}
    assert found.exchanges
    opened = cortex.get(said[1].id)
    assert (opened.exchange, opened.before, opened.after) == (said[1], (said[0],), ())
    kept = cortex.remember(from_exchange=said[2].id, kind="tribal")
    listed = {one.session: one for one in cortex.sessions().sessions}
    assert {name: one.messages for name, one in listed.items()} == {"one": 2, "two": 1}
    assert [one.id for one in listed["two"].learned] == [kept.id]
    assert [one.id for one in cortex.sessions(session="on", limit=1, offset=1).exchanges] == [said[1].id]
    assert cortex.sessions("the ledger export and the billing lock").sessions
