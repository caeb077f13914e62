"""What was said in sessions, over a team server and over git, from and to replicas of both engines."""

import json
import random
import signal
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from team_members import FAST, new_team_database, team_server

from example_exchanges import TALK, exchange, keep, said
from recortex.errors import RecortexError
from recortex.sync import http, membership
from recortex.sync.git_branch import GitBranch
from recortex.sync.team_store import make_workspace
from replicas import Person

pytestmark = pytest.mark.usefixtures("without_vectors")
NAMES = ("Ada", "Bob", "Cyd")
QUESTION = "Why does the importer queue its jobs in Redis and not Kafka?"


class ServerTeam:
    """A workspace on a real server; gives each person's way to it."""

    def __init__(self, base, url):
        self.url, self._place = url, f"{base}/team"
        self._token = {NAMES[0]: make_workspace(url, "team", NAMES[0], FAST)}
        self._ways = {}

    def __call__(self, person):
        if person.name not in self._ways:
            vault, me = person.team.vault, person.team.me()
            place = http.read_link(self._place)[0]
            known = vault.get(f"token {place.url} {me.replica}")
            if not known and person.name not in self._token:
                link = membership.invite(self._ways[NAMES[0]], person.name, "write", 0)
                self._token[person.name] = http.read_link(link)[1]
            if not known:
                membership.join(vault, me, place, self._token[person.name], 1)
            self._ways[person.name] = membership.transport_of(vault, me, place.url)
        return self._ways[person.name]

    def close(self):
        for way in self._ways.values():
            way.close()

    def everything(self):
        """All that the server's database holds of the log."""
        with psycopg.connect(self.url) as connection:
            rows = connection.execute("SELECT payload FROM recortex_team.versions").fetchall()
        return "\n".join(bytes(row[0]).decode() for row in rows)


class BranchTeam:
    """The same over a git branch."""

    def __init__(self, folder):
        self._folder, self._clones = folder, 0
        subprocess.run(["git", "init", "-q", "--bare", folder / "origin.git"], check=True)

    def __call__(self, person):
        way = GitBranch(
            str(self._folder / "origin.git"), person.services.location.folder / "g", person.clock()
        )
        way.found("team")
        return way

    def close(self):
        pass

    def everything(self):
        """All that the remote holds and that somebody who clones it gets."""
        self._clones += 1
        clone = self._folder / f"clone{self._clones}"
        subprocess.run(
            ["git", "clone", "-q", "--bare", "--no-local", self._folder / "origin.git", clone], check=True
        )
        every = ["git", "cat-file", "--batch-all-objects", "--batch"]
        return subprocess.run(every, cwd=clone, check=True, capture_output=True).stdout.decode(
            "utf-8", "replace"
        )


@pytest.fixture(params=["server", "branch"])
def way(request, server, tmp_path):
    if request.param == "branch":
        yield BranchTeam(tmp_path)
        return
    url = new_team_database(server, "shared_exchanges")
    with team_server(url) as base:
        team = ServerTeam(base, url)
        yield team
        team.close()


@pytest.fixture
def people(server, tmp_path):
    """Three replicas, one of them on PostgreSQL; all share what they say."""
    now = datetime.now(UTC)
    found = [
        Person(tmp_path / name, name, now=now, url=server.workspace_url() if name == "Cyd" else None)
        for name in NAMES
    ]
    for one in found:
        one.shares()
    yield found
    for one in found:
        one.close()


def synced(people, way, times=2):
    for _ in range(times):
        for one in people:
            done = one.sync(way(one))
            assert not done.problems
    assert done.agreed


def kept(person, server):
    """All that a person's store keeps: the files, or every table of the database but the server's own."""
    if person.name != "Cyd":
        return b"".join(one.read_bytes() for one in person.services.location.files() if one.is_file()).decode(
            "utf-8", "replace"
        )
    url = server.url()
    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
            " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        return "\n".join(
            row[0]
            for (table,) in tables
            for row in connection.execute(f"SELECT t::text FROM {table} t")  # noqa: S608  its own tables
        )


