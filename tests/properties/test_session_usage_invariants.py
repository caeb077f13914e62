"""Nothing is used before it was given, nothing twice, and nothing that only somebody else showed."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from generated import memories
from recortex.domain.exchange import ToolCall, Turn
from recortex.domain.session import Receipt
from recortex.domain.vocabulary import Scope
from recortex.engines.usage import uses

START = datetime(2026, 3, 1, tzinfo=UTC)
WORDS = (
    "flush_all",
    "`make deep check`",
    "src/a.py",
    "rotate_segment",
    "because",
    "segments",
    "otherwise",
    "a.py",
    "make",
)
SPEECH = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=80)
TIMES = st.none() | st.integers(0, 20).map(lambda minute: START + timedelta(minutes=minute))
CALLS = st.builds(
    ToolCall,
    id=st.just("1"),
    name=st.sampled_from(["Bash", "Edit"]),
    command=SPEECH,
    files=st.lists(st.sampled_from(["src/a.py", "/repo/src/a.py", "src/b/c.py", ""]), max_size=2).map(tuple),
    writes=st.booleans(),
    output=SPEECH,
    arguments=st.dictionaries(st.text(max_size=3), SPEECH, max_size=2),
    injected=st.booleans(),
)
TURNS = st.lists(
    st.builds(
        Turn,
        index=st.just(0),
        role=st.sampled_from(["user", "assistant", "summary"]),
        text=SPEECH,
        at=TIMES,
        tools=st.lists(CALLS, max_size=2).map(tuple),
        injected=SPEECH,
        sidechain=st.booleans(),
    ),
    max_size=8,
)
GIVEN = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(0, 20),
        st.sampled_from(["surface", "prompt", "file"]),
        st.sampled_from(["", "src/a.py"]),
    ),
    max_size=5,
)


def receipt(memory, minute, channel, subject, place):
    return Receipt(
        session="s", context=place, memory=memory.id, scope=Scope.PROJECT, channel=channel, subject=subject,
        at=START + timedelta(minutes=minute),
    )  # fmt: skip


@given(st.lists(memories(), min_size=3, max_size=3, unique_by=lambda one: one.id), GIVEN, TURNS)
def test_nothing_is_used_before_it_was_given(known, wishes, turns):
    receipts = [receipt(known[which], *rest, place) for place, (which, *rest) in enumerate(wishes)]
    found = uses(receipts, {one.id: one for one in known}, turns)
    assert all(one.at > one.receipt.at for one in found)
    assert all(one.use for one in found)
    assert len({id(one.receipt) for one in found}) == len(found)
    times = {turn.at for turn in turns if turn.role == "assistant" and not turn.sidechain}
    assert {one.at for one in found} <= times


@given(memories(), TURNS)
def test_what_others_say_and_print_is_no_use(memory, turns):
    mute = [
        Turn(0, turn.role, "" if turn.role == "assistant" else f"{turn.text} {memory.text}", turn.at,
             tools=tuple(ToolCall("1", one.name, output=f"{one.output} {memory.text}") for one in turn.tools))
        for turn in turns
    ]  # fmt: skip
    assert uses([receipt(memory, 0, "prompt", "", 0)], {memory.id: memory}, mute) == []
