"""What inspection shows: figures, sessions, receipts, briefs; and what it does with what others wrote."""

import pytest

from example_exchanges import exchange, keep
from places import store_folder
from recortex.domain.session import Receipt, Session, Signal
from recortex.domain.vocabulary import Scope
from recortex.errors import InvalidInputError


@pytest.fixture
def seen(cortex, clock):
    """Two sessions; the first got a memory with the brief and used it, and another as a file's warning."""
    used = cortex.remember("Run the linter with the strict profile", kind="procedural")
    other = cortex.remember("The parser keeps a global table", kind="tribal", files=["parser.py"])
    sessions = cortex._app.services(Scope.PROJECT).store.sessions
    for id_ in ("abcd-1", "abcd-2"):
        sessions.put(
            Session(id=id_, client="claude-code", branch="main", started_at=clock(), seen_at=clock())
        )
        clock.pass_(minutes=1)
    given = [
        Receipt(
            session="abcd-1", context=0, memory=memory.id, scope=Scope.PROJECT, channel=channel,
            subject=subject, at=clock(), score=score, tokens=tokens,
        )
        for memory, channel, subject, score, tokens in (
            (used, "surface", "", 0.7, 12), (other, "file", "parser.py", 0.9, 8),
        )
    ]  # fmt: skip
    sessions.give(given)
    sessions.note([Signal(session="abcd-1", at=clock(), name="written", subject="parser.py")] * 3)
    sessions.mark_used(given[0], clock.pass_(minutes=1), "quoted")
    return used, other


def test_figures_of_the_stores(cortex, seen):
    cortex.remember("Short answers are liked", kind="preference", scope="global")
    cortex.forget(seen[1].id)
    mine, everywhere = cortex.inspect().stores
    assert (mine.scope, mine.memories, mine.by_kind) == ("project", 2, {"procedural": 1, "tribal": 1})
    assert mine.by_status == {"active": 1, "archived": 1}
    assert mine.without_vector == 1
    assert (everywhere.scope, everywhere.by_kind) == ("global", {"preference": 1})
    assert mine.consolidation.memories == 1
    assert mine.consolidation.notice == ""


@pytest.mark.parametrize("wanted", ["abcd-1", " abcd-1 "])
def test_receipts_of_a_session(cortex, seen, clock, wanted):
    used, other = seen
    found = cortex.inspect(session=wanted)
    assert found.sessions == ()
    first, second = sorted(found.receipts.given, key=lambda one: one.channel, reverse=True)
    assert (first.memory, first.summary, first.channel, first.score, first.tokens) == (
        used.id, used.summary, "surface", 0.7, 12,
    )  # fmt: skip
    assert (first.used_as, first.used_at) == ("quoted", clock())
    assert (second.memory, second.subject, second.used_as, second.used_at) == (
        other.id, "parser.py", "", None,
    )  # fmt: skip
    worth = found.receipts.session.efficiency
    assert (worth.tokens_given, worth.tokens_used, worth.ratio, worth.tokens_saved) == (20, 12, 0.6, 16)
    assert found.receipts.seen == {"written": 3}
    assert len(cortex.inspect(session=wanted, limit=2).receipts.signals) == 2


def test_an_exchange_that_was_given_is_named(cortex, seen, clock):
    assert seen
    services = cortex._app.services(Scope.PROJECT)
    keep(services, exchange(1, message="Never rename the parser table, it is read by name"))
    (said,) = services.store.exchanges.get([exchange(1).id])
    told = Receipt(
        session="abcd-1", context=0, memory=said.id, scope=Scope.PROJECT, channel="file", at=clock(),
        subject="parser.py",
    )  # fmt: skip
    services.store.sessions.give([told])
    (given,) = [one for one in cortex.inspect(session="abcd-1").receipts.given if one.memory == said.id]
    assert given.kind == "exchange"
    assert "Never rename the parser table, it is read by name" in given.summary


@pytest.mark.parametrize(
    ("wanted", "why"),
    [("abcd", "Several"), ("nothing", "no session"), ("%", "no session"), ("\0", "no session")],
)
def test_no_or_several_sessions(cortex, seen, wanted, why):
    assert seen
    with pytest.raises(InvalidInputError, match=why):
        cortex.inspect(session=wanted)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"generated_at": "x"}', '{"generated_at": 1e999}',
     '{"generated_at": 1e18, "fresh_until": 1e19, "generation": ""}', "null"]
)  # fmt: skip
def test_briefs_that_others_wrote_are_counted_as_stale(cortex, seen, project, text):
    assert seen
    (store_folder(project) / "surface-cache" / "one.json").write_text(text)
    briefs = cortex.inspect().briefs
    assert (briefs.files, briefs.stale, briefs.newest_at) == (1, 1, None)
