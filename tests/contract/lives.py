"""Random lives of a store: acts with what they are given, drawn from any source of random numbers.

A life may carry a mark: then everything that it writes has the mark in it, while ids, hashes, paths and
names of sessions are those of other lives too. It sometimes asks for what only another life has.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from datetime import timedelta

from acts import ACTS, Act
from blake3 import blake3

from example_memories import AT, DIMENSIONS, id_of
from recortex.domain.exchange import Exchange, ExchangeQuery
from recortex.domain.kinds import KINDS
from recortex.domain.maintenance import Checkpoint, Degradation, Limit, ModelCall
from recortex.domain.memory import AuditEntry, FileLink, Memory, PatternLink, Relation, Source, Version
from recortex.domain.search import Chunk, Document, MemoryQuery, chunk_id, document_id
from recortex.domain.session import Receipt, Session, Signal
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import (
    Actor,
    Domain,
    Origin,
    RelationStatus,
    RelationType,
    Scope,
    Status,
    Trust,
)
from recortex.text.words import content_words

PIECES = (
    "cache", "caches", "caching", "queue", "queued", "login", "retry", "retries", "schema", "lock", "the",
    "not", "naïve", "nai\u0308ve", "e\u0301tude", "日本語", "東京タワー", "한국어", "O'Brien", "don’t", "rock'n'roll",
    "users'", "getUserName", "snake_case_name", "src/app/main.py", "🙂", "👩‍💻", "ﬁle", "Straße", "İstanbul",
    "Ωmega", "x" * 300, "y" * 70 + "s", "a:b", "a & b", "!not", "(x)", "*", "<->", "'quoted'", '"',
    "\\back", "'; DROP TABLE memories; --", "%s", "$1", "?1", ":name", "{}", "NULL", "1", "3.14", "-",
    "__init__", "\uff46\uff55\uff4c\uff4c", "नमस्ते", "مرحبا", "ไทย", "o'brien's", "٣٤", "ǅ", "\u00ad",
    "a\u200bb",
)  # fmt: skip
JOINTS = (" ", " ", " ", " ", ", ", ". ", "-", "_", "/", ":", "|", " & ", "\n", "\t")
"""No apostrophe: FTS5 takes a word with one for a phrase, which any other separator may hold together too;
PostgreSQL's index has it only where an apostrophe joins it (docs/postgresql.md)."""
SESSIONS, PATHS, MODELS = ("s1", "s2", "s3"), ("src/a.py", "src/b.py", "docs/ä.md"), ("one", "two")
SPEAKERS = ("", "Ada", "ÉVA", "Grace")
KINDS_SEEN = ("tribal", "decision", "insight", "code")
EITHER, SELDOM = (True, False), (False, False, True)
NUMBERS = 60
"""Ids that a life may give; few, so that acts meet."""
_WRITES_FIRST = 12
WEIGHTS = {
    "insert": 12, "say": 8, "embed_said": 4, "said_match": 4, "said_nearest": 3, "write": 6,
    "embed_written": 4, "written_match": 4, "written_nearest": 3, "update": 5, "embed": 6, "match": 6,
    "relate": 3, "facts": 2, "nearest": 3, "find": 3,
}  # fmt: skip


