"""What a store can be told and asked, each as a value that can be applied to any store.

Answers can be compared.

The answer of an act is plain: what has no order is sorted, an error is its code.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from math import isclose
from typing import NamedTuple

from recortex.domain.vocabulary import Actor
from recortex.engines.indexing import search_text
from recortex.errors import RecortexError


class Act(NamedTuple):
    """A method's name in `ACTS`, and what it is given."""

    name: str
    values: tuple

    def on(self, store):
        """Its answer from a store."""
        try:
            return ACTS[self.name](store, *self.values)
        except RecortexError as error:
            return ("error", error.code)


def same(one, other):
    """Whether two answers are the same, numbers to a billionth."""
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


# -- writing


def insert(store, memories):
    with store.transaction():
        return [
            store.memories.insert(one, search_text(one), actor=Actor.USER, reason="told") for one in memories
        ]


def update(store, id_, fields, *, keep_vector):
    for old in store.memories.get([id_]):
        new = replace(old, **fields)
        with store.transaction():
            return store.memories.update(
                old, new, search_text(new), actor=Actor.AGENT, reason=new.summary, keep_vector=keep_vector
            )
    return None


def delete(store, id_, at):
    for _ in store.memories.get([id_]):
        with store.transaction():
            key = store.memories.delete(id_)
            store.ledger.bury(key, id_, at)
            return key, store.vectors.drop_unused()
    return None


def fail(store, memories):
    """A transaction that is not kept."""

    def begun():
        with store.transaction():
            insert(store, memories)
            raise ZeroDivisionError

    with suppress(ZeroDivisionError):
        begun()


def embed(store, model, pairs):
    """Vectors for memories: (id, hash, code)."""
    with store.transaction():
        keys = store.vectors.put(model, {hash_: code for _, hash_, code in pairs})
        found = {one.id: one for one in store.memories.get([id_ for id_, _, _ in pairs])}
        attached = [
            (id_, keys[hash_], bytes.fromhex(found[id_].content_hash))
            for id_, hash_, _ in pairs
            if id_ in found
        ]
        store.vectors.attach(attached)
    return keys


def embed_said(store, model, pairs):
    """Vectors for exchanges, of the message and of the outcome: (key, hash, code)."""
    with store.transaction():
        keys = store.exchange_vectors.put(model, {hash_: code for _, hash_, code in pairs})
        found = store.exchange_search.exchanges([key for key, _, _ in pairs])
        given = {key: (keys[hash_], keys[hash_]) for key, hash_, _ in pairs if key in found}
        store.exchange_vectors.attach(given)
    return keys


def embed_written(store, model, pairs):
    """Vectors for chunks: (key, hash, code)."""
    with store.transaction():
        keys = store.chunk_vectors.put(model, {hash_: code for _, hash_, code in pairs})
        found = store.chunk_search.chunks([key for key, _, _ in pairs])
        store.chunk_vectors.attach({key: (keys[hash_],) for key, hash_, _ in pairs if key in found})
    return keys


def version(store, id_, versions):
    if store.memories.get([id_]):
        with store.transaction():
            store.memories.insert_versions(id_, versions)


def inside(method):
    """A method that wants a transaction around it."""

    def run(store, *values):
        with store.transaction():
            return method(store, *values)

    return run


# -- reading


def ranked(found, limit):
    """Keys with their scores: of those that tie at the cut, any may be missing."""
    if len(found) < limit:
        return sorted((key, score) for key, score in found)
    last = found[-1][1] if found else 0.0
    above = [(key, score) for key, score in found if not isclose(score, last, rel_tol=1e-9, abs_tol=1e-12)]
    return [*sorted(above), len(found), last]


def match(store, words, limit, only, every, also):
    found = store.search.match(words, limit, only, all_required=every, score_only=also)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    return ranked(found, limit)


def said_match(store, words, limit, only):
    search = store.exchange_search
    counts = search.frequencies(words)
    found = search.match(dict(zip(words, counts, strict=True)), limit, only)
    return ranked(found, limit), counts, search.size()


def written_match(store, words, limit, only, every, also):
    search = store.chunk_search
    found = search.match(words, limit, only, all_required=every, score_only=also)
    return ranked(found, limit), search.frequencies(words), search.searchable()


