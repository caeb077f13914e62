"""Levels of detail, and packing them into a budget."""

from hypothesis import given
from hypothesis import strategies as st

from example_memories import memory
from generated import memories
from recortex.engines.compression import MOST_TOKENS, Level, Weighed, compress, pack
from recortex.text.tokens import TokenCounter

COUNT = TokenCounter().count
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
