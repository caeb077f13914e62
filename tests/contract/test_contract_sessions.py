"""Sessions and what is learned from them, on every engine."""

import threading
from dataclasses import replace
from datetime import timedelta
from itertools import count
from random import Random

import pytest
from hooks_of_clients import called, jobs_ended

from claude_sessions import claude_session
from example_memories import AT, id_of, insert, memory
from places import location_of, project_of, store_folder
from recortex import Cortex
from recortex.app.backends import open_sessions
from recortex.app.hooks import logged_errors
from recortex.app.projects import of_project
from recortex.domain.exchange import Exchange
from recortex.domain.maintenance import Checkpoint, Limit, ModelCall, Spending
from recortex.domain.memory import AuditEntry, FileLink, Source
from recortex.domain.search import MemoryQuery
from recortex.domain.session import GivenMemory, Outcome, Receipt, Session, Signal
from recortex.domain.text import LONGEST_ID, known_as, word_of_file
from recortex.domain.vocabulary import Actor, RelationType, Scope, Status
from recortex.engines.ingestion.service import Ingestion
from recortex.engines.privacy import Draft
from recortex.errors import InvalidInputError, PersonNeededError
from recortex.formats.transcripts.reader import open_transcript

# -- The contracts of `ports.search.Sessions` and `ports.model.ModelCalls`, on every engine.
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


