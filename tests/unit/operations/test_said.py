"""What was said in sessions, as operations show it: recalled, opened, listed, and made a memory of."""

import os
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta

import pytest

from recortex.domain.exchange import Exchange
from recortex.domain.vocabulary import Origin, Scope
from recortex.engines.exchanges.service import terms
from recortex.engines.privacy import record_redacted
from recortex.errors import (
    AmbiguousIdError,
    ChunkNotFoundError,
    ExchangeNotFoundError,
    InvalidInputError,
    SessionNotFoundError,
)
from recortex.operations.searching import OpenedExchange

AT = datetime(2026, 2, 1, 9, tzinfo=UTC)
FIRST, SECOND = "11111111-aaaa-4000-8000-000000000001", "11112222-bbbb-4000-8000-000000000002"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def exchange(number, **changes):
    at = AT + timedelta(days=number)
    plain = {
        "id": f"{number:08x}" + "f" * 24, "session": FIRST, "client": "claude-code", "opener": "person",
        "first_turn": 10 * number, "last_turn": 10 * number + 5, "root_turn": 10 * number, "started_at": at,
        "ended_at": at, "branch": "main", "folder": "/home/me/project",
    }  # fmt: skip
    return Exchange(**plain | changes)


HASH = exchange(
    1, asked="Shall I hash passwords with bcrypt or argon2?",
    message="bcrypt, 12 rounds; the auditors insist", opening="I'll use bcrypt.",
    conclusion="Passwords are hashed with bcrypt now, 12 rounds.", files=("src/auth.py",), commit="abc1234",
)  # fmt: skip
WORK = exchange(
    2, opener="agent", part=1, root_turn=10,
    conclusion="The old sha1 digests are rehashed when a user logs in.",
)  # fmt: skip
LOGS = exchange(
    3,
    message="The nightly export must never run while the billing job holds its lock.",
    conclusion="Added a guard to the export.",
)
OTHER = exchange(
    4, session=SECOND, branch="search", folder="/home/me/project/search",
    message="Which stemmer does the search index use?", conclusion="It uses the porter stemmer of FTS5.",
)  # fmt: skip


@pytest.fixture
def said(cortex):
    """Keeps exchanges in the project's store, and answers from them."""

    def keep(*exchanges):
        store = cortex._app.services(Scope.PROJECT).store
        with store.transaction():
            store.exchanges.put([(one, terms(one)) for one in exchanges], AT)
        return cortex

    return keep


def test_a_budget_holds_for_what_was_said_too(said):
    cortex = said(HASH, LOGS)
    least = cortex.recall("which passwords hash, bcrypt?", budget=10)
    assert not least.exchanges
    assert least.needed > 10
    enough = cortex.recall("which passwords hash, bcrypt?", budget=least.needed)
    assert len(enough.exchanges) == 1
    assert enough.tokens <= least.needed
    assert not enough.needed


def test_an_exchange_is_opened_whole_between_its_neighbours(said):
    cortex = said(HASH, WORK, LOGS, OTHER)
    opened = cortex.get(WORK.id[:12])
    assert opened == OpenedExchange(exchange=WORK, before=(HASH,), after=(LOGS,))
    assert cortex.get(WORK.id.upper(), around=0) == OpenedExchange(exchange=WORK)
    assert cortex.get(HASH.id, around=10).after == (WORK, LOGS)
    assert cortex.get(OTHER.id) == OpenedExchange(exchange=OTHER)
    for around in (-1, 11):
        with pytest.raises(InvalidInputError, match="from 0 to 10"):
            cortex.get(HASH.id, around=around)


def test_an_exchange_is_not_known_before_it_was_said(said):
    cortex = said(HASH, WORK, LOGS, timeless := replace(OTHER, started_at=None, ended_at=None))
    assert cortex.get(WORK.id, as_of=WORK.ended_at) == OpenedExchange(exchange=WORK, before=(HASH,))
    assert cortex.get(WORK.id, as_of=LOGS.ended_at).after == (LOGS,)
    with pytest.raises(ExchangeNotFoundError, match="not known yet at that time"):
        cortex.get(WORK.id, as_of=HASH.ended_at)
    assert cortex.get(timeless.id, as_of=HASH.ended_at).exchange == timeless


def test_a_part_of_a_document_is_not_known_before_it_was_written(said, tmp_path):
    cortex, notes = said(), tmp_path / "project" / "notes.md"
    notes.write_text("# Queue\n\nThe queue holds nine parcels.\n")
    os.utime(notes, (AT.timestamp(), AT.timestamp()))
    cortex.ingest([str(notes)])
    (hit,) = cortex.recall("how many parcels does the queue hold?").documents
    assert cortex.get(hit.id, as_of=AT).chunk.id == hit.id
    with pytest.raises(ChunkNotFoundError, match="not known yet at that time"):
        cortex.get(hit.id, as_of=AT - timedelta(days=1))


