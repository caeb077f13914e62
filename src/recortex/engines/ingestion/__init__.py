"""A draft made into a memory: cleaned, typed, summarised and hashed; and vectors, made at once or later.

Exchanges and parts of documents get theirs after they were kept; until then words find them.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from recortex.codec import content_from_json, dumps, loads, without_nul
from recortex.domain.kinds import KINDS, Content, Kind
from recortex.domain.memory import Memory, check
from recortex.domain.text import as_utc, parse_instant
from recortex.domain.vocabulary import TRUST_OF_ORIGIN, Status, Trust
from recortex.engines.indexing import compact, cosine, embedded_text
from recortex.engines.privacy import clean as clean_labels
from recortex.engines.privacy import redact, redact_json
from recortex.engines.similarity import content_hash, is_uncertain, vector_hash, vector_verdict
from recortex.errors import EmbeddingError, InvalidInputError, TextRefusedError
from recortex.lean import NamedTuple, msgspec, replace
from recortex.text.words import reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.memory import ConstraintLink, PatternLink, Relation
    from recortex.engines.privacy import Draft
    from recortex.ports.model import Named, NamedEmbedder
    from recortex.ports.search import OwnVectors
    from recortex.ports.store import KeptStore, Store


MAX_TEXT = 100_000
"""The most characters of a memory: more is a document, not something learned."""
MAX_LABELS = 64
"""The most tags, or links of one type, of a memory."""
MAX_LABEL = 2_000
"""The most bytes of a tag, path or name: no file has a longer one, and PostgreSQL's indexes take little
more."""


class Normalised(NamedTuple):
    """A memory, the names of the privacy rules that matched in it, and of those that could not be run."""

    memory: Memory
    redacted: tuple[str, ...]
    skipped: tuple[str, ...] = ()


def normalise(draft: Draft, *, id_: str, now: datetime, count: Callable[[str], int]) -> Normalised:
    """The memory that a draft asks for.

    Args:
        draft: what is to be remembered.
        id_: the new memory's id.
        now: when it is recorded, unless the draft has a time.
        count: counts the tokens of a text.

    Raises:
        InvalidInputError: the draft is empty, or a value does not fit.
    """
    if not draft.text.strip() and not draft.content:
        raise InvalidInputError(
            "There is nothing to remember: the text is empty.", hint="Give a text or a content."
        )
    _check_length(draft.text)
    _check_length(draft.summary)
    for value in draft.content.values():
        _check_length(value if isinstance(value, str) else "")
    clean, found, skipped = _redacted(without_nul(draft))
    content = _content(clean)
    text = content.text()
    recorded = as_utc(clean.recorded_at or now)
    ends = None if clean.valid_until else expiry(content)
    # An approved exception may have ended before it was recorded: then its validity is that one moment.
    since = as_utc(clean.valid_from) if clean.valid_from else min(recorded, ends or recorded)
    memory = Memory(
        id=id_,
        kind=clean.kind,
        text=text,
        summary=clean.summary or content.summary(),
        content=content,
        recorded_at=recorded,
        updated_at=recorded,
        valid_from=since,
        valid_until=as_utc(clean.valid_until) if clean.valid_until else ends,
        status=clean.status
        or (Status.QUARANTINED if TRUST_OF_ORIGIN[clean.origin] is Trust.UNTRUSTED else Status.ACTIVE),
        trust=TRUST_OF_ORIGIN[clean.origin],
        content_hash=content_hash(clean.kind, text),
        tokens=count(text),
        **{name: getattr(clean, name) for name in _AS_DRAFTED},
    )
    return Normalised(_bounded(check(memory)), found, skipped)


def expiry(content: Content) -> datetime | None:
    """When a content says that it stops being valid, as an approved exception does; None if it does not.

    Raises:
        InvalidInputError: its `expires_at` is no date.
    """
    expires = getattr(content, "expires_at", "")
    return parse_instant(expires) if expires and not getattr(content, "permanent", False) else None


_AS_DRAFTED = (
    "scope", "confidence", "priority", "pinned", "tags", "domain", "files",
    "functions", "patterns", "constraints", "source", "origin", "supersedes", "metadata",
)  # fmt: skip


def normalise_again(memory: Memory, *, count: Callable[[str], int]) -> Normalised:
    """The same memory without secrets, with everything recomputed that follows from its content."""
    memory = without_nul(memory)
    clean, found = redact_json(msgspec.to_builtins(memory.content))
    content = content_from_json(memory.kind, clean)
    text = content.text()
    labels = clean_labels(memory)
    changed = replace(
        memory,
        content=content,
        text=text,
        # A summary that follows from the content is made anew; one that somebody wrote stays.
        summary=content.summary()
        if memory.summary in ("", memory.content.summary())
        else redact(memory.summary).text,
        content_hash=content_hash(memory.kind, text),
        tokens=count(text),
        **labels.changes,
    )
    # Two tags with a secret each may have become one placeholder.
    changed = replace(changed, **_tidied(changed))
    return Normalised(_bounded(check(changed)), (*(finding.rule for finding in found), *labels.redacted))


def _bounded(memory: Memory) -> Memory:
    """The memory itself.

    Raises:
        InvalidInputError: it is larger than a memory may be.
    """
    _check_length(memory.text)
    _check_length(memory.summary)
    labels = (memory.tags, memory.files, memory.functions, memory.patterns, memory.constraints)
    if max(map(len, labels)) > MAX_LABELS:
        raise InvalidInputError(f"A memory has at most {MAX_LABELS} tags or links of a kind.")
    long = next((name for name in _names(memory) if len(name.encode("utf-8", "replace")) > MAX_LABEL), None)
    if long is not None:
        raise InvalidInputError(
            f"{long[:40]!r}… is too long: a tag, a path or a name has at most {MAX_LABEL:,} bytes.",
            hint="Give a shorter one; long text belongs in the memory's text.",
        )
    if memory.metadata and len(dumps(memory.metadata)) > MAX_TEXT:
        raise InvalidInputError(
            f"The metadata is larger than {MAX_TEXT:,} bytes.", hint="Keep a reference to it."
        )
    return memory


def _names(memory: Memory) -> Iterator[str]:
    """The values by which memories are looked up exactly."""
    yield from memory.tags
    yield from (link.path for link in memory.files)
    yield from (link.name for link in memory.functions)
    yield from (link.id for link in memory.patterns)
    yield from (link.id for link in memory.constraints)
    yield from (memory.source.session, memory.source.speaker)


def _check_length(text: str) -> None:
    if len(text) > MAX_TEXT:
        raise InvalidInputError(
            f"The text has {len(text):,} characters; a memory has at most {MAX_TEXT:,}.",
            hint="Remember its conclusions, or import it as a document.",
        )


def _redacted(draft: Draft) -> tuple[Draft, tuple[str, ...], tuple[str, ...]]:
    path = draft.files[0].path if draft.files else None
    # A text as every store and output can hold it: without lone surrogates and NUL.
    text = redact(draft.text.encode("utf-8", "replace").decode("utf-8").replace("\0", ""), path=path)
    content, in_content = redact_json(draft.content, path=path) if draft.content else ({}, ())
    if draft.metadata:
        draft = replace(draft, metadata=loads(dumps(draft.metadata)))  # as every output will show it
    labels = clean_labels(draft)
    summary = redact(draft.summary).text if draft.summary else ""
    clean = replace(draft, text=text.text.strip(), content=content, summary=summary, **labels.changes)
    clean = replace(clean, **_tidied(clean))
    found = (*(finding.rule for finding in (*text.findings, *in_content)), *labels.redacted)
    return clean, found, text.skipped


def _tidied(of: Memory | Draft) -> dict[str, Any]:
    """Tags trimmed, none empty, each once; patterns and constraints in the order of their ids, each once."""
    return {
        "tags": tuple(dict.fromkeys(tag.strip() for tag in of.tags if tag.strip())),
        "patterns": tuple(sorted({link.id: link for link in of.patterns}.values(), key=_id)),
        "constraints": tuple(sorted({link.id: link for link in of.constraints}.values(), key=_id)),
    }


def _id(link: PatternLink | ConstraintLink) -> bytes:
    return link.id.encode("utf-8", "replace")


def _content(draft: Draft) -> Content:
    kind = KINDS[draft.kind]
    if not draft.content:
        return _not_empty(kind.from_text(draft.text), draft.kind)
    fields_ = dict(draft.content)
    if draft.text:
        fields_.setdefault(kind.main, draft.text)
    return _not_empty(content_from_json(draft.kind, fields_), draft.kind)


def _not_empty(content: Content, kind: Kind) -> Content:
    if not content.text().strip():
        names = ", ".join(content.__struct_fields__)
        raise InvalidInputError(f"The {kind} is empty.", hint=f"Give a text, or one of its fields: {names}.")
    return content


# -- makes the vectors of memories, at once or later


BATCH = 50
"""Texts that are embedded between two short transactions: a kill loses at most these vectors, and no
memory."""


class _Made(NamedTuple):
    """Vectors of texts.

    Attributes:
        model: the embedder that made the new ones.
        hashes: of each text's vector.
        codes: int8 codes of the new vectors, by hash.
        pieces: word pieces of the new ones, by hash, where the embedder tells them.
    """

    model: str
    hashes: list[bytes]
    codes: dict[bytes, bytes] = {}  # noqa: RUF012  never written to
    pieces: dict[bytes, bytes] = {}  # noqa: RUF012


class Embedding:
    """Makes vectors of memories that are in a store.

    The preferred embedder is the wanted one. A fallback makes vectors only for memories that have none, so
    that they are found in the meantime; its vectors are outdated as soon as the wanted embedder works again.

    Args:
        embedder: None where vectors are switched off.
        project: the project's name, which is embedded with each memory.
    """

    def __init__(self, store: Store, embedder: NamedEmbedder | None, *, project: str = "") -> None:
        self._store = store
        self._project = project
        self._embedder = embedder
        self._recovery_recorded = False  # whether the ledger knows that the wanted embedder works

    @property
    def wanted(self) -> str:
        """The embedder that every memory should have a vector of; empty if the store cannot have vectors."""
        if self._embedder is None or not self._store.has_vectors:
            return ""
        return self._embedder.preferred_name

    def embed(
        self, memories: Sequence[Memory], *, progress: Callable[[str, int, int], None] = lambda *_: None
    ) -> int:
        """Attach a vector to each memory whose kind has one; returns how many got one.

        A memory stays without a vector, and is found by its words, when no embedder can make it.
        """
        waiting = self._with_texts(memories)
        done: list[int] = []
        for start in range(0, len(waiting), BATCH):
            batch = waiting[start : start + BATCH]
            try:
                self._embed_most(batch, kept=lambda _, count: done.append(count))
            # The next batches would fail as this one did; what is left is caught up with later.
            except EmbeddingError:
                break
            progress("embedding", sum(done), len(waiting))
        return sum(done)

    def renew(
        self, ids: Sequence[str], *, stand_in: bool, kept: Callable[[str, int], None] = lambda *_: None
    ) -> str:
        """Give at most a batch of memories a vector of the wanted embedder.

        Args:
            ids: of memories, which may have vectors of other embedders.
            stand_in: whether a fallback may be used for memories that have no vector.
            kept: called with the embedder's name and the number of memories, in the transaction that writes
                the vectors.

        Returns:
            The name of the embedder that answered.

        Raises:
            EmbeddingError: no vector could be made, or only by a fallback that is not allowed; nothing was
                changed.
        """
        waiting = self._with_texts(self._store.memories.get(ids))
        return self._embed_most(waiting, stand_in=stand_in, kept=kept) if waiting else self.wanted

    def _with_texts(self, memories: Sequence[Memory]) -> list[tuple[Memory, str]]:
        if not self.wanted:
            return []
        return [(memory, text) for memory in memories if (text := embedded_text(memory, self._project))]

    def _embed_most(
        self,
        batch: Sequence[tuple[Memory, str]],
        *,
        stand_in: bool = True,
        kept: Callable[[str, int], None] = lambda *_: None,
    ) -> str:
        """As `_embed_batch`, by halves if a text is refused, so that the others get their vectors.

        Raises:
            TextRefusedError: every text is refused: the set-up is wrong, not the texts.
        """
        try:
            return self._embed_batch(batch, stand_in=stand_in, kept=kept)
        except TextRefusedError as error:
            if len(batch) == 1:
                raise
            made, refused = "", error
        for half in (batch[: len(batch) // 2], batch[len(batch) // 2 :]):
            try:
                made = self._embed_most(half, stand_in=stand_in, kept=kept)
            except TextRefusedError as error:
                refused = error
        if not made:
            raise refused
        return made

    def _embed_batch(
        self,
        batch: Sequence[tuple[Memory, str]],
        *,
        stand_in: bool = True,
        kept: Callable[[str, int], None] = lambda *_: None,
    ) -> str:
        """Embed and attach; returns the embedder that made the missing vectors, else the wanted one."""
        model, hashes, codes, pieces = self._vectors_of([text for _, text in batch])
        if model != self.wanted and not stand_in:
            raise EmbeddingError(f"{self.wanted} makes no vectors now, only its fallback {model} does.")
        with self._store.transaction():
            if codes:
                made = self._store.vectors.put(model, codes)
                self._store.vectors.put_pieces({made[hash_]: one for hash_, one in pieces.items()})
            if codes and model == self.wanted and not self._recovery_recorded:
                self._store.ledger.works_again("embedding model")
                self._recovery_recorded = True
            keys = self._store.vectors.keys_of(hashes)
            pairs = [
                (memory.id, keys[hash_], bytes.fromhex(memory.content_hash))
                for (memory, _), hash_ in zip(batch, hashes, strict=True)
                if hash_ in keys
            ]
            self._store.vectors.attach(pairs, first=model != self.wanted)
            kept(model, len(pairs))
            self._settle([memory.id for memory, _ in batch if reads(model, memory.text)], model)
        return model

    def _vectors_of(self, texts: Sequence[str]) -> _Made:
        """The hash of each text's vector, and the codes and pieces of the new vectors.

        A hash is made of the embedder's name and the text, so a vector that the embedder once made is found
        again, even if another embedder was used in between.
        """
        assert self._embedder is not None  # noqa: S101  `wanted` checked it
        model = self.wanted
        hashes = [vector_hash(model, text) for text in texts]
        known = self._store.vectors.keys_of(hashes)
        missing = dict.fromkeys(text for hash_, text in zip(hashes, texts, strict=True) if hash_ not in known)
        if not missing:
            return _Made(model, hashes)
        made = self._embedder.embed_named(list(missing), purpose="passage")
        if made.name != model:  # a fallback: its vectors have hashes of their own
            hashes = [
                hash_ if hash_ in known else vector_hash(made.name, text)
                for hash_, text in zip(hashes, texts, strict=True)
            ]
        self._check_length(made)
        new = [vector_hash(made.name, text) for text in missing]
        codes = dict(zip(new, map(compact, made.vectors), strict=True))
        pieces = {hash_: one for hash_, one in zip(new, made.pieces, strict=False) if isinstance(one, bytes)}
        return _Made(made.name, hashes, codes, pieces)

    def _check_length(self, made: Named) -> None:
        """Refuse vectors that cannot be compared with the embedder's own.

        Raises:
            EmbeddingError: they have another length.
        """
        length, kept = made.vectors.shape[1], self._store.vectors.dimensions(made.name)
        if kept not in {None, length}:
            raise EmbeddingError(
                f"{made.name} makes {length} dimensions now; the store has vectors of {kept} by it.",
                hint="Another model has its name: run `recortex reembed --afresh`, which makes all vectors "
                "again.",
            )

    def _settle(self, ids: Sequence[str], model: str) -> None:
        """Decide by vectors about relations for which the words alone were not clear."""
        doubted = [*filter(is_uncertain, self._store.relations.find_touching(ids))]
        ends = {id_ for relation in doubted for id_ in (relation.source_id, relation.target_id)}
        codes = self._store.vectors.codes_of(sorted(ends), model) if ends else {}
        kept: list[Relation] = []
        for relation in doubted:
            pair = [codes[id_] for id_ in (relation.source_id, relation.target_id) if id_ in codes]
            if len(pair) < 2:  # noqa: PLR2004  a pair
                continue
            better = vector_verdict(relation, cosine(*pair))
            if better is None:
                self._store.relations.remove(relation.source_id, relation.target_id, relation.type)
            else:
                kept.append(better)
        self._store.relations.put_all(kept)


Kept = TypeVar("Kept")
RECORD_BATCH = 32
"""Records between two short transactions: a kill loses at most their vectors."""
PART = "\0"
"""Parts two parts of a text, whose vector is the mean of both."""
RELEASED = 1_000
"""Records that give up the vectors of another embedder in one transaction."""


class RecordEmbedding(Generic[Kept]):
    """Makes vectors of the exchanges of a store, or of its chunks, by the wanted embedder alone.

    Args:
        store: where they are.
        vectors: of the store: those of exchanges, or of chunks.
        texts: what the vectors of a record are made of; an empty text has none.
        embedder: None where vectors are switched off.
    """

    def __init__(
        self,
        store: KeptStore,
        vectors: OwnVectors[Kept],
        texts: Callable[[Kept], tuple[str, ...]],
        embedder: NamedEmbedder | None,
    ) -> None:
        self._store = store
        self._vectors = vectors
        self._texts = texts
        self._embedder = embedder if store.has_vectors else None
        self._refused: set[int] = set()  # keys of records that the embedder refused, for this process

    def embed_batch(self, limit: int = RECORD_BATCH) -> int:
        """Give the next records their vectors; returns how many got some.

        One whose text is refused is passed over until the next process.

        Raises:
            EmbeddingError: the wanted embedder makes none now; nothing was changed.
        """
        if self._embedder is None:
            return 0
        # Those that were refused still wait, and would otherwise fill every batch.
        waiting = self._vectors.waiting(min(limit, RECORD_BATCH) + len(self._refused))
        return self._embed_most([one for one in waiting if one[0] not in self._refused])

    def release_others(self) -> None:
        """Let records wait for vectors of the wanted embedder that have those of another."""
        if self._embedder is None:
            return
        released = RELEASED
        # In several transactions, so that other writers get their turn.
        while released == RELEASED:
            with self._store.transaction():
                model = self._embedder.preferred_name
                released = self._vectors.release_others(model, RELEASED)

    def _embed_most(self, waiting: Sequence[tuple[int, Kept]]) -> int:
        """As `_embed`, by halves if a text is refused, so that the others get their vectors."""
        try:
            return self._embed(waiting) if waiting else 0
        except TextRefusedError:
            if len(waiting) == 1:
                self._refused.add(waiting[0][0])
                return 0
        half = len(waiting) // 2
        return self._embed_most(waiting[:half]) + self._embed_most(waiting[half:])

    def _embed(self, waiting: Sequence[tuple[int, Kept]]) -> int:
        model = self._embedder.preferred_name if self._embedder else ""
        texts = {key: self._texts(one) for key, one in waiting}
        hashes = {text: vector_hash(model, text) for some in texts.values() for text in some if text}
        # A text that stands in several records, or came before, has its vector already.
        known = self._vectors.keys_of(list(hashes.values()))
        codes = self._codes(model, {text: hash_ for text, hash_ in hashes.items() if hash_ not in known})
        with self._store.transaction():
            keys = dict(known) | dict(self._vectors.put(model, codes) if codes else {})
            of_text = {text: keys[hash_] for text, hash_ in hashes.items()}
            self._vectors.attach({key: tuple(map(of_text.get, some)) for key, some in texts.items()})
        return len(waiting)

    def _codes(self, model: str, missing: Mapping[str, bytes]) -> dict[bytes, bytes]:
        """The new vectors as int8 codes, by hash."""
        if not missing or self._embedder is None:
            return {}
        texts = sorted(missing, key=len)  # those of like length together: the model pads the shorter ones
        parts = [text.split(PART) for text in texts]
        made = self._embedder.embed_named([one for some in parts for one in some], purpose="passage")
        # Vectors of the fallback cannot be compared with those of the wanted model, so the records go on
        # waiting.
        if made.name != model:
            raise EmbeddingError(f"{model} makes no vectors now, only its fallback {made.name} does.")
        rows = iter(made.vectors)
        means = [sum(islice(rows, len(some))) for some in parts]  # their length does not matter
        return {missing[text]: compact(row) for text, row in zip(texts, means, strict=True)}
