"""What the person says in prose."""

import pytest

from recortex.engines.extraction.person_rules import from_user
from recortex.engines.extraction.sentences import ACTIVE

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
