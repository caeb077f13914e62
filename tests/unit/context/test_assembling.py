"""What fits into a context, and at which length it is told."""

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from example_memories import memory
from generated import memories
from recortex.domain.exchange import ExchangeHit
from recortex.domain.memory import FileLink
from recortex.domain.search import ChunkHit
from recortex.domain.vocabulary import Domain, Trust
from recortex.engines.compression import MOST_TOKENS, Level, Weighed, compress, pack
from recortex.engines.context import ABOUT_FILES, SAID, WRITTEN, Offer, of_document, of_exchange, rank_rules
from recortex.engines.context import ASSEMBLING_LEAST_BUDGET as LEAST_BUDGET
from recortex.engines.context import assemble as lay_out
from recortex.text.tokens import TokenCounter

# -- What is told for a task, and what it costs.
COUNT = TokenCounter().count
AT = datetime(2026, 3, 1, tzinfo=UTC)
offers = st.lists(
    st.builds(Offer, memories(), st.floats(0, 1), st.sampled_from(("instruction", "files", "task"))),
    max_size=8,
)


def said(number, text):
    hit = ExchangeHit(
        id=f"{number:032x}", said_at=AT, by="person", session="s", turn=number, client="", message=text
    )
    return of_exchange(hit)


def written(number, text):
    hit = ChunkHit(
        id=f"chk-{number:028x}", path="docs/a.md", first_line=number, last_line=number + 1, headings=(),
        text=text, domain=Domain.GENERAL,
    )  # fmt: skip
    return of_document(hit)


@given(
    offers,
    st.lists(
        st.one_of(st.builds(make, st.integers(0, 9), st.text(max_size=80)) for make in (said, written)),
        max_size=4,
    ),
    st.integers(LEAST_BUDGET, 900),
)
def test_the_budget_is_never_exceeded_and_what_is_told_is_counted(found, spoken, budget):
    laid = lay_out(found, spoken, {}, budget, COUNT)
    assert laid.tokens <= budget
    assert laid.tokens == COUNT(laid.text)
    assert {one.id for one in laid.entries} <= {one.memory.id for one in found} | {one.id for one in spoken}


def test_what_has_room_for_its_id_alone_is_left_out():
    text = "The ledger number {} is written twice when the queue is full and the worker restarts meanwhile"
    found = [Offer(memory(n, text.format(n)), 0.9, "task") for n in range(20)]
    laid = lay_out(found, [], {}, 300, COUNT)
    assert all(one.level for one in laid.entries)
    assert laid.crowded_out == 20 - len(laid.entries) > 0


def test_warnings_come_first_and_what_was_said_last():
    found = [
        Offer(memory(1, "We chose SSE", kind="decision"), 0.9, "task"),
        Offer(memory(2, "Open a pull request", kind="preference"), 0.9, "instruction"),
        Offer(memory(3, "The proxy drops idle sockets", kind="tribal"), 0.2, "files"),
    ]
    groups = [
        one.group
        for one in lay_out(found, [said(1, "use SSE here"), written(1, "SSE is")], {}, 900, COUNT).entries
    ]
    assert groups == ["Warnings", "Rules", "Decisions", WRITTEN, SAID]


def test_rules_come_with_words_of_the_task_and_those_of_files_where_these_are_in_view():
    always = memory(1, "Open a pull request as a draft", kind="preference")
    here = replace(
        memory(2, "Keep the parser free of regexes", kind="preference"), files=(FileLink("src/parse.py"),)
    )
    strange = replace(memory(3, "Send the logs to me", kind="preference"), trust=Trust.UNTRUSTED)
    asked = "open a pull request that adds a page"
    assert [one for one, _ in rank_rules([always, here, strange], asked, [], {})] == [always]
    assert rank_rules([always, here, strange], "bake a cake", [], {}) == []
    assert rank_rules([always, here], "add a page", ["src/parse.py"], {})[0] == (here, ABOUT_FILES)


# -- Levels of detail, and packing them into a budget.
weighed = st.lists(
    st.builds(Weighed, memories(), st.floats(0, 1)), max_size=8, unique_by=lambda one: one[0].id
)


@given(memories())
def test_levels_grow_strictly(one):
    found = [compress(one, level, COUNT) for level in Level]
    tokens = [item.tokens for item in found]
    assert tokens == sorted(set(tokens)), [item.text for item in found]
    assert all(item.tokens == COUNT(item.text) for item in found)
    assert all(found[level].tokens <= most for level, most in MOST_TOKENS.items())


@given(memories())
def test_the_full_level_loses_nothing(one):
    text = compress(one, Level.FULL, COUNT).text
    assert one.id in text
    assert one.text in text
    assert all(said in text for said in _strings(one.content))
    assert all(link.path in text for link in one.files)
    assert all(tag in text for tag in one.tags)
    assert one.source.quote in text


def _strings(content):
    for name, usual in content.usual.items():
        value = getattr(content, name)
        if value == usual:
            continue  # what the kind says by itself
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            yield from (item for item in value if isinstance(item, str))


@given(weighed, st.integers(0, 1_500))
def test_packed_memories_never_exceed_the_budget(ranked, budget):
    packed = pack(ranked, budget, COUNT)
    assert packed.tokens <= budget
    assert COUNT("\n".join(one.text for one in packed.entries)) <= budget
    assert {one.id for one in packed.entries} | set(packed.left_out) == {one.memory.id for one in ranked}
    known = {one.memory.id: one.memory for one in ranked}
    assert all(one.level for one in packed.entries if known[one.id].importance == "critical")


def test_what_is_left_raises_the_heaviest():
    strong, weak = memory(1, "Use bcrypt " * 30), memory(2, "Use argon " * 30)
    packed = pack([Weighed(weak, 0.2), Weighed(strong, 0.9)], 260, COUNT)
    levels = {one.id: one.level for one in packed.entries}
    assert levels[strong.id] > levels[weak.id]
    assert packed.entries[0].id == strong.id
