"""Which statements replace which: a few of each kind of evidence, and what looks like it and is not."""

import pytest

from recortex.engines.supersession.detection import Outcome, find_supersession, is_near
from recortex.engines.words import bag_of_words

REPLACED = [
    ("We use Redis for sessions.", "We no longer use Redis."),
    ("We use npm.", "we moved from npm to pnpm"),
    ("The default timeout is 30 s.", "The default timeout is 60 s."),
    ("Tests run with npm test.", "Tests run with pnpm test."),
    ("Never commit without asking.", "You may commit without asking from now on."),
    ("Use tabs for indentation.", "Use spaces for indentation, not tabs."),
    ("The staging database is db-2.internal.", "The staging database is db-5.internal."),
    ("Use Celery for background jobs.", "Celery is gone; background jobs run on Dramatiq."),
    ("CI runs on Jenkins.", "CI moved to GitHub Actions."),
    ("The frontend uses Webpack.", "the frontend switched to Vite"),
    ("We decided to use PostgreSQL for the job queue because Redis lost jobs.",
     "We changed our mind: use Redis for the job queue instead of PostgreSQL."),
]  # fmt: skip
KEPT = [
    ("Use Redis for the job queue.", "Use Memcached for the page cache."),
    ("Use Redis for the job queue.", "We also use NATS for the job queue."),
    ("Use Redis for the job queue.", "Should we use NATS for the job queue instead of Redis?"),
    ("Use Redis for the job queue.", "If it gets slow, use NATS for the job queue instead of Redis."),
    ("Use Redis for the job queue.", "In 2021 we moved from Redis to NATS."),
    ("Use pytest for the test suite.", "Use pytest-xdist for the test suite."),
    ("The rate limit is 100 requests.", "The rate limit is per key."),
    ("The parser is written in Rust.", "The parser is slow."),
    ("We deploy from main.", "We don't deploy on Fridays."),
    ("Do not edit files in gen/.", "Do not edit files in vendor/."),
    ("Redis loses jobs when it restarts.", "Redis is gone."),
]  # fmt: skip


@pytest.mark.parametrize(("known", "new"), REPLACED)
def test_replaces(known, new):
    assert is_near(bag_of_words(new), bag_of_words(known))
    assert find_supersession(new, known).outcome is Outcome.REPLACES


@pytest.mark.parametrize(("known", "new"), KEPT)
def test_does_not_replace(known, new):
    assert find_supersession(new, known).outcome is not Outcome.REPLACES


@pytest.mark.parametrize(("known", "new"), REPLACED + KEPT)
def test_nothing_replaces_itself(known, new):
    for text in (known, new):
        assert find_supersession(text, text).outcome is Outcome.NOTHING
