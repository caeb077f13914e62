"""Replicas of three versions of Recortex: what the oldest does not understand, it keeps and hands on."""

from contextlib import contextmanager

import pytest

from example_exchanges import exchange, keep
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.kinds import kind_of
from recortex.errors import InvalidInputError
from recortex.sync import bodies, replica
from recortex.sync.protocol import Batch, parse, parse_body
from replicas import Meeting, Person

pytestmark = pytest.mark.usefixtures("without_vectors")


@pytest.fixture
def people(tmp_path):
    """Ada; Bob, through whom the others hear of each other; Cyd."""
    found = [Person(tmp_path / name, name) for name in ("Ada", "Bob", "Cyd")]
    yield found
    for one in found:
        one.close()


@contextmanager
def older():
    """A program that has no procedural memories, no exchanges of others, and none of these fields yet."""

    def known(kind):
        if kind == "procedural":
            raise InvalidInputError("There is no such kind.")
        return kind_of(kind)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bodies, "kind_of", known)
        fewer = tuple(one for one in bodies.REPLICATED if one not in {"domain", "tags"})
        patch.setattr(bodies, "REPLICATED", fewer)
        patch.setattr(replica, "EXCHANGE", "\0")
        yield


def written(person, record, parents, operation, body):
    """A version as another program writes it."""
    replica = person.replica()
    with replica.transaction():
        replica._written([replica._version(record, parents, operation, body)])
    replica.show([record])
    return head(person, record)


def head(person, record):
    """What was written of a record last."""
    return max(person.log.of_records([record])[record], key=lambda one: one.clock)


def told(person):
    """All that a replica hands on, to the byte."""
    return {
        (one.replica, one.counter, one.body, one.operation, one.signature)
        for id_ in person.log.replicas()
        for one in person.log.after(id_, 0, 1000)
    }


def handed_on(ada, bob, cyd):
    """Cyd meets only Bob, and Bob only Ada: in both directions."""
    near, far = getattr(bob, "ways", (Meeting("near"), Meeting("far")))
    bob.ways = near, far
    for _ in range(2):
        cyd.sync(near)
        with older():
            bob.sync(near)
            bob.sync(far)
        ada.sync(far)
    with older():
        bob.sync(far)
        bob.sync(near)
    cyd.sync(near)


def test_an_older_replica_hands_on_what_it_does_not_know(people):
    ada, bob, cyd = people
    cyd.cortex.remember("First build, then tag, then upload.", kind="procedural")
    id_ = cyd.remember("We chose Redis.", domain="DB", tags=["queue"])
    handed_on(*people)
    assert told(ada) == told(bob) == told(cyd)
    assert bob.texts() == ["We chose Redis."]
    assert len(bob.log.waiting()) == 1
    assert ada.texts() == cyd.texts() == ["First build, then tag, then upload.", "We chose Redis."]
    with older():
        bob.cortex.edit(id_, text="We chose Valkey.")
    handed_on(*people)
    assert told(ada) == told(bob) == told(cyd)
    for one in (ada, cyd):
        (memory,) = one.store.memories.get([id_])
        assert (memory.text, memory.domain, memory.tags) == ("We chose Valkey.", "DB", ("queue",))
    bob.sync(bob.ways[0])  # upgraded
    assert bob.texts() == ["First build, then tag, then upload.", "We chose Valkey."]
    assert bob.log.waiting() == []


def test_a_memory_that_became_something_unknown_stays_as_it_was_until_the_upgrade(people):
    ada, bob, cyd = people
    id_ = cyd.remember("First build, then tag.")
    handed_on(*people)
    cyd.cortex.edit(id_, kind="procedural", text="First build, then tag, then upload.")
    handed_on(*people)
    assert ada.texts() == cyd.texts() == ["First build, then tag, then upload."]
    assert bob.texts() == ["First build, then tag."]
    assert bob.log.open() == []
    bob.sync(bob.ways[0])
    assert bob.texts() == ada.texts()
    assert ada.heads() == bob.heads() == cyd.heads()
    assert bob.log.waiting() == []


