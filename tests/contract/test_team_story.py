"""A new team, as docs/team-server.md tells it: six commands to an answer from a colleague's decision."""

import re

import pytest
from openid import CLIENT, provider
from team_commands import LINK, People, serving

pytestmark = pytest.mark.full
SAID = "We keep the sessions in Redis, because the pods restart every night."


@pytest.fixture
def served(server):
    """The first command: a server, which says how to join."""
    with serving(server.new_database("story")) as link:
        yield link


@pytest.fixture
def at(tmp_path):
    return People(tmp_path)


def test_a_colleague_s_decision_answers_after_six_commands(served, at):
    at("ada", "remember", SAID, "--kind", "decision")
    assert "In sync" in at("ada", "sync", "join", served)
    link = LINK.search(at("ada", "sync", "invite", "ben"))[1]
    assert "In sync" in at("ben", "sync", "join", link)
    answer = at("ben", "recall", "where are the sessions kept?")
    assert SAID in answer
    assert "said by ada" in answer

    # Who may only read gets what the others wrote, and keeps what they write.
    reader = LINK.search(at("ada", "sync", "invite", "rita", "--right", "read"))[1]
    at("rita", "sync", "join", reader)
    assert SAID in at("rita", "recall", "where are the sessions kept?")
    at("rita", "remember", "Rita likes tea.", "--kind", "preference")
    assert "may only read" in at("rita", "sync", "now")

    # A reader's machine carries out a purge and says so.
    at("ada", "remember", "The password of the database is in the wiki.", "--kind", "reference")
    at("ada", "sync", "now")
    at("rita", "sync", "now")
    at("ada", "purge", "--text", "password of the database", "--yes")
    at("ada", "sync", "now")
    assert re.search(r"rita .* has not confirmed", at("ada", "sync"))
    at("rita", "sync", "now")
    assert "password" not in at("rita", "list")
    assert not re.search(r"rita .* has not confirmed", at("ada", "sync"))

    # What comes after: an answer back, a link that was used, an end of access.
    at("ben", "remember", "Redis runs with two replicas.", "--kind", "decision")
    assert "1 sent" in at("ben", "sync", "now")
    assert "1 received" in at("ada", "sync", "now")
    assert "two replicas" in at("ada", "recall", "how many replicas has Redis?")
    assert "used on another machine" in at("eve", "sync", "join", link, fails=True)
    assert "ben (" in at("ada", "sync", "members")
    assert "needs the scope admin" in at("ben", "sync", "invite", "eve", fails=True)
    assert "revoked" in at("ada", "sync", "revoke", "ben")
    assert "The token was revoked" in at("ben", "sync", "now", fails=True)
    assert SAID in at("ben", "recall", "where are the sessions kept?")


PENDING, SLOWER = {"error": "authorization_pending"}, {"error": "slow_down"}


def test_who_has_no_link_logs_in_and_gets_what_the_others_decided(server, at):
    with (
        provider() as issuer,
        serving(server.new_database("logged_in"), "--issuer", issuer.url, "--client", CLIENT) as link,
    ):
        place = link.partition("#")[0]
        at("ada", "remember", SAID, "--kind", "decision")
        at("ada", "sync", "join", link)
        assert "no member" in at("ben", "sync", "join", place, fails=True)
        at("ada", "sync", "invite", "ben@example.com")
        for said, why in (
            ({"error": "access_denied"}, "You refused it"),
            ({"error": "expired_token"}, "The code is too old"),
        ):
            issuer.answers = [PENDING, said]
            assert why in at("ben", "sync", "join", place, fails=True)
        assert "ben" not in at("ada", "sync")

        issuer.answers, issuer.at = [PENDING, SLOWER], []
        told = at("ben", "sync", "join", place)
        assert f"Open {issuer.url}/enter in a browser and enter the code ABCD-EFGH." in told
        assert "In sync" in told
        first, second, third = issuer.at
        assert third - second >= 5 + issuer.interval > 5
        assert second > first
        assert "said by ada" in at("ben", "recall", "where are the sessions kept?")
        at("ben", "remember", "Redis runs with two replicas.", "--kind", "decision")
        at("ben", "sync", "now")
        at("ada", "sync", "now")
        assert "said by ben@example.com" in at("ada", "recall", "how many replicas has Redis?")

        # The same person on another machine; then their access ends, and no log-in gives it back.
        assert "In sync" in at("ben's laptop", "sync", "join", place)
        assert SAID in at("ben's laptop", "recall", "where are the sessions kept?")
        at("ada", "sync", "revoke", "ben@example.com")
        for machine in ("ben", "ben's laptop"):
            assert "The token was revoked" in at(machine, "sync", "now", fails=True)
        assert "no member" in at("ben again", "sync", "join", place, fails=True)
