"""What replayed sessions come to in figures, and what counts as typed again."""

from datetime import UTC, datetime, timedelta

from recortex.domain.reports import Given, ReplayedSession, SaidAgain
from recortex.engines.copies import Typed, says_the_same
from recortex.engines.usage import figures, sample

START = datetime(2026, 3, 1, tzinfo=UTC)
RULE = "always run the linter in strict mode before you commit anything"


def given(memory: str, day: int, channel="prompt", used="", came_up=False) -> Given:
    """A memory that was given."""
    return Given(
        memory=memory, kind="tribal", text=memory, learned_in="s0", said_at=START, channel=channel,
        session=f"s{day}", at=START + timedelta(days=day), used=used, came_up=came_up,
    )  # fmt: skip


def session(day: int, *things: Given, prompts=4, answered=0, tokens=0, **more) -> ReplayedSession:
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
            session(1, given("a", 1), given("b", 1, "surface", "quoted"), answered=1, tokens=90),
            session(
                2, given("a", 2, used="file", came_up=True), given("b", 2, "surface", "command"),
                answered=1, tokens=60,
            ),
            session(
                3, given("c", 3, "file"), again=(again(), again(memory="m"), again(memory="m", had=True)),
            ),
            session(4, prompts=0, tokens=1_000),
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
        session(day, *(given(f"m{day}-{n}", day, "prompt" if n == 0 else "surface") for n in range(9)))
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
