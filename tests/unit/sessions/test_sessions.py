"""Sessions in figures: what was given, used, and typed again."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_memories import memory
from recortex.app.hooks import SessionLimits, room
from recortex.domain.exchange import ToolCall, Turn
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import FileLink, Memory
from recortex.domain.reports import Given, ReplayedSession, SaidAgain
from recortex.domain.session import GivenMemory, Outcome, Receipt, Session, Signal
from recortex.domain.vocabulary import Scope
from recortex.engines.copies import Typed, says_the_same
from recortex.engines.decay import risen, usefulness
from recortex.engines.relevance_gate import LEAST, TABLE, asked, chance, usual_words, words_of
from recortex.engines.tables import table
from recortex.engines.usage import analytics, counts, efficiency, figures, noted, sample, uses

# -- Many sessions in figures, and their limits.
AT = datetime(2026, 3, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
LIMITS = SessionLimits(idle_hours=12, most_days=30, most_tokens=100)


def session(hours=0.0, **more):
    return Session(id="s", started_at=AT, seen_at=AT + hours * HOUR, **more)


def test_what_was_given_and_used_and_asked():
    given_ = [
        GivenMemory("a", "surface", 4, 0, 40, 0),
        GivenMemory("b", "surface", 2, 1, 20, 10),
        GivenMemory("b", "prompt", 3, 2, 30, 20),
        GivenMemory("c", "file", 1, 0, 10, 0),
    ]
    asked = [("fix_bug", noted(10, 30)), ("fix_bug", "20"), ("deploy", "90"), ("", "odd text")]
    found = analytics([session(1), session(3), session(9)], 1, given_, asked, 16)
    assert (found.sessions, found.running, found.hours) == (3, 1, 3)
    assert (found.tokens_given, found.tokens_used, found.ratio, found.tokens_saved) == (100, 30, 0.3, 46)
    assert {name: (way.times, way.used, way.tokens) for name, way in found.ways.items()} == {
        "file": (1, 0, 10),
        "prompt": (3, 2, 30),
        "surface": (6, 1, 60),
    }
    assert [(one.intent, one.times, one.ms, one.slow_ms) for one in found.intents] == [
        ("fix_bug", 2, 10, 20),
        ("", 1, 0, 0),
        ("deploy", 1, 90, 90),
    ]
    assert (found.questions, found.ms, found.slow_ms) == (4, 10, 90)
    assert [(one.id, one.given, one.used) for one in found.most_given] == [
        ("b", 5, 3),
        ("a", 4, 0),
        ("c", 1, 0),
    ]
    assert [one.id for one in found.most_used] == ["b"]
    assert [one.id for one in found.least_useful] == ["a"]


def test_what_may_still_be_given_unasked():
    receipts = [
        Receipt(
            session="s", context=0, memory=channel, scope=Scope.PROJECT, channel=channel, at=AT, tokens=40
        )
        for channel in ("surface", "prompt", "asked")
    ]
    assert room(receipts, LIMITS) == 20
    assert room(receipts * 2, LIMITS) == 0
    assert room(receipts * 2, LIMITS._replace(most_tokens=0)) == float("inf")


# -- A memory is likely to help with a prompt if both share words that are rare in the project.
INVOICES = replace(
    memory(1, "Invoices are sent by the Celery task `send_invoice`; the test fails when Redis is down"),
    files=(FileLink("src/billing.py"),),
)
FEW = 3


def likely(prompt: str, meaning: float | None = None, *, held: int = 1, size: int = FEW) -> float:
    return chance(asked(dict.fromkeys(words_of(prompt), held), size), INVOICES, meaning)


@pytest.mark.parametrize(
    "prompt", ["the test fails, fix it", "did you push?", "let's fix 3 too", "run the tests again", "ok", ""]
)
def test_everyday_orders_ask_for_nothing(prompt: str):
    assert likely(prompt) < LEAST
    assert likely(prompt, 0.5) < LEAST


@pytest.mark.parametrize(
    "prompt",
    [
        "why is send_invoice slow?", "how are invoices sent with celery", "what is celery for?",
        "open billing.py", "add a retry to send_invoice and a test for it, then update the changelog",
    ],
)  # fmt: skip
def test_what_names_the_matter_asks_for_it(prompt: str):
    assert likely(prompt) >= LEAST


def test_a_language_without_spaces():
    known = memory(1, "发票由 Celery 任务发送")
    numbers = dict.fromkeys(words_of("发票是怎么发送的"), 1)
    assert numbers
    assert chance(asked(numbers, FEW), known) >= LEAST


@pytest.mark.parametrize("prompt", ["/compact", '{"task_id": "invoices sent by celery"}', "<b>invoices</b>"])
def test_what_nobody_typed_asks_for_nothing(prompt: str):
    assert not words_of(prompt)


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_rarer_the_shared_word_the_higher_the_chance(one: int, other: int):
    rare, common = sorted((one, other))
    assert likely("why celery?", held=rare, size=400) >= likely("why celery?", held=common, size=400)


def test_no_feature_speaks_against():
    assert all(weight >= 0 for model in table(TABLE).models.values() for weight in model.weights.values())


def test_the_usual_words_are_stems_with_shares():
    assert usual_words()["test"] > 0.1
    assert "invoic" not in usual_words()
    assert all(0 < share < 1 for share in usual_words().values())


# -- What replayed sessions come to in figures, and what counts as typed again.
START = datetime(2026, 3, 1, tzinfo=UTC)
RULE = "always run the linter in strict mode before you commit anything"


def given_on(memory: str, day: int, channel="prompt", used="", came_up=False) -> Given:
    """A memory that was given."""
    return Given(
        memory=memory, kind="tribal", text=memory, learned_in="s0", said_at=START, channel=channel,
        session=f"s{day}", at=START + timedelta(days=day), used=used, came_up=came_up,
    )  # fmt: skip


def replayed(day: int, *things: Given, prompts=4, answered=0, tokens=0, **more) -> ReplayedSession:
    """A session of a day."""
    return ReplayedSession(
        session=f"s{day}", path=f"s{day}.jsonl", client="claude-code", started_at=START + timedelta(days=day),
        prompts=prompts, answered=answered, given=things, tokens=tokens, **more,
    )  # fmt: skip


def again(*, memory="", had=False) -> SaidAgain:
    """An instruction that was typed again."""
    return SaidAgain(
        text=RULE, session="s2", at=START, first_text=RULE, first_session="s1", memory=memory, given=had
    )


def test_the_figures_of_sessions_are_counted():
    found = figures(
        [
            replayed(1, given_on("a", 1), given_on("b", 1, "surface", "quoted"), answered=1, tokens=90),
            replayed(
                2, given_on("a", 2, used="file", came_up=True), given_on("b", 2, "surface", "command"),
                answered=1, tokens=60,
            ),
            replayed(
                3, given_on("c", 3, "file"), again=(again(), again(memory="m"), again(memory="m", had=True)),
            ),
            replayed(4, prompts=0, tokens=1_000),
        ]
    )  # fmt: skip
    assert (found.sessions, found.prompts, found.answered, found.answered_percent) == (3, 12, 2, 16.7)
    assert (found.given, found.different, found.used, found.used_percent) == (2, 1, 1, 50.0)
    assert (found.came_up, found.came_up_percent, found.brief_came_up) == (1, 50.0, 0)
    assert (found.brief_lines, found.brief_used, found.briefs, found.briefs_used) == (2, 2, 2, 2)
    assert found.briefs_told == 1
    assert (found.file_lines, found.file_used, found.tokens_per_session) == (1, 0, 50.0)
    assert (found.again, found.again_known, found.again_given) == (3, 2, 1)


def test_a_sample_is_the_same_for_a_seed_and_has_both_kinds():
    sessions = [
        replayed(day, *(given_on(f"m{day}-{n}", day, "prompt" if n == 0 else "surface") for n in range(9)))
        for day in range(20)
    ]
    drawn = sample(sessions, 10, seed=1)
    assert drawn == sample(sessions, 10, seed=1) != sample(sessions, 10, seed=2)
    assert sum(one.channel == "surface" for one in drawn) == 5
    assert len(sample(sessions[:1], 100, seed=0)) == 9


def test_a_memory_says_what_was_typed_in_other_words_of_the_same():
    assert says_the_same(RULE, "Run the linter in strict mode before committing.")
    assert not says_the_same(RULE, "Run the migrations before you deploy anything.")


def test_a_habit_is_told_without_the_question_after_it():
    typed = Typed()
    typed.again("s1", "no code, tell me what the planner does with the second robot")
    typed.again("s2", "read the planner first. No code!")
    ((said, _),) = typed.again("s3", "No code, but how long would the search take on this map")
    assert said == "No code"


# -- What counts as using a memory that was given, and the near misses that do not.
NINE = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
TEXT = (
    "The ledger_writer must flush before rotate_segment is called, "
    "otherwise `shop-cli verify --deep` reports torn segments"
)
RUN = "must flush before rotate_segment is called, otherwise"


def at(minute):
    return NINE + timedelta(minutes=minute)


def written(text=TEXT, files=("src/ledger/writer.py",), **more):
    kind = Kind("tribal")
    return Memory(
        id="0a1b2c3d-1111-4222-8333-444455556666", kind=kind, text=text, summary=text,
        content=KINDS[kind].from_text(text), recorded_at=NINE, updated_at=NINE, valid_from=NINE,
        files=tuple(map(FileLink, files)), **more,
    )  # fmt: skip


def receipt(minute=5, channel="prompt", **more):
    return Receipt(
        session="s", context=0, memory=written().id, scope=Scope.PROJECT, channel=channel, at=at(minute),
        **more,
    )  # fmt: skip


def agent(minute, text="", *tools, **more):
    return Turn(minute, "assistant", text, at(minute), tools=tools, **more)


def person(minute, text):
    return Turn(minute, "user", text, at(minute))


def shell(command, output="", **more):
    return ToolCall("1", "Bash", command=command, output=output, arguments={"command": command}, **more)


def edit(path, text="", writes=True):
    return ToolCall(
        "1", "Edit", files=(path,), writes=writes, arguments={"file_path": path, "new_string": text}
    )


def found(*turns, given=None, known=None):
    known = known or written()
    return [(one.use, one.at) for one in uses([given or receipt()], {known.id: known}, turns)]


@pytest.mark.parametrize(
    ("turn", "use"),
    [
        (agent(6, f"As recorded, it {RUN} segments tear."), "quoted"),
        (agent(6, "I call rotate_segment only after ledger_writer is done."), "quoted"),
        (agent(6, "Recortex [0a1b2c3d] says so."), "quoted"),
        (agent(6, "", edit("/repo/docs/notes.md", f"# It {RUN} no")), "quoted"),
        (agent(6, "", shell("cd /repo && shop-cli verify --deep --json")), "command"),
        (agent(6, "", edit("/repo/src/ledger/writer.py")), "file"),
        (agent(6, "", edit("src/ledger/writer.py", writes=False)), "file"),
    ],
    ids=["words", "names", "id", "argument", "command", "written", "read"],
)  # fmt: skip
def test_a_use(turn, use):
    assert found(person(4, "Why do segments break?"), turn) == [(use, at(6))]


@pytest.mark.parametrize(
    "turn",
    [
        agent(4, f"It {RUN} segments tear.", edit("src/ledger/writer.py"), shell("shop-cli verify --deep")),
        agent(5, f"It {RUN} segments tear."),
        replace(agent(6, f"It {RUN} segments tear."), at=None),
        agent(6, f"It {RUN} segments tear.", sidechain=True),
        person(6, f"It {RUN} segments tear."),
        Turn(6, "summary", f"It {RUN} segments tear.", at(6)),
        replace(agent(6), injected=f"It {RUN} segments tear."),
        agent(6, "", shell("cat notes.txt", output=TEXT)),
        agent(6, f"The notes say that it {RUN} it tears.", shell("cat notes.txt", output=TEXT)),
        agent(6, "", shell(f"recortex remember '{TEXT}'", injected=True)),
        agent(6, "The writer must flush before the segment is rotated."),
        agent(6, "I looked at rotate_segment."),
        agent(6, "", edit("src/other/writer.py")),
        agent(6, "", edit("xsrc/ledger/writer.py")),
        agent(6, "", shell("shop-cli verify")),
        agent(6, "", shell("echo shop-cli")),
    ],
    ids=[
        "before", "at the same time", "no time", "sub-agent", "the person", "summary", "injected", "printed",
        "quoting what was printed", "our own tool", "other words", "one name", "another file",
        "another folder", "less of the command", "another command",
    ],
)  # fmt: skip
def test_no_use(turn):
    assert found(turn) == []


def test_a_file_warning_is_not_used_by_touching_the_file():
    given = receipt(channel="file", subject="src/ledger/writer.py")
    known = written(files=("src/ledger/writer.py", "src/ledger/rotation.py"))
    assert found(agent(6, "", edit("src/ledger/writer.py")), given=given, known=known) == []
    assert found(agent(6, "", edit("src/ledger/rotation.py", writes=False)), given=given, known=known) == []
    assert found(agent(6, "", edit("src/ledger/rotation.py")), given=given, known=known) == [("file", at(6))]
    heeded = edit("src/ledger/writer.py", "ledger_writer.flush()\nrotate_segment()  # ledger_writer")
    assert found(agent(6, "", heeded), given=given, known=known) == [("quoted", at(6))]


@pytest.mark.parametrize("commands", [None, "make verify-all", [1, None, {}], {"a": 1}])
def test_odd_metadata_does_no_harm(commands):
    assert found(agent(6, "", shell("make x")), known=written(metadata={"commands": commands})) == []


def test_what_a_session_was_worth():
    receipts = [
        receipt(1, "surface", tokens=30), receipt(2, tokens=20, used_as="quoted"),
        replace(receipt(3, "file", subject="a.py", tokens=10), memory="other"),
    ]  # fmt: skip
    signals = [
        Signal(session="s", at=at(minute), name=name, subject=subject)
        for minute, name, subject in (
            (1, "read", "a.py"), (3, "read", "a.py"), (4, "written", "a.py"), (5, "written", "a.py"),
            (6, "failed", "a.py"), (7, "read", "b.py"),
        )
    ]  # fmt: skip
    worth = efficiency(receipts, signals)
    assert (worth.memories, worth.used, worth.tokens_given, worth.tokens_used) == (2, 1, 60, 20)
    assert worth.ratio == 0.3333
    assert worth.tokens_saved == 20
    assert counts(signals) == {"failed": 1, "read": 3, "written": 2}
    assert efficiency([], []).ratio == 0


# -- What was used is given rather than what was not, and nothing is given again and again without use.
chances = st.floats(0, 1)
outcomes = st.integers(0, 40).flatmap(
    lambda given_: st.integers(0, given_).map(lambda used: Outcome(given_, used))
)


@given(outcomes)
def test_use_raises_and_its_absence_lowers(outcome: Outcome):
    given_, used = outcome
    assert usefulness(Outcome(given_ + 1, used + 1)) >= usefulness(Outcome(given_ + 1, used))
    assert usefulness(Outcome(given_ + 1, used)) < usefulness(outcome)


@given(chances, outcomes)
def test_a_chance_stays_one(chance: float, outcome: Outcome):
    assert 0 <= risen(chance, outcome) <= 1
