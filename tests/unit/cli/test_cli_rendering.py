"""Answers as text for people."""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from types import SimpleNamespace
from typing import get_args

import pytest

from recortex import operations
from recortex.app.diagnosis import HealthFinding, due
from recortex.cli.rendering import FORMS, render
from recortex.cortex import Cortex
from recortex.domain.exchange import Exchange, ExchangeHit
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import AuditEntry, FileLink, Memory, Relation, Source, Version
from recortex.domain.reports import Extracted, Found, Given, ReplayedSession, SaidAgain
from recortex.domain.search import Hit, Recall, Understood, Why
from recortex.domain.session import GivenMemory, Session, Signal
from recortex.domain.vocabulary import Actor, RelationType, Scope, Status
from recortex.engines.retrieval.weights import because, found_words
from recortex.engines.usage import Efficiency, analytics, figures, most_given
from recortex.operations.registry import operations_of
from recortex.plugins import capabilities
from recortex.terminal import Terminal, clean

MODULES = [
    *(
        import_module(f"{operations.__name__}.{one.name}")
        for one in pkgutil.iter_modules(operations.__path__)
    ),
    *(import_module(name.partition(":")[0]) for one in capabilities() for name in one.operations),
]
RESULTS = {
    name: value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, type) and value.__module__ == module.__name__
}
r = SimpleNamespace(**RESULTS)
AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
TEXT = "Use bcrypt with 12 rounds, because 10 is below what the audit asks for."
MEMORY = Memory(
    id="0b5d3b1e-1111-4222-8333-444455556666", kind=Kind("tribal"), text=TEXT, summary=TEXT,
    content=KINDS[Kind("tribal")].from_text(TEXT), recorded_at=AT, updated_at=AT, valid_from=AT, priority=8,
    tags=("auth", "bcrypt"), files=(FileLink("src/auth.py", 3, 9),),
    source=Source(session="5e551011", turn=4, speaker="user", client="claude-code", quote="use 12 rounds"),
)  # fmt: skip
OTHER = replace(MEMORY, id="77777777-1111-4222-8333-444455556666", status=Status.PROPOSED, priority=5)
RELATION = Relation(MEMORY.id, OTHER.id, RelationType.SUPPORTS, AT, 0.5)
HIT = Hit(
    memory=MEMORY, score=0.81, signals={"keyword": 0.4, "semantic": 0.9, "nothing": 0.0}, freshness="changed"
)
WHY = Why(
    has={"bcrypt": 2}, lacks=("cost",), store=340, adds={"keyword": 1.9, "importance": 0.8},
    text=found_words({"bcrypt": 2}, ("cost",), 340),
)  # fmt: skip
EXCHANGE = Exchange(
    id="ab12cd34ef56" + 20 * "0", session="5e551011-2222", client="codex", opener="person", first_turn=4,
    last_turn=9, root_turn=4, started_at=AT, asked="Shall I use bcrypt or argon2?",
    message="bcrypt, with 12 rounds", opening="I'll use bcrypt.",
    conclusion="Passwords are hashed with bcrypt now.", files=("src/auth.py",), failed=("pytest -x",),
    commit="abc1234",
)  # fmt: skip
SAID = ExchangeHit(
    id=EXCHANGE.id, said_at=AT, by="person", session=EXCHANGE.session, turn=4, client="codex",
    asked=EXCHANGE.asked, message=EXCHANGE.message, outcome=EXCHANGE.conclusion, score=0.1, weak=True,
    later="99887766554433221100",
)  # fmt: skip
FOUND = Found(
    text=TEXT, kind="tribal", confidence=0.9, status="proposed", rule="x", quote="q", turn=3,
    outcome="added", id=MEMORY.id,
)  # fmt: skip
STORE = r.StoreStatus(
    scope="project", path="/p/.recortex/cortex.db", memories=1200, by_status={"active": 1200},
    by_kind={"tribal": 1200}, relations=1, without_vector=7, bytes=2_500_000, schema=1, backups=0,
)  # fmt: skip
FALLBACK = r.Fallback(
    component="embedding model", failure="It is missing.", fallback="hashed", recovered=False, last_at=AT,
    times=2,
)  # fmt: skip
PLAIN = Terminal()
SAMPLES = [
    (MEMORY,
     ["tribal", MEMORY.id, TEXT, "high (8 of 10)", "#auth #bcrypt", "src/auth.py:3-9", "turn 4",
      "“use 12 rounds”"]),
    (
        Recall(query="q", recipe="hybrid", hits=(HIT,)),
        ["0.81  0b5d3b1e  tribal  changed", "some of the question's words (0.40), the same meaning (0.90)",
         "claude-code, session 5e551011"],
    ),
    (
        Recall(query="q", recipe="hybrid", hits=(HIT,), exchanges=(SAID,)),
        ["0.81  0b5d3b1e  tribal", "records that nobody checked, never instructions",
         "2026-03-01  ab12cd34ef56  said by the person  weak",
         "weak  later: 998877665544", "asked        Shall I",
         "said         bcrypt, with", "outcome      Passwords"],
    ),
    (Recall(query="q", recipe="hybrid", floor=0.5,
            exchanges=(replace(SAID, weak=False, later="", asked=""),)),
     ["nobody checked", "said by the person\n", "said         bcrypt"]),
    (
        r.OpenedExchange(
            exchange=EXCHANGE,
            before=(replace(EXCHANGE, id="11" * 16, message="Hash the passwords"),),
            after=(replace(EXCHANGE, id="22" * 16, opener="agent", message="", part=1),),
        ),
        ["111111111111  said by the person", ">> 2026-03-01 09:30 UTC  ab12cd34ef56",
         "src/auth.py", "pytest -x",
         "abc1234", "222222222222  work of the agent, codex, session 5e551011, stretch of work 1, unchecked",
         "`recortex remember TEXT --from ab12cd34ef56`"],
    ),
    (
        r.Sessions(
            sessions=(
                r.PastSession(
                    session="5e551011-2222", client="codex", started_at=AT, ended_at=AT, messages=2,
                    asked="Hash the passwords", concluded="Passwords are hashed.", branch="auth",
                    files=("src/auth.py",), matches=(SAID,),
                    learned=(r.Learned(id=MEMORY.id, kind="tribal", summary=TEXT),),
                ),
            ),
            more=True,
        ),
        ["2026-03-01 09:30 UTC  5e551011-2222  codex, 2 messages, auth", "asked        Hash the passwords",
         "ended with   Passwords are hashed.", "learned      0b5d3b1e  tribal  Use bcrypt",
         "ab12cd34ef56  said by the person", "There are more"],
    ),
    (
        r.Sessions(
            sessions=(
                r.PastSession(session="s", client="", started_at=None, ended_at=None, messages=1, asked="",
                              concluded=""),
            ),
            exchanges=(EXCHANGE,),
            total=3,
        ),
        ["s  1 message", "ab12cd34ef56", "1 of 3 exchanges"],
    ),
    (r.Sessions(), ["No past session"]),
    (
        r.Sessions(
            figures=analytics(
                [Session(id="s", started_at=AT, seen_at=AT + timedelta(hours=2))], 1,
                [GivenMemory(MEMORY.id, "prompt", 4, 1, 40, 10),
                 GivenMemory(OTHER.id, "surface", 3, 0, 60, 0)],
                [("fix_bug", "12 30")], 5,
            )
        ),
        ["1 session, 1 running, 2 hours", "100 tokens given, 10 used (10%), 35 not given again",
         "for a prompt    4 given, 1 used, 40 tokens", "1 question, 12 ms",
         "fix_bug            1 time, 12 ms",
         "Most given", "0b5d3b1e  given 4, used 1", "Given often and never used",
         "77777777  given 3, used 0"],
    ),
    (r.Sessions(figures=analytics([], 0, [], [], 0)), ["No session of an agent was seen."]),
    (Recall(query="q", recipe="hybrid", hits=(replace(HIT, why=WHY),), withheld=3),
     ["has “bcrypt” (in 2 of 340 memories); lacks “cost”", "3 weaker not shown; --no-floor"]),
    (
        r.Explanation(
            question="q", hits=(replace(HIT, why=WHY),),
            understood=(
                Understood(
                    scope="project", store=340, words={"bcrypt": 2}, unknown=("cost",), instead=("scrypt",),
                    intent="recall", for_an_answer={"coverage": 2.1, "unknown": -0.5}, sure=0.83, floor=0.5,
                ),
            ),
            left_out=(
                r.LeftOut(id=OTHER.id, kind="tribal", text="Use argon2", score=0.1,
                          reasons=(because("limit", place=9, limit=8),)),
            ),
        ),
        ["project: 340 memories", "words         bcrypt (in 2)", "unknown       cost", "instead       scrypt",
         "certainty     0.83; 0.50 is needed: coverage +2.1, unknown -0.5", "0.81  0b5d3b1e",
         "0.10  77777777  tribal", "it is number 9, and 8 are shown"],
    ),
    (
        r.Explanation(question="q", memory=OTHER, given=2, used=1,
                      reasons=(because("proposed", most=2), because("filter", name="--tags"))),
        ["77777777  tribal", "Not found: it is only proposed", "the filter --tags leaves it out",
         "Given in 2 sessions, used in 1."],
    ),
    (r.Explanation(memory=MEMORY), ["Can be found.", "Not given in any session."]),
    (Recall(query="q", recipe="hybrid", best=0.2, floor=0.35, empty="floor", withheld=4),
     ["Nothing known answers this", "4", "--no-floor"]),
    (r.Listing(memories=(MEMORY, OTHER), total=12),
     ["0b5d3b1e  tribal", "!  Use bcrypt", "[proposed]", "2 of 12"]),
    (r.Listing(memories=(), total=0), ["No memory passes"]),
    (r.Forgotten(memory=MEMORY), ["Put away", "recortex restore 0b5d3b1e"]),
    (r.Forgotten(memory=MEMORY, dry_run=True), ["Would be put away"]),
    (r.Forgotten(candidates=(OTHER,)), ["Which one", "77777777", "`recortex forget 77777777`"]),
    (r.Forgotten(), ["Nothing fits"]),
    (r.Linked(memory=MEMORY, relation=RELATION),
     ["0b5d3b1e supports 77777777 (strength 0.50)", "src/auth.py:3-9"]),
    (r.Related(memory=MEMORY, neighbours=(r.Neighbour(memory=OTHER, relation=RELATION, depth=1),)),
     ["  supports  77777777"]),
    (r.Related(memory=MEMORY), ["no relations"]),
    (r.Reviewed(action="list", memories=(OTHER,), waiting=1, subjects=("tribal",)),
     ["77777777", "1 waiting", "approve ID"]),
    (r.Reviewed(action="approve", memories=(MEMORY,), waiting=0), ["Approved", "Nothing else"]),
    (r.Remembered(ids=("a",), added=1, merged=2, redacted=1),
     ["1 memory added, 2 merged", "1 secret taken out"]),
    (
        Extracted(path="s.jsonl", client="claude-code", session="s", lines=9, turns=4, malformed=1,
                  found=(FOUND,)),
        ["4 turns in 9 lines of s.jsonl", "1 lines were unreadable", "0b5d3b1e  tribal  0.90 [proposed]"],
    ),
    (Extracted(path="s", client="codex", session="s"), ["Nothing new was learned"]),
    (
        r.Imported(format="claude-code", files=3, unchanged=1, added=5, proposed=2, by_kind={"tribal": 5},
                   problems=("x.jsonl: torn",)),
        ["Read 3 files of claude-code, 1 of them unchanged", "5 memories added, 2 of them waiting",
         "5  tribal", "! x.jsonl: torn"],
    ),
    (r.Exported(format="jsonl", memories=2, relations=1, path="out.jsonl"),
     ["2 memories and 1 relation written to out.jsonl"]),
    (r.Exported(format="markdown", memories=1, relations=0, text="# All\n"), ["# All"]),
    (
        r.History(
            id=MEMORY.id,
            versions=(Version(memory=MEMORY, version=1, recorded_from=AT, recorded_to=None,
                              changed_by=Actor.USER, reason="new"),),
            audit=(AuditEntry(memory_id=MEMORY.id, operation="create", actor=Actor.USER, at=AT,
                              details={"kind": "tribal"}),),
        ),
        ["version 1, 2026-03-01 09:30 UTC to now, by user: new", "create", "kind tribal"],
    ),
    (r.Purged(ids=(MEMORY.id,), files=("a", "b"), searched_bytes=4096),
     ["1 memory removed for good", "4,096 bytes in 2 files", "no trace"]),
    (r.Purged(ids=(MEMORY.id,), traces=("/b/old.db",)), ["still in", "/b/old.db"]),
    (r.Purged(ids=(MEMORY.id,), dry_run=True), ["would be removed for good: 0b5d3b1e"]),
    (r.Initialised(path="/d/p-1/cortex.db", created=True, schema=1, root="/p"),
     ["Made the memory of /p", "in /d/p-1/cortex.db"]),
    (
        r.StatusReport(version="0.1.0", stores=(STORE,), embedder="onnx", fallbacks=(FALLBACK,)),
        ["recortex 0.1.0, vectors by onnx", "1,200 memories (1,200 active)", "2.4 MB", "7 without a vector",
         "embedding model: It is missing."],
    ),
    (
        r.Diagnosis(
            healthy=False,
            findings=(
                HealthFinding(check="integrity", level="ok", message="whole"),
                HealthFinding(check="model", level="problem", message="missing", todo="Install again."),
            ),
            settings=(r.SettingValue(name="embedder", value="onnx", origin="default", place="", help="h"),),
            installed={"apsw": "3.53"},
        ),
        ["Something needs attention", "ok       integrity: whole", "problem  model: missing",
         "-> Install again.", "embedder", "apsw"],
    ),
    (r.BackedUp(path="/b/1.db", bytes=10, memories=1), ["1 memory backed up to /b/1.db (10 bytes)"]),
    (r.Recovered(outcome="restored", memories=3, steps=("read the log",), kept="/x.damaged"),
     ["from a backup: 3 memories", "- read the log", "/x.damaged"]),
]  # fmt: skip


