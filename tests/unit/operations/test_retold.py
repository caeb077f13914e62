"""An agent's memory of the person's own words gives way to them; what says more, or something else, stays."""

import pytest

from recortex.app.jobs.table import fold_retold
from recortex.app.jobs.work import Work
from recortex.domain.vocabulary import Actor, Scope, Status

SAID = {"origin": "user", "source": {"session": "s1", "speaker": "user", "rule": "person_rule"}}


@pytest.fixture
def folded(cortex, clock):
    """Keeps what the person said and what an agent wrote, runs the job, and gives the agent's status."""

    def run(said, retold, *, said_first, days=0, **more):
        def person():
            return cortex.remember(said, kind="preference", **SAID)

        def agent():
            services = cortex._app.services(Scope.PROJECT)
            one = cortex.remember(retold, kind="procedural", origin="agent", **more)
            return one, services

        if said_first:
            own = person()
            clock.pass_(days=days)
            one, services = agent()
        else:
            one, services = agent()
            clock.pass_(days=days)
            own = person()
        counts = fold_retold(Work(services, clock(), clock, cortex._app.settings, lambda: 60.0)).counts
        left = cortex.get(one.id)
        assert cortex.get(own.id).status is Status.ACTIVE
        assert counts["retold"] == (left.status is Status.SUPERSEDED)
        return left.status, left.superseded_by == own.id

    return run


@pytest.mark.parametrize("said_first", [True, False])
@pytest.mark.parametrize(
    ("said", "retold"),
    [
        ("Always run ruff before you commit.", "Run ruff before committing"),
        (
            "Never push to main, always open a pull request.",
            "Never push directly to main; open a pull request",
        ),
        (
            "We keep sessions in Redis because Postgres locked up.",
            "Sessions are kept in Redis, Postgres locked up",
        ),
    ],
)
def test_the_person_s_words_take_the_place_of_an_agent_s(folded, said, retold, said_first):
    assert folded(said, retold, said_first=said_first) == (Status.SUPERSEDED, True)


@pytest.mark.parametrize("said_first", [True, False])
@pytest.mark.parametrize(
    ("said", "retold"),
    [
        ("Always run ruff before you commit.", "Run mypy before you commit"),
        ("Retry 3 times on a timeout.", "Retry 5 times on a timeout"),
        (
            "The staging database is rebuilt on Mondays.",
            "The staging database is rebuilt on Mondays from seeds.sql",
        ),
        ("Always run the tests with `just test`.", "Run the linter with `just lint`"),
    ],
)
def test_what_says_more_or_something_else_stays(folded, said, retold, said_first):
    assert folded(said, retold, said_first=said_first) == (Status.ACTIVE, False)


@pytest.mark.parametrize("more", [{"days": 3}, {"files": ["setup.cfg"]}, {"pinned": True}])
def test_so_does_what_is_older_pinned_or_about_a_file(folded, more):
    said, retold = "Always run ruff before you commit.", "Run ruff before committing"
    assert folded(said, retold, said_first=True, **more) == (Status.ACTIVE, False)


def test_it_can_be_undone(cortex, clock):
    services = cortex._app.services(Scope.PROJECT)
    cortex.remember("Always run ruff before you commit.", kind="preference", **SAID)
    one = cortex.remember("Run ruff before committing", kind="procedural", origin="agent")
    work = Work(services, clock(), clock, cortex._app.settings, lambda: 60.0)
    assert fold_retold(work).counts == {"retold": 1}
    cortex.undo(one.id)
    assert cortex.get(one.id).status is Status.ACTIVE
    assert fold_retold(work).counts == {"retold": 0}
    assert any(entry.actor is Actor.LEARNING for entry in cortex.history(one.id).audit)
