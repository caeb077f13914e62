"""A session read in passes gives the same exchanges as one read at once."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.exchange import Exchange, SessionInfo, ToolCall, Turn
from recortex.engines.exchanges import SessionBuilder

INFO = SessionInfo(session_id="s", client="claude-code", path="/t.jsonl", cwd="/home/me/shop", branch="main")
START = datetime(2026, 1, 1, tzinfo=UTC)
SENTENCES = st.sampled_from(
    (
        "b",
        "Go ahead.",
        "We use uv, never pip.",
        "Use SQLite for the queue, since Redis needs a server. " * 3,
        "1. SQLite\n2. PostgreSQL\nWhich one?",
        "The tests fail because the clock is frozen. " * 40,
        "```\ncode\n```",
    )
)
TEXTS = st.lists(SENTENCES, max_size=3).map(" ".join)
TOOLS = st.builds(
    ToolCall,
    id=st.just("1"),
    name=st.just("Bash"),
    command=st.sampled_from(("", "pytest -q", "make lint", "git commit -am x")),
    output=st.sampled_from(("", "[main 1a2b3c4] Retry\n 1 file changed", "[topic 5d6e7f8a9] Retry twice\n")),
    files=st.sampled_from(((), ("a.py",), ("a.py", "b.py"))),
    writes=st.booleans(),
    ok=st.sampled_from((True, False, None)),
)


@st.composite
def sessions(draw: st.DrawFn) -> list[Turn]:
    """The turns of a session."""
    count = draw(st.integers(0, 14))
    return [
        Turn(
            index=index,
            role=draw(st.sampled_from(("user", "assistant", "assistant", "summary"))),
            text=draw(TEXTS),
            at=START + timedelta(minutes=index),
            tools=tuple(draw(st.lists(TOOLS, max_size=2))),
            interrupts=draw(st.booleans()),
            form=draw(st.sampled_from(("prompt", "refusal", "queued"))),
            sidechain=draw(st.integers(0, 9)) == 0,
        )
        for index in range(count)
    ]


def interrupting(turn: Turn) -> bool:
    """Whether the person interrupted the agent before saying this."""
    return turn.interrupts and turn.role == "user" and not turn.sidechain


def read(passes: list[list[Turn]]) -> dict[str, Exchange]:
    """What is stored after these passes.

    A pass that ends between an interruption and what the person said then is told of it by the reader, and
    the next one is not.
    """
    stored: dict[str, Exchange] = {}
    current = work = None
    for turns, following in itertools.pairwise([*passes, []]):
        builder = SessionBuilder(INFO, str, current, work)
        for turn in turns:
            builder.take(turn)
        if following and interrupting(following[0]):
            builder.ends("interrupted")
            following[0] = replace(following[0], interrupts=False)
        stored |= builder.changed
        current, work = builder.current, builder.work
    return stored


@given(sessions(), st.lists(st.integers(0, 14)))
def test_passes_give_the_same_as_one_reading(turns: list[Turn], cuts: list[int]) -> None:
    borders = [0, *sorted(cuts), len(turns)]
    passes = [turns[start:end] for start, end in itertools.pairwise(borders)]
    assert read(passes) == read([turns])


@given(sessions())
def test_a_second_reading_adds_nothing(turns: list[Turn]) -> None:
    once = read([turns])
    assert {**once, **read([turns])} == once


@given(sessions())
def test_no_exchange_is_larger_than_4096_characters(turns: list[Turn]) -> None:
    for one in read([turns]).values():
        assert len(one.asked + one.message + one.opening + one.conclusion) <= 4_096