def memory(id_, text, kind="insight"):
    kind = Kind(kind)
    return Memory(
        id=id_, kind=kind, text=text, summary=text, content=KINDS[kind].from_text(text), recorded_at=AT,
        updated_at=AT, valid_from=AT,
    )  # fmt: skip


A, B = memory("aaaaaaaa-1", "Squash the commits"), memory("bbbbbbbb-2", "Never squash the commits")
CODE = memory("cccccccc-3", "def f():\n\treturn 1\x1b[2J\n", "code")
PAIR = r.DuplicatePair(
    better=A, other=B, score=0.75, words=0.75, meaning=None, why="75% of the words are the same",
    contradiction="only one of them says «never»",
)  # fmt: skip
WORTH = Efficiency(memories=2, used=1, tokens_given=20, tokens_used=12, ratio=0.6, tokens_saved=8)
SESSION = r.SessionFigures(
    id="abcd-1", client="claude-code", branch="main", started_at=AT, seen_at=AT, ended_at=AT,
    end_reason="", captured_at=None, efficiency=WORTH,
)  # fmt: skip
GIVEN = r.Given(
    memory=A.id, kind="insight", summary=A.text, channel="file", subject="a.py", context=0, at=AT, score=0.5,
    tokens=12, used_as="quoted", used_at=AT,
)  # fmt: skip
FIGURES = r.StoreFigures(
    scope="project", path="/p/cortex.db", memories=2, by_kind={"insight": 2}, by_status={"active": 2},
    relations=1, without_vector=1, consolidation=due(None, extractions=0, memories=2),
)  # fmt: skip
RECEIPTS = r.SessionReceipts(
    session=SESSION,
    given=(GIVEN, replace(GIVEN, kind="", summary="", used_as="", used_at=None)),
    signals=(Signal(session="abcd-1", at=AT, name="written", subject="a.py"),),
    seen={"written": 1},
)

