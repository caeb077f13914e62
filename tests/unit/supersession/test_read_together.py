"""What a model reads in two statements, and what their words say, become one verdict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.memory import Chances
from recortex.engines.supersession import other_value
from recortex.engines.supersession.reading import (
    ALONE,
    ANNOUNCED,
    ENDS,
    LEAST_CHANCE,
    LIKE,
    NAMED,
    NOTHING,
    PLAIN,
    REWORDED,
    Outcome,
    about_two_things,
    announced_changes,
    chance_of,
    is_unsure,
    may_end,
    read_together,
    read_words,
    readable,
)

ONE = "The cart is kept for 30 days."
SURE = Chances(0.0, 0.0, 1.0)
CHANCE = st.floats(0, 1)


@given(stays=CHANCE, part=CHANCE, likeness=st.none() | st.floats(-1, 1))
def test_nothing_that_is_not_likely_is_kept(stays, part, likeness):
    read = Chances(stays, part * (1 - stays), (1 - part) * (1 - stays))
    verdict = read_together(ONE, "The cart is kept for 60 days now.", read, likeness)
    assert verdict.outcome is not Outcome.CONTRADICTS or verdict.chance >= LEAST_CHANCE
    if stays > 1 - LEAST_CHANCE:
        assert verdict is NOTHING


@given(CHANCE, CHANCE, st.floats(-1, 1), st.floats(-1, 1), st.booleans())
def test_the_chance_rises_with_what_speaks_for_it(one, other, near, far, announced):
    low, high = sorted((one, other))
    far, near = sorted((near, far))
    assert chance_of(low, far, announced=False) <= chance_of(high, near, announced=announced)


@pytest.mark.parametrize(
    ("new", "likeness", "least"),
    [
        ("The cart is kept for 60 days.", 1.0, ENDS),
        ("We lowered the days of the cart to 60.", 0.45, ANNOUNCED),
        ("No more 30 days for the cart, guests of the shop get less.", 1.0, NAMED),
        ("No more 30 days, guests of the shop get less.", None, NAMED),
        ("No more carts, guests order at once.", None, ALONE),
        ("The cart is kept for 60 days now.", LIKE, REWORDED),
    ],
)
def test_the_surer_the_words_the_less_the_model_must_be(new, likeness, least):
    for ends, replaces in ((least, True), (least - 0.001, False)):
        found = read_together(ONE, new, Chances(0.0, 1 - ends, ends), likeness).outcome
        assert (found is Outcome.REPLACES) is replaces, ends


@pytest.mark.parametrize(
    ("known", "new", "outcome"),
    [
        ("We manage packages with pip.", "We switched from pip to uv.", Outcome.REPLACES),
        ("The site is bundled by webpack.", "Webpack was replaced by vite.", Outcome.REPLACES),
        ("Sessions are kept in Redis.", "We no longer use Redis.", Outcome.REPLACES),
        ("Sessions are kept in Redis.", "I've dropped redis, sessions are cookies.", Outcome.REPLACES),
        ("Use Redis for sessions and Postgres for orders.", "We no longer use Redis.", Outcome.CONTRADICTS),
        ("Sessions are kept in Redis.", "We moved the queue from Redis to Kafka.", None),
        ("Sessions are kept in Redis.", "The partner's shop no longer uses Redis.", None),
        ("Sessions are kept in Redis.", "We moved sessions from Redis to files and back again.", None),
        ("Sessions are kept in Redis.", "If we moved sessions from Redis to files, what breaks?", None),
        ("Sessions are kept in Redis.", "Maybe we drop Redis.", None),
        ("Sessions are kept in Redis.", "We use Redis for the queue.", None),
        # in careless words
        ("Install with yarn.", "we're done with yarn", Outcome.REPLACES),
        ("Hooks run through hookrunner.", "i no longer use hookrunner", Outcome.REPLACES),
        ("CI runs on Travis.", "CI moved from Travis to GitHub Actions", Outcome.REPLACES),
        (
            "The shop loads the payment snippet from their server.",
            "swapped the payment snippet for our own",
            Outcome.REPLACES,
        ),
        # reports, descriptions and tickets
        ("Write tests for each parser.", "Done with the tests.", None),
        ("Write tests for each parser.", "I removed the tests.", None),
        ("The tool keeps a list of parsers.", "The loader uses a `replace` tool for files that exist.", None),
        (
            "Pages go from the spool to the printer.",
            "Packing: a step that moves pages from the spool to a box.",
            None,
        ),
        (
            "The kit is published as @shop/kit.",
            "A ticket is open: “replace @shop/kit with @shop/parts”.",
            None,
        ),
        ("We need no new code.", "We are done with the code.", None),
    ],
)
def test_what_is_plainly_given_up_ends_by_its_words(known, new, outcome):
    found = read_words(known, new)
    assert (found.outcome if found else None) is outcome
    assert found is None or (found.explicit and found.chance == PLAIN)


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("Our CI is jenkins.", "From now on CI is github actions."),
        ("Tests run with npm test", "From now on tests run with pnpm test"),
    ],
)
def test_what_holds_from_now_on_ends_what_was_on_the_same_matter(known, new):
    for touched, outcome in ((REWORDED, Outcome.REPLACES), (REWORDED - 0.01, Outcome.NOTHING)):
        read = Chances(1 - touched, touched, 0.0)
        assert read_together(known, new, read, None).outcome is outcome


@pytest.mark.parametrize(
    ("known", "new"),
    [
        (
            "From now on every table has a comment that says what it holds.",
            "From now on every endpoint is described in `api.yaml`.",
        ),
        ("Commit messages are written in English.", "From now on, error messages are written in German."),
        ("From now on debug logs are written to stdout.", "From now on audit logs are written to the disk."),
    ],
)
def test_rules_in_parallel_wording_about_two_things_both_hold(known, new):
    clauses = other_value(known, new)
    assert not may_end(known, new) or read_together(known, new, SURE, 0.9, clauses and SURE) is NOTHING


@pytest.mark.parametrize(
    ("known", "new"),
    [
        (
            "From now on every endpoint is described in `api.yaml`.",
            "From now on every endpoint is described in `openapi.json`.",
        ),
        ("Every public function has a docstring.", "From now on no function needs a docstring."),
        ("From now on debug logs are written to stdout.", "From now on logs are written to the disk."),
    ],
)
def test_rules_in_parallel_wording_about_one_thing_replace_each_other(known, new):
    assert may_end(known, new)
    assert read_together(known, new, SURE, 0.6).outcome is Outcome.REPLACES


@pytest.mark.parametrize(
    "said", ["The cart may be kept for 60 days too, for members.", "Maybe we keep the cart for 60 days."]
)
def test_what_adds_or_only_plans_ends_nothing(said):
    assert read_together(ONE, said, SURE, 1.0) is NOTHING


@pytest.mark.parametrize(
    ("said", "old"),
    [
        ("Instead of threads use processes for the loader.", "threads"),
        ("scratch that tabs thing, it is spaces", "tabs"),
        ("We index by name; the no-index rule is history.", "the no-index"),
    ],
)
def test_what_is_given_up_is_named_without_what_comes_after(said, old):
    assert old in [one.old for one in announced_changes(said)]


@pytest.mark.parametrize(
    ("said", "unsure"),
    [
        ('From now on never ask me "would you like to go on?" again.', False),
        ("do the release on Tuesdays instead", False),
        ("do we release on Tuesdays instead", True),
        ("we could release on Tuesdays instead", True),
    ],
)
def test_what_is_quoted_makes_no_guess_of_an_order(said, unsure):
    assert is_unsure(said) is unsure


@pytest.mark.parametrize(
    ("known", "new", "two"),
    [
        ("Always use tabs in Go files", "Never use tabs in Python files", True),
        ("Always use tabs in Go files", "Never use tabs in Go files", False),
        ("Plan 16 is about painting.", "plan 15 is not about painting anymore", True),
        ("Issue #41 is open.", "Issue #41 is closed now.", False),
        ("mx1 still accepts TLS 1.1.", "mx2 no longer accepts TLS 1.1", True),
        ("The page size is 50.", "The page size is 25 now.", False),
    ],
)
def test_things_of_two_sorts_and_of_two_numbers_are_left_alone(known, new, two):
    assert about_two_things(known, new) is two
    assert (read_together(known, new, SURE, 1.0) is NOTHING) is two


def test_statements_without_a_word_in_common_are_left_alone():
    assert read_together("Deploy with make release.", "Logs are JSON now.", SURE, 0.4) is NOTHING


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ONE, True),
        ("Is the cart kept for 30 days?", False),
        ("should we keep the cart longer?", False),
        ("x " * 400, False),
    ],
)
def test_questions_and_long_texts_are_not_read(text, expected):
    assert readable(text) is expected


FRIDAYS = "We deploy on Fridays."


@pytest.mark.parametrize(
    ("new", "ends"),
    [
        ("We no longer deploy on Fridays.", True),
        ("We don't deploy on Fridays anymore.", True),
        ("Correction: we don't deploy on Fridays any more, we deploy on Mondays.", True),
        ("Never deploy on Fridays, because nobody is there at the weekend.", True),
        ("No, we don't deploy on Fridays. We deploy on Mondays.", True),
        ("We don't deploy on Fridays, except for a hotfix.", False),
        ("We don't deploy on Fridays when a test is red.", False),
        ("If a test is red, we don't deploy on Fridays.", False),
        ("We deploy on Fridays, because it is quiet then.", False),
    ],
)
def test_what_denies_a_statement_in_its_first_clause_ends_it(new, ends):
    stays = Chances(1.0, 0.0, 0.0)  # whatever the model reads
    assert (read_together(FRIDAYS, new, stays, 0.5).outcome is Outcome.REPLACES) is ends
