"""Words of the domain, and times as they are kept."""

import inspect
from datetime import UTC, datetime, timedelta, timezone

import pytest

from recortex import errors
from recortex.codec import content_from_json
from recortex.domain.kinds import KINDS, kind_of
from recortex.domain.memory import importance_of, lowest_priority_of, priority_of
from recortex.domain.text import bounded_time
from recortex.domain.vocabulary import (
    RELATION_ALIASES,
    TRUST_OF_ORIGIN,
    Importance,
    Origin,
    RelationType,
    Trust,
)
from recortex.errors import InvalidInputError, RecortexError

# -- The domain's vocabulary, its errors, its settings and its JSON.
NEVER = None
TABLE = """
core                 never  0    365  architecture
tribal               365    0.2  90   gotcha
procedural           180    0.3  60   pattern
semantic             90     0.3  30   context
episodic             7      0.1  7    progress
decision             180    0.3  90   decision
insight              90     0.2  30   context
reference            60     0.2  30   context
preference           120    0.2  60   pattern
pattern_rationale    180    0.3  60   pattern
constraint_override  90     0.2  30   decision
decision_context     180    0.3  90   decision
code_smell           90     0.2  30   gotcha
agent_spawn          365    0.2  90   pattern
entity               180    0.3  60   architecture
goal                 90     0.2  30   progress
feedback             120    0.2  60   gotcha
workflow             180    0.3  60   pattern
conversation         30     0.1  14   progress
incident             365    0.2  90   gotcha
meeting              60     0.2  30   context
skill                180    0.2  90   pattern
environment          90     0.3  30   architecture
architecture         never  0    180  architecture
progress             7      0.1  7    progress
code_description     never  0.2  30   code_description
code                 never  0    30   none
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]
RELATIONS = {
    *(
        "supersedes", "supports", "contradicts", "related", "derived_from", "owns", "affects", "blocks",
        "requires",
    ),
    *("references", "learned_from", "assigned_to", "depends_on", "exemplifies", "refines", "source_of"),
    *("caused", "enabled", "prevented", "triggered_by"),
}  # fmt: skip
CLASSES = [
    value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, RecortexError)
]


def test_there_are_27_kinds():
    assert {row[0] for row in ROWS} == set(KINDS)
    assert len(KINDS) == 27


@pytest.mark.parametrize(("kind", "half_life", "archive", "revalidate", "category"), ROWS)
def test_each_kind_lives_as_the_table_says(kind, half_life, archive, revalidate, category):
    content = KINDS[kind]
    assert content.half_life_days == (NEVER if half_life == "never" else float(half_life))
    assert content.archive_below == float(archive)
    assert content.revalidate_days == int(revalidate)
    assert content.category == ("" if category == "none" else category)


def test_code_alone_is_never_embedded():
    assert [kind for kind, content in KINDS.items() if not content.embedded] == ["code"]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_has_a_main_field_a_summary_and_a_frozen_content(kind):
    content = KINDS[kind].from_text("The tests need `TZ=UTC`.")
    assert content.statement() == "The tests need `TZ=UTC`."
    assert content.summary()
    assert len(content.summary()) <= 200
    assert content.text().startswith("The tests need")
    with pytest.raises(AttributeError, match="immutable"):
        setattr(content, content.main, "other")


@pytest.mark.parametrize("field", ["half_life_days", "category", "nonsense"])
def test_content_takes_the_fields_of_its_kind_alone(field):
    with pytest.raises(InvalidInputError) as caught:
        content_from_json(kind_of("tribal"), {"knowledge": "known", field: "gotcha"})
    assert field in caught.value.message
    assert "knowledge" in caught.value.hint
    assert "half_life_days" not in caught.value.hint


def test_there_are_20_relations():
    assert {relation.value for relation in RelationType} == RELATIONS
    assert len(RelationType) == 20
    assert RELATION_ALIASES["relates_to"] is RelationType.RELATED


def test_every_origin_has_a_trust_tier_and_strangers_none():
    assert set(TRUST_OF_ORIGIN) == set(Origin)
    untrusted = {origin for origin, trust in TRUST_OF_ORIGIN.items() if trust is Trust.UNTRUSTED}
    assert untrusted == {Origin.REPOSITORY, Origin.IMPORT, Origin.TOOL, Origin.WEB}


@pytest.mark.parametrize(
    ("word", "priorities"),
    [("low", (1, 2, 3)), ("normal", (4, 5, 6)), ("high", (7, 8)), ("critical", (9, 10))],
)
def test_importance_is_a_word_for_priorities(word, priorities):
    assert {importance_of(priority) for priority in priorities} == {word}
    assert priority_of(Importance(word)) in priorities
    assert lowest_priority_of(Importance(word)) == priorities[0]


@pytest.mark.parametrize("error", CLASSES)
def test_every_error_says_what_happened_and_what_to_do(error):
    one = error()
    assert one.code
    assert one.code == one.code.lower()
    assert one.message.endswith(".")
    assert one.hint.endswith((".", "help`", "`", "locked"))
    told = error("This.", hint="That.")
    assert (told.message, told.hint, told.code) == ("This.", "That.", error.code)


def test_error_codes_are_their_own():
    assert len({error.code for error in CLASSES}) == len(CLASSES)
    assert len(CLASSES) >= 18


# -- Times that come from outside are possible, or another one stands for them.
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SESSION = datetime(2026, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (datetime(2026, 2, 2, 9, tzinfo=UTC), datetime(2026, 2, 2, 9, tzinfo=UTC)),
        (datetime(2026, 2, 2, 9, tzinfo=timezone(timedelta(hours=9))), datetime(2026, 2, 2, tzinfo=UTC)),
        (datetime(2099, 1, 1, tzinfo=UTC), SESSION),
        (datetime(1970, 1, 1, tzinfo=UTC), SESSION),
        (None, SESSION),
    ],
)
def test_an_impossible_time_is_that_of_its_session(at, expected):
    assert bounded_time(at, NOW, SESSION) == expected


def test_without_any_possible_time_it_is_now():
    assert bounded_time(datetime(2099, 1, 1, tzinfo=UTC), NOW, None) == NOW