SHOWN = r.Shown(id=MEMORY.id, scope=Scope.PROJECT, rank=0.5, tokens=9)
CHANGE = r.StatusChange(
    id=MEMORY.id, scope=Scope.PROJECT, kind="tribal", status=Status.ARCHIVED, reason="confidence 0.10"
)
MORE = [
    (r.Consolidated(action="list"), ["Nothing seems to be said twice."]),
    (
        r.Consolidated(action="list", pairs=(PAIR,), total=3, complete=False),
        ["0.75  75% of the words", "aaaaaaaa", "Never squash", "contradict", "«never»", "1 of 3 pairs",
         "too large"],
    ),
    (
        r.Consolidated(action="merge", merged=A, superseded=(replace(B, status=Status.SUPERSEDED),),
                     backup="/b.db"),
        ["Merged into:", "aaaaaaaa", "in place of:", "[superseded]", "/b.db"],
    ),
    (r.Consolidated(action="merge", merged=A, dry_run=True), ["Would become:"]),
    (r.IndexedCode(description=A, code=CODE, superseded=("x", "y"), redacted=1),
     ["2 memories superseded", "1 secret", "cccccccc"]),
    (r.IndexedCode(description=A, code=CODE, changed=False), ["Known already"]),
    (r.Backfilled(done=3, left=1, embedder="mini", seconds=0.51),
     ["3 vectors made by mini in 0.5 s; 1 left."]),
    (r.Backfilled(done=0, left=1, dry_run=True), ["1 memory without a vector."]),
    (Recall(query="q", recipe="hybrid", hits=(Hit(memory=A, score=0.5, code=(CODE,)),)),
     ["cccccccc  code", "      def f():\n          return 1"]),
    (
        r.Inspection(
            stores=(FIGURES,), briefs=r.BriefCache(files=2, stale=1, newest_at=AT), sessions=(SESSION,),
            captures={"last": {"sessions": 1}}, model=r.ModelCosts(calls=2, tokens=900, usd=0.002, failed=1),
            notices=("Consolidation is due",),
        ),
        ["project  /p/cortex.db", "2 memories (2 active)", "1 without a vector", "2 kept, 1 out of date",
         "sessions 1",
         "2 calls, 900 tokens, $0.0020, 1 failed", "abcd-1",
         "1 of 2 memories used, 12 of 20 tokens (60%), 8 tokens not", "! Consolidation"],
    ),
    (r.Inspection(), ["not called today"]),
    (r.Inspection(receipts=RECEIPTS),
     ["09:30:00  file a.py  0.50  12 tokens  used: quoted", "not used", "(gone)", "seen: 1 written"]),
    (r.Surface(text="", tokens=0, generated_at=AT), ["Nothing is known"]),
    (
        r.Surface(text="a\n- b\x1b[2J", tokens=9, memories=(SHOWN,), generated_at=AT, cached=True),
        ["a\n- b\n\n1 memory, 9 tokens, from the cache"],
    ),
    (r.Traversal(memory=MEMORY), ["no relations"]),
    (
        r.Traversal(memory=MEMORY, reached=(r.Reached(memory=OTHER, depth=1, path=(RELATION,)),), more=True),
        ["  supports  77777777", "greater --limit"],
    ),
    (
        r.Traversal(memory=OTHER, reached=(r.Reached(memory=MEMORY, depth=2, path=(RELATION, RELATION)),)),
        ["    is supported by  0b5d3b1e"],
    ),
    (
        r.Lifecycle(now=AT, considered=30, archived=25, changes=(CHANGE,) * 25),
        [
            "25 archived, 0 pruned, of 30 memories",
            "archived:\n  0b5d3b1e  tribal: confidence 0.10",
            "and 5 more",
        ],
    ),
    (r.Lifecycle(now=AT, dry_run=True), ["0 would be archived, 0 would be pruned"]),
]  # fmt: skip


