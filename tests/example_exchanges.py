"""Exchanges for tests, and keeping them."""

from datetime import UTC, datetime, timedelta

from recortex.domain.exchange import TEAM, Exchange, ExchangeQuery
from recortex.engines.exchanges.service import terms
from recortex.lean import replace
from recortex.sync.bodies import is_own

SAID_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def exchange(number, **changes):
    """One of a session, different from others by its number."""
    at = SAID_AT + timedelta(minutes=number)
    plain = {
        "id": f"{number:032x}", "session": "s1", "client": "claude-code", "opener": "person",
        "first_turn": 10 * number, "last_turn": 10 * number + 4, "root_turn": 10 * number, "started_at": at,
        "ended_at": at + timedelta(seconds=30), "asked": f"Shall I use option {number} or wait?",
        "message": f"b, but keep the parser table driven please {number}",
        "opening": "I'll keep it table driven.",
        "conclusion": f"The parser reads its rules from a table now; tests pass. Commit {number}.",
        "files": ("src/parser.py",), "failed": ("pytest -x",), "commit": "abc1234", "branch": "main",
        "folder": "/home/me/project",
    }  # fmt: skip
    return Exchange(**plain | changes)


def keep(services, *exchanges, at=SAID_AT):
    """Keep exchanges in a store with all that they are found by but vectors; returns how many changed."""
    with services.store.transaction():
        return services.store.exchanges.put([(one, terms(one)) for one in exchanges], at)


def said(person):
    """The exchanges that somebody's store has, by their ids."""
    return {one.id: one for one in person.store.exchanges.find(ExchangeQuery())}


# -- what happens to exchanges, at random; each returns the ids of what is purged


def say(person, drawing, number):  # noqa: ARG001  as the others
    new = exchange(
        number, session=f"s{number}", started_at=person.now, ended_at=person.now,
        message=f"{person.name} asks for number {number} of the parsers.", conclusion="It is begun.",
    )  # fmt: skip
    keep(person.services, new, at=person.now)


def grow(person, drawing, number):
    if own := [one for one in said(person).values() if is_own(one)]:
        one = drawing.choice(own)
        more = {"last_turn": one.last_turn + 2, "conclusion": f"It got as far as {number}."}
        keep(person.services, replace(one, ended_at=person.now, **more), at=person.now)


def read_again(person, drawing, number):  # noqa: ARG001
    """A session that a teammate has read as well, as after a move to another machine."""
    if every := list(said(person).values()):
        one = drawing.choice(every)
        session = one.session.removeprefix(TEAM).partition(":")[0]
        keep(person.services, replace(one, session=session, opener="person"), at=person.now)


def make_room(person, drawing, number):  # noqa: ARG001
    if own := [one for one in said(person).values() if is_own(one)]:
        with person.store.transaction():
            person.store.exchanges.delete_session(drawing.choice(own).session)


def purge_said(person, drawing, number):  # noqa: ARG001
    if every := sorted(said(person)):
        id_ = drawing.choice(every)
        person.cortex.purge(id_)
        return {id_}
    return set()


def purge_words(person, drawing, number):  # noqa: ARG001
    if every := sorted(said(person)):
        id_ = drawing.choice(every)
        return set(person.cortex.purge(text=f"number {int(id_, 16)} of the parsers").exchanges)
    return set()


TALK = {say: 20, grow: 10, read_again: 4, make_room: 3, purge_said: 3, purge_words: 1}
"""What happens how often."""