def test_exchanges_pass_through_an_older_replica_and_are_purged_from_it(people):
    ada, bob, cyd = people
    cyd.services.settings = cyd.services.settings.with_values({"sync.exchanges": True})
    keep(cyd.services, exchange(1))
    handed_on(*people)
    assert told(ada) == told(bob) == told(cyd)
    (found,) = ada.store.exchanges.find(ExchangeQuery())
    assert found.speaker == "Cyd"
    assert bob.store.exchanges.find(ExchangeQuery()) == []
    assert bob.log.waiting() == [f"exchange:{found.id}"]
    ada.cortex.purge(found.id)
    handed_on(*people)
    assert told(ada) == told(bob) == told(cyd)
    assert all(body is None for _, _, body, *_ in told(bob))
    assert cyd.store.exchanges.find(ExchangeQuery()) == []
    keep(cyd.services, exchange(2))
    handed_on(*people)
    bob.sync(bob.ways[0])  # upgraded
    assert [one.id for one in bob.store.exchanges.find(ExchangeQuery())] == [exchange(2).id]
    assert bob.log.waiting() == []


def test_what_nobody_knows_yet_survives_an_edit(people):
    ada, bob, cyd = people
    id_ = cyd.remember("We chose Redis.")
    handed_on(*people)
    parent = head(cyd, id_)
    body = parse_body(parent.body) | {"mood": {"of": ["tomorrow", 1.5]}, "text": "We chose Redis 9."}
    body["content"] = {**body["content"], "decision": "We chose Redis 9.", "weather": "rain"}
    made = written(cyd, id_, (parent.id,), "annotate", body)
    handed_on(*people)
    assert told(ada) == told(bob) == told(cyd)
    assert ada.texts() == bob.texts() == cyd.texts() == ["We chose Redis 9."]
    ada.cortex.edit(id_, text="We chose Redis 10.", content={"rationale": "It is faster."})
    handed_on(*people)
    last = head(cyd, id_)
    assert (last.parents, made.operation) == ((made.id,), "annotate")
    said = parse_body(last.body)
    assert (said["mood"], said["content"]["weather"]) == ({"of": ["tomorrow", 1.5]}, "rain")
    assert said["content"]["rationale"] == "It is faster."
    assert ada.texts() == bob.texts() == cyd.texts() == ["We chose Redis 10.\nRationale: It is faster."]


def test_values_and_kinds_that_nobody_knows_wait(people):
    ada, bob, cyd = people
    known = cyd.remember("We chose Redis.")
    handed_on(*people)
    usual = parse_body(head(cyd, known).body)
    written(cyd, "f" * 32, (), "create", {**usual, "kind": "dream"})
    written(cyd, "e" * 32, (), "create", {**usual, "status": "asleep"})
    written(cyd, f"relation:{known}:haunts:{known}", (), "create", {"type": "haunts"})
    handed_on(*people)
    assert told(ada) == told(bob) == told(cyd)
    assert ada.texts() == bob.texts() == cyd.texts() == ["We chose Redis."]
    assert len(ada.log.waiting()) == len(bob.log.waiting()) == 3


def test_a_body_of_before_some_fields_is_shown_and_edited(people):
    ada, bob, cyd = people
    id_ = "a" * 32
    said = {"text": "We chose Redis.", "content": {"decision": "We chose Redis."}}
    body = {"kind": "decision", **said, "recorded_at": cyd.now}
    written(cyd, id_, (), "create", body)
    handed_on(*people)
    assert ada.texts() == bob.texts() == cyd.texts() == ["We chose Redis."]
    ada.cortex.edit(id_, tags=["queue"])
    ada.cortex.edit(id_, text="We chose Valkey.")
    handed_on(*people)
    assert told(ada) == told(bob) == told(cyd)
    assert ada.texts() == bob.texts() == cyd.texts() == ["We chose Valkey."]
    assert cyd.store.memories.get([id_])[0].tags == ("queue",)


def test_a_batch_with_fields_of_a_later_program_is_read():
    batch = parse(b'{"protocol": 1, "workspace": "w", "weather": "rain", "cards": []}', Batch)
    assert (batch.workspace, batch.versions) == ("w", ())
