"""Recall: load candidates, score them, and return the few that answer."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

from recortex.domain.search import BM25_MOST_GAIN, Hit, MemoryQuery, Recall, matches
from recortex.domain.text import shorten, to_micros
from recortex.domain.vocabulary import Status
from recortex.engines.decay import remaining
from recortex.engines.indexing import AskedPieces, QuestionVector, Trait, cosines, mean_direction, wordings
from recortex.engines.retrieval.question import Question, periods, question, timeless, without
from recortex.engines.retrieval.scorer import (
    FLOOR,
    STRANGE,
    Considered,
    Evidence,
    Ranking,
    Rated,
    Scored,
    Support,
    answerable,
    frame_score,
    lacks_vector,
    lifted,
    passing,
    patterns_asked_for,
    rated,
    score,
)
from recortex.engines.retrieval.weights import Vocabulary
from recortex.errors import EmbeddingError
from recortex.lean import NamedTuple, lazy_module, replace
from recortex.text.words import MULTILINGUAL_MODEL, borders, looked_up, reads, synonyms_of, tells_likeness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.memory import Memory
    from recortex.domain.search import Facts, Recipe, Understood
    from recortex.engines.indexing import Wording
    from recortex.ports.model import NamedEmbedder, Reranker
    from recortex.ports.search import SearchStore

    Contradicting = Callable[[Sequence[str], datetime], Sequence[tuple[Memory, Memory]]]
    from recortex.engines.retrieval import explaining
else:
    explaining = lazy_module("recortex.engines.retrieval.explaining")


# -- A question while it is asked of a store: what is known of it, and its vector, which is made meanwhile


class InPlay(NamedTuple):
    """What is being worked on: memories about it count more.

    Attributes:
        files: paths that are in view.
        patterns: ids of code patterns that matter.
    """

    files: tuple[str, ...] = ()
    patterns: frozenset[str] = frozenset()


NOTHING_IN_PLAY = InPlay()


class Meaning:
    """A question as one store takes it; its vector is waited for when it is used.

    Attributes:
        asked: the question's parts.
        vocabulary: its words in the store.
        in_play: what is being worked on.
        model: the embedder that was asked for the vector; None where the question gets none.

    Args:
        made: waits for the vector, and raises `EmbeddingError` where none could be made.
    """

    def __init__(
        self,
        asked: Question,
        vocabulary: Vocabulary,
        in_play: InPlay = NOTHING_IN_PLAY,
        *,
        model: str | None = None,
        made: Callable[[], QuestionVector | None] | None = None,
    ) -> None:
        self.asked, self.vocabulary, self.in_play = asked, vocabulary, in_play
        self.model, self._made = model, made

    @property
    def vector(self) -> QuestionVector | None:
        """None where it has none."""
        return self._result[0]

    def with_vector_of(self, other: Meaning) -> Meaning:
        """The same with the vector of the question as another store takes it."""
        return Meaning(
            self.asked, self.vocabulary, self.in_play, model=other.model, made=lambda: other.vector
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """On what could not be used."""
        return self._result[1]

    @cached_property
    def _result(self) -> tuple[QuestionVector | None, tuple[str, ...]]:
        try:
            return (self._made() if self._made else None), ()
        # Words still answer without vectors; the note says why less may be found.
        except EmbeddingError as error:
            return None, (f"no vectors: {error.message}",)


class Search:
    """A question during its recall.

    Attributes:
        meaning: the question.
        gathering: how many candidates are looked for.
        now: microseconds since 1970 UTC.

    Args:
        fades: whether confidence counts as decayed until now.
    """

    def __init__(self, meaning: Meaning, gathering: Gathering, now: int, *, fades: bool) -> None:
        self.meaning, self.gathering, self.now, self._fades = meaning, gathering, now, fades
        self.asked, self.vocabulary = meaning.asked, meaning.vocabulary
        self._confidence: dict[int, float] = {}

    @property
    def vector(self) -> QuestionVector | None:
        """The question's vector, which is waited for."""
        return self.meaning.vector

    def fade(self, facts: Iterable[Facts]) -> Mapping[int, float]:
        """The confidence of candidates, each computed once; none where it counts as stored."""
        known = self._confidence
        if self._fades:
            known.update((one.key, remaining(one, self.now)) for one in facts if one.key not in known)
        return known


