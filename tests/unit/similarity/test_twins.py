"""Two statements are one only where neither loses by it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.engines.similarity import is_near_duplicate

KNOWN = (
    "We always deploy with `make ship`, never with `git push heroku`, "
    "because the migrations have to run first."
)

SAME = (
    (
        KNOWN,
        (
            "From now on always deploy with `make ship` and never with `git push heroku`, "
            "because migrations have to run first."
        ),
    ),
    ("We use uv, not pip.", "Please remember that we use uv and not pip"),
    ("Tests need docker running", "note that the tests need Docker running."),
    ("Don't use requests here", "do not use requests"),
    ("The deploy script needs AWS_PROFILE=prod", "The deploy script needs AWS_PROFILE=prod."),
)
DIFFERENT = (
    ("We always restart the checkout with `make checkout`, because a plain restart loses its queue.",
     "We always restart the mailer with `make mailer`, because a plain restart loses its queue."),
    ("We use uv, not pip.", "We use pip, not uv."),
    ("Run the linter before the tests", "Run the tests before the linter"),
    ("Run the linter before the tests", "Run the linter after the tests"),
    ("The worker depends on the scheduler", "The scheduler depends on the worker"),
    ("The timeout of the gateway is 30 s", "The timeout of the gateway is 60 s"),
    ("Use retries for the payment client", "Never use retries for the payment client"),
    ("Deploys run on Fridays", "Deploys run on Fridays only for the billing service"),
    ("`load()` returns None for a missing key", "`save()` returns None for a missing key"),
)  # fmt: skip


@pytest.mark.parametrize(("known", "new"), SAME)
def test_the_same_in_other_words_is_known(known: str, new: str):
    assert is_near_duplicate(new, known)


@pytest.mark.parametrize(("known", "new"), DIFFERENT)
def test_what_differs_in_meaning_is_new(known: str, new: str):
    assert not is_near_duplicate(new, known)
    assert not is_near_duplicate(known, new) or len(new) > len(known)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_can_be_compared(a: str, b: str):
    is_near_duplicate(a, b)


@given(
    st.lists(
        st.sampled_from(["alpha", "beta", "gamma", "delta", "redis", "port", "seven"]), min_size=1, max_size=9
    )
)
def test_a_statement_says_itself_again(words: list[str]):
    assert is_near_duplicate(" ".join(words), " ".join(words))