def test_an_id_of_a_memory_and_an_exchange_is_told_apart(said):
    cortex = said()
    kept = cortex.remember("The queue is drained at three.")
    said(twin := replace(HASH, id=kept.id[:8] + "0" * 24))
    with pytest.raises(AmbiguousIdError) as caught:
        cortex.get(kept.id[:8])
    assert kept.id in caught.value.hint
    assert twin.id in caught.value.hint
    assert cortex.get(kept.id[:10]).id == kept.id
    assert cortex.get(twin.id[:10]).exchange == twin
    assert cortex.edit(kept.id[:8], tags=["queue"]).id == kept.id
    said(replace(HASH, id=kept.id[:8] + "01" + "0" * 22))
    with pytest.raises(AmbiguousIdError, match="Several exchanges"):
        cortex.get(kept.id[:8] + "0")


def test_a_memory_is_made_of_an_exchange_in_a_step(said, clock):
    cortex = said(HASH)
    kept = cortex.remember(
        "Passwords are hashed with bcrypt, 12 rounds.", kind="decision", from_exchange=HASH.id[:12]
    )
    assert (kept.kind, kept.text) == ("decision", "Passwords are hashed with bcrypt, 12 rounds.")
    source = {name: value for name, value in asdict(kept.source).items() if value not in ("", None)}
    assert source == {
        "session": FIRST, "turn": 10, "speaker": "user", "client": "claude-code", "quote": HASH.message,
        "branch": "main", "commit": "abc1234",
    }  # fmt: skip
    assert (kept.valid_from, kept.recorded_at) == (HASH.started_at, clock.now)
    assert kept.origin == Origin.USER


@pytest.mark.parametrize(
    "one",
    [
        HASH, WORK, OTHER, replace(LOGS, message="go ahead"),
        replace(LOGS, message="2 → Use Redis for the cache of sessions"),
        replace(LOGS, message="that's wrong, the port must be 8080"),
    ],
    ids=["answer", "work", "question", "consent", "option", "pointing"],
)  # fmt: skip
def test_a_message_that_needs_its_context_is_not_made_a_memory(said, one):
    cortex = said(one)
    with pytest.raises(InvalidInputError, match="cannot stand alone") as caught:
        cortex.remember(from_exchange=one.id)
    assert "--from" in caught.value.hint
    assert cortex.list().total == 0
    kept = cortex.remember("The export waits for the billing job.", from_exchange=one.id)
    assert kept.source.speaker == ("assistant" if one is WORK else "user")
    assert kept.source.quote


def test_an_exchange_is_the_only_source_and_must_be_there(said):
    cortex = said(LOGS)
    with pytest.raises(InvalidInputError, match="is the source"):
        cortex.remember("x y z", from_exchange=LOGS.id, source="s1")
    with pytest.raises(ExchangeNotFoundError):
        cortex.remember("x y z", from_exchange="abcdef")


def test_a_search_groups_what_answers_by_session(said):
    cortex = said(HASH, LOGS, OTHER)
    found = cortex.sessions("which stemmer has the search index?")
    assert found.sessions[0].session == SECOND
    assert found.sessions[0].matches[0].id == OTHER.id
    assert [one.session for one in cortex.sessions("bcrypt rounds", session="11111111").sessions] == [FIRST]
    assert not cortex.sessions("bcrypt rounds", branch="search").sessions


def test_a_session_is_shown_in_order_and_in_pages(said):
    long = replace(LOGS, message="word " * 300, conclusion="end " * 200)
    cortex = said(HASH, WORK, long, OTHER)
    shown = cortex.sessions(session="11111111")
    assert [one.id for one in shown.exchanges] == [HASH.id, LOGS.id]
    assert (shown.total, shown.more) == (2, False)
    assert max(len(shown.exchanges[1].message), len(shown.exchanges[1].conclusion)) < 420
    page = cortex.sessions(session=FIRST, limit=1)
    assert ([one.id for one in page.exchanges], page.more) == ([HASH.id], True)
    page = cortex.sessions(session=FIRST, limit=1, offset=1)
    assert ([one.id for one in page.exchanges], page.more) == ([LOGS.id], False)
    assert cortex.sessions(session=FIRST, offset=9).exchanges == ()


def test_a_session_is_named_by_its_first_characters(said):
    cortex = said(HASH, OTHER, replace(HASH, id="9" * 32, session="1111"))
    assert cortex.sessions(session="11112").sessions[0].session == SECOND
    assert cortex.sessions(session="1111").sessions[0].session == "1111"
    with pytest.raises(AmbiguousIdError) as caught:
        cortex.sessions(session="111")
    assert FIRST in caught.value.hint
    with pytest.raises(SessionNotFoundError):
        cortex.sessions(session="999")


def test_what_newer_rules_find_secret_is_not_shown(said):
    leaking = replace(
        HASH, asked=f"Is {SECRET} the token of the bcrypt service?", message=f"yes, {SECRET} for bcrypt",
        opening=f"I'll export {SECRET}.", conclusion=f"Set the token {SECRET} for bcrypt.",
        failed=(f"curl -H 'Authorization: token {SECRET}' x",),
    )  # fmt: skip
    cortex = said(leaking)
    shown = [
        cortex.recall("what is the token of the bcrypt service?"),
        cortex.get(leaking.id),
        cortex.sessions(),
        cortex.sessions("token of the bcrypt service"),
        cortex.sessions(session=FIRST),
        cortex.remember("The bcrypt service needs a token.", from_exchange=leaking.id),
    ]
    for one in shown:
        assert SECRET not in repr(one)
    assert shown[0].exchanges
    assert record_redacted(HASH) is HASH
