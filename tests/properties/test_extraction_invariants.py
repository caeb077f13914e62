"""Whatever a session says, the result is well-formed, and hostile text does not hold up the reader."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated import drawn
from recortex.domain.exchange import SessionInfo, ToolCall, Turn
from recortex.domain.kinds import KINDS
from recortex.engines.extraction.extractor import extract, learned
from recortex.engines.extraction.sentences import (
    ACTIVE,
    COMMAND,
    MAX_LENGTH,
    MAX_QUOTE,
    MIN_LENGTH,
    MIN_TYPED,
)

INFO = SessionInfo(session_id="s", client="claude-code", path="s.jsonl")
WORDS = [
    "The", "`load_all`", "cannot", "because", "always", "requires", "src/app.py", "**Fix:**", "**Issue:**",
    "- ", "\n", "\n\n", "## Errors and fixes", "4. Errors and fixes:", "Summary:", "we use", "never",
    "remember:", "default", "is", "Run it with:", "```bash\n", "./x y", "Fixed in", "was", "instead of",
    "don't", "I did not say commit", "why don't", "not", "5", ".", ". ", "?", "(", ")", "`", "```", "it",
    "this", "SQLite", "so", "let's go with", "1. ", "  - ", "|", "…", "数据库",
]  # fmt: skip
PROSE = st.one_of(
    st.text(max_size=400), st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=60).map("".join)
)  # fmt: skip
CALLS = st.builds(
    ToolCall,
    id=st.just("c"),
    name=st.just("Bash"),
    command=st.sampled_from(
        ["", "pytest", "mix test a.exs", "cd x && npm test | tail", "go test ./...", "&& ; |"]
    ),
    files=st.lists(st.sampled_from(["/r/a.py", "b.toml", ""]), max_size=2).map(tuple),
    writes=st.booleans(),
    ok=st.sampled_from([True, False, None]),
    output=st.one_of(st.text(max_size=80), st.just("ValueError: the port is not a number")),
)
TURNS = st.lists(
    st.builds(
        Turn,
        index=st.just(0),
        role=st.sampled_from(["user", "assistant", "summary"]),
        text=PROSE,
        tools=st.lists(CALLS, max_size=3).map(tuple),
        sidechain=st.booleans(),
    ),
    max_size=6,
)


@given(TURNS)
@settings(max_examples=drawn(150), deadline=None)
def test_every_candidate_is_well_formed_and_the_result_repeats(turns):
    found = list(extract(turns, INFO))
    assert found == list(extract(turns, INFO))
    names = {str(kind) for kind in KINDS}
    for one in found:
        assert (MIN_TYPED if one.speaker == "user" else MIN_LENGTH) <= len(one.text) <= MAX_LENGTH
        assert one.kind in names
        assert one.speaker == "user" or one.rule == COMMAND  # nothing is learned from other prose
        assert 0 <= one.confidence <= 0.95
        assert one.confidence >= ACTIVE or not one.active
        assert len(one.quote) <= MAX_QUOTE
        assert "\n" not in one.text
        assert one.evidence >= 1


@given(TURNS, st.integers(0, 6))
def test_nothing_is_told_of_turns_that_were_read_before(turns, cut):
    turns = [replace(turn, index=place) for place, turn in enumerate(turns)]
    before, after = turns[:cut], turns[cut:]
    told = learned(before, INFO).candidates
    found = learned(after, INFO, before=before)
    new = {one.text for one in found.candidates}
    assert not new & {one.text for one in told if one.active}
    assert all(one.active and one in told for one in found.withdrawn)
    assert learned([], INFO, before=turns) == ([], [])


HOSTILE = [
    "_",
    "`a ",
    "**a",
    "(",
    "- x\n",
    "a_",
    "A. ",
    "a, ",
    "is not ",
    "The `a b` ",
    "\n",
    " ",
    "**Fix:** ",
    "we we ",
    "[](",
    "so, ",
    "/a",
    "x was y because ",
    "It was lost since z. Fixed in `a`. ",
    "also and but so ",
    "the a is b, not c ",
    "Run it with:\n```bash\n./x y\n```\n",
    "A=b ",
    "hmm, ok, ",
    "**x path:** `a` ",
]


@pytest.mark.parametrize("size", [4_000, pytest.param(200_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("role", ["user", "assistant", "summary"])
def test_a_huge_message_of_anything_ends(unit, role, size):
    text = unit * (size // len(unit))
    lines = "\n".join(text[start : start + 390] for start in range(0, size // 2, 390))
    call = ToolCall(id="1", name="Bash", command=f"pytest {text[:4000]}", ok=False, output=text[:4000])
    for said in (text, lines):
        assert list(extract([Turn(index=0, role=role, text=said, tools=(call,))], INFO)) is not None
