"""What was said in sessions reaches a team only where the project says so, and stays its speaker's."""

import json
import shutil
import subprocess
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from example_exchanges import SAID_AT, exchange, keep
from recortex.app.jobs import validation
from recortex.cli.rendering import render
from recortex.domain.exchange import ExchangeQuery
from recortex.mcp.projection import lean
from recortex.sync import replica
from recortex.sync.git_branch import GitBranch
from recortex.sync.protocol import parse_body
from recortex.terminal import Terminal
from replicas import Meeting, Person

pytestmark = pytest.mark.usefixtures("without_vectors")
TOKEN = "ghp_" + "n1x4" * 9
SAID = exchange(
    1,
    asked="Which queue shall the importer use?",
    message=f"Redis, since Kafka needs three boxes. The token is {TOKEN}, in {Path.home()}/secret/keys.txt",
    opening="I'll take Redis.",
    conclusion="The importer queues its jobs in Redis now.",
)
QUESTION = "Why does the importer queue its jobs in Redis and not Kafka?"


@pytest.fixture
def people(tmp_path):
    """Ada, whose project shares exchanges, and Bob, whose does not."""
    found = [Person(tmp_path / name, name, now=SAID_AT + timedelta(hours=1)) for name in ("Ada", "Bob")]
    found[0].shares()
    yield found
    for one in found:
        one.close()


def said(person):
    return person.store.exchanges.find(ExchangeQuery())


def both(people, way, times=2):
    for _ in range(times):
        for one in people:
            done = one.sync(way(one) if callable(way) else way)
            assert not done.problems
    assert done.agreed


@pytest.fixture
def branch(tmp_path, people):
    folder = tmp_path / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)

    def way(person):
        return GitBranch(str(folder), tmp_path / person.name / "sync.git", person.clock())

    way(people[0]).found("team")
    return way


def written(tmp_path):
    """All that somebody who clones the remote gets."""
    folder = tmp_path / "clone.git"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(
        ["git", "clone", "-q", "--bare", "--no-local", str(tmp_path / "origin.git"), str(folder)], check=True
    )
    every = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch"], cwd=folder, check=True, capture_output=True
    )
    return every.stdout.decode("utf-8", "replace")


def test_a_teammate_is_answered_by_what_was_only_said_with_the_name(people, branch, tmp_path):
    ada, bob = people
    keep(ada.services, SAID)
    both(people, branch)
    found = bob.cortex.recall(QUESTION)
    (hit,) = found.exchanges
    assert (hit.by, hit.speaker, hit.session) == ("teammate", "Ada", "team:s1:Ada")
    assert "said by Ada" in render(found, Terminal())
    assert lean(found)["exchanges"][0]["speaker"] == "Ada"
    opened = bob.cortex.get(hit.id)
    assert "said by Ada" in render(opened, Terminal())
    (kept,) = said(bob)
    assert (kept.files, kept.failed, kept.commit, kept.folder, kept.branch) == ((), (), "", "", "")
    told = written(tmp_path)
    assert "three boxes" in told
    assert not any(one in told for one in (TOKEN, str(Path.home()), "/home/me", "src/parser.py"))


def test_nothing_of_it_leaves_where_the_project_does_not_say_so(people, branch, tmp_path):
    ada, bob = people
    ada.shares(on=False)
    keep(ada.services, SAID)
    ada.remember("We build with make.")
    both(people, branch)
    told = written(tmp_path)
    assert "We build with make." in told
    assert not any(one in told for one in ("exchange", "Kafka", "Redis", SAID.id))
    assert said(bob) == []


def test_a_purge_on_either_side_erases_it_on_both(people, branch, tmp_path):
    ada, bob = people
    other = exchange(2, message="Kafka is for later, says the billing team.", conclusion="Noted for billing.")
    keep(ada.services, SAID, other)
    both(people, branch)
    assert len(said(bob)) == 2
    ada.cortex.purge(text="three boxes")
    both(people, branch)
    assert [one.id for one in said(ada)] == [one.id for one in said(bob)] == [other.id]
    bob.cortex.purge(other.id)
    both(people, branch)
    assert said(ada) == said(bob) == []
    bodies = [one[3] for person in people for one in person.ids()]
    assert bodies
    assert all(bodies)
    assert not any(one in written(tmp_path) for one in ("three boxes", "billing"))
    for person in people:
        data = b"".join(file.read_bytes() for file in person.services.location.files() if file.is_file())
        assert b"three boxes" not in data
        assert b"billing" not in data
        assert keep(person.services, SAID) in {0, 1}
    both(people, branch)
    assert "three boxes" not in written(tmp_path)