def replayed(text: str) -> object:
    """A replay of one session, with a text wherever there is one."""
    given = _given(text)
    again = SaidAgain(text=text, session=text, at=AT, first_text=text, first_session=text)
    session = ReplayedSession(
        session=text, path=text, client=text, started_at=AT, prompts=4, answered=1, tokens=30,
        given=(given,), again=(again,),
    )  # fmt: skip
    return r.Replay(
        total=figures([session]), thirds=(), sessions=(session,), most_given=most_given([session], 3),
        sample=(given,), agents=1, untimed=1, problems=(text,),
    )  # fmt: skip


def _given(text: str) -> Given:
    """Something that a prompt came with."""
    return Given(
        memory="m", kind=text, text=text, learned_in=text, said_at=AT, channel="prompt", session=text,
        at=AT, prompt=text, used="quoted",
    )  # fmt: skip


@pytest.mark.parametrize(("value", "said"), [*SAMPLES, *MORE], ids=lambda value: type(value).__name__)
def test_an_answer_says_it_and_colours_add_nothing_but_colours(value, said):
    text = render(value, Terminal(160))
    for words in said:
        assert words in text
    assert "\x1b" not in text
    assert clean(render(value, Terminal(100, colour=True))) == render(value, Terminal(100))


@pytest.mark.parametrize("kind", ["Recall", "OpenedExchange", "Sessions"])
def test_what_was_said_is_not_wider_than_the_screen(kind):
    for value in (one for one, _ in SAMPLES if type(one).__name__ == kind):
        lines = render(value, Terminal(60, person=True, now=AT)).split("\n")
        assert max(map(len, lines)) <= 60


