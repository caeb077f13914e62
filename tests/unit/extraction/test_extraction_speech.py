"""What the agent and the person say in prose."""

import pytest

from recortex.engines.extraction.person_rules import from_user
from recortex.engines.extraction.report_entries import ACTIVE
from recortex.engines.extraction.report_rules import assertion

LEARNED = [
    ("Note that `git worktree` shares `.git/hooks`, so hooks run in each worktree.", "semantic"),
    ("The `--no-cache` flag is required because Docker keeps the `COPY` layer.", "semantic"),
    ("I used `Value` instead of a typed struct because the webhook payload varies.", "decision"),
    ("The `openssl` crate requires `libssl-dev` to be installed on Debian.", "semantic"),
    ("`Runner.claim()` uses `SKIP LOCKED`, which SQLite doesn't support.", "tribal"),
]
NOT_LEARNED = [
    "Let me check whether `load_config` handles missing files.",
    "The delay might be caused by `connect()` because of the proxy.",
    "`parse_args` takes `argv` and returns a `Namespace`.",
    "Great, `npm run build` now passes without errors.",
    "The weather cannot be changed because it is what it is.",
]


@pytest.mark.parametrize(("sentence", "kind"), LEARNED)
def test_the_agent_states_a_fact_with_its_reason(sentence, kind):
    found = assertion(sentence)
    assert found is not None
    assert (found.kind, found.confidence >= ACTIVE) == (kind, True)


@pytest.mark.parametrize("sentence", NOT_LEARNED)
def test_narration_guesses_and_chatter_are_not_active(sentence):
    found = assertion(sentence)
    assert found is None or found.confidence < ACTIVE


def test_a_state_that_is_about_to_change_counts_less():
    said = "`load_messages` drops the `agent_id` field because the map omits it."
    kept = assertion(said)
    changing = assertion(said, following="Let me fix it.")
    assert kept is not None
    assert changing is not None
    assert changing.confidence < kept.confidence


def test_the_subject_of_the_list_is_put_in_front():
    found = assertion(
        "Falls back to memory when the disk is full, to avoid losing writes.", subject="cache.py"
    )
    assert found is not None
    assert found.text.startswith("`cache.py`: Falls back")


TYPED = [
    ("remember: staging deploys only work from the release branch", "person_note", "tribal"),
    ("please always run `make lint` before committing", "person_standing", "preference"),
    ("No, don't. We use pnpm in this monorepo because npm breaks the links.", "person_our_way", "preference"),
    ("I prefer small functions with early returns over nested ifs", "person_preference", "preference"),
    ("let's go with sqlite instead of postgres because we want one file", "person_decided_for", "decision"),
    ("That is not correct, we don't ignore the folder vendor/config in git", "person_correction", "feedback"),
]


@pytest.mark.parametrize(("typed", "rule", "kind"), TYPED)
def test_the_person_states_a_rule(typed, rule, kind):
    found = list(from_user(typed))
    assert [(one.rule, one.kind, one.confidence >= ACTIVE) for one in found] == [(rule, kind, True)]


@pytest.mark.parametrize(
    "typed",
    [
        "can you fix the tests?",
        "why do we always get this error in `deploy.sh`?",
        "it never works when I click the button in the header",
        "commit and push",
        "<task-notification>always use the output</task-notification>",
        "Implement the following plan:\n- We always use `bun` for the build",
        "we always use it. " * 200,
    ],
)
def test_tasks_questions_complaints_and_pastes_are_not_rules(typed):
    assert [one for one in from_user(typed) if one.confidence >= ACTIVE] == []