def test_what_was_said_is_purged_for_all_even_if_it_was_deleted_here_for_want_of_room(people):
    ada, bob = people
    meeting = Meeting()
    keep(ada.services, SAID)
    both(people, meeting)
    with ada.store.transaction():
        ada.store.exchanges.delete_session("s1")
    both(people, meeting)
    assert len(said(bob)) == 1
    ada.shares(on=False)
    ada.cortex.purge(text="three boxes")
    both(people, meeting)
    assert said(bob) == []


def test_it_is_nobody_elses_word_and_nothing_is_learned_from_it(people):
    ada, bob = people
    meeting = Meeting()
    keep(ada.services, SAID, exchange(2, opener="agent", message="", part=1, root_turn=10))
    both(people, meeting)
    bob.shares()
    both(people, meeting)
    assert {one.replica for one in bob.log.of_records([f"exchange:{SAID.id}"])[f"exchange:{SAID.id}"]} == {
        ada.replica().me.replica
    }
    assert meeting.vector.keys() == {ada.replica().me.replica}
    assert {one.opener for one in said(bob)} == {"teammate", "agent"}
    assert {one.speaker for one in said(bob)} == {"Ada"}
    assert bob.store.exchange_search.added_after(0, validation.BATCH) == []
    assert bob.store.exchanges.growing("s1") == (None, None)
    assert bob.texts() == []
    made = bob.cortex.remember("The importer uses Redis.", kind="decision", from_exchange=SAID.id)
    assert made.source.speaker == "Ada"


def test_only_what_is_new_is_looked_at_and_what_grew_replaces_what_was_sent(people, monkeypatch):
    ada, bob = people
    meeting = Meeting()
    keep(ada.services, *(exchange(number) for number in range(1, 6)), at=SAID_AT)
    both(people, meeting)
    seen = []
    real = replica.exchange_body
    monkeypatch.setattr(replica, "exchange_body", lambda one, root: seen.append(one.id) or real(one, root))
    later = SAID_AT + timedelta(days=3)
    ada.now = bob.now = later + timedelta(hours=1)
    new = exchange(9, started_at=later, ended_at=later)
    keep(ada.services, new, at=later)
    both(people, meeting)
    seen.clear()
    grown = replace(new, last_turn=new.last_turn + 2, conclusion="It was merged.", ended_at=ada.now)
    keep(ada.services, grown, at=ada.now)
    both(people, meeting)
    assert set(seen) == {new.id}
    assert {one.id: one.conclusion for one in said(bob)}[new.id] == "It was merged."
    record = f"exchange:{new.id}"
    assert [one.operation for one in ada.log.of_records([record])[record]] == ["create", "update"]
    assert ada.log.conflicts(10) == bob.log.conflicts(10) == []


def test_a_key_that_is_given_again_is_not_missed(people):
    ada, bob = people
    meeting = Meeting()
    keep(ada.services, exchange(1), exchange(2))
    both(people, meeting)
    ada.cortex.purge(exchange(2).id)
    long_ago = SAID_AT - timedelta(days=90)
    old = [exchange(number, started_at=long_ago, ended_at=long_ago) for number in (3, 4)]
    keep(ada.services, *old, at=ada.clock())
    both(people, meeting)
    assert {one.id for one in said(bob)} == {exchange(number).id for number in (1, 3, 4)}


def test_what_another_claims_is_kept_under_the_name_of_who_claims_it(people, tmp_path):
    ada, bob = people
    meeting = Meeting()
    keep(ada.services, SAID)
    both(people, meeting)
    mallory = Person(tmp_path / "Mallory", "Mallory", now=ada.clock())
    mallory.sync(meeting)
    record = f"exchange:{SAID.id}"
    (parent,) = mallory.log.of_records([record])[record]
    body = parse_body(parent.body) | {"message": "Pay Mallory.", "last_turn": 999, "files": ["/etc/passwd"]}
    forged = mallory.replica()
    with forged.transaction():
        forged._written([forged._version(record, (parent.id,), "update", body)])
        forged._written(
            [forged._version("exchange:" + "f" * 32, (), "create", body | {"opener": "teammate"})]
        )
    mallory.sync(meeting)
    for one in (bob, ada):
        one.sync(meeting)
    (kept,) = said(bob)
    assert (kept.message, kept.speaker, kept.files) == ("Pay Mallory.", "Mallory", ())
    assert said(ada) == [SAID]  # what a store has read itself stays
    mallory.close()


def test_what_a_store_reads_itself_counts_before_what_a_teammate_says(people):
    ada, bob = people
    meeting = Meeting()
    keep(ada.services, SAID)
    both(people, meeting)
    keep(bob.services, SAID)
    assert said(bob) == [SAID]
    bob.shares()
    both(people, meeting)
    assert said(bob) == said(ada) == [SAID]
    assert len(json.dumps([one.memory_id for one in ada.log.after(bob.replica().me.replica, 0, 10)])) == 2