# -- search recipes: how many candidates words and vectors give


class Gathering(NamedTuple):
    """How many candidates the keyword index and the vector index give; 0 leaves one out."""

    words: int
    vectors: int


RECIPES: Mapping[Recipe, Gathering] = {
    # 150 and 128 find 0.1 points more of LoCoMo and CoSQA and take a fifth longer (bench/retrieval.py).
    "hybrid": Gathering(words=100, vectors=90),
    "keyword": Gathering(words=150, vectors=0),
    "semantic": Gathering(words=0, vectors=128),
    "frame": Gathering(words=100, vectors=90),
}


# -- answers that contradict each other: the later one goes first, and the earlier one says so


QUOTED = 100
"""Characters of the later statement that are told."""


def later_first(hits: Sequence[Hit], pairs: Iterable[tuple[Memory, Memory]], only: MemoryQuery) -> list[Hit]:
    """The hits, where of two that contradict each other the later one stands before the earlier one.

    It takes the place and the score of the earlier one: both are about the same matter, and the wording of
    the earlier one is often the nearer to the question. Where it was no hit, it becomes one.

    Args:
        hits: best first.
        pairs: memories that contradict each other, in any order.
        only: what a memory must pass to become a hit.
    """
    placed = list(hits)
    ordered = [sorted(pair, key=_compared_fields) for pair in pairs]
    # In the order of the later ones, so that of three versions the newest comes to stand first.
    for earlier, later in sorted(ordered, key=lambda pair: _compared_fields(pair[1])):
        places = {hit.memory.id: place for place, hit in enumerate(placed)}
        place = places.get(earlier.id)
        if place is None:
            continue
        placed[place] = beaten = replace(placed[place], disputed=_describe_later(later))
        other = places.get(later.id)
        if other is None and matches(only, later):
            sure = {"confidence": later.confidence}
            placed.insert(place, Hit(memory=later, score=beaten.score, signals=sure, weak=beaten.weak))
        elif other is not None and other > place:
            better = placed.pop(other)
            placed.insert(place, replace(better, score=beaten.score, weak=better.weak and beaten.weak))
    return placed


def marked(hits: Sequence[Hit], pairs: Iterable[tuple[Memory, Memory]]) -> list[Hit]:
    """The hits in their order, the earlier one of each pair with what the later one says."""
    against = disputes(pairs)
    return [replace(hit, disputed=against.get(hit.memory.id, "")) for hit in hits]


def disputes(pairs: Iterable[tuple[Memory, Memory]]) -> dict[str, str]:
    """For the id of the earlier one of each contradictory pair, what the latest of the later ones says."""
    ordered = sorted(
        (sorted(pair, key=_compared_fields) for pair in pairs), key=lambda pair: _compared_fields(pair[1])
    )
    return {earlier.id: _describe_later(later) for earlier, later in ordered}


def _compared_fields(memory: Memory) -> tuple[object, ...]:
    return (memory.valid_from, memory.recorded_at, memory.id)


def _describe_later(later: Memory) -> str:
    """The later statement in one line."""
    return f"{later.valid_from:%Y-%m-%d}, {later.id[:8]}: {shorten(later.text, QUOTED)}"


# -- reciprocal rank fusion


Key = TypeVar("Key")
K = 60
"""The constant of the method: the higher it is, the less the first ranks stand out."""


