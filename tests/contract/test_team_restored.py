"""Backups that are put back, of a member's store and of the server: nothing is lost, no number used twice."""

import shutil

import psycopg
import pytest
from team_commands import LINK, People, serving

pytestmark = pytest.mark.full


def numbers(url):
    """Every version that the server has, by replica and number."""
    with psycopg.connect(url) as connection:
        return {
            (replica, counter): bytes(id_)
            for replica, counter, id_ in connection.execute(
                "SELECT replica, counter, id FROM recortex_team.versions"
            )
        }


def remember(at, person, *texts):
    for text in texts:
        at(person, "remember", text, "--kind", "decision")


@pytest.fixture
def at(tmp_path):
    return People(tmp_path)


def test_a_store_that_was_put_back_goes_on_and_gets_back_what_it_had_sent(server, tmp_path, at):
    url = server.new_database("put_back")
    with serving(url) as link:
        remember(at, "ada", "Sessions live in Redis.")
        at("ada", "sync", "join", link)
        shutil.copytree(at.home("ada"), tmp_path / "backup")
        remember(at, "ada", "Kafka was too heavy.", "Redis runs with two replicas.")
        at("ada", "sync", "now")
        at("ben", "sync", "join", LINK.search(at("ada", "sync", "invite", "ben"))[1])
        before = numbers(url)
        shutil.rmtree(at.home("ada"))
        shutil.copytree(tmp_path / "backup", at.home("ada"))
        remember(at, "ada", "Nightly jobs run on Sunday.")
        refused = at("ada", "sync", "push", fails=True)
        assert "as after a restored backup" in refused
        assert "`recortex sync now`" in refused
        told = at("ada", "sync", "now")
        assert "2 received, 1 sent" in told
        assert "In sync" in told
        assert "goes on under a new key" in " ".join(told.split())
        after = numbers(url)
        assert {place: after[place] for place in before} == before
        assert "In sync" in at("ben", "sync", "now")
        for person in ("ada", "ben"):
            listed = at(person, "list")
            assert all(one in listed for one in ("Sessions", "Kafka", "two replicas", "Sunday"))
        assert "new key" not in at("ada", "sync", "now")


def test_a_server_whose_database_was_put_back_gets_everything_again(server, at):
    url = server.new_database("older_server")
    with serving(url) as link:
        remember(at, "ada", "Sessions live in Redis.")
        at("ada", "sync", "join", link)
        at("ben", "sync", "join", LINK.search(at("ada", "sync", "invite", "ben"))[1])
        port = link.split("#")[0].rsplit(":", 1)[1].split("/")[0]
    server.run("CREATE DATABASE saved_server TEMPLATE older_server")
    with serving(url, "--port", port):
        remember(at, "ada", "Kafka was too heavy.")
        at("ada", "sync", "now")
        remember(at, "ben", "Nightly jobs run on Sunday.")
        at("ben", "sync", "now")
        at("eve", "sync", "join", LINK.search(at("ada", "sync", "invite", "eve"))[1])
        remember(at, "eve", "Backups go to Oslo.")
        at("eve", "sync", "now")
        at("ben", "sync", "now")
        whole = numbers(url)
    server.run(
        "DROP DATABASE older_server WITH (FORCE)", "CREATE DATABASE older_server TEMPLATE saved_server"
    )
    with serving(url, "--port", port):
        told = " ".join(at("ben", "sync", "now").split())
        assert "Not in sync" in told
        assert "lacks what ada, eve sent before, as after a restored backup" in told
        assert "not sent yet" not in at("ben", "sync")
        assert "1 sent" in at("ada", "sync", "now")
        # Her link was newer than the backup.
        assert "does not know this token" in at("eve", "sync", "now", fails=True)
        at("eve", "sync", "join", LINK.search(at("ada", "sync", "invite", "eve"))[1])
        assert numbers(url) == whole
        for person in ("ada", "ben", "eve"):
            assert "In sync" in at(person, "sync", "now")
            listed = at(person, "list")
            assert all(one in listed for one in ("Sessions", "Kafka", "Sunday", "Oslo"))


def test_a_store_and_the_server_that_were_put_back_together_use_no_number_twice(server, at):
    url = server.new_database("both_older")
    with serving(url) as link:
        remember(at, "ada", "Sessions live in Redis.")
        at("ada", "sync", "join", link)
        at("ben", "sync", "join", LINK.search(at("ada", "sync", "invite", "ben"))[1])
        port = link.split("#")[0].rsplit(":", 1)[1].split("/")[0]
    at("ada", "backup", "older.db")
    server.run("CREATE DATABASE saved_both TEMPLATE both_older")
    with serving(url, "--port", port):
        remember(at, "ada", "Kafka was too heavy.")
        at("ada", "sync", "now")
        at("ben", "sync", "now")
        before = numbers(url)
    server.run("DROP DATABASE both_older WITH (FORCE)", "CREATE DATABASE both_older TEMPLATE saved_both")
    (store,) = at.home("ada").glob("projects/*/cortex.db")
    for old in store.parent.glob("cortex.db-*"):
        old.unlink()
    (at.folder / "ada" / "older.db").replace(store)
    with serving(url, "--port", port):
        remember(at, "ada", "Nightly jobs run on Sunday.")
        told = at("ada", "sync", "now")
        assert "In sync" in told
        assert "goes on under a new key" in " ".join(told.split())
        after = numbers(url)
        assert after.keys() - before.keys()
        assert all(before[place] == after[place] for place in before.keys() & after.keys())
        assert "The other side lacks what ada sent before" in " ".join(at("ben", "sync", "now").split())
        listed = at("ben", "list")
        assert all(one in listed for one in ("Sessions", "Kafka", "Sunday"))
