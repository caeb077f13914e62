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
from recortex.domain.checkpoint import Checkpoint
from recortex.domain.document import Chunk, Document, chunk_id, document_id
from recortex.domain.exchange import Exchange, ExchangeQuery
from recortex.domain.history import AuditEntry, Version
from recortex.domain.kinds import KINDS
from recortex.domain.maintenance import Degradation
from recortex.domain.memory import FileLink, Memory, PatternLink, Source
from recortex.domain.model_call import Limit, ModelCall
from recortex.domain.relation import Relation
from recortex.domain.search import MemoryQuery
from recortex.domain.session import Receipt, Session, Signal
from recortex.domain.time import to_micros
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
from recortex.engines.words import content_words

PIECES = (
    "cache",
    "caches",
    "caching",
    "queue",
    "queued",
    "login",
    "retry",
    "retries",
    "schema",
    "lock",
    "the",
    "not",
    "naïve",
    "nai\u0308ve",
    "e\u0301tude",
    "日本語",
    "東京タワー",
    "한국어",
    "O'Brien",
    "don’t",
    "rock'n'roll",
    "users'",
    "getUserName",
    "snake_case_name",
    "src/app/main.py",
    "🙂",
    "👩‍💻",
    "ﬁle",
    "Straße",
    "İstanbul",
    "Ωmega",
    "x" * 300,
    "y" * 70 + "s",
    "a:b",
    "a & b",
    "!not",
    "(x)",
    "*",
    "<->",
    "'quoted'",
    '"',
    "\\back",
    "'; DROP TABLE memories; --",
    "%s",
    "$1",
    "?1",
    ":name",
    "{}",
    "NULL",
    "1",
    "3.14",
    "-",
    "__init__",
    "\uff46\uff55\uff4c\uff4c",
    "नमस्ते",
    "مرحبا",
    "ไทย",
    "o'brien's",
    "٣٤",
    "ǅ",
    "\u00ad",
    "a\u200bb",
)
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
    "insert": 12,
    "say": 8,
    "embed_said": 4,
    "said_match": 4,
    "said_nearest": 3,
    "write": 6,
    "embed_written": 4,
    "written_match": 4,
    "written_nearest": 3,
    "update": 5,
    "embed": 6,
    "match": 6,
    "relate": 3,
    "facts": 2,
    "nearest": 3,
    "find": 3,
}


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
        return Act(name, tuple(getattr(self, f"_{name}", tuple)()))

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
            id=id_of(number),
            kind=kind,
            text=text,
            summary=self.pick(text, f"{self.mark} short"),
            content=KINDS[kind].from_text(text),
            content_hash=blake3(bytes([number])).hexdigest(),
            recorded_at=at,
            updated_at=at,
            valid_from=self.any_time(),
            valid_until=self.pick(None, None, at + timedelta(days=1)),
            confidence=self.pick(0.25, 0.5, 1.0),
            priority=self.random.randint(1, 10),
            pinned=self.pick(*SELDOM),
            status=self.pick(*[Status.ACTIVE] * 6, *Status),
            tags=tuple(filter(None, (self.mark, self.pick("", "db", "auth")))),
            files=self.pick((), (FileLink(self.pick(*PATHS), commit=self.mark), FileLink("z.py"))),
            patterns=self.pick((), (PatternLink(self.pick("p", "q"), self.mark),)),
            source=Source(
                session=self.pick("", *SESSIONS),
                turn=self.pick(None, 0, 1, 2),
                speaker=self.pick(*SPEAKERS),
                branch=self.mark,
            ),
            origin=self.pick(Origin.USER, Origin.WEB),
            trust=self.pick(*Trust),
            metadata=self.pick({}, {"by": self.mark}),
        )

    def query(self):
        return MemoryQuery(
            kinds=self.pick((), (), ("tribal", "insight")),
            statuses=self.pick((Status.ACTIVE,), (), (Status.ARCHIVED, Status.PROPOSED)),
            tags=self.pick((), (), ("db",)),
            files=self.pick((), (), ("src/",), ("docs/ä.md", "z.py")),
            patterns=self.pick((), (), ("p",)),
            session=self.pick("", "", "s1"),
            pinned=self.pick(None, None, *EITHER),
            min_confidence=self.pick(None, 0.5),
            recorded_before=self.pick(None, None, self.any_time()),
            valid_at=self.pick(None, None, self.any_time()),
            as_of=self.pick(None, None, None, self.any_time()),
            order=self.pick("recorded", "updated", "accessed", "importance", "confidence"),
            descending=self.pick(*EITHER),
            limit=self.pick(None, 1, 5),
            offset=self.pick(0, 0, 2),
        )

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
            id=f"{number:032x}",
            session=self.pick(*SESSIONS),
            client="c",
            opener=self.pick("person", "agent"),
            first_turn=first,
            last_turn=first + self.random.randint(0, 4),
            root_turn=first - number % 3 * 10,
            started_at=self.pick(None, at),
            ended_at=self.pick(None, at),
            asked=self.pick("", self.said()),
            message=self.said(),
            opening=self.pick("", self.said()),
            conclusion=self.pick("", self.said()),
            files=self.pick((), (self.pick(*PATHS), self.mark)),
            failed=self.pick((), (self.said(),)),
            commit=self.mark,
            ending=self.pick("", "refused"),
            part=number % 3,
            branch=self.pick("", self.mark),
            folder=self.pick(*PATHS),
        )

    def exchange_query(self):
        return ExchangeQuery(
            session=self.pick("", "", "s1"),
            branch=self.pick("", "", self.mark),
            folder=self.pick("", "", PATHS[0]),
            since=self.pick(None, None, self.any_time()),
            until=self.pick(None, None, self.any_time()),
            work=self.pick(*EITHER),
            limit=self.pick(None, 1, 5),
            offset=self.pick(0, 0, 1),
        )

    def document(self):
        """One of a few, with chunks some of which other documents have too."""
        path = self.pick(*PATHS)
        chunks = [self.chunk(path, place) for place in range(self.random.randint(0, 3))]
        document = Document(
            id=document_id(path),
            path=path,
            form="markdown",
            title=self.said(),
            domain=self.pick(Domain.API, Domain.GENERAL),
            set_domain=self.pick(*EITHER),
            size=self.random.randint(0, 9),
            hash=f"{self.random.randint(0, 3)}",
            rules=self.pick("old", "new"),
            source=self.pick("docs", "."),
            chunks=len(chunks),
            tokens=self.random.randint(0, 9),
            modified_at=self.any_time(),
            ingested_at=self.now(),
            metadata=self.pick({}, {"tags": [self.said()]}),
        )
        return document, [(one, self.pick("", self.said())) for one in chunks]

    def chunk(self, path, place):
        hash_ = f"{self.mark}{self.random.randint(0, 5)}"
        return Chunk(
            id=chunk_id(path, hash_, place),
            path=path,
            place=place,
            headings=self.pick((), (self.said(),)),
            text=self.said(),
            first_line=place,
            last_line=place + 1,
            tokens=self.random.randint(1, 9),
            hash=hash_,
            domain=self.pick(Domain.API, Domain.GENERAL),
            written_at=self.any_time(),
        )

    def document_query(self):
        return MemoryQuery(
            domains=self.pick((), (Domain.API,)),
            files=self.pick((), (PATHS[0],), ("src/",)),
            recorded_after=self.pick(None, None, self.any_time()),
            recorded_before=self.pick(None, None, self.any_time()),
        )

    def receipt(self):
        return Receipt(
            session=self.pick(*SESSIONS),
            context=self.pick(0, 1),
            memory=self.id(),
            scope=Scope.PROJECT,
            channel=self.pick("surface", "prompt", "file"),
            subject=self.mark,
            at=self.any_time(),
            score=self.pick(0.0, 0.5),
            tokens=self.random.randint(0, 9),
        )

    def call(self):
        return ModelCall(
            at=self.any_time(),
            provider="p",
            model=self.mark,
            purpose="extract",
            input_tokens=self.random.randint(0, 60),
            micro_usd=self.random.randint(0, 9),
            outcome=self.pick("pending", "ok", "failed"),
        )

    # -- what each act is given

    def _insert(self):
        numbers = {self.random.randrange(NUMBERS) for _ in range(self.random.randint(1, 3))}
        return ([self.memory(number) for number in sorted(numbers)],)

    _fail = _insert

    def _update(self):
        made = self.memory(0)
        names = (
            ("text", "summary", "content", "kind") if self.pick(*EITHER) else ("status", "priority", "files")
        )
        fields = {name: getattr(made, name) for name in (*names, "tags", "updated_at")}
        return self.id(), fields, self.pick(*EITHER)

    def _delete(self):
        return self.id(), self.now()

    def _say(self):
        numbers = [self.random.randrange(1, NUMBERS) for _ in range(self.random.randint(1, 3))]
        return [(self.exchange(number), self.pick("", self.said())) for number in numbers], self.now()

    def _unsay(self):
        return (self.keys()[:3],)

    def _embed_said(self):
        model, keys = self.pick(*MODELS), self.keys()[:3]
        return model, [(key, self.hash(key, model), self.code(key)) for key in keys]

    def _release(self):
        return (self.pick(*MODELS),)

    def _said(self):
        return (self.exchange_query(),)

    def _said_by_id(self):
        return [f"{self.random.randrange(NUMBERS):032x}" for _ in range(3)], "0" * 31

    def _growing(self):
        return (self.pick(*SESSIONS),)

    def _said_around(self):
        return (self.exchange(self.random.randrange(1, NUMBERS)),)

    def _oldest_said(self):
        return (self.any_time(),)

    def _said_keys_of(self):
        return ([self.hash(self.random.randrange(NUMBERS), self.pick(*MODELS)) for _ in range(4)],)

    def _said_match(self):
        return self.words(), self.random.randint(1, 9), self.pick(None, self.exchange_query())

    def _said_nearest(self):
        only = self.pick(None, self.exchange_query())
        return self.vector(), self.random.randint(1, 9), only, self.pick(*MODELS)

    def _said_facts(self):
        return self.keys(), self.pick(None, self.exchange_query()), self.pick(None, *MODELS)

    def _holding_said(self):
        return (self.pick(*PIECES),)

    def _write(self):
        return self.document()

    def _unwrite(self):
        return (self.pick([], [self.pick(*PATHS)]),)

    _embed_written, _release_written = _embed_said, _release

    def _read_chunks(self):
        return [self.chunk(self.pick(*PATHS), 0).id for _ in range(3)], self.any_time()

    def _written(self):
        return (self.pick((), (PATHS[0],), ("src/",)),)

    def _written_of(self):
        return self.pick(*PATHS), [self.chunk(self.pick(*PATHS), 0).id for _ in range(3)], "chk-0"

    def _written_match(self):
        only = self.pick(None, self.document_query())
        return self.words(), self.random.randint(1, 9), only, self.pick(*SELDOM), ()

    def _written_nearest(self):
        return self.vector(), self.random.randint(1, 9), self.pick(None, self.document_query()), "one"

    def _written_facts(self):
        return self.keys(), self.document_query(), self.pick(None, *MODELS)

    _holding_written = _holding_said

    def _touch(self):
        return self.ids(), self.any_time()

    def _evidence(self):
        return self.id(), self.pick(b"a", b"\0b")

    def _version(self):
        number = self.random.randrange(NUMBERS)
        made = replace(self.memory(number), version=self.random.randint(1, 12))
        return made.id, [
            Version(
                memory=made,
                version=made.version,
                recorded_from=made.updated_at,
                recorded_to=self.now(),
                changed_by=Actor.IMPORT,
                reason=self.mark,
            )
        ]

    def _relate(self):
        return (
            Relation(
                self.id(),
                self.id(),
                self.pick(*list(RelationType)[:3]),
                self.any_time(),
                self.pick(0.5, 1.0),
                (self.mark,),
                inferred=self.pick(*EITHER),
                status=self.pick(*RelationStatus),
                bidirectional=self.pick(*EITHER),
            ),
        )

    def _unrelate(self):
        return self.id(), self.id(), self.pick(None, RelationType.SUPPORTS)

    def _record(self):
        return (
            [
                AuditEntry(
                    memory_id=id_,
                    operation="update",
                    actor=Actor.USER,
                    at=self.now(),
                    details={"by": self.mark},
                )
                for id_ in self.ids()
            ],
        )

    def _degrade(self):
        return Degradation(
            self.pick("a", "b"), self.pick("why", self.mark), "instead", self.pick(*EITHER)
        ), self.any_time()

    def _checkpoint(self):
        return (
            Checkpoint(
                path=self.pick(*PATHS),
                session_id=self.pick(*SESSIONS),
                client=self.mark,
                position=self.seconds,
                turns=1,
                extracted_at=self.now(),
            ),
        )

    def _embed(self):
        model = self.pick(*MODELS)
        numbers = [self.random.randrange(NUMBERS) for _ in range(self.random.randint(1, 4))]
        return model, [(id_of(one), self.hash(one % 12, model), self.code(one % 12)) for one in numbers]

    def _reembedded(self):
        return self.pick(*MODELS), self.seconds

    _reembedding_done = _reembedded

    def _drop_left_behind(self):
        return (self.pick(*MODELS),)

    def _session(self):
        at = self.any_time()
        return (
            Session(
                id=self.pick(*SESSIONS),
                started_at=AT,
                seen_at=at,
                client="c",
                cwd=self.mark,
                transcript=self.pick("", *PATHS),
                ended_at=self.pick(None, at),
                context=self.pick(0, 1),
            ),
        )

    def _captured(self):
        return self.pick(*SESSIONS), self.now(), self.mark

    def _give(self):
        made = [self.receipt() for _ in range(self.random.randint(1, 3))]
        self.given += made
        return (made,)

    def _use(self):
        return self.random.choice(self.given or [self.receipt()]), self.now()

    def _note(self):
        return (
            [
                Signal(
                    session=self.pick(*SESSIONS),
                    at=self.now(),
                    name=self.pick("failed", "mended", "read"),
                    subject=f"{self.mark} {self.pick(*PIECES)}",
                    digest=self.pick("", "d"),
                )
                for _ in range(2)
            ],
        )

    def _forget_text(self):
        return (self.pick(*PIECES[:6]),)

    def _forget_before(self):
        return (AT + timedelta(seconds=self.random.randint(-9, self.seconds // 2)),)

    def _reserve(self):
        return self.call(), Limit(tokens=300, micro_usd=1_000)

    def _settle(self):
        return self.random.randint(1, 9), self.call()

    def _get(self):
        return (self.ids(),)

    _relations_of = _get

    def _beginning(self):
        return (self.pick("", "9b1c", self.id(), self.id()[:30], "%", "_"),)

    def _find(self):
        return (self.query(),)

    _count = _find

    def _same(self):
        return (blake3(bytes([self.random.randrange(NUMBERS)])).hexdigest(),)

    def _neighbours(self):
        return (self.pick("", *SESSIONS),)

    def _history(self):
        return (self.id(),)

    _entries = _buried = _history

    def _as_of(self):
        return self.id(), self.any_time()

    def _former(self):
        return replace(self.query(), as_of=None), self.any_time()

    def _suggested(self):
        return self.pick(*list(RelationType)[:3]), self.pick(1, 9)

    def _recent(self):
        return (self.random.randint(1, 9),)

    _sessions = _recent

    def _read_checkpoint(self):
        return (self.pick(*PATHS),)

    def _keys_of(self):
        return ([self.hash(self.random.randrange(12), self.pick(*MODELS)) for _ in range(2)],)

    def _codes_of(self):
        return self.ids(), self.pick(*MODELS, "none")

    def _outdated(self):
        return (self.pick(*MODELS),)

    def _read_session(self):
        return (self.pick(*SESSIONS, "s"),)

    def _cited(self):
        return ([*PATHS, "none"],)

    def _unheard(self):
        return ([(path, AT.timestamp() + self.pick(-9.5, 9.25)) for path in (*PATHS, "new")],)

    def _receipts(self):
        return (self.pick(*SESSIONS),)

    _signals = _receipts

    def _has_failed(self):
        return self.pick(*SESSIONS), "d"

    def _spent(self):
        return (self.pick(AT, AT + timedelta(days=1)),)

    def _statistics(self):
        return (to_micros(self.any_time()),)

    def _frequencies(self):
        return (self.words(),)

    _candidates = _frequencies

    def _speakers(self):
        return (["ada", "GRACE", "ÉVA", "nobody", *self.words()],)

    def _match(self):
        return (
            self.words(),
            self.pick(2, 8, 100),
            self.only(),
            self.pick(*SELDOM),
            self.pick((), tuple(self.words())),
        )

    def _nearest(self):
        return self.vector(), self.pick(1, 4, 50), self.only(), self.pick(*MODELS, "none")

    def _vectors(self):
        return self.keys(), self.pick(*MODELS)

    def _facts(self):
        return self.keys(), replace(self.query(), as_of=None), self.pick(None, *MODELS)

    def _around(self):
        return self.keys(), self.pick(0, 1, 3)

    def _links(self):
        return (self.keys(),)

    _by_key = _links
