"""Plain memories for tests of the store, and the few steps by which they get there."""

from dataclasses import replace
from datetime import UTC, datetime

from blake3 import blake3

from recortex.domain.kinds import KINDS
from recortex.domain.memory import Memory
from recortex.domain.search import SearchText
from recortex.domain.vocabulary import Actor

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
MODEL = "test-model"
DIMENSIONS = 384
NO_MORE = SearchText()


def id_of(number):
    return f"9b1c6a4e-0000-4000-8000-{number:012x}"


def memory(number=1, text="Use bcrypt with 12 rounds", kind="tribal", **more):
    times = {"recorded_at": AT, "updated_at": AT, "valid_from": AT}
    return Memory(
        id=id_of(number), kind=kind, text=text, summary=text, content=KINDS[kind].from_text(text),
        content_hash=blake3(text.encode()).hexdigest(), **(times | more),
    )  # fmt: skip


def code(*signs):
    """An int8 vector, its signs as told and then repeated."""
    return bytes((1 if signs[place % len(signs)] > 0 else 255) for place in range(DIMENSIONS))


def question_vector(*signs):
    """A float32 vector with those signs, repeated."""
    values = memoryview(bytearray(4 * DIMENSIONS)).cast("f")
    for place in range(DIMENSIONS):
        values[place] = 0.5 if signs[place % len(signs)] > 0 else -0.5
    return values.tobytes()


def insert(store, *memories, actor=Actor.USER, search=NO_MORE):
    with store.transaction():
        return [store.memories.insert(one, search, actor=actor) for one in memories]


def update(store, old, new, actor=Actor.AGENT, reason=""):
    with store.transaction():
        return store.memories.update(old, new, NO_MORE, actor=actor, reason=reason, keep_vector=True)


def changed(store, id_, **fields):
    (old,) = store.memories.get([id_])
    return update(store, old, replace(old, **fields))


def attach(store, one, vector, model=MODEL):
    hash_ = blake3(f"{model} {one.text}".encode()).digest(16)
    with store.transaction():
        kept = store.vectors.put(model, {hash_: vector})
        store.vectors.attach([(one.id, kept[hash_], bytes.fromhex(one.content_hash))])
    return kept[hash_]


def bury(store, id_, at=AT):
    """Delete a memory as a purge does; returns the key that it had."""
    with store.transaction():
        key = store.memories.delete(id_)
        store.ledger.bury(key, id_, at)
    return key
