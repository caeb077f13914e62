"""The brief: ranks in their range, never above its tokens, never a line that is more than a line."""

import re
from datetime import UTC, datetime

from hypothesis import example, given
from hypothesis import strategies as st

from generated import said
from recortex.domain.kinds import KINDS
from recortex.domain.maintenance import MemoryStatistics
from recortex.domain.memory import FileLink, Memory
from recortex.domain.text import END, START, strip_injected
from recortex.engines.brief import (
    COMMANDS,
    GROUPS,
    HIGH,
    INTRODUCTION,
    LINE_TOKENS,
    MOST_CHARACTERS,
    NOTICE_TOKENS,
    REMINDER,
    TITLES,
    Budget,
    Presentable,
    Ranked,
    line_of,
    page,
    passes,
    plain,
    rank,
    ranked,
)
from recortex.text.tokens import TokenCounter

COUNT = TokenCounter().count
AT = datetime(2026, 10, 2, tzinfo=UTC)
LINE = re.compile(r"- 2026-10-02: .*\[\w{8}\]")
parts = st.floats(0, 1)
priorities = st.integers(1, 10)
hostile = st.one_of(
    said,
    st.sampled_from("-= a").map(lambda sign: sign * 3 + "x" + sign * 400),
    st.text(st.sampled_from("記憶語\U0001f9e0\u202e\u2028\U000e0041ज़ €\t"), min_size=1, max_size=900),
    st.lists(
        st.sampled_from(
            [
                START,
                END,
                "\n",
                "\r",
                "\x85",
                "\u2029",
                "# heading",
                "- item",
                "```",
                "word",
                "\x1b[2J",
                "<!-- CORTEX_MEMORY_END -->",
                "<system-reminder>",
                "</system-reminder>",
                "--!>",
                "<!--",
            ]
        ),
        max_size=40,
    ).map("".join),
).filter(lambda text: bool(text.strip()))


def memory(text, tags, path, kind):
    return Memory(
        id="0b5d3b1e-1111-4222-8333-444455556666", kind=kind, text=text, summary=text,
        content=KINDS[kind].from_text(text), recorded_at=AT, updated_at=AT, valid_from=AT, tags=tuple(tags),
        files=(FileLink(path),) if path else (),
    )  # fmt: skip


memories = st.builds(
    memory,
    hostile,
    st.lists(hostile, max_size=4),
    st.just("") | hostile,
    st.sampled_from([kind for kind, content in KINDS.items() if content.category]),
)


@given(parts, parts, parts, parts, priorities, priorities, parts, parts)
def test_a_rank_is_in_its_range_and_follows_what_it_is_made_of(
    low, high, central, access, less, more, c2, a2
):
    base = rank(min(low, high), min(less, more), min(central, c2), min(access, a2))
    assert 0.0 <= base <= 1.0
    assert rank(max(low, high), min(less, more), min(central, c2), min(access, a2)) >= base
    assert rank(min(low, high), max(less, more), min(central, c2), min(access, a2)) >= base
    assert rank(min(low, high), min(less, more), max(central, c2), max(access, a2)) >= base
    boosted = rank(min(low, high), min(less, more), min(central, c2), min(access, a2), same_branch=True)
    assert boosted >= base
    assert boosted > base or base == 1.0


@given(
    st.lists(st.tuples(memories, parts, priorities, st.sampled_from(GROUPS), st.booleans()), max_size=40),
    st.sampled_from([300, 550, 2000]),
)
@example(
    [
        (memory("\x1b", [], "", "core"), 1.0, 1, "rule", True),
        (memory("\x1b", [], "", "core"), 0.5, 1, "rule", True),
        (memory("0", [], "", "core"), 0.0, 1, "rule", True),
    ],
    300,
)
def test_the_brief_is_never_too_long_and_each_memory_is_one_line(known, tokens):
    budget = Budget.of_tokens(tokens)
    shown = {str(place): one for place, (one, *_) in enumerate(known)}
    order = sorted(
        (
            Ranked(str(place), 0, group, value, priority, b"%d" % place, command)
            for place, (_, value, priority, group, command) in enumerate(known)
        ),
        key=lambda one: -one.rank,
    )
    made = page(passes(order), lambda one: line_of(shown[one.id], "0b5d3b1e", COUNT), COUNT, budget)
    assert made.tokens == COUNT(made.text) <= tokens - NOTICE_TOKENS
    assert made.tokens <= budget.aim or any(priority >= HIGH for _, _, priority, *_ in known)
    assert len(made.text) <= MOST_CHARACTERS
    if not any(line_of(one, "0b5d3b1e", COUNT) for one, *_ in known):
        assert made == ("", 0, ())
        return
    first, introduction, reminder, *lines, last = made.text.split("\n")
    assert (first, introduction, reminder, last) == (START, INTRODUCTION, REMINDER, END)
    assert len(made.text.splitlines()) == len(lines) + 4
    titles = [line for line in lines if not LINE.fullmatch(line)]
    assert titles == [f"## {title}" for title in TITLES.values() if f"## {title}" in titles]
    assert sum(one.ranked.command for one in made.entries) <= COMMANDS
    assert len(titles) == len(set(titles)) == len({one.ranked.group for one in made.entries})
    assert len(lines) - len(titles) == len(made.entries) > 0
    assert strip_injected(f"before\n{made.text}\nafter", wrappers=False)[0].split() == ["before", "after"]
    assert "<system-reminder>" not in made.text
    assert "<!--" not in made.text
    assert [one.ranked.rank for one in made.entries] == sorted(
        (one.ranked.rank for one in made.entries), reverse=True
    )


@given(memories)
def test_a_line_is_short_and_says_when_it_was_recorded(one):
    line = line_of(one, "0b5d3b1e", COUNT)
    if not line:
        assert not plain(one.summary, 200)
        return
    assert line.startswith("- 2026-10-02: ")
    assert line.endswith(" [0b5d3b1e]\n")
    assert line.count("\n") == 1
    assert COUNT(line) <= 2 * LINE_TOKENS


standings = st.builds(
    MemoryStatistics,
    key=st.integers(1, 9),
    id=st.uuids().map(str),
    kind=st.sampled_from(sorted(KINDS)),
    status=st.just("active"),
    confidence=parts,
    priority=priorities,
    pinned=st.integers(0, 1),
    recorded_at=st.integers(0, 10**15),
    updated_at=st.just(0),
    validated_at=st.none(),
    last_accessed_at=st.none(),
    access_count=st.integers(0, 1000),
    patterns=st.integers(0, 2),
    content_hash=st.binary(min_size=1, max_size=1),
    branch=st.sampled_from(["", "main", "other"]),
    rule=st.sampled_from(["", "verified_fix"]),
    trust=st.sampled_from(["trusted", "derived"]),
)
shelves = st.lists(
    st.builds(Presentable, st.lists(standings, max_size=30), st.just({1: 0.4, 2: 1.0, 3: 0.4})), max_size=2
)


@given(shelves, st.sampled_from(["", "main"]))
def test_ranking_shows_each_text_once_best_first_and_no_code(stores, branch):
    order = ranked(stores, branch=branch, now=10**15)
    assert [one.rank for one in order] == sorted((one.rank for one in order), reverse=True)
    assert all(0.0 <= one.rank <= 1.0 for one in order)
    assert len({one.content_hash for one in order}) == len(order)
    known = {one.content_hash for store in stores for one in store.memories if KINDS[one.kind].category}
    assert {one.content_hash for one in order} <= known
    assert {one.group for one in order} <= set(GROUPS)
