"""What arrives from another replica is judged before anything else is done with it."""

import gzip
import itertools

import pytest

from recortex.lean import replace
from recortex.sync.protocol import (
    MOST_BODY,
    MOST_BYTES,
    PROTOCOL,
    Batch,
    RefusedError,
    SyncVersion,
    add_to_hash,
    canonical,
    check_version,
    clock_after,
    id_of,
    inflate,
    missing,
    ms_of,
    parse_batch,
    replica_of,
)

REPLICA = replica_of("ab" * 32)


def version(counter=1, body='{"text":"We chose Redis."}', **more):
    said = {"memory_id": "m", "parents": (), "operation": "create", "body": body} | more
    made = id_of(said["memory_id"], said["parents"], said["operation"], said["body"])
    return SyncVersion(id=made, replica=REPLICA, counter=counter, clock=1 << 16, author="Ada", **said)


def sent(batch):
    return canonical(batch).encode()


def test_a_batch_comes_back_as_it_was_sent():
    batch = Batch(workspace="w", versions=(version(),), vector={REPLICA: 1})
    assert parse_batch(sent(batch), "w") == batch
    assert parse_batch(gzip.compress(sent(batch)), "w", compressed=True) == batch


def test_fields_of_a_newer_version_are_passed_over_and_a_body_keeps_its_own():
    text = sent(Batch(workspace="w", versions=(version(body='{"novel":1,"text":"a"}'),)))
    batch = parse_batch(text.replace(b'"workspace"', b'"later":[{}],"workspace"'), "w")
    assert check_version(batch.versions[0]).body == '{"novel":1,"text":"a"}'


@pytest.mark.parametrize(
    ("batch", "said"),
    [
        (sent(Batch(workspace="other")), "other"),
        (sent(Batch(workspace="w", protocol=PROTOCOL + 1)), "protocol"),
        (sent(Batch(workspace="w", vector={REPLICA: -1})), "impossibly"),
        (sent(Batch(workspace="w", vector={"../etc": 1})), "impossibly"),
        (b" " * (MOST_BYTES + 1), "at most"),
        (b"[" * 100_000, "no batch"),
        (b"\xff{}", "no batch"),
        (b'{"workspace":"w","versions":[{"id":1}]}', "no batch"),
    ],
)
def test_a_hostile_batch_is_refused(batch, said):
    with pytest.raises(RefusedError, match=said):
        parse_batch(batch, "w")


def test_a_bomb_is_not_inflated():
    with pytest.raises(RefusedError, match="larger than"):
        inflate(gzip.compress(b"0" * 500_000_000, compresslevel=1))
    with pytest.raises(RefusedError, match="cut off"):
        inflate(gzip.compress(b"whole")[:-1])
    with pytest.raises(RefusedError, match="gzip"):
        inflate(b"plain")


@pytest.mark.parametrize(
    "changed",
    [
        {"body": '{"text":"We chose Mallory."}'}, {"parents": ("ab" * 32,)}, {"memory_id": "another"},
        {"operation": "archive"}, {"counter": 0}, {"counter": 2**60}, {"clock": -1}, {"author": ""},
        {"author": "A\x1b[31m"}, {"author": "A" * 1000}, {"replica": "../../etc/passwd"}, {"id": "ab" * 32},
        {"body": None}, {"parents": ("x" * 64,)},
    ],
)  # fmt: skip
def test_a_forged_version_is_refused(changed):
    with pytest.raises(RefusedError, match="was refused"):
        check_version(replace(version(), **changed))


def test_forms_that_no_honest_replica_makes_are_refused():
    parents = ("ab" * 32, "aa" * 32)
    for bad in (
        version(body="0" * (MOST_BODY + 1)),
        replace(version(parents=parents), parents=parents),
        version(operation="purge"),
        version(memory_id=""),
        version(operation="o" * 100),
    ):
        with pytest.raises(RefusedError):
            check_version(bad)


def test_a_purge_says_nothing_and_what_it_purged_may_be_empty():
    check_version(version(operation="purge", body=None))
    check_version(replace(version(), body=None), purged=True)


def test_the_hash_of_a_set_does_not_depend_on_order():
    versions = [version(1), version(2, body="{}"), version(3, memory_id="n")]
    hashes = {add_to_hash("", order) for order in itertools.permutations(versions)}
    assert len(hashes) == 1
    assert add_to_hash(add_to_hash("", versions[:1]), versions[1:]) in hashes
    assert add_to_hash("", versions[:2]) not in hashes


def test_only_what_continues_without_a_gap_is_taken():
    versions = [version(4), version(2), version(3), version(6), version(2)]
    assert [one.counter for one in missing(versions, {REPLICA: 1})] == [2, 3, 4]
    assert missing(versions, {}) == []


def test_a_clock_is_after_everything_it_saw():
    assert ms_of(clock_after(5_000)) == 5_000
    assert clock_after(5_000, [clock_after(9_000)]) == clock_after(9_000) + 1