def test_what_was_said_answers_teammates_and_a_purge_takes_it_off_all(people, way, server):
    ada, bob, cyd = people
    day = timedelta(days=1)
    first = exchange(
        1, message="Redis, since Kafka needs three boxes.", started_at=ada.now - day, ended_at=ada.now - day,
        conclusion="The importer queues its jobs in Redis now.",
    )  # fmt: skip
    second = exchange(2, session="s2", message="Pears go to the warehouse in Hamburg.", folder="/home/cyd")
    keep(ada.services, first, at=ada.now)
    keep(cyd.services, second, at=cyd.now)
    synced(people, way)
    for person, other in ((bob, "Ada"), (cyd, "Ada")):
        (hit,) = person.cortex.recall(QUESTION).exchanges
        assert (hit.by, hit.speaker) == ("teammate", other)
    (hit,) = ada.cortex.recall("Where is the warehouse that the pears go to?").exchanges
    assert (hit.by, hit.speaker) == ("teammate", "Cyd")

    assert all("three boxes" in told for told in (way.everything(), *(kept(one, server) for one in people)))
    cyd.cortex.purge(first.id)  # a teammate's, and on PostgreSQL
    synced(people, way)
    assert [set(said(one)) for one in people] == [{second.id}] * 3
    assert "three boxes" not in way.everything()
    ada.cortex.purge(text="warehouse in Hamburg")
    synced(people, way)
    assert [set(said(one)) for one in people] == [set()] * 3
    assert all(one.log.purges() == ada.log.purges() for one in people)
    for told in (way.everything(), *(kept(one, server) for one in people)):
        assert "three boxes" not in told
        assert "Hamburg" not in told
    # Whoever reads the same session once more does not bring it back.
    keep(ada.services, first, at=ada.clock())
    keep(cyd.services, second, at=cyd.clock())
    synced(people, way)
    assert "three boxes" not in way.everything()
    assert "Hamburg" not in way.everything()


ACTS = TALK | {"remember": 10, "edit": 10, "purge": 2, "sync": 25}


@pytest.mark.full
@pytest.mark.parametrize("seed", range(3))
def test_replicas_that_share_what_they_say_converge(people, way, seed):
    drawing = random.Random(seed)  # noqa: S311  seeded
    ever, purged = set(), set()
    synced(people, way, times=1)
    for number in range(1000 * seed + 1, 1000 * seed + 150):
        person = drawing.choice(people)
        (act,) = drawing.choices(list(ACTS), list(ACTS.values()))
        ids = sorted(one for one in person.heads() if ":" not in one)
        if act in TALK:
            purged |= act(person, drawing, number) or set()
        elif act == "sync":
            person.sync(way(person), pull=drawing.random() < 0.8, push=drawing.random() < 0.8)
            ever |= {one[:3] for one in person.ids()}
        elif act == "remember":
            person.remember(f"{person.name} decided that limit {number} holds for queue {number}.")
        elif ids:
            with suppress(RecortexError):  # it is gone
                id_ = drawing.choice(ids)
                if act == "edit":
                    person.cortex.edit(id_, text=f"{person.name} says that the limit is {number}.")
                else:
                    person.cortex.purge(id_)
    synced(people, way, times=4)
    sets = [{one[:3] for one in person.ids()} for person in people]
    assert sets[0] == sets[1] == sets[2]
    assert ever <= sets[0]
    assert people[0].heads() == people[1].heads() == people[2].heads()
    assert people[0].texts() == people[1].texts() == people[2].texts()
    assert purged
    told, every = way.everything(), [said(person) for person in people]
    for id_ in purged:
        assert not any(id_ in each for each in every)
        assert f"number {int(id_, 16)} " not in told


KILLED = Path(__file__).parents[1] / "faults" / "killed_syncs.py"


@pytest.mark.full
def test_a_sync_with_a_server_killed_at_each_step_loses_nothing(server, tmp_path):
    url, store = new_team_database(server, "killed_syncs"), server.workspace_url()
    with team_server(url) as base:
        way = ServerTeam(base, url)
        ada = Person(tmp_path / "Ada", "Ada", url=store)
        link = membership.invite(way(ada), "Bob", "write", 0)
        ada.close()
        command = [sys.executable, KILLED, tmp_path, f"{base}/team", link, store]
        done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
        assert done.returncode == 0, done.stderr
        *ends, last = json.loads(done.stdout)
        assert set(ends) == {-signal.SIGKILL}
        assert last == 0
        assert len(ends) > 4
        people = [Person(tmp_path / "Ada", "Ada", url=store), Person(tmp_path / "Bob", "Bob")]
        for one in people:
            one.shares()
        synced(people, way, times=3)
        way.close()
    ada, bob = people
    assert (ada.ids(), ada.heads(), ada.texts()) == (bob.ids(), bob.heads(), bob.texts())
    gone = {one for one, *_ in ada.log.purges()}
    unsaid = {one for one in gone if one.startswith("exchange:")}
    assert gone
    assert len(ada.texts()) == 2 * (len(ends) + 1) - len(gone - unsaid)
    assert set(said(ada)) == set(said(bob))
    assert len(said(ada)) == 2 * (len(ends) + 1) - len(unsaid)
    for one in people:
        one.close()