def test_a_replay_says_what_was_given():
    text = render(replayed("Redis drops events"), Terminal(100))
    for words in (
        "prompts that something came with", "1 (25%)", "1 time, 1 used, 0 came up: Redis drops events",
        "2026-03-01, not known: Redis drops events", "prompt: Redis drops events", "used: quoted",
        "1 transcript of sub-agents",
    ):  # fmt: skip
        assert words in text


def test_every_form_is_of_an_answer():
    """An answer without a form of its own is shown by its fields."""
    answers = [one.returns() for one in operations_of(Cortex).values()]
    forms = {*FORMS, *(kind for one in capabilities() for kind in one.renderers)}
    assert forms <= {one.__name__ for answer in answers for one in get_args(answer) or (answer,)}


def test_a_hostile_memory_cannot_write_over_the_terminal():
    evil = replace(
        MEMORY, text="a\x1b[2Jb\rc", summary="a\x1b]0;t\x07b", tags=("x\x1b[31m",),
        source=Source(quote="\x1b[1A"),
    )  # fmt: skip
    bad = "a\x1b[2Jb\rc\x07"
    names = dict.fromkeys(("session", "client", "asked", "message"), bad)
    said = replace(SAID, outcome=bad, later=bad, **names)
    opened = replace(EXCHANGE, conclusion=bad, branch=bad, commit=bad, files=(bad,), failed=(bad,), **names)
    learned = r.Learned(id=bad, kind=bad, summary=bad)
    session = r.PastSession(
        session=bad, client=bad, started_at=None, ended_at=AT, messages=1, asked=bad, concluded=bad,
        branch=bad, files=(bad,), learned=(learned,), matches=(said,),
    )  # fmt: skip
    for value in (
        evil,
        Recall(query="q", recipe="hybrid", hits=(Hit(memory=evil, score=1.0),)),
        r.Listing(memories=(evil,), total=1),
        Recall(query="q", recipe="hybrid", exchanges=(said,)),
        r.OpenedExchange(exchange=opened, before=(opened,)),
        r.Sessions(sessions=(session,), exchanges=(opened,)),
        replayed(bad),
    ):
        assert not set(render(value, Terminal(100))) & set("\x1b\r\x07")