def written_facts(store, keys, only, model):
    search = store.chunk_search
    return (
        sorted(search.facts(keys, only, model), key=lambda one: one.key),
        sorted(search.chunks(keys).items()),
        sorted(search.links(keys).items()),
    )


def said(store, query):
    return store.exchanges.find(query), store.exchanges.count(query), store.exchanges.sessions(query)


def said_facts(store, keys, only, model):
    search = store.exchange_search
    return sorted(search.facts(keys, only, model)), sorted(search.exchanges(keys).items())


def facts(store, keys, only, model):
    return sorted(store.search.facts(keys, only, model), key=lambda one: one.key)


def links(store, keys):
    return {key: (sorted(one.files), sorted(one.patterns)) for key, one in store.search.links(keys).items()}


def degradations(store):
    return [(one.degradation, one.first_at, one.last_at, one.times) for one in store.ledger.degradations()]


def relations_of(store, ids):
    return sorted(store.relations.find_touching(ids), key=repr)


ACTS = {
    # writing
    "insert": insert,
    "update": lambda s, id_, fields, keep: update(s, id_, fields, keep_vector=keep),
    "delete": delete,
    "fail": fail,
    "touch": lambda s, ids, at: s.memories.touch(ids, at),
    "evidence": inside(lambda s, id_, place: s.memories.add_evidence(id_, place)),
    "version": version,
    "relate": inside(lambda s, relation: s.relations.put(relation)),
    "unrelate": inside(lambda s, one, other, type_: sorted(s.relations.remove(one, other, type_))),
    "record": inside(lambda s, entries: s.ledger.record(entries)),
    "degrade": lambda s, event, at: s.ledger.degrade(event, at),
    "checkpoint": lambda s, checkpoint: s.ledger.save_checkpoint(checkpoint),
    "embed": embed,
    "drop_unused": inside(lambda s: s.vectors.drop_unused()),
    "reembedded": lambda s, model, at: s.vectors.reembedded(model, at, done=1, milliseconds=2),
    "reembedding_done": lambda s, model, at: s.vectors.finish_reembedding(model, at),
    "drop_left_behind": lambda s, model: s.vectors.drop_left_behind(list(s.vectors.others(model))),
    "say": inside(lambda s, exchanges, at: s.exchanges.put(exchanges, at)),
    "unsay": inside(lambda s, keys: s.exchanges.delete(keys)),
    "embed_said": embed_said,
    "release": inside(lambda s, model: s.exchange_vectors.release_others(model, 3)),
    "write": inside(lambda s, document, chunks: s.documents.put(document, chunks)),
    "unwrite": inside(lambda s, paths: s.documents.delete(paths)),
    "embed_written": embed_written,
    "release_written": inside(lambda s, model: s.chunk_vectors.release_others(model, 3)),
    "read_chunks": inside(lambda s, ids, at: s.documents.touch(ids, at)),
    "session": lambda s, session: s.sessions.put(session),
    "captured": lambda s, id_, at, told: s.sessions.captured(id_, at, size=7, told=told),
    "give": lambda s, receipts: s.sessions.give(receipts),
    "use": lambda s, receipt, at: s.sessions.mark_used(receipt, at, "quoted"),
    "note": lambda s, signals: s.sessions.note(signals),
    "forget_text": lambda s, text: s.sessions.forget_text(text),
    "forget_before": lambda s, at: s.sessions.forget_before(at),
    "reserve": lambda s, call, limit: s.model_calls.reserve(call, limit),
    "settle": lambda s, number, call: s.model_calls.settle(number, call),
    # reading
    "get": lambda s, ids: s.memories.get(ids),
    "beginning": lambda s, prefix: s.memories.ids_beginning(prefix),
    "find": lambda s, query: s.memories.find(query),
    "count": lambda s, query: s.memories.count(query),
    "counts": lambda s: s.memories.counts(),
    "same": lambda s, hash_: s.memories.same([hash_]),
    "neighbours": lambda s, session: [tuple(one) for one in s.memories.neighbours(session, 0, 3)],
    "history": lambda s, id_: s.memories.history(id_),
    "as_of": lambda s, id_, at: s.memories.as_of(id_, at),
    "former": lambda s, query, at: sorted(s.memories.former(query, at), key=repr),
    "relations_of": relations_of,
    "suggested": lambda s, type_, limit: s.relations.suggested(type_, limit),
    "relations": lambda s: (s.relations.count(), s.relations.all()),
    "entries": lambda s, id_: s.ledger.entries(id_),
    "recent": lambda s, limit: s.ledger.recent(limit),
    "buried": lambda s, id_: s.ledger.buried(id_),
    "degradations": degradations,
    "read_checkpoint": lambda s, path: s.ledger.checkpoint(path),
    "keys_of": lambda s, hashes: s.vectors.keys_of(hashes),
    "codes_of": lambda s, ids, model: s.vectors.codes_of(ids, model),
    "pending": lambda s: (
        sorted(s.vectors.pending(999)),
        s.vectors.pending(3, best_first=True),
        s.vectors.count_pending(),
    ),
    "outdated": lambda s, model: (
        s.vectors.others(model),
        s.vectors.outdated(list(s.vectors.others(model)), 4),
        s.vectors.count_outdated(list(s.vectors.others(model))),
        s.vectors.dimensions(model),
        s.vectors.reembedding(model),
    ),
    "said": said,
    "said_by_id": lambda s, ids, prefix: (
        s.exchanges.get(ids),
        s.exchanges.ids_beginning(prefix),
        s.exchanges.ids_beginning(prefix, of_sessions=True),
    ),
    "growing": lambda s, session: s.exchanges.growing(session),
    "said_around": lambda s, one: s.exchanges.around(one, 2, 2),
    "oldest_said": lambda s, at: (s.exchanges.oldest(4), s.exchanges.oldest(9, before=at)),
    "said_waiting": lambda s: (s.exchange_vectors.waiting(4), s.exchange_vectors.count_waiting()),
    "said_keys_of": lambda s, hashes: s.exchange_vectors.keys_of(hashes),
    "said_match": said_match,
    "said_nearest": lambda s, vector, limit, only, model: s.exchange_search.nearest(
        vector, limit, only, model
    ),
    "said_facts": said_facts,
    "holding_said": lambda s, text: s.exchanges_holding(text),
    "written": lambda s, within: (
        s.documents.all(),
        s.documents.all(within=within),
        s.documents.count(),
        sorted(s.documents.by_other_rules("new")),
    ),
    "written_of": lambda s, path, ids, prefix: (
        s.documents.chunks_of(path),
        s.documents.chunks(ids),
        s.documents.ids_beginning(prefix),
    ),
    "written_match": written_match,
    "written_nearest": lambda s, vector, limit, only, model: s.chunk_search.nearest(
        vector, limit, only, model
    ),
    "written_facts": written_facts,
    "written_waiting": lambda s: (s.chunk_vectors.waiting(4), s.chunk_vectors.count_waiting()),
    "holding_written": lambda s, text: s.chunks_holding(text),
    "agrees": lambda s: s.vectors.agrees(),
    "read_session": lambda s, id_: (s.sessions.get(id_), s.sessions.ids_beginning(id_)),
    "sessions": lambda s, limit: s.sessions.recent(limit),
    "cited": lambda s, paths: s.sessions.cited(paths),
    "unheard": lambda s, transcripts: s.sessions.unknown_transcripts(transcripts),
    "receipts": lambda s, id_: s.sessions.receipts(id_),
    "signals": lambda s, id_: s.sessions.signals(id_),
    "has_failed": lambda s, id_, digest: s.sessions.has_failed(id_, digest),
    "spent": lambda s, at: (s.model_calls.total_today(at), s.model_calls.recent(5)),
    "statistics": lambda s, at: (
        s.statistics.fading(at),
        s.statistics.resting(at),
        s.statistics.presentable(at),
    ),
    "generation": lambda s: (s.statistics.generation(), sorted(s.statistics.paths())),
    "searchable": lambda s: s.search.searchable(),
    "frequencies": lambda s, words: list(s.search.frequencies(words)),
    "speakers": lambda s, words: sorted(s.search.known_speakers(words)),
    "match": match,
    "candidates": lambda s, words, terms=False: s.search.candidates(words, terms=terms),
    "nearest": lambda s, vector, limit, only, model: s.search.nearest(vector, limit, only, model),
    "vectors": lambda s, keys, model: s.search.vectors(keys, model),
    "facts": facts,
    "around": lambda s, keys, radius: sorted(s.search.around(keys, radius)),
    "links": links,
    "by_key": lambda s, keys: s.search.memories(keys),
}
WRITES = frozenset(list(ACTS)[: list(ACTS).index("get")])
