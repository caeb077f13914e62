"""Whether two statements give the same thing different values, and by which clauses."""

import pytest

from recortex.domain.memory import Chances
from recortex.engines.supersession import gives_value, other_value
from recortex.engines.supersession.reading import OTHER_VALUE, Outcome, may_end, read_together


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("The session timeout is 30 minutes.", "session timeout must be 15 min"),
        ("Page size 50.", "page size 100 pls, 50 is too small for them"),
        ("We're on node 18.", "node 22 now"),
        ("We use Redis as the queue.", "moved to rabbitmq last week"),
        ("We use bootstrap 5 for styling.", "the new tab in tailwind pls, bootstrap is gone"),
        ("Prod lives in us-east-1.", "prod lives in eu-central-1 since the migration"),
        ("Uploads have a limit of 10MB.", "bump the upload limit to 25MB"),
    ],
)
def test_another_value_of_the_same_thing(known, new):
    assert other_value(known, new)
    assert may_end(known, new)


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("The session timeout is 30 minutes.", "set the session timeout to 1 minute so i can see it happen"),
        ("The upload limit is 10MB.", "in the tests use an upload limit of 1MB"),
        ("Packages are installed with bun.", "delete node_modules, then npm install"),
        ("Unit tests run with Vitest.", "jest is out, vitest runs the tests"),
        ("Finding 1 is fixed by failing loud.", "finding 2: leave it alone"),
        ("Screens are listed in screen-17.", "screens are listed in screen-18"),
        ("The api uses postgres.", "the logs are kept for 90 days"),
        ("The cart is empty.", "the cart is full"),
    ],
)
def test_no_other_value_of_the_same_thing(known, new):
    assert other_value(known, new) is None


STRANGERS = Chances(stays=0.9, part=0.02, ends=0.08)
"""What the model reads in many a short pair that excludes each other."""


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("The API listens on port 8080", "The API listens on port 9090."),
        ("Passwords are hashed with bcrypt", "Passwords are hashed with argon2"),
        ("The frontend is built with webpack", "the frontend is built with vite"),
        ("Passwords are hashed by bcrypt with 12 rounds", "Passwords are not hashed by bcrypt"),
        ("Request bodies are never logged", "Request bodies are logged by the gateway"),
        ("Passwords are hashed by bcrypt with 12 rounds", "Passwords are hashed by argon2"),
    ],
)
def test_the_same_but_for_a_value_or_denied_is_marked_whatever_the_model_reads(known, new):
    for pair in ((known, new), (new, known)):
        assert read_together(*pair, STRANGERS, 0.8).outcome is Outcome.CONTRADICTS


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("The API listens on port 8080", "The admin page listens on port 9090"),
        ("Finding 1 is fixed by failing loud", "Finding 2 is fixed by failing loud"),
        ("The fix is part of issue 41", "The fix is part of issue 42"),
        ("The API listens on port 8080", "In tests the API listens on port 9090"),
        ("Unit tests run with pytest", "Integration tests run with pytest"),
        ("Passwords are hashed by bcrypt", "Tokens are not hashed by bcrypt"),
        ("We log request bodies", "We don't log response bodies"),
        ("Use npm to publish", "Do not use npm for anything but to publish"),
    ],
)
def test_the_same_of_another_thing_is_not(known, new):
    for pair in ((known, new), (new, known)):
        assert read_together(*pair, STRANGERS, 0.5).outcome is Outcome.NOTHING


def test_the_clauses_are_read_that_say_the_values():
    known = "The db is mysql 8, write the migration for the invoices."
    new = "write one for refunds, we have moved the db to postgres so no backticks"
    assert other_value(known, new) == ("The db is mysql 8", "we have moved the db to postgres")


def test_what_gives_a_value():
    assert gives_value("page size 100 pls")
    assert not gives_value("fix issue 41")


@pytest.mark.parametrize(
    ("ends", "outcome"), [(OTHER_VALUE, Outcome.REPLACES), (OTHER_VALUE - 0.1, Outcome.CONTRADICTS)]
)
def test_less_is_asked_of_the_model_where_both_give_one_thing_a_value(ends, outcome):
    known, new = "The session timeout is 30 minutes.", "The session timeout must be 15 minutes."
    read = Chances(1 - ends, 0.0, ends)
    assert read_together(known, new, read, 0.8).outcome is Outcome.NOTHING
    assert read_together(known, new, read, 0.8, valued=read).outcome is outcome
    unsure = "Maybe the session timeout should be 15 minutes."
    assert read_together(known, unsure, read, 0.8, valued=read).outcome is Outcome.NOTHING
