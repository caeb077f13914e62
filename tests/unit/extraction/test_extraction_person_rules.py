"""Of what a person types, rules, facts and corrections are kept; requests and complaints are not."""

import pytest

from recortex.engines.extraction.person_rules import from_user
from recortex.engines.extraction.sentences import ACTIVE

HEARD = [
    ("no, use pnpm not npm in this repo", "Use pnpm not npm in this repo."),
    ("We're on Python 3.9 so no match statements please", "We're on Python 3.9 so no match statements."),
    ("The API server runs on port 4010, not 3000", "The API server runs on port 4010, not 3000."),
    ("You need to run `make proto` before building, otherwise the stubs are missing",
     "Run `make proto` before building, otherwise the stubs are missing."),
    ("stop adding comments to every function", "Stop adding comments to every function."),
    ("don't commit unless I ask you to", "Don't commit unless I ask you to."),
    ("I told you not to touch the generated files", "Do not touch the generated files."),
    ("Our CI only runs on Linux so avoid macOS specific paths",
     "Our CI only runs on Linux so avoid macOS specific paths."),
    ("That's wrong, the retry logic lives in client.go and not in transport.go",
     "The retry logic lives in client.go and not in transport.go."),
    ("I'd rather have explicit errors than silent fallbacks",
     "I'd rather have explicit errors than silent fallbacks."),
    ("Tests must not hit the network.", "Tests must not hit the network."),
    ("make sure every new endpoint has an integration test",
     "Make sure every new endpoint has an integration test."),
    ("btw the vendor API rate limits at 10 requests per second, so keep the batch size small",
     "The vendor API rate limits at 10 requests per second, so keep the batch size small."),
    ("don't run the full test suite, it takes 40 minutes; run `make test-fast`",
     "Don't run the full test suite, it takes 40 minutes; run `make test-fast`."),
    ("no, I did not say push", "Do not push unless asked to."),
    ("we use uv, not pip", "We use uv, not pip."),
    ("pls remember we use yarn", "We use yarn."),
    ("Let's go with SQLite for the cache", "Decision: go with SQLite for the cache."),
    ("we changed our mind: use Redis for the job queue", "We changed our mind: use Redis for the job queue."),
    ("We've decided against Kubernetes.", "We've decided against Kubernetes."),
    ("ok, we switched to vitest", "We switched to vitest."),
    ("I prefer tabs", "I prefer tabs."),
    ("my shell is fish", "My shell is fish."),
    ("the staging database is db-2.internal", "The staging database is db-2.internal."),
    ("note that the tests need docker running", "The tests need docker running."),
    ("in this repo the integration tests live in tests/it", "The integration tests live in tests/it."),
]  # fmt: skip
NOT_HEARD = [
    "all tests are failing since your change", "every request returns 500", "all the buttons are misaligned",
    "use the new endpoint and not the old one", "our login page is broken", "no, use the other file",
    "stop the server", "run `npm test` first and show me the output",
    "don't create a new file, put it in utils.ts", "all good now, thanks",
    "customers have reported that invoices are duplicated", "write the tests first, not the code",
    "I'd prefer the second approach", "staging is broken because of the last deploy",
    "we are on holiday so no hurry", "it needs a retry, otherwise it fails sometimes",
    "use bigger fonts instead of bold", "do not change anything else", "don't worry about it for now",
    "we have to fix this today", "the page is white, not the loading screen",
    "why can't we just use booleans?", "every row should have a delete button",
    "never change one without the other", "production is down", "never mind, found it",
    "the server is on fire", "my branch is fix/123", "the url is wrong",
    "we decided to try the other approach first", "we moved to the next file", "let's go with option B",
    "let's go with that", "I prefer the first version", "don't use sed for that",
    "note that I already fixed main.py", "remember we talked about Redis",
    "use port 8081 for now, 8080 is taken", "use a dict instead of a list here", "I'm going with you",
    "in this repo there is a bug in src/app.py", "we have to decide on a database", "the database is empty",
    "remember when we moved to pnpm?", "in this project, fix parser.py", "we decided to wait for the release",
]  # fmt: skip


def active(text):
    return [one.text for one in from_user(text) if one.confidence >= ACTIVE]


@pytest.mark.parametrize(("typed", "rule"), HEARD)
def test_a_standing_rule_is_heard(typed, rule):
    assert active(typed) == [rule]


@pytest.mark.parametrize("typed", NOT_HEARD)
def test_a_request_or_a_complaint_is_not(typed):
    assert active(typed) == []
