"""The contracts of `ports.search.Sessions` and `ports.model.ModelCalls`, on every engine."""

import threading
from dataclasses import replace
from datetime import timedelta

from example_memories import AT, id_of, insert, memory
from recortex.domain.exchange import Exchange
from recortex.domain.maintenance import Checkpoint
from recortex.domain.memory import AuditEntry, FileLink
from recortex.domain.model_call import Limit, ModelCall, Spending
from recortex.domain.session import GivenMemory, Outcome, Receipt, Session, Signal
from recortex.domain.text import word_of_file
from recortex.domain.vocabulary import Actor, Scope

MINUTE = timedelta(minutes=1)
FIRST = Session(id="s1", started_at=AT, seen_at=AT, client="c", cwd="/p", transcript="/t/1.jsonl", process=77)
GIVEN = Receipt(session="s1", context=0, memory=id_of(1), scope=Scope.PROJECT, channel="surface", at=AT)
ROOM = Limit(tokens=100, micro_usd=1_000)


def call(**more):
    return ModelCall(at=AT, provider="p", model="m", purpose="extract", **more)


def test_a_session_is_kept_and_brought_up_to_date(store):
    assert store.sessions.get("s1") is None
    store.sessions.put(FIRST)
    later = replace(FIRST, seen_at=AT + MINUTE, ended_at=AT + MINUTE, end_reason="exit", context=2)
    store.sessions.put(later)
    assert store.sessions.get("s1") == later
    store.sessions.captured("s1", AT + MINUTE, size=2**33, told="hash")
    store.sessions.put(later)
    assert store.sessions.get("s1") == replace(
        later, captured_at=AT + MINUTE, captured_size=2**33, told="hash"
    )


def test_sessions_by_time_and_by_their_beginning(store):
    for number in range(4):
        store.sessions.put(replace(FIRST, id=f"s{number}", seen_at=AT + number * MINUTE))
    assert [one.id for one in store.sessions.recent(2)] == ["s3", "s2"]
    assert store.sessions.ids_beginning("s") == ["s0", "s1", "s2"]
    assert store.sessions.ids_beginning("s3") == ["s3"]


def test_what_became_of_what_was_given(store):
    given = [
        replace(GIVEN, session="s1", channel="prompt"),
        replace(GIVEN, session="s1", channel="prompt", context=1),
        replace(GIVEN, session="s2", channel="file"),
        replace(GIVEN, session="s3"),
        replace(GIVEN, session="s4"),
        replace(GIVEN, session="s4", memory=id_of(2)),
    ]
    store.sessions.give(given)
    store.sessions.mark_used(given[1], AT, "quoted")
    store.sessions.mark_used(given[3], AT, "file")
    wanted = [id_of(number) for number in (1, 2, 3)]
    assert store.sessions.outcomes(wanted, ["prompt", "file"]) == {id_of(1): Outcome(given=3, used=2)}
    assert store.sessions.outcomes(wanted, ["surface"]) == {
        id_of(1): Outcome(given=3, used=2),
        id_of(2): Outcome(given=1, used=0),
    }
    assert store.sessions.outcomes([], ["prompt"]) == {}


def test_receipts_move_to_a_successor_and_return(store):
    given = [
        replace(GIVEN, memory=id_of(number), context=context)
        for number, context in ((1, 0), (1, 1), (2, 1), (3, 2))
    ]
    store.sessions.give(given)
    moved = store.sessions.move_receipts(id_of(1), id_of(4))
    assert sorted(moved) == [("s1", 0), ("s1", 1)]
    assert store.sessions.move_receipts(id_of(2), id_of(4)) == []  # it was given there already
    found = {(one.memory, one.context) for one in store.sessions.receipts("s1")}
    assert found == {(id_of(4), 0), (id_of(4), 1), (id_of(2), 1), (id_of(3), 2)}
    store.sessions.return_receipts(id_of(4), id_of(1), moved)
    assert {(one.memory, one.context) for one in store.sessions.receipts("s1")} == {
        (one.memory, one.context) for one in given
    }