def fuse(rankings: Sequence[Sequence[Key]]) -> dict[Key, float]:
    """Everything that any ranking holds, best first, with Σ 1 / (K + rank), ranks from 1.

    A key that a ranking holds twice counts there once, at its better rank. Equal scores keep the order of
    appearance.
    """
    scores: dict[Key, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(dict.fromkeys(ranking), 1):
            scores[key] = scores.get(key, 0.0) + 1.0 / (K + rank)
    return dict(sorted(scores.items(), key=lambda entry: -entry[1]))


# -- finds what a question is compared with: what words or vectors find, and what stands beside the first


_DIALOGUE = int(Trait.DIALOGUE)
ENOUGH = 40
"""With fewer candidates than this, and a search cut at its limit, the search is repeated with the filter
inside the query: far more than the hits that are asked for, so that scoring still has a choice."""
RADIUS = 2
"""Turns before and after a turn of dialogue that count for it; the weights of `nearby` were chosen with this
radius (bench/retrieval.py)."""
LEADING = 15
"""Turns that stand beside one of so many first candidates are candidates too: 3 % more of what answers is
among them, and with 80 no more is found than with 15 (bench/retrieval.py: LoCoMo)."""


class Candidates:
    """Finds the candidates of a search.

    Args:
        search: the store's search interface.
    """

    def __init__(self, search: SearchStore) -> None:
        self._search = search

    def found(self, search: Search, only: MemoryQuery) -> tuple[Sequence[tuple[int, float]], Sequence[Facts]]:
        """Keys with their BM25, and the facts of all that words or vectors found and that pass the filter."""
        gathering, expected = search.gathering, search.meaning.model
        inner_filter: MemoryQuery | None
        # An unfiltered search is faster, and most filters leave enough of what it finds.
        for inner_filter in (None, only):
            matched = (
                self._matched(search.vocabulary, gathering.words, inner_filter) if gathering.words else ()
            )
            # The vector is being made meanwhile: what does not need it comes first.
            read = [key for key, _ in matched]
            found = [*self._search.facts(read, only, expected)] if read else []
            search.fade(found)
            near: Sequence[int] = ()
            if search.vector is not None:
                near = self._search.nearest(
                    search.vector.raw, gathering.vectors, inner_filter, search.vector.model
                )
            place = {key: number for number, key in enumerate(fuse([read, near]))}
            found = self._complete(search, found, set(place).difference(read), only)
            # A search that reached its limit may have left out memories that pass the filter.
            cut = len(matched) >= gathering.words > 0 or len(near) >= gathering.vectors > 0
            if len(found) >= ENOUGH or not cut:
                break
        return matched, sorted(found, key=lambda one: place[one.key])

    def _complete(
        self, search: Search, found: list[Facts], more: Iterable[int], only: MemoryQuery
    ) -> list[Facts]:
        """The facts that were read and those of more keys, with vectors of the embedder that answered."""
        model = search.vector.model if search.vector else None
        keys = list(more)
        if model != search.meaning.model:  # a fallback had to answer, or none could
            keys, found = [*keys, *(one.key for one in found)], []
        return [*found, *self._search.facts(keys, only, model)] if keys else found

    def _matched(
        self, vocabulary: Vocabulary, limit: int, only: MemoryQuery | None
    ) -> Sequence[tuple[int, float]]:
        """Keys with BM25; in a small store with the sum of rarities, as BM25 of a text of mean length."""
        words, all_required, score_only = vocabulary.lookup()
        if not vocabulary.small:
            found = (
                self._search.match(words, limit, only, all_required=all_required, score_only=score_only)
                if words
                else ()
            )
            # How many words to require is an estimate that takes them as independent: where it leaves too
            # few, any will do.
            few = all_required and len(found) < min(ENOUGH, limit)
            return self._search.match(words, limit, only, score_only=score_only) if few else found
        scores: defaultdict[int, float] = defaultdict(float)
        for word in words:
            for key, _ in self._search.match([word], limit, only):
                scores[key] += vocabulary.rarity(word)
        return sorted(scores.items(), key=lambda entry: -entry[1])

    def beside(
        self, search: Search, facts: Sequence[Facts], only: MemoryQuery
    ) -> tuple[Sequence[Facts], Mapping[int, Sequence[int]]]:
        """The candidates with the turns that stand beside the first of them; the turns around each."""
        # The turns around one count by their vectors alone.
        if search.vector is None:
            return facts, {}
        around = self._around(facts)
        beside = dict.fromkeys(key for one in facts[:LEADING] for key in around.get(one.key, ()))
        new = list(beside.keys() - {one.key for one in facts})
        more = self._search.facts(new, only, search.vector.model) if new else ()
        return [*facts, *more], {**around, **self._around(more)}

    def _around(self, facts: Sequence[Facts]) -> dict[int, list[int]]:
        turns = [one.key for one in facts if one.traits & _DIALOGUE and one.turn is not None]
        around: defaultdict[int, list[int]] = defaultdict(list)
        for key, neighbour in self._search.around(turns, RADIUS) if turns else ():
            around[key].append(neighbour)
        return around


# -- puts the best answers in the order of a cross-encoder, where a person has one


RERANKED = 20
"""Answers that are read: a small cross-encoder needs some 10 ms for each."""


def reranked(
    query: str, told: Sequence[Rated], memories: Mapping[int, Memory], reranker: Reranker
) -> tuple[list[Rated], tuple[str, ...]]:
    """The answers in the order of the cross-encoder, and what could not be used.

    Scores, and what is weak, keep their places: the floor is calibrated for the scorer, which stands in where
    the model cannot be run.

    Args:
        query: the question.
        told: the answers, best first.
        memories: by key; answers without one are left out.
        reranker: reads the question with each.
    """
    known = [one for one in told if one.scored.facts.key in memories]
    first, rest = known[:RERANKED], known[RERANKED:]
    if len(first) <= 1:
        return known, ()
    try:
        read = reranker.scores(query, [memories[one.scored.facts.key].text for one in first])
    except EmbeddingError as error:
        return known, (f"the cross-encoder cannot be used: {error.message} The scorer stands in.",)
    order = sorted(range(len(first)), key=lambda place: -read[place])
    moved = [Rated(first[new].scored, at.score, at.weak) for new, at in zip(order, first, strict=True)]
    return [*moved, *rest], ()


# -- recall: load candidates, score them, and return the few that answer


class Retrieval:
    """Answers questions from one store.

    Args:
        search: the store's search interface.
        embedder: None where vectors are switched off.
        historical: the store holds former states, whose confidence counts as recorded, without decay.
        times: whether times that a question names relative to now are understood.
        reranker: reads the question with the best answers, whose order it decides; None: the scorer does.
        contradicting: pairs that contradict each other, of memories with these ids and others.
    """

    def __init__(
        self,
        search: SearchStore,
        embedder: NamedEmbedder | None = None,
        *,
        historical: bool = False,
        times: bool = True,
        reranker: Reranker | None = None,
        contradicting: Contradicting | None = None,
    ) -> None:
        self._search = search
        self._candidates = Candidates(search)
        self._embedder = embedder
        self._historical = historical
        self._times = times
        self._reranker = reranker
        self._contradicting = contradicting

    def recall(
        self,
        query: str,
        *,
        limit: int,
        now: datetime,
        recipe: Recipe = "hybrid",
        only: MemoryQuery | None = None,
        floor: bool = True,
        decayed: bool = True,
        meaning: Meaning | None = None,
    ) -> Recall:
        """The memories that answer a question, best first; none when the store cannot answer it.

        Args:
            query: any text; the empty one has the empty answer.
            limit: the most hits to return.
            now: the time for which recency and decayed confidence are computed.
            recipe: which signals are used.
            only: filters; its order, limit and offset are not used.
            floor: False to get the best hits, however weak.
            decayed: False leaves the hits' confidence as stored: use it where nobody reads it, since finding
                hubs is slow.
            meaning: what `meaning` said of the question and recipe; None: it is asked now.
        """
        only = only or MemoryQuery()
        considered = self.consider(query, now=now, recipe=recipe, only=only, meaning=meaning)
        best = answerable(considered.support) if considered.scored else 0.0
        candidates = rated(considered.scored, best)
        # With the floor: nothing if the best is too weak, and nothing far from it or from the question.
        answering = passing(candidates) if best >= FLOOR else iter(())
        most = max(limit, 0)
        # The cross-encoder may bring one to the front that the scorer would have cut off.
        looked_at = max(most, RERANKED) if self._reranker and most else most
        told = list(islice(answering if floor else candidates, looked_at))
        fades = decayed and not (self._historical or only.as_of)
        confidence = self._decayed([one.scored.facts for one in told], to_micros(now)) if fades else {}
        memories = self._search.memories([one.scored.facts.key for one in told], confidence)
        notes: tuple[str, ...] = ()
        if self._reranker:
            told, notes = reranked(query, told, memories, self._reranker)
        told = told[:most]
        found = [one.scored for one in told]
        hits = self._settled(query, list(_hits(told, memories)), only, now)[:most]
        return Recall(
            query=query,
            recipe=recipe,
            hits=tuple(hits),
            best=best,
            floor=FLOOR if floor else 0.0,
            tokens=sum(hit.memory.tokens for hit in hits),
            degraded=(*considered.degraded, *notes),
            withheld=_withheld(considered.scored, found, most, only),
        )

    def _settled(self, query: str, hits: list[Hit], only: MemoryQuery, now: datetime) -> list[Hit]:
        """The hits, where of two that contradict each other the later one goes first.

        Where the question says a time, that decides which goes first.
        """
        if self._contradicting is None or only.as_of or not hits:
            return hits
        pairs = self._contradicting([hit.memory.id for hit in hits], now)
        if pairs and self._times and periods(query, now):
            return marked(hits, pairs)
        return later_first(hits, pairs, only) if pairs else hits

    def explained(self, found: Recall, meaning: Meaning, *, now: datetime, only: MemoryQuery) -> Recall:
        """An answer whose hits tell the parts of their scores; the question is asked again for them."""
        considered = self.consider(found.query, now=now, recipe=found.recipe, only=only, meaning=meaning)
        scored = {one.facts.key: one for one in considered.scored}
        hits = {hit.memory.id: hit for hit in found.hits}
        keys = {key: one.id for key, one in self._search.memories(list(scored)).items() if one.id in hits}
        vocabulary = meaning.vocabulary
        holding = self._search.holding((*vocabulary.frequency, *vocabulary.stand_ins), list(keys))
        for key, id_ in keys.items():
            parts = explaining.why(scored[key], considered.scored[0], vocabulary, holding)
            hits[id_] = replace(hits[id_], why=parts)
        return replace(found, hits=tuple(hits.values()))

    def understood(self, query: str, *, now: datetime, recipe: Recipe, only: MemoryQuery) -> Understood:
        """How this store takes a question, and what speaks for an answer."""
        meaning = self.meaning(query, recipe=recipe)
        considered = self.consider(query, now=now, recipe=recipe, only=only, meaning=meaning)
        return explaining.understood(meaning.asked, meaning.vocabulary, considered)

    def _decayed(self, told: Sequence[Facts], now: int) -> dict[int, float]:
        """The decayed confidence of each. Hubs count only here: finding them for all is slow."""
        hubs = self._search.centralities([one.key for one in told]) if told else {}
        return {one.key: remaining(one, now, hubs.get(one.key, 0.0)) for one in told}

    def meaning(
        self,
        query: str,
        *,
        recipe: Recipe = "hybrid",
        in_play: InPlay = NOTHING_IN_PLAY,
        hypothesis: str = "",
    ) -> Meaning:
        """A question's words in this store, and its vector where the recipe wants one.

        Args:
            query: any text.
            recipe: which signals are used.
            in_play: what is being worked on.
            hypothesis: what an answer may look like: its vector is added to that of the question.
        """
        asked, wanted = question(query), RECIPES[recipe]
        vocabulary = self._vocabulary(asked)
        if self._times and (left := timeless(asked, vocabulary)) is not asked:
            asked, vocabulary = left, self._vocabulary(left)
        if not (asked.words and wanted.vectors) or (
            wanted.words and not (self._embedder is None or reads(self._embedder.preferred_name, asked.text))
        ):
            return Meaning(asked, vocabulary, in_play)
        return self._with_vector(Meaning(asked, vocabulary, in_play), hypothesis)

    def consider(
        self, query: str, *, now: datetime, recipe: Recipe, only: MemoryQuery, meaning: Meaning | None = None
    ) -> Considered:
        """Every candidate with its score, and the support for an answer."""
        meaning = meaning or self.meaning(query, recipe=recipe)
        if not meaning.asked.words:
            return Considered((), _NO_SUPPORT)
        search = Search(meaning, RECIPES[recipe], to_micros(now), fades=not (self._historical or only.as_of))
        speakers = frozenset(self._search.known_speakers(search.asked.words))
        matched, facts = self._candidates.found(search, only)
        if not facts:
            return Considered((), _NO_SUPPORT, meaning.notes)
        evidence = self._evidence(search, matched, speakers, *self._candidates.beside(search, facts, only))
        scored = frame_score(evidence) if recipe == "frame" else score(search.asked, evidence)
        if self._times and ((times := periods(query, now)) or search.asked.dates):
            scored = lifted(scored, times, search.asked.dates)
        return Considered(scored, _support(search, evidence, scored[0]), meaning.notes)

    def _vocabulary(self, asked: Question) -> Vocabulary:
        """The words of the question; an unknown one may be replaced by a synonym that the store knows."""
        size = max(self._search.searchable(), 1)
        frequency = self._frequencies(looked_up(asked.text, asked.words, asked.names))
        # Pairs across the border of two words are in no text, and would count as words that nothing mentions.
        for pair in borders(frequency):
            del frequency[pair]
        synonyms = {word: synonyms_of(word) for word, count in frequency.items() if not count}
        found = self._frequencies(tuple(dict.fromkeys(chain.from_iterable(synonyms.values()))))
        known = {name: count for name, count in found.items() if count}
        for word, names in synonyms.items():
            # An upper bound: a memory with two of the synonyms counts twice.
            frequency[word] = sum(known.get(name, 0) for name in names)
        stand_ins = {name: count for name, count in known.items() if name not in frequency}
        return Vocabulary(size, frequency, stand_ins)

    def _frequencies(self, words: Sequence[str]) -> dict[str, int]:
        return dict(zip(words, self._search.frequencies(words), strict=True)) if words else {}

    def _with_vector(self, meaning: Meaning, hypothesis: str) -> Meaning:
        """The same with a vector, which is made from now on."""
        if self._embedder is None:
            return meaning
        asked, vocabulary = meaning.asked, meaning.vocabulary
        # Without words that are common in the store, and with synonyms of unknown ones.
        text = without(asked, vocabulary.common())
        if vocabulary.stand_ins:
            text += f" ({', '.join(vocabulary.stand_ins)})"
        begun = self._embedder.begin([text, hypothesis] if hypothesis else [text], purpose="query")

        def made() -> QuestionVector:
            named = begun()
            pieces = [AskedPieces(*one) for one in named.pieces if not isinstance(one, bytes)]
            return QuestionVector(named.name, mean_direction(named.vectors), pieces[0] if pieces else None)

        return Meaning(asked, vocabulary, meaning.in_play, model=self._embedder.active_name, made=made)

    def _evidence(
        self,
        search: Search,
        matched: Sequence[tuple[int, float]],
        speakers: frozenset[str],
        facts: Sequence[Facts],
        around: Mapping[int, Sequence[int]],
    ) -> Evidence:
        highest = BM25_MOST_GAIN * search.vocabulary.total_rarity()
        asked, in_play = search.asked, search.meaning.in_play
        files = (*asked.paths, *in_play.files)
        # Which files a memory is about counts only where some are asked for.
        linked = [one.key for one in facts if files or one.patterns]
        links = self._search.links(linked) if linked else {}
        return Evidence(
            facts=facts,
            keyword={key: value / highest for key, value in matched},
            semantic=self._cosines(search.vector, facts, around),
            wording=self._wordings(search.vector, facts, around),
            now=search.now,
            around=around,
            speakers=speakers,
            links=links,
            files=files,
            confidence=search.fade(facts),
            patterns=patterns_asked_for(asked, links, files) | in_play.patterns,
        )

    def _cosines(
        self, vector: QuestionVector | None, facts: Sequence[Facts], around: Mapping[int, Sequence[int]]
    ) -> dict[int, float]:
        if vector is None:
            return {}
        known = {one.key: one.vector for one in facts if one.vector}
        near = dict.fromkeys(key for keys in around.values() for key in keys if key not in known)
        more = self._search.vectors(list(near), vector.model) if near else {}
        return cosines(vector.values, {**known, **more})

    def _wordings(
        self, vector: QuestionVector | None, facts: Sequence[Facts], around: Mapping[int, Sequence[int]]
    ) -> Mapping[int, Wording]:
        if vector is None or vector.pieces is None:
            return {}
        known = {one.key: one.pieces for one in facts if one.pieces}
        near = set(chain.from_iterable(around.values())).difference(one.key for one in facts)
        more = self._search.pieces(list(near), vector.model) if near else {}
        return wordings(vector.pieces, {**known, **more}, around)


def _withheld(scored: Sequence[Scored], found: Sequence[Scored], limit: int, only: MemoryQuery) -> int:
    """How many more there would be without the floor; proposed ones, which stand apart, do not count."""
    apart = {Status.PROPOSED} if Status.ACTIVE in only.statuses else set[Status]()
    facts = scored.facts if isinstance(scored, Ranking) else [one.facts for one in scored]
    told = sum(one.status not in apart for one in facts)
    return min(limit, told) - sum(one.facts.status not in apart for one in found)


_NO_SUPPORT = Support(coverage=0.0, unknown=1.0, unknown_names=0.0)


def _support(search: Search, evidence: Evidence, top: Scored) -> Support:
    """The highest support: by all candidates, by the words of those that have no vector yet, or by likeness.

    Likeness alone counts where the model reads all languages and the store hardly any word of the question,
    which may be in another one.
    """
    names = search.asked.names
    unknown_names = [name for name in names if not search.vocabulary.frequency.get(name, 0)]

    def support_by(facts: Iterable[Facts], likeness: float | None) -> Support:
        coverage = max((evidence.keyword.get(one.key, 0.0) for one in facts), default=0.0)
        return Support(
            coverage=coverage if search.gathering.words else None,
            unknown=search.vocabulary.unmentioned(),
            unknown_names=len(unknown_names) / max(len(names), 1),
            likeness=likeness,
            outline=bool(top.facts.traits & (Trait.OUTLINE | Trait.DOCUMENT)),
        )

    model = search.vector.model if search.vector else ""
    judged = not search.gathering.words or tells_likeness(model, search.asked.text)
    found = [evidence.semantic[one.key] for one in evidence.facts if judged and one.key in evidence.semantic]
    compared = support_by(evidence.facts, max(found, default=None))
    # Where every candidate has been compared, none waits for its vector.
    few = len(found) < len(evidence.facts) and found and search.gathering.words
    waiting = list(filter(lacks_vector, evidence.facts)) if few else []
    supports = [compared, *([support_by(waiting, None)] if waiting else [])]
    if model == MULTILINGUAL_MODEL and found and compared.unknown > STRANGE:
        supports.append(replace(compared, across=True))
    return max(supports, key=answerable)


def _hits(told: Sequence[Rated], memories: Mapping[int, Memory]) -> Iterator[Hit]:
    for one in told:
        facts, signals = one.scored.facts, one.scored.signals
        if facts.key in memories:
            yield Hit(memory=memories[facts.key], score=one.score, signals=signals, weak=one.weak)
