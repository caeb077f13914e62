"""The server of a team gives each what the others wrote, and says what it has."""

import re

import msgspec
import psycopg
import pytest
from team_members import FAST, Replica, Team, everything, new_team_database, team_server

from recortex.app.access import Right
from recortex.sync.http import BusyError, TurnedDownError, read_link
from recortex.sync.protocol import add_to_hash
from recortex.sync.team_rules import hollow
from recortex.sync.team_store import make_tables, make_workspace


@pytest.fixture(
    scope="module", params=[0, pytest.param(4, marks=pytest.mark.full)], ids=["plain", "partitioned"]
)
def served(request, server):
    url = new_team_database(server, f"team_{request.param}", request.param)
    with team_server(url) as base:
        yield base, url


@pytest.fixture
def team(served, request):
    return Team(*served, re.sub(r"\W", "-", request.node.name))


def test_what_one_wrote_reaches_the_others_and_the_sets_are_proven_equal(team):
    ben = team.member("ben")
    team.admin.write(3)
    ben.write(700)
    assert team.admin.push().vector == {team.admin.id: 3}
    reply = ben.push()
    assert reply.vector == {team.admin.id: 3, ben.id: 700}
    assert reply.set_hash == add_to_hash("", [*team.admin.versions, *ben.versions])
    for one in (team.admin, ben):
        found = everything(one)
        assert sorted(found, key=lambda v: (v.replica, v.counter)) == sorted(
            [*team.admin.versions, *ben.versions], key=lambda v: (v.replica, v.counter)
        )


def test_a_push_may_be_repeated_and_cut_in_pieces(team):
    team.admin.write(10)
    for part in ([0, 4], [0, 4], [2, 7], [6, 10], [0, 10]):
        reply = team.admin.push(*team.admin.versions[slice(*part)])
    assert reply.vector == {team.admin.id: 10}
    assert reply.set_hash == add_to_hash("", team.admin.versions)


def test_pages_hold_as_much_as_fits(team):
    body = '{"text":"' + "x" * 200_000 + '"}'
    team.admin.write(8, body=body)
    for one in team.admin.versions:
        team.admin.push(one)
    page = team.admin.transport.pull({}, 2_000)
    assert 0 < len(page.versions) < 8
    assert page.more
    assert everything(team.admin) == team.admin.versions


def test_the_same_state_of_two_replicas_is_kept_twice(team):
    ben = team.member("ben")
    same = {"memory_id": "m", "body": "{}"}
    assert team.admin.write(**same)[0].id == ben.write(**same)[0].id
    team.admin.push()
    assert ben.push().set_hash == add_to_hash("", [*team.admin.versions, *ben.versions])


def test_a_purge_empties_all_versions_of_its_memory_also_those_that_come_later(team):
    ben, eve = team.member("ben"), team.member("eve")
    first = team.admin.write(memory_id="m", body='{"text":"secret"}')[0]
    team.admin.write(memory_id="other")
    team.admin.push()
    late = eve.write(memory_id="m", body='{"text":"secret again"}', parents=(first.id,), operation="update")
    purge = ben.write(memory_id="m", operation="purge", body=None, parents=(first.id,))
    ben.push()
    reply = eve.push()
    found = {one.id: one for one in everything(team.admin)}
    assert found[first.id].body is None
    assert found[late[0].id].body is None
    assert found[team.admin.versions[1].id].body
    assert reply.set_hash == add_to_hash("", [*team.admin.versions, *purge, *late])
    with psycopg.connect(team.url) as connection:
        rows = connection.execute("SELECT payload FROM recortex_team.versions").fetchall()
    assert not any(b"secret" in bytes(payload) for (payload,) in rows)


def test_a_version_that_was_emptied_before_it_was_sent_comes_with_the_purge(team):
    ben = team.member("ben")
    said = ben.write(memory_id="m")[0]
    ben.write(398)
    purge = ben.write(memory_id="m", operation="purge", body=None, parents=(said.id,))[0]
    ben.versions[0] = msgspec.structs.replace(said, body=None)
    with pytest.raises(TurnedDownError, match="not purged"):
        ben.push(*ben.versions[:10])
    ben.push(*ben.versions[:10], purges=(purge,))
    ben.push()
    page = team.admin.transport.pull({}, 10)
    assert page.versions[0].body is None
    assert page.purges == (purge,)
    assert everything(team.admin) == ben.versions


def test_many_emptied_versions_fit_into_batches(team):
    names = [f"m{number}" for number in range(1_500)]
    team.admin.write(memory_id="first")
    for one in names:
        team.admin.write(memory_id=one, body="{}")
    team.admin.push(*team.admin.versions[:800])
    team.admin.push()
    for one in names:
        team.admin.write(memory_id=one, operation="purge", body=None)
    team.admin.push(*team.admin.versions[1_400:2_200])
    team.admin.push(*team.admin.versions[2_200:])
    assert [one.counter for one in everything(team.admin)] == list(range(1, 3_002))