def test_figures_of_many_sessions(store):
    file = replace(GIVEN, memory=id_of(2), channel="file", subject="a.py", tokens=7)
    store.sessions.put(FIRST)
    store.sessions.put(replace(FIRST, id="s2", seen_at=AT + MINUTE))
    given = [
        replace(GIVEN, tokens=5),
        replace(GIVEN, tokens=5, context=1),
        file,
        replace(file, session="s2", at=AT + MINUTE),
    ]
    store.sessions.give(given)
    store.sessions.mark_used(given[1], AT, "quoted")
    touches = [Signal(session="s1", at=AT, name=name, subject="a.py") for name in ("read", "written", "read")]
    asked = [Signal(session="s1", at=AT, name="asked", subject="fix_bug", digest="12 40")]
    store.sessions.note([*touches, *asked, replace(asked[0], at=AT + MINUTE)])
    until = AT + MINUTE
    assert [one.id for one in store.sessions.find_between(AT, until)] == ["s1"]
    assert [one.id for one in store.sessions.find_between(AT, until + MINUTE)] == ["s1", "s2"]
    assert store.sessions.given(AT, until + MINUTE) == [
        GivenMemory(id_of(1), "surface", 2, 1, 10, 5),
        GivenMemory(id_of(2), "file", 2, 0, 14, 0),
    ]
    assert store.sessions.given(until, until) == []
    assert store.sessions.asked(AT, until) == [("fix_bug", "12 40")]
    assert store.sessions.repeats_saved(AT, until + MINUTE) == 14
    assert store.sessions.repeats_saved(until, until) == 0


def test_sessions_of_several_threads_do_not_disturb_each_other(store):
    def work(number):
        session = replace(FIRST, id=f"s{number}")
        store.sessions.put(session)
        for place in range(10):
            one = replace(GIVEN, session=session.id, memory=id_of(place), tokens=number)
            assert store.sessions.give([one, one]) == [one]
            store.sessions.note([Signal(session=session.id, at=AT, name="read", subject=f"{place}")])
            store.sessions.mark_used(one, AT, "quoted")

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for number in range(4):
        receipts = store.sessions.receipts(f"s{number}")
        assert sorted(one.memory for one in receipts) == sorted(id_of(place) for place in range(10))
        assert {(one.tokens, one.used_as) for one in receipts} == {(number, "quoted")}
        assert [one.subject for one in store.sessions.signals(f"s{number}")] == list("0123456789")


def test_files_that_some_memory_is_about(store):
    insert(
        store, memory(1, files=(FileLink("b.py"), FileLink("b.py"))), memory(2, "o", files=(FileLink("ä"),))
    )
    assert store.sessions.cited(["ä", "b.py", "c.py", "b.py", "%"]) == ["b.py", "ä"]


def test_files_that_an_exchange_decided_something_about(store):
    one = Exchange(
        id=f"{1:032x}", session="s", client="c", opener="person", first_turn=0, last_turn=1, root_turn=0,
        message="Use the queue instead of SMTP, the file is file123.", files=("/p/ä.py",),
    )  # fmt: skip
    with store.transaction():
        store.exchanges.put([(one, f"{word_of_file('ä.py')} queue smtp")], AT)
    assert store.sessions.cited(["b.py", "ä.py"]) == ["ä.py"]
    ((key, _),) = store.exchange_search.match({word_of_file("ä.py"): 1}, 5, None)
    assert store.exchange_search.exchanges([key]) == {key: one}
    with store.transaction():
        store.exchanges.delete([key])
    assert store.sessions.cited(["ä.py"]) == []


def test_transcripts_that_nobody_heard_of(store):
    store.sessions.put(FIRST)
    store.ledger.save_checkpoint(
        Checkpoint(path="/t/2.jsonl", session_id="s2", client="c", position=1, turns=1, extracted_at=AT)
    )
    young, old = AT.timestamp() + 60, AT.timestamp() - 60
    known = [("/t/1.jsonl", young), ("/t/2.jsonl", young), ("/t/3.jsonl", young), ("/t/4.jsonl", old)]
    assert store.sessions.unknown_transcripts(known) == ["/t/3.jsonl"]
    assert store.sessions.unknown_transcripts([]) == []


def test_a_memory_is_given_once_in_a_context(store):
    again, next_context = replace(GIVEN, at=AT + MINUTE), replace(GIVEN, context=1, at=AT + MINUTE)
    other = replace(GIVEN, memory=id_of(2), score=0.5, subject="a.py", tokens=7, channel="file")
    assert store.sessions.give([GIVEN, other]) == [GIVEN, other]
    assert store.sessions.give([again, next_context]) == [next_context]
    assert store.sessions.receipts("s1") == [other, GIVEN, next_context]
    assert store.sessions.receipts("s2") == []


