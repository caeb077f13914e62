"""Makes the vectors of exchanges and of chunks after they were kept; until then words find them."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

from recortex.domain.cleaning import clean
from recortex.domain.exchange import MOST_ASKED, MOST_CONCLUSION, MOST_MESSAGE, MOST_WORK
from recortex.domain.injection import strip_injected
from recortex.engines.exchanges.passages import ending, shortened
from recortex.engines.indexing.vectors import compact
from recortex.engines.privacy import redact
from recortex.engines.similarity.jaccard import vector_hash
from recortex.errors import EmbeddingError, TextRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.exchange import Exchange
    from recortex.ports.embedding import NamedEmbedder
    from recortex.ports.kept_store import KeptStore
    from recortex.ports.search import OwnVectors


Kept = TypeVar("Kept")
BATCH = 32
"""Records between two short transactions: a kill loses at most their vectors."""
PART = "\0"
"""Parts two parts of a text, whose vector is the mean of both."""
RELEASED = 1_000
"""Records that give up the vectors of another embedder in one transaction."""


ASKED, MESSAGE, OUTCOME = 160, 240, 160
"""Characters that the model reads of the end of what was asked, of the beginning of the message, and of the
beginning and of the end of what came of it. As many facts are found as with whole texts, at a third of the
time; a vector of the message alone adds nothing (bench/RESULTS.md)."""


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
        self._embedder = embedder if store.vectors.available else None
        self._refused: set[int] = set()  # keys of records that the embedder refused, for this process

    def embed_batch(self, limit: int = BATCH) -> int:
        """Give the next records their vectors; returns how many got some.

        One whose text is refused is passed over until the next process.

        Raises:
            EmbeddingError: the wanted embedder makes none now; nothing was changed.
        """
        if self._embedder is None:
            return 0
        waiting = self._vectors.waiting(min(limit, BATCH) + len(self._refused))
        return self._embed_most([one for one in waiting if one[0] not in self._refused])

    def release_others(self) -> None:
        """Let records wait for vectors of the wanted embedder that have those of another."""
        if self._embedder is None:
            return
        released = RELEASED
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
        if made.name != model:
            raise EmbeddingError(f"{model} makes no vectors now, only its fallback {made.name} does.")
        rows = iter(made.vectors)
        means = [sum(islice(rows, len(some))) for some in parts]  # their length does not matter
        return {missing[text]: compact(row) for text, row in zip(texts, means, strict=True)}


def embedded(exchange: Exchange) -> tuple[str, str]:
    """What the vectors of an exchange are made of: the message with what it answers, and what came of it."""
    asked, message = ending(exchange.asked, ASKED), shortened(exchange.message, MESSAGE, 0)
    return "\n".join(filter(None, (asked, message))), shortened(exchange.outcome, OUTCOME, OUTCOME)


# -- exchanges that come into a store by another installation's export


FOREIGN = "imported:"
"""What the session of an exchange begins with that another installation exported."""
_OPENING, _PLACE, _COMMAND, _ENTRIES = 240, 200, 160, 12
_LAST_TURN = 2**31 - 1


def foreign(exchange: Exchange, now: datetime) -> Exchange:
    """An exchange that somebody else wrote, as it may be kept here.

    It is nobody's word here, and waits: it is opened by its id or session, and answers no question.
    Its id and session are none that a session of this machine can have, so that it neither takes the place of
    an exchange nor is gone on with. It is redacted, cleaned of markup, and not longer than ours.
    """
    # An exchange with harmless texts, each no longer than one of ours.
    most = MOST_WORK if exchange.part else MOST_CONCLUSION
    cut = replace(
        exchange,
        session=_harmless(exchange.session, _PLACE),
        client=_harmless(exchange.client, _PLACE),
        asked=_harmless(exchange.asked, MOST_ASKED),
        message=_harmless(exchange.message, MOST_MESSAGE),
        opening=_harmless(exchange.opening, _OPENING),
        conclusion=_harmless(exchange.conclusion, most),
        files=_listed(exchange.files, _PLACE),
        failed=_listed(exchange.failed, _COMMAND),
        passed=_listed(exchange.passed, _COMMAND),
        commit=_harmless(exchange.commit, _PLACE),
        branch=_harmless(exchange.branch, _PLACE),
        folder=_harmless(exchange.folder, _PLACE),
    )
    first = min(max(exchange.first_turn, 0), _LAST_TURN)
    digest = blake2b(f"{FOREIGN}{exchange.id}".encode("utf-8", "replace"), digest_size=16).hexdigest()
    return replace(
        cut,
        id=digest,
        session=f"{FOREIGN}{cut.session}"[:_PLACE],
        opener="imported",
        first_turn=first,
        last_turn=min(max(exchange.last_turn, first), _LAST_TURN),
        root_turn=min(max(exchange.root_turn, 0), first),
        part=min(max(exchange.part, 0), _LAST_TURN),
        started_at=exchange.started_at and min(exchange.started_at, now),
        ended_at=exchange.ended_at and min(exchange.ended_at, now),
    )


def _harmless(text: str, most: int) -> str:
    return redact(clean(strip_injected(text)[0])).text[:most]


def _listed(texts: tuple[str, ...], most: int) -> tuple[str, ...]:
    return tuple(_harmless(text, most) for text in texts[:_ENTRIES])
