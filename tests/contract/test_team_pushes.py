"""Pushes that wait at the same time are written together, and each is judged and answered on its own."""

import asyncio
import re

import msgspec
import psycopg
import pytest
from team_members import FAST, Replica, Team, everything, new_team_database, team_server

from recortex.sync.protocol import PURGE, add_to_hash
from recortex.sync.team_rules import PURGE_LOCK, DeniedError, Row
from recortex.sync.team_store import TeamStore


@pytest.fixture(scope="module")
def served(server):
    url = new_team_database(server, "team_pushes")
    with team_server(url) as base:
        yield base, url


@pytest.fixture
def team(served, request):
    return Team(*served, re.sub(r"\W", "-", request.node.name))


def row(version):
    return Row(
        counter=version.counter,
        id=bytes.fromhex(version.id),
        memory=version.memory_id,
        purges=version.operation == PURGE,
        payload=msgspec.json.encode(version),
        parents=tuple(map(bytes.fromhex, version.parents)),
        summand=int(add_to_hash("", [version]), 16),
    )


def run(team, statement, *values):
    with psycopg.connect(team.url, autocommit=True) as connection:
        cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def together(team, first, *others, meanwhile=lambda _: None):
    """What each push was answered; while the first one is being written, the others come."""

    async def act():
        store = TeamStore(team.url)
        await store.open()
        holder = await psycopg.AsyncConnection.connect(team.url)
        try:
            lock = "SELECT pg_advisory_xact_lock(%s, hashtext(%s))"
            await holder.execute(lock, (PURGE_LOCK, team.workspace))
            callers = {who: await store.enter(team.workspace, who.token) for who, _ in (first, *others)}

            def begin(who, versions):
                rows = [row(one) for one in versions]
                return asyncio.create_task(store.push(callers[who], rows, token=who.token))

            tasks = [begin(*first)]
            waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'"
            while run(team, waiting) != [(1,)]:  # noqa: ASYNC110  another process's event
                await asyncio.sleep(0.01)
            tasks += [begin(*one) for one in others]
            await asyncio.sleep(0)
            meanwhile(tasks)
            await holder.rollback()
            return await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            await holder.close()
            await store.close()

    return asyncio.run(act())


def transactions(team):
    """How many wrote what there is."""
    count = "SELECT count(DISTINCT xmin::text) FROM recortex_team.versions WHERE workspace = %s"
    return run(team, count, team.workspace)[0][0]


def refused(answer):
    assert isinstance(answer, DeniedError)
    return answer.code


def test_what_waits_is_written_in_one_transaction_and_the_answers_are_true(team):
    members = [team.member(f"member {number}") for number in range(9)]
    answers = together(team, *[(one, one.write(number + 1)) for number, one in enumerate(members)])
    assert transactions(team) == 2  # the first alone, then all who came meanwhile
    written = [version for one in members for version in one.versions]
    assert sorted(everything(team.admin), key=written.index) == written
    last = {
        "vector": {one.id: len(one.versions) for one in members},
        "set_hash": add_to_hash("", written),
    }
    assert [msgspec.json.decode(one) for one in answers[1:]] == [last] * 8


def test_a_push_that_is_refused_spoils_no_other(team):
    ada, ben, gap, fork, orphan, gone = (
        team.member(name) for name in ("ada", "ben", "gap", "fork", "orphan", "gone")
    )
    secret = ben.write(memory_id="m")
    fork.write()
    ben.push()
    fork.push()
    team.admin.push(*team.admin.write(memory_id="m", operation=PURGE, body=None, parents=(secret[0].id,)))
    answers = together(
        team,
        (ada, ada.write()),
        (gap, [gap.version(counter=3)]),
        (fork, [fork.version(counter=1, body="{}")]),
        (orphan, [orphan.version(parents=("a" * 64,))]),
        (gone, gone.write(memory_id="m", body='{"text":"the secret again"}')),
        (ben, ben.write()),
    )
    assert [refused(one) for one in answers[1:4]] == ["gap", "other_history", "unknown_parent"]
    found = {one.replica: one for one in everything(team.admin)}
    assert found.keys() == {ada.id, ben.id, fork.id, gone.id, team.admin.id}
    assert found[gone.id].body is None
    assert found[ben.id] == ben.versions[1]
    assert msgspec.json.decode(answers[5])["vector"][ben.id] == 2


def test_a_token_that_ends_while_its_push_waits_is_refused(team):
    ada, ben, late, hasty = (team.member(name) for name in ("ada", "ben", "late", "hasty"))

    def end(_):
        revoked = "UPDATE recortex_team.tokens SET revoked_at = now() WHERE workspace = %s AND member = %s"
        over = "UPDATE recortex_team.tokens SET expires_at = now() WHERE workspace = %s AND member = %s"
        often = "UPDATE recortex_team.tokens SET level = -9e9 WHERE workspace = %s AND member = %s"
        for statement, member in ((revoked, "ben"), (over, "late"), (often, "hasty")):
            run(team, statement, team.workspace, member)

    answers = together(team, *[(one, one.write()) for one in (ada, ben, late, hasty)], meanwhile=end)
    assert [refused(one) for one in answers[1:]] == ["token_ended", "token_ended", "too_many"]
    assert everything(team.admin) == ada.versions