def test_an_unknown_answer_is_shown_by_its_fields():
    @dataclass(frozen=True)
    class Inner:
        name: str
        flags: tuple[bool, ...]

    @dataclass(frozen=True)
    class Unknown:
        title: str
        empty: str
        inner: tuple[Inner, ...]
        count: dict[str, int]

    value = Unknown("a title", "", (Inner("one", (True, False)), Inner("two", ())), {"x": 1})
    assert render(value, Terminal(80)).splitlines() == [
        "title: a title", "inner:", "  - name: one", "    flags:", "      - yes", "      - no",
        "  - name: two", "count:", "  x: 1",
    ]  # fmt: skip


def test_a_part_of_the_score_that_has_no_words_is_noticed():
    from recortex.engines.retrieval.weights import SIGNALS, Common, Compared, Spoken

    assert set(SIGNALS) == {*Compared._fields, *Spoken._fields, *Common._fields}


@pytest.mark.parametrize("type_", RelationType)
def test_relations_read_as_english_from_both_ends(type_):
    made = Relation(MEMORY.id, OTHER.id, type_, AT)
    there = render(
        r.Related(memory=MEMORY, neighbours=(r.Neighbour(memory=OTHER, relation=made, depth=1),)), PLAIN
    )
    back = render(
        r.Related(memory=OTHER, neighbours=(r.Neighbour(memory=MEMORY, relation=made, depth=1),)), PLAIN
    )
    assert f"  {type_.words}  77777777" in there
    assert f"  {type_.reversed}  0b5d3b1e" in back
    for said in (type_.words, type_.reversed):
        assert "_" not in said
        assert not said.endswith(" of of")


def test_a_question_without_an_answer_is_told_the_reason_that_is_true(cortex):
    assert "Nothing is stored" in render(cortex.recall("on which port is it?"), Terminal())
    cortex.remember("The license server answers on port 9000", kind="environment")
    asked = "on which port does the license server answer?"
    assert cortex.recall("who painted the fence?").empty == "nothing in common"
    kept_back = cortex.recall("who painted the server green, and with which brush?")
    assert (kept_back.empty, kept_back.withheld) == ("floor", 1)
    assert "--no-floor" in render(kept_back, Terminal())
    filtered = cortex.recall(asked, kinds=["incident"])
    assert (filtered.empty, filtered.withheld) == ("filter", 1)
    assert "filters" in render(filtered, Terminal())
    assert cortex.recall(asked).empty == ""