# -- A client may call a session whatever it likes.
#
# What no index would take works on both engines, in hooks and transcripts.
CHANCE = Random(7)  # noqa: S311  nothing that an index could pack, and the same each time
IDS = {
    "short": "s-1",
    "as it is": "x" * LONGEST_ID,
    "just too long": CHANCE.randbytes(LONGEST_ID // 2).hex() + "x",
    "longest": CHANCE.randbytes(2048).hex(),
    "not of ASCII": "".join(chr(0x4E00 + CHANCE.randrange(20_000)) for _ in range(4096)),
}


@pytest.fixture(params=["sqlite", "postgres"])
def location(request, project, home, server, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    with jobs_ended(home):
        if request.param == "sqlite":
            store_folder(project)
            yield of_project(project_of(project))
        else:
            url = server.workspace_url()
            monkeypatch.setenv("RECORTEX_URL", url)
            store_folder(project)
            yield location_of(url, project)


@pytest.mark.parametrize("session", IDS.values(), ids=IDS)
def test_hooks_note_it(project, location, session):
    with Cortex.open(project) as cortex:
        cortex.remember(
            "Refunds are retried three times, since the bank drops one in a hundred", kind="tribal"
        )
    called(project, "session-start", session_id=session, hook_event_name="SessionStart", source="startup")
    read = {"tool_name": "Read", "tool_input": {"file_path": str(project / "pay.py")}, "tool_response": {}}
    called(project, "post-tool-use", session_id=session, hook_event_name="PostToolUse", **read)
    sessions = open_sessions(location)
    assert sessions.get(known_as(session)).id == known_as(session)
    assert len(sessions.receipts(known_as(session))) == 1
    assert len(sessions.signals(known_as(session))) == 1
    assert not logged_errors(location)


@pytest.mark.parametrize("session", IDS.values(), ids=IDS)
@pytest.mark.usefixtures("location")
def test_a_transcript_of_it_teaches(project, session, tmp_path):
    said = "please remember that we use uv and not pip in this repository"
    path = claude_session(tmp_path / "session.jsonl", project, said, session=session, uuid="u-1")
    assert open_transcript(path).client
    with Cortex.open(project) as cortex:
        cortex.extract(str(path))
        (kept,) = cortex.list().memories
        assert cortex.get(kept.id).source.session == known_as(session)


# -- Learning from corrections and from a person's answers, on every engine.
LAYERS = "Don't call the database from controllers; use the repository layer as all other controllers do."


@pytest.fixture
def url(project, layout, server):
    return f"sqlite:///{project}/cortex.db" if layout == "sqlite" else server.workspace_url(layout)


@pytest.fixture
def cortex(project, clock, url, monkeypatch):
    """The memory of a project, without vectors, kept by each engine."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    with Cortex.open(project, url=url, clock=clock) as opened:
        yield opened


@pytest.mark.parametrize(
    ("words", "kind", "importance"),
    [
        ("Never log access tokens, they end up in the support archive.", "tribal", "critical"),
        ("This reads every row one by one, an N+1 query; batch it.", "code_smell", "normal"),
        ("You must not touch released migrations.", "constraint_override", "high"),
        ("The column is called `user_id`, not `uid`.", "preference", "normal"),
    ],
)
def test_each_category_makes_its_kind(cortex, words, kind, importance):
    kept = cortex.learn(words).memory
    assert (kept.kind, kept.importance) == (kind, importance)


def test_the_same_correction_is_more_evidence_and_no_second_memory(cortex, clock):
    first = cortex.learn(LAYERS)
    clock.pass_(days=1)
    again = cortex.learn(f"No, {LAYERS[0].lower()}{LAYERS[1:]}")
    assert (again.outcome, again.memory.id) == ("updated", first.memory.id)
    assert again.factors.evidence > first.factors.evidence
    assert again.memory.confidence > first.memory.confidence
    assert cortex.list().total == 1


def test_a_correction_is_linked_to_what_it_was_learned_from_and_to_what_it_replaces(cortex, clock):
    known = cortex.remember("Controllers must go through the repository layer.", kind="pattern_rationale")
    taught = cortex.learn(LAYERS)
    assert {(one.type, one.other(taught.memory.id)) for one in taught.relations} == {
        (RelationType.LEARNED_FROM, known.id)
    }
    clock.pass_(days=1)
    old = cortex.remember("Tests run with npm test", kind="tribal")
    clock.pass_(days=1)
    new = cortex.learn("Tests run with pnpm test, we no longer use npm test")
    assert cortex.get(old.id).superseded_by == new.memory.id
    assert (RelationType.TRIGGERED_BY, old.id) in {
        (one.type, one.other(new.memory.id)) for one in new.relations
    }


def test_texts_and_a_diff_teach_what_changed(cortex):
    shown = cortex.learn(original="requests.get(url)", corrected="requests.get(url, timeout=10)")
    assert "`requests.get(url, timeout=10)`" in shown.principle
    changed = ("-u = getUser(1)", "-v = getUser(2)", "+u = get_user(1)", "+v = get_user(2)")
    diff = "\n".join(("--- a/app.py", "+++ b/app.py", "@@ -1,2 +1,2 @@", *changed, ""))
    renamed = cortex.learn(diff)
    assert (renamed.category, renamed.memory.files[0].path) == ("naming_convention", "app.py")


def test_a_trial_keeps_nothing_and_nothing_is_learned_of_nothing(cortex):
    assert cortex.learn(LAYERS, dry_run=True).dry_run
    assert cortex.list().total == 0
    for words in ("", "ok"):
        with pytest.raises(InvalidInputError):
            cortex.learn(words)


@pytest.mark.parametrize(
    ("answer", "text", "status"),
    [("confirm", "", "active"), ("reject", "", "archived"), ("modify", "The pool has ten.", "active")],
)
def test_an_answer_changes_the_confidence_and_is_taken_back(cortex, clock, answer, text, status):
    kept = cortex.remember("The pool has nine connections.", kind="tribal", confidence=0.6)
    clock.pass_(days=1)
    done = cortex.feedback(kept.id, answer, text=text)
    assert done.memory.status == status
    assert done.confidence[1] == pytest.approx(0.3 if answer == "reject" else 0.8)
    assert bool(done.memory.validated_at) is (answer != "reject")
    clock.pass_(minutes=1)
    back = cortex.undo(kept.id)
    assert (back.text, back.status, back.validated_at) == (kept.text, kept.status, None)
    assert back.confidence == pytest.approx(0.6, abs=0.01)


def test_an_answer_to_what_was_put_away_is_refused(cortex):
    kept = cortex.remember("The pool has nine connections.", kind="tribal")
    cortex.forget(kept.id)
    with pytest.raises(InvalidInputError, match="archived"):
        cortex.feedback(kept.id, "confirm")


def test_an_agent_validates_nothing(project, clock, url, cortex):
    kept = cortex.remember("The pool has nine connections.", kind="tribal", confidence=0.6)
    pinned = cortex.remember("Never deploy on Fridays.", kind="tribal", pinned=True)
    with Cortex.open(project, url=url, clock=clock, actor=Actor.AGENT) as agent:
        done = agent.feedback(kept.id, "reject").memory
        assert (done.status, done.validated_at) == ("active", None)
        with pytest.raises(PersonNeededError):
            agent.feedback(pinned.id, "reject")


def test_a_person_is_asked_about_what_is_uncertain_and_important_first(cortex, clock):
    unsure = cortex.remember("Releases need two approvals.", kind="decision", confidence=0.4, priority=8)
    cortex.remember("The logo is blue.", kind="decision", confidence=0.4, priority=3)
    cortex.remember("The pool has nine connections.", kind="tribal", confidence=0.95, priority=8)
    [question] = cortex.review(candidates=True).questions
    assert (question.memory.id, question.doubt) == (unsure.id, "uncertain")
    assert "important" in question.question
    cortex.feedback(unsure.id, "confirm")
    assert cortex.review(candidates=True).questions == ()
    clock.pass_(days=120)
    asked = {one.doubt for one in cortex.review(candidates=True).questions}
    assert "never validated" in asked


def test_a_person_is_asked_which_of_two_holds(cortex, clock):
    old = cortex.remember("Tests run with npm test", kind="procedural", pinned=True)
    clock.pass_(days=1)
    new = cortex.remember(
        "Tests run with pnpm test, we no longer use npm test", kind="procedural", status="active"
    )
    [question] = cortex.review(candidates=True).questions
    assert (question.memory.id, question.doubt, question.against.id) == (new.id, "contradicted", old.id)


# -- Many drafts kept at once leave the same as one after another, on every engine.
KNOWN = (
    "The parcel queue retries a failed delivery three times before it gives up",
    "Invoices are numbered by year and tenant, because auditors ask for it",
)
NEW = (
    Draft(kind="insight", text="The parcel queue retries a failed delivery five times before it gives up"),
    Draft(kind="insight", text="Cursors expire after an hour"),
    Draft(kind="insight", text='"Cursors expire after an hour!"', source=Source(session="s1")),
    Draft(kind="decision", text="Sessions live in Redis", supersedes=id_of(2)),
    Draft(kind="decision", text="Sessions live in Postgres", supersedes=id_of(6)),
    Draft(kind="insight", text="The test account is admin with password=hunter2hunter2"),
    Draft(kind="insight", text=KNOWN[0] + ".", source=Source(session="s2")),
)


def left(store, *chunks):
    """What is in a store after drafts were kept, chunk by chunk."""
    numbers = count(1)
    ingestion = Ingestion(store, store.search, count=len, new_id=lambda: id_of(next(numbers)))
    known = [Draft(kind="insight", text=text) for text in KNOWN]
    outcomes = [
        (one.outcome, one.memory.text, one.redacted)
        for chunk in (known, *chunks)
        for one in ingestion.keep(chunk, now=AT, actor=Actor.USER)
    ]
    memories = sorted(store.memories.find(MemoryQuery(statuses=tuple(Status))), key=lambda one: one.id)
    ids = [one.id for one in memories]
    logged = [(one.memory_id, one.operation, one.details) for one in store.ledger.recent(100)]
    relations = sorted(store.relations.find_touching(ids), key=repr)
    return outcomes, memories, [store.memories.history(id_) for id_ in ids], logged, relations


@pytest.mark.usefixtures("server")
def test_many_at_once_leave_the_same_as_one_by_one(layout, empty):
    with empty(layout) as store:
        at_once = left(store, NEW)
    with empty(layout) as store:
        one_by_one = left(store, *([draft] for draft in NEW))
    assert at_once == one_by_one
    outcomes, memories, _, logged, relations = at_once
    assert [outcome for outcome, *_ in outcomes].count("merged") == 2
    assert {one.status for one in memories} == {Status.ACTIVE, Status.SUPERSEDED}
    assert "supersede" in {operation for _, operation, _ in logged}
    assert relations


# -- What is only proposed answers an explicit question, apart from what is active.
ACTIVE = "The parcels service logs with slog; the key of a parcel is parcel_id."
PROPOSED = "The parcels service keeps its locks in Redis, because Postgres was too slow for that."


@pytest.fixture
def cx(tmp_path):
    with Cortex.open(tmp_path) as opened:
        opened.remember(ACTIVE)
        opened.remember(PROPOSED, status="proposed")
        yield opened


def test_a_proposed_memory_stands_apart(cx):
    found = cx.recall("where does the parcels service keep its locks?")
    assert [one.text for one in found.unchecked] == [PROPOSED]
    assert PROPOSED not in [hit.memory.text for hit in found.hits]


def test_it_is_left_out_where_statuses_are_asked_for_and_beyond_the_budget(cx):
    question = "where does the parcels service keep its locks?"
    assert cx.recall(question, statuses=["active"]).unchecked == ()
    found = cx.recall("which key do the logs of the parcels service have?", budget=20)
    assert found.tokens <= 20
    assert found.unchecked == ()