def test_the_first_use_counts(store):
    store.sessions.give([GIVEN])
    assert store.sessions.mark_used(GIVEN, AT + MINUTE, "quoted")
    assert not store.sessions.mark_used(GIVEN, AT + 2 * MINUTE, "file")
    assert not store.sessions.mark_used(replace(GIVEN, context=1), AT, "file")
    assert store.sessions.receipts("s1") == [replace(GIVEN, used_at=AT + MINUTE, used_as="quoted")]


def test_signals_in_order_and_failures_until_mended(store):
    failed = Signal(session="s1", at=AT, name="failed", subject="make 'x' & y", digest="d")
    mended = replace(failed, name="mended", at=AT - MINUTE)
    store.sessions.note([failed, replace(failed, name="read", subject="a.py", digest="")])
    assert store.sessions.has_failed("s1", "d")
    assert not store.sessions.has_failed("s1", "e")
    assert not store.sessions.has_failed("s2", "d")
    store.sessions.note([mended])
    assert not store.sessions.has_failed("s1", "d")
    store.sessions.note([failed])
    assert store.sessions.has_failed("s1", "d")
    assert [one.name for one in store.sessions.signals("s1")] == ["failed", "read", "mended", "failed"]
    store.sessions.forget_text("make 'x'")
    assert [one.name for one in store.sessions.signals("s1")] == ["read"]


def test_old_sessions_are_forgotten_with_what_hangs_on_them(store):
    seen = [Signal(session=f"s{n}", at=AT, name="read", subject="a.py") for n in (1, 2)]
    store.sessions.put(FIRST)
    store.sessions.put(replace(FIRST, id="s2", seen_at=AT + MINUTE))
    store.sessions.give([GIVEN, replace(GIVEN, session="s2")])
    store.sessions.note(seen)
    assert store.sessions.forget_before(AT + MINUTE) == 1
    assert store.sessions.get("s1") is None
    assert store.sessions.receipts("s1") == store.sessions.signals("s1") == []
    assert store.sessions.signals("s2") == seen[1:]
    assert store.sessions.forget_before(AT) == 0


def test_calls_are_reserved_settled_and_summed(store):
    number = store.model_calls.reserve(call(input_tokens=60, micro_usd=500), ROOM)
    assert store.model_calls.reserve(call(input_tokens=50), ROOM) is None
    assert store.model_calls.total_today(AT) == Spending(calls=2, tokens=60, micro_usd=500, refused=1)
    done = call(input_tokens=10, output_tokens=5, micro_usd=20, milliseconds=3, outcome="unusable")
    store.model_calls.settle(number, done)
    assert store.model_calls.total_today(AT) == Spending(
        calls=2, tokens=15, micro_usd=20, refused=1, failed=1
    )
    assert store.model_calls.total_today(AT + timedelta(days=1)) == Spending()
    refused, kept = store.model_calls.recent(9)
    assert (refused.outcome, kept) == ("refused", done)
    assert store.model_calls.recent(1) == [refused]


def test_a_budget_is_never_spent_twice(store):
    numbers = []

    def spend():
        numbers.extend(store.model_calls.reserve(call(input_tokens=10), ROOM) for _ in range(5))

    spenders = [threading.Thread(target=spend) for _ in range(4)]
    for thread in spenders:
        thread.start()
    for thread in spenders:
        thread.join()
    assert len([number for number in numbers if number is not None]) == 10
    assert store.model_calls.total_today(AT).tokens == 100


def test_what_was_remembered_since(store):
    insert(store, memory(1))
    entry = AuditEntry(memory_id=id_of(1), operation="create", actor=Actor.EXTRACTION, at=AT)
    with store.transaction():
        store.ledger.record([entry])
    assert not store.sessions.remembered_since(AT)
    with store.transaction():
        store.ledger.record([replace(entry, actor=Actor.AGENT, operation="edit")])
        store.ledger.record([replace(entry, actor=Actor.AGENT, operation="merge")])
    assert store.sessions.remembered_since(AT)
    assert not store.sessions.remembered_since(AT + MINUTE)