def test_a_copy_of_a_store_goes_on_as_another_replica_of_the_member(team):
    ben = team.member("ben")
    ben.write()
    ben.push()
    copy = Replica(team.base, team.workspace, ben.token, "ben", joined=False)
    ben.transport.become(copy.id, copy.key, copy.card())
    copy.write()
    assert ben.transport.push(copy.batch(*copy.versions)).vector == {ben.id: 1, copy.id: 1}


def test_who_has_not_carried_out_a_purge_is_known(team):
    ben = team.member("ben")
    team.admin.write(memory_id="m", operation="purge", body=None)
    team.admin.push()
    assert [one["member"] for one in status(ben)["waiting"]] == ["ben"]
    ben.push(applied=(ben.applied({team.admin.id: 1}),))
    assert status(ben)["waiting"] == []
    assert {one.replica for one in team.admin.transport.pull({}, 10).applied} == {ben.id}


def test_a_reader_says_what_was_carried_out_and_changes_nothing_else(team):
    rita = team.member("rita", "read")
    team.admin.write(memory_id="m", operation="purge", body=None)
    team.admin.push()
    assert [one["member"] for one in status(rita)["waiting"]] == ["rita"]
    before = everything(team.admin)
    assert rita.transport.push(rita.batch(applied=(rita.applied({team.admin.id: 1}),))).vector == {
        team.admin.id: 1
    }
    assert status(rita)["waiting"] == []
    assert everything(team.admin) == before
    with pytest.raises(TurnedDownError, match="needs the scope write"):
        rita.push(*rita.write())


def test_acknowledgements_that_claim_thousands_of_replicas_stop_nobody_s_pull(team):
    team.admin.write(3)
    team.admin.push()
    claimed = {f"{number:032x}": 2**52 for number in range(5_000)}
    for number in range(4):
        rita = team.member(f"rita {number}", "read")
        rita.transport.push(rita.batch(applied=(rita.applied(claimed),)))
    assert everything(team.admin) == team.admin.versions


def test_a_revoked_token_and_a_removed_member_are_refused_at_once(team):
    ben = team.member("ben")
    other = team.invite("ben")
    ben.write()
    ben.push()
    team.admin.transport.ask("revoke", {"name": other.split("_")[1]})
    with pytest.raises(TurnedDownError, match="revoked"):
        Replica(team.base, team.workspace, other)
    ben.push()
    team.admin.transport.ask("revoke", {"name": "ben"})
    with pytest.raises(TurnedDownError, match="revoked"):
        ben.push(*ben.write())
    assert everything(team.admin) == ben.versions[:1]  # what was written stays, with its author


def test_too_many_requests_and_a_full_workspace_keep_the_queue(team):
    slow = Team(team.base, team.url, f"{team.workspace}-slow", FAST._replace(rate=0.001, burst=5.0))
    for _ in range(3):  # to ask whose the token is, and to join, were two of five
        slow.admin.transport.pull({}, 10)
    with pytest.raises(BusyError, match="Too many requests") as busy:
        slow.admin.transport.pull({}, 10)
    assert busy.value.pause > 60
    hasty = Team(team.base, team.url, f"{team.workspace}-hasty", FAST._replace(rate=0.001, burst=6.0))
    for _ in range(2):
        hasty.admin.push(*hasty.admin.write())
    forged = msgspec.json.encode(hasty.admin.batch(hasty.admin.version()))
    told = [hasty.admin.send("push", forged, proof=f"1.{'0' * 128}") for _ in range(3)]
    assert told == [(401, "unsigned"), (401, "unsigned"), (429, "too_many")]  # what is refused counts, too
    with pytest.raises(BusyError, match="Too many requests"):
        hasty.admin.push(*hasty.admin.write())
    small = Team(team.base, team.url, f"{team.workspace}-small", FAST._replace(versions=3))
    small.admin.write(5)
    small.admin.push(*small.admin.versions[:3])
    with pytest.raises(BusyError, match="no room"):
        small.admin.push()
    assert everything(small.admin) == small.admin.versions[:3]


def test_a_link_says_where_and_by_which_token():
    place, token = read_link("https://sync.example.com/of/us/my%20team#rcx_a_b")
    assert (place.base, place.workspace, token) == ("https://sync.example.com/of/us", "my team", "rcx_a_b")
    assert place.url == "https://sync.example.com/of/us/my%20team"


def test_an_admin_who_lost_the_token_gets_one_where_none_is_valid(team):
    assert make_workspace(team.url, team.workspace, "ada", FAST) == ""
    team.admin.transport.ask("revoke", {"name": "ada"})
    token = make_workspace(team.url, team.workspace, "eve", FAST)
    assert Replica(team.base, team.workspace, token).transport.token()["scope"] == Right.ADMIN


def test_the_tables_may_be_made_again(team):
    make_tables(team.url)
    team.admin.write()
    assert hollow(b'{"id":"","memory_id":"","replica":"","counter":1,"clock":1,"operation":"","author":""}')


def status(replica):
    return msgspec.json.decode(replica.transport.ask("status"))
