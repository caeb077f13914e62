"""A decision typed in one session, its reversal typed in a later one: only the current one stands."""

import pytest

from claude_sessions import claude_session
from recortex.domain.vocabulary import Status

REVERSED = [
    ("We deploy with `make ship`. Can you write that in the readme?",
     "We deploy with `just release` instead of `make ship`. Fix the readme please.", "just release"),
    ("we deploy with make ship, ok?", "we switched from make ship to just release, pls update the docs",
     "just release"),
    ("Our convention is that file names of components are PascalCase. Please rename the new one.",
     "Our convention is that file names of components are kebab-case now.", "kebab-case"),
    ("hey, we send mails with sendgrid. can you make a template?",
     "quick one: we send mails via postmark now. can you change the mailer?", "postmark"),
    ("The dev server listens on port 8080. Write the proxy config accordingly.",
     "The dev server listens on port 9090 now.", "9090"),
    ("We typecheck with `mypy --strict`. Make the new module pass.",
     "We typecheck with `pyright`, no longer with `mypy --strict`.", "pyright"),
]  # fmt: skip
NOT_REVERSED = [
    ("We use zustand for state.", "We decided not to move from zustand to redux. Please close the ticket."),
    ("We use yarn in this project.", "The wiki says we switched from yarn to npm, which is wrong."),
    ("The bundle is built with webpack. We use webpack.", "We might move from webpack to vite next year."),
    ("We use tabs for indentation in python.", "We use spaces for indentation in the yaml files."),
    ("Failed webhooks are retried 3 times.", "Failed mails are retried 5 times now."),
]


@pytest.fixture
def learn(reading, project, tmp_path, settle):
    """Learns a session in which one prompt was typed."""

    def learned(day, said):
        path, at = tmp_path / f"{day}.jsonl", f"2026-02-{day:02}T10:00:00.000Z"
        claude_session(path, project, said, session=f"s{day}", at=at)
        found = reading.extract(str(path)).found
        settle(reading)
        return [reading.get(one.id) for one in found if one.id]

    return learned


@pytest.mark.parametrize(("first", "second", "now"), REVERSED)
def test_the_old_decision_ends_and_the_new_one_stands(reading, learn, first, second, now):
    (old,) = [one for one in learn(1, first) if one.status is Status.ACTIVE]
    new = [one for one in learn(4, second) if one.status is Status.ACTIVE and now in one.text]
    assert new
    ended = reading.get(old.id)
    assert ended.status is Status.SUPERSEDED
    assert reading.history(old.id).versions[0].memory.status is Status.SUPERSEDED
    given = {hit.memory.id for hit in reading.recall(first, floor=False).hits}
    assert old.id not in given


@pytest.mark.parametrize(("first", "second"), NOT_REVERSED)
def test_what_does_not_take_it_back_leaves_it_standing(reading, learn, first, second):
    old = [one for one in learn(1, first) if one.status is Status.ACTIVE]
    assert old
    learn(4, second)
    assert all(reading.get(one.id).status is Status.ACTIVE for one in old)