class Life:
    """Draws one act after another.

    Args:
        random: a source of random numbers.
        mark: in everything that is written; empty for none.
    """

    def __init__(self, random, mark=""):
        self.random, self.mark, self.seconds, self.given = random, mark, 0, []
        self.names = [name for name in ACTS for _ in range(WEIGHTS.get(name, 1))]

    def act(self):
        """The next act; a life begins with writing."""
        self.seconds += 1
        early = self.seconds <= _WRITES_FIRST
        name = (
            self.random.choice(("insert", "insert", "embed", "relate"))
            if early
            else self.random.choice(self.names)
        )
        return Act(name, tuple(GIVEN[name](self)) if name in GIVEN else ())

    # -- what things are made of

    def now(self):
        return AT + timedelta(seconds=self.seconds)

    def any_time(self):
        return AT + timedelta(seconds=self.random.randint(-5, self.seconds + 5))

    def pick(self, *choices):
        return self.random.choice(choices)

    def id(self):
        return id_of(self.random.randrange(NUMBERS))

    def ids(self):
        return [self.id() for _ in range(self.random.randint(0, 4))]

    def keys(self):
        return sorted({self.random.randint(1, NUMBERS) for _ in range(self.random.randint(0, 20))})

    def said(self):
        """A text with the mark."""
        parts = [self.mark] if self.mark else ["said"]
        for _ in range(self.random.randint(1, 9)):
            parts += [self.random.choice(JOINTS), self.random.choice(PIECES)]
        return " ".join(parts[:2]) + "".join(parts[2:])

    def words(self):
        """Words of a question, as recall asks for them."""
        return content_words(self.said())[: self.random.randint(0, 6)]

    def memory(self, number):
        text, at = self.said(), self.now()
        kind = self.random.choice(KINDS_SEEN)
        return Memory(
            id=id_of(number), kind=kind, text=text, summary=self.pick(text, f"{self.mark} short"),
            content=KINDS[kind].from_text(text), content_hash=blake3(bytes([number])).hexdigest(),
            recorded_at=at, updated_at=at, valid_from=self.any_time(),
            valid_until=self.pick(None, None, at + timedelta(days=1)), confidence=self.pick(0.25, 0.5, 1.0),
            priority=self.random.randint(1, 10), pinned=self.pick(*SELDOM),
            status=self.pick(*[Status.ACTIVE] * 6, *Status),
            tags=tuple(filter(None, (self.mark, self.pick("", "db", "auth")))),
            files=self.pick((), (FileLink(self.pick(*PATHS), commit=self.mark), FileLink("z.py"))),
            patterns=self.pick((), (PatternLink(self.pick("p", "q"), self.mark),)),
            source=Source(
                session=self.pick("", *SESSIONS), turn=self.pick(None, 0, 1, 2),
                speaker=self.pick(*SPEAKERS), branch=self.mark,
            ),
            origin=self.pick(Origin.USER, Origin.WEB), trust=self.pick(*Trust),
            metadata=self.pick({}, {"by": self.mark}),
        )  # fmt: skip

    def query(self):
        return MemoryQuery(
            kinds=self.pick((), (), ("tribal", "insight")),
            statuses=self.pick((Status.ACTIVE,), (), (Status.ARCHIVED, Status.PROPOSED)),
            tags=self.pick((), (), ("db",)), files=self.pick((), (), ("src/",), ("docs/ä.md", "z.py")),
            patterns=self.pick((), (), ("p",)), session=self.pick("", "", "s1"),
            pinned=self.pick(None, None, *EITHER), min_confidence=self.pick(None, 0.5),
            recorded_before=self.pick(None, None, self.any_time()),
            valid_at=self.pick(None, None, self.any_time()),
            as_of=self.pick(None, None, None, self.any_time()),
            order=self.pick("recorded", "updated", "accessed", "importance", "confidence"),
            descending=self.pick(*EITHER), limit=self.pick(None, 1, 5), offset=self.pick(0, 0, 2),
        )  # fmt: skip

    def only(self):
        return self.pick(None, replace(self.query(), as_of=None))

    def code(self, number):
        """An int8 vector that belongs to a number and to the mark; its signs differ in many places."""
        seed = blake3(f"{number} {self.mark}".encode()).digest(DIMENSIONS)
        return seed.replace(b"\x80", b"\x81")

    def vector(self):
        values = [self.random.choice((-0.5, 0.25, 1.0)) for _ in range(8)] * (DIMENSIONS // 8)
        return struct.pack(f"<{DIMENSIONS}f", *values)

    def hash(self, number, model):
        """Of the embedder's name and the text, as intake has it."""
        return blake3(f"{model} {number}".encode()).digest(16)

    def exchange(self, number):
        """One of a few, in some state and from some session: copies meet."""
        first, at = 10 * number, self.now()
        return Exchange(
            id=f"{number:032x}", session=self.pick(*SESSIONS), client="c",
            opener=self.pick("person", "agent"), first_turn=first,
            last_turn=first + self.random.randint(0, 4), root_turn=first - number % 3 * 10,
            started_at=self.pick(None, at), ended_at=self.pick(None, at), asked=self.pick("", self.said()),
            message=self.said(), opening=self.pick("", self.said()), conclusion=self.pick("", self.said()),
            files=self.pick((), (self.pick(*PATHS), self.mark)), failed=self.pick((), (self.said(),)),
            commit=self.mark, ending=self.pick("", "refused"), part=number % 3,
            branch=self.pick("", self.mark), folder=self.pick(*PATHS),
        )  # fmt: skip

    def exchange_query(self):
        return ExchangeQuery(
            session=self.pick("", "", "s1"), branch=self.pick("", "", self.mark),
            folder=self.pick("", "", PATHS[0]), since=self.pick(None, None, self.any_time()),
            until=self.pick(None, None, self.any_time()), work=self.pick(*EITHER),
            limit=self.pick(None, 1, 5), offset=self.pick(0, 0, 1),
        )  # fmt: skip

    def document(self):
        """One of a few, with chunks some of which other documents have too."""
        path = self.pick(*PATHS)
        chunks = [self.chunk(path, place) for place in range(self.random.randint(0, 3))]
        document = Document(
            id=document_id(path), path=path, form="markdown", title=self.said(),
            domain=self.pick(Domain.API, Domain.GENERAL), set_domain=self.pick(*EITHER),
            size=self.random.randint(0, 9), hash=f"{self.random.randint(0, 3)}",
            rules=self.pick("old", "new"), source=self.pick("docs", "."), chunks=len(chunks),
            tokens=self.random.randint(0, 9), modified_at=self.any_time(), ingested_at=self.now(),
            metadata=self.pick({}, {"tags": [self.said()]}),
        )  # fmt: skip
        return document, [(one, self.pick("", self.said())) for one in chunks]

    def chunk(self, path, place):
        hash_ = f"{self.mark}{self.random.randint(0, 5)}"
        return Chunk(
            id=chunk_id(path, hash_, place), path=path, place=place, headings=self.pick((), (self.said(),)),
            text=self.said(), first_line=place, last_line=place + 1, tokens=self.random.randint(1, 9),
            hash=hash_, domain=self.pick(Domain.API, Domain.GENERAL), written_at=self.any_time(),
        )  # fmt: skip

    def document_query(self):
        return MemoryQuery(
            domains=self.pick((), (Domain.API,)),
            files=self.pick((), (PATHS[0],), ("src/",)),
            recorded_after=self.pick(None, None, self.any_time()),
            recorded_before=self.pick(None, None, self.any_time()),
        )

    def receipt(self):
        return Receipt(
            session=self.pick(*SESSIONS), context=self.pick(0, 1), memory=self.id(), scope=Scope.PROJECT,
            channel=self.pick("surface", "prompt", "file"), subject=self.mark, at=self.any_time(),
            score=self.pick(0.0, 0.5), tokens=self.random.randint(0, 9),
        )  # fmt: skip

    def call(self):
        return ModelCall(
            at=self.any_time(), provider="p", model=self.mark, purpose="extract",
            input_tokens=self.random.randint(0, 60), micro_usd=self.random.randint(0, 9),
            outcome=self.pick("pending", "ok", "failed"),
        )  # fmt: skip

    # -- what each act is given

    def _insert(self):
        numbers = {self.random.randrange(NUMBERS) for _ in range(self.random.randint(1, 3))}
        return ([self.memory(number) for number in sorted(numbers)],)

    def _update(self):
        made = self.memory(0)
        names = (
            ("text", "summary", "content", "kind") if self.pick(*EITHER) else ("status", "priority", "files")
        )
        fields = {name: getattr(made, name) for name in (*names, "tags", "updated_at")}
        return self.id(), fields, self.pick(*EITHER)

    def _say(self):
        numbers = [self.random.randrange(1, NUMBERS) for _ in range(self.random.randint(1, 3))]
        return [(self.exchange(number), self.pick("", self.said())) for number in numbers], self.now()

    def _embed_said(self):
        model, keys = self.pick(*MODELS), self.keys()[:3]
        return model, [(key, self.hash(key, model), self.code(key)) for key in keys]

    def _said_nearest(self):
        only = self.pick(None, self.exchange_query())
        return self.vector(), self.random.randint(1, 9), only, self.pick(*MODELS)

    def _written_match(self):
        only = self.pick(None, self.document_query())
        return self.words(), self.random.randint(1, 9), only, self.pick(*SELDOM), ()

    def _version(self):
        number = self.random.randrange(NUMBERS)
        made = replace(self.memory(number), version=self.random.randint(1, 12))
        return made.id, [
            Version(
                memory=made, version=made.version, recorded_from=made.updated_at, recorded_to=self.now(),
                changed_by=Actor.IMPORT, reason=self.mark,
            )
        ]  # fmt: skip

    def _embed(self):
        model = self.pick(*MODELS)
        numbers = [self.random.randrange(NUMBERS) for _ in range(self.random.randint(1, 4))]
        return model, [(id_of(one), self.hash(one % 12, model), self.code(one % 12)) for one in numbers]

    def _session(self):
        at = self.any_time()
        return (
            Session(
                id=self.pick(*SESSIONS), started_at=AT, seen_at=at, client="c", cwd=self.mark,
                transcript=self.pick("", *PATHS), ended_at=self.pick(None, at), context=self.pick(0, 1),
            ),
        )  # fmt: skip

    def _give(self):
        made = [self.receipt() for _ in range(self.random.randint(1, 3))]
        self.given += made
        return (made,)


GIVEN = {
    "insert": Life._insert,
    "fail": Life._insert,
    "update": Life._update,
    "delete": lambda life: (life.id(), life.now()),
    "say": Life._say,
    "unsay": lambda life: (life.keys()[:3],),
    "embed_said": Life._embed_said,
    "release": lambda life: (life.pick(*MODELS),),
    "said": lambda life: (life.exchange_query(),),
    "said_by_id": lambda life: ([f"{life.random.randrange(NUMBERS):032x}" for _ in range(3)], "0" * 31),
    "growing": lambda life: (life.pick(*SESSIONS),),
    "said_around": lambda life: (life.exchange(life.random.randrange(1, NUMBERS)),),
    "oldest_said": lambda life: (life.any_time(),),
    "said_keys_of": lambda life: (
        [life.hash(life.random.randrange(NUMBERS), life.pick(*MODELS)) for _ in range(4)],
    ),
    "said_match": lambda life: (
        life.words(),
        life.random.randint(1, 9),
        life.pick(None, life.exchange_query()),
    ),
    "said_nearest": Life._said_nearest,
    "said_facts": lambda life: (
        life.keys(),
        life.pick(None, life.exchange_query()),
        life.pick(None, *MODELS),
    ),
    "holding_said": lambda life: (life.pick(*PIECES),),
    "write": lambda life: life.document(),
    "unwrite": lambda life: (life.pick([], [life.pick(*PATHS)]),),
    "embed_written": Life._embed_said,
    "release_written": lambda life: (life.pick(*MODELS),),
    "read_chunks": lambda life: ([life.chunk(life.pick(*PATHS), 0).id for _ in range(3)], life.any_time()),
    "written": lambda life: (life.pick((), (PATHS[0],), ("src/",)),),
    "written_of": lambda life: (
        life.pick(*PATHS),
        [life.chunk(life.pick(*PATHS), 0).id for _ in range(3)],
        "chk-0",
    ),
    "written_match": Life._written_match,
    "written_nearest": lambda life: (
        life.vector(),
        life.random.randint(1, 9),
        life.pick(None, life.document_query()),
        "one",
    ),
    "written_facts": lambda life: (life.keys(), life.document_query(), life.pick(None, *MODELS)),
    "holding_written": lambda life: (life.pick(*PIECES),),
    "touch": lambda life: (life.ids(), life.any_time()),
    "evidence": lambda life: (life.id(), life.pick(b"a", b"\0b")),
    "version": Life._version,
    "relate": lambda life: (
        Relation(
            life.id(),
            life.id(),
            life.pick(*list(RelationType)[:3]),
            life.any_time(),
            life.pick(0.5, 1.0),
            (life.mark,),
            inferred=life.pick(*EITHER),
            status=life.pick(*RelationStatus),
            bidirectional=life.pick(*EITHER),
        ),
    ),
    "unrelate": lambda life: (life.id(), life.id(), life.pick(None, RelationType.SUPPORTS)),
    "record": lambda life: (
        [
            AuditEntry(
                memory_id=id_, operation="update", actor=Actor.USER, at=life.now(), details={"by": life.mark}
            )
            for id_ in life.ids()
        ],
    ),
    "degrade": lambda life: (
        Degradation(life.pick("a", "b"), life.pick("why", life.mark), "instead", life.pick(*EITHER)),
        life.any_time(),
    ),
    "checkpoint": lambda life: (
        Checkpoint(
            path=life.pick(*PATHS),
            session_id=life.pick(*SESSIONS),
            client=life.mark,
            position=life.seconds,
            turns=1,
            extracted_at=life.now(),
        ),
    ),
    "embed": Life._embed,
    "reembedded": lambda life: (life.pick(*MODELS), life.seconds),
    "reembedding_done": lambda life: (life.pick(*MODELS), life.seconds),
    "drop_left_behind": lambda life: (life.pick(*MODELS),),
    "session": Life._session,
    "captured": lambda life: (life.pick(*SESSIONS), life.now(), life.mark),
    "give": Life._give,
    "use": lambda life: (life.random.choice(life.given or [life.receipt()]), life.now()),
    "note": lambda life: (
        [
            Signal(
                session=life.pick(*SESSIONS),
                at=life.now(),
                name=life.pick("failed", "mended", "read"),
                subject=f"{life.mark} {life.pick(*PIECES)}",
                digest=life.pick("", "d"),
            )
            for _ in range(2)
        ],
    ),
    "forget_text": lambda life: (life.pick(*PIECES[:6]),),
    "forget_before": lambda life: (AT + timedelta(seconds=life.random.randint(-9, life.seconds // 2)),),
    "reserve": lambda life: (life.call(), Limit(tokens=300, micro_usd=1_000)),
    "settle": lambda life: (life.random.randint(1, 9), life.call()),
    "get": lambda life: (life.ids(),),
    "relations_of": lambda life: (life.ids(),),
    "beginning": lambda life: (life.pick("", "9b1c", life.id(), life.id()[:30], "%", "_"),),
    "find": lambda life: (life.query(),),
    "count": lambda life: (life.query(),),
    "same": lambda life: (blake3(bytes([life.random.randrange(NUMBERS)])).hexdigest(),),
    "neighbours": lambda life: (life.pick("", *SESSIONS),),
    "history": lambda life: (life.id(),),
    "entries": lambda life: (life.id(),),
    "buried": lambda life: (life.id(),),
    "as_of": lambda life: (life.id(), life.any_time()),
    "former": lambda life: (replace(life.query(), as_of=None), life.any_time()),
    "suggested": lambda life: (life.pick(*list(RelationType)[:3]), life.pick(1, 9)),
    "recent": lambda life: (life.random.randint(1, 9),),
    "sessions": lambda life: (life.random.randint(1, 9),),
    "read_checkpoint": lambda life: (life.pick(*PATHS),),
    "keys_of": lambda life: ([life.hash(life.random.randrange(12), life.pick(*MODELS)) for _ in range(2)],),
    "codes_of": lambda life: (life.ids(), life.pick(*MODELS, "none")),
    "outdated": lambda life: (life.pick(*MODELS),),
    "read_session": lambda life: (life.pick(*SESSIONS, "s"),),
    "cited": lambda _: ([*PATHS, "none"],),
    "unheard": lambda life: ([(path, AT.timestamp() + life.pick(-9.5, 9.25)) for path in (*PATHS, "new")],),
    "receipts": lambda life: (life.pick(*SESSIONS),),
    "signals": lambda life: (life.pick(*SESSIONS),),
    "has_failed": lambda life: (life.pick(*SESSIONS), "d"),
    "spent": lambda life: (life.pick(AT, AT + timedelta(days=1)),),
    "statistics": lambda life: (to_micros(life.any_time()),),
    "frequencies": lambda life: (life.words(),),
    "candidates": lambda life: (life.words(),),
    "speakers": lambda life: (["ada", "GRACE", "ÉVA", "nobody", *life.words()],),
    "match": lambda life: (
        life.words(),
        life.pick(2, 8, 100),
        life.only(),
        life.pick(*SELDOM),
        life.pick((), tuple(life.words())),
    ),
    "nearest": lambda life: (life.vector(), life.pick(1, 4, 50), life.only(), life.pick(*MODELS, "none")),
    "vectors": lambda life: (life.keys(), life.pick(*MODELS)),
    "facts": lambda life: (life.keys(), replace(life.query(), as_of=None), life.pick(None, *MODELS)),
    "around": lambda life: (life.keys(), life.pick(0, 1, 3)),
    "links": lambda life: (life.keys(),),
    "by_key": lambda life: (life.keys(),),
}
"""What an act is given; the others are given nothing."""