def test_of_what_exceeds_the_quota_together_each_is_taken_for_which_there_is_room(team):
    small = Team(team.base, team.url, f"{team.workspace}-small", FAST._replace(versions=4))
    members = [small.member(f"member {number}") for number in range(3)]
    answers = together(small, *[(one, one.write(min(number, 2))) for number, one in enumerate(members, 1)])
    assert sorted(refused(one) for one in answers if isinstance(one, Exception)) == ["quota"]
    assert len(everything(small.admin)) == 3


@pytest.mark.parametrize("way", ["appended", "one by one"])
def test_two_server_processes_together_do_not_exceed_the_quota(team, way):
    small = Team(team.base, team.url, f"{team.workspace}-small", FAST._replace(versions=5))
    first, second = small.member("ada"), small.member("ben")

    async def push(store, who):
        caller = await store.enter(small.workspace, who.token)
        token = who.token if way == "appended" or who is first else ""
        return await store.push(caller, [row(one) for one in who.write(3)], token=token)

    async def act():
        stores = [TeamStore(team.url), TeamStore(team.url)]  # each with the queue that a process has
        holder = await psycopg.AsyncConnection.connect(team.url)
        try:
            for store in stores:
                await store.open()
            # Both have counted what there is when they come to what they write.
            rows = "SELECT FROM recortex_team.replicas WHERE workspace = %s FOR UPDATE"
            await holder.execute(rows, (small.workspace,))
            tasks = [
                asyncio.create_task(push(store, who))
                for store, who in zip(stores, (first, second), strict=True)
            ]
            waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
            while run(team, waiting) != [(2,)]:  # noqa: ASYNC110  another process's event
                await asyncio.sleep(0.01)
            await holder.rollback()
            return await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            await holder.close()
            for store in stores:
                await store.close()

    answers = asyncio.run(act())
    assert [refused(one) for one in answers if isinstance(one, Exception)] == ["quota"]
    assert len(everything(small.admin)) == 3


def test_the_first_push_to_a_server_process_waits_for_no_other_one(team):
    ada = team.member("ada")
    level = "SELECT level FROM recortex_team.tokens WHERE workspace = %s AND member = 'ada' AND replica = %s"
    freeze = "UPDATE recortex_team.workspaces SET rate = 0 WHERE workspace = %s"
    run(team, freeze, team.workspace)
    ((before,),) = run(team, level, team.workspace, ada.id)
    with team_server(team.url) as base, psycopg.connect(team.url) as holder:
        # Who has this is one of those that count what the workspace has room for, one after the other.
        holder.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (PURGE_LOCK + 1, team.workspace))
        again = Replica(base, team.workspace, ada.token, "ada", key=ada.key, joined=False)
        again.push(*again.write(2))
        assert run(team, level, team.workspace, ada.id) == [(before - 1,)]
        assert everything(team.admin) == again.versions


def test_pushes_of_one_replica_are_written_one_after_the_other(team):
    ada, ben = team.member("ada"), team.member("ben")
    first, second = ben.write(), ben.write()
    answers = together(team, (ada, ada.write()), (ben, first), (ben, second), (ben, first))
    assert not [one for one in answers if isinstance(one, Exception)]
    assert sorted(everything(team.admin), key=[*ada.versions, *ben.versions].index) == [
        *ada.versions,
        *ben.versions,
    ]


def test_what_the_database_cannot_write_spoils_no_other(team):
    ada, ben, eve = (team.member(name) for name in ("ada", "ben", "eve"))
    # a row that should not be there, as after a damage
    run(
        team,
        "INSERT INTO recortex_team.versions VALUES (%s, %s, 1, '\\x00', 'm', false, '{}')",
        team.workspace,
        ben.id,
    )
    answers = together(team, *[(one, one.write()) for one in (ada, ben, eve)])
    assert [isinstance(one, Exception) for one in answers] == [False, True, False]
    vector = msgspec.json.decode(answers[2])["vector"]
    assert vector == {ada.id: 1, eve.id: 1}


def test_who_goes_away_takes_nobody_along(team):
    ada, ben, eve = (team.member(name) for name in ("ada", "ben", "eve"))
    pushes = [(one, one.write()) for one in (ada, ben, eve)]
    answers = together(team, *pushes, meanwhile=lambda tasks: tasks[0].cancel())
    assert isinstance(answers[0], asyncio.CancelledError)
    assert {one.replica for one in everything(team.admin)} >= {ben.id, eve.id}
    ada.push()
    assert len(everything(team.admin)) == 3
