"""Answers questions from the documents of one store."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice, takewhile
from math import exp, log10
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.search import Alike, ChunkHit, MemoryQuery
from recortex.engines.indexing import cosines
from recortex.engines.ingestion import PART
from recortex.engines.retrieval.question import index_form, question
from recortex.engines.retrieval.scorer import FLOOR, NEAR, Considered, Support, in_common, lacks_vector
from recortex.engines.retrieval.service import Retrieval
from recortex.engines.tables import Regression
from recortex.errors import EmbeddingError, UntrustedFileError
from recortex.filesystem import read_regular
from recortex.lean import replace
from recortex.text.words import STOP_WORDS, stem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from recortex.app.application import StoreServices
    from recortex.domain.memory import Freshness
    from recortex.domain.search import Chunk, Document, Recipe
    from recortex.engines.indexing import Row
    from recortex.engines.retrieval.scorer import Scored
    from recortex.engines.retrieval.service import Meaning
    from recortex.ports.model import NamedEmbedder
    from recortex.ports.search import ChunkSearch


# -- what is shown of a chunk: the lines that answer best, as they stand in the file


_WORD = re.compile(r"\w+")


def passage(
    chunk: Chunk, words: Sequence[str], budget: int, count: Callable[[str], int]
) -> tuple[str, int, int]:
    """The run of lines that holds most of a question within a budget, and the numbers of its lines.

    A chunk that is hardly longer is shown whole. Of a notebook the numbers are those of its cells.

    Args:
        chunk: what is shown.
        words: of the question.
        budget: tokens.
        count: tokens of a text.
    """
    if chunk.tokens <= budget:
        return chunk.text, chunk.first_line, chunk.last_line
    lines = chunk.text.split("\n")
    # What each line holds of a question: a word counts less the more lines hold it.
    wanted = {stem(word.lower()) for word in words} - STOP_WORDS
    initials = {word[0] for word in wanted}  # that of a word is that of its stem
    # Stemming is saved for words that begin with a letter which no wanted word has.
    held = [
        {stem(word) for word in _WORD.findall(line.lower()) if word[0] in initials} & wanted for line in lines
    ]
    holding = Counter(word for some in held for word in some)
    first, end = _best_run(
        [sum(1.0 / holding[word] for word in some) for some in held],
        [count(line) + 1 for line in lines],
        budget,
    )
    text = "\n".join(lines[first:end]).strip("\n")
    # A cell of a notebook has no lines in the file.
    if chunk.path.lower().endswith(".ipynb"):
        return text, chunk.first_line, chunk.last_line
    if not text:  # one line is longer than the budget
        first, end = max(range(len(lines)), key=lambda at: len(lines[at])), 0
        text = lines[first][: 3 * budget] + " …"
    return text, chunk.first_line + first, chunk.first_line + max(end - 1, first)


def _best_run(weights: Sequence[float], tokens: Sequence[int], budget: int) -> tuple[int, int]:
    """The first and the end of the run of lines with the greatest weight; of equals the longest first one."""
    best, found = (-1.0, 0), (0, 0)
    start, spent, weight = 0, 0, 0.0
    for end, (own, cost) in enumerate(zip(weights, tokens, strict=True), 1):
        spent, weight = spent + cost, weight + own
        while spent > budget:
            spent, weight = spent - tokens[start], weight - weights[start]
            start += 1
        # Rounded, as sums that differ in the last bit must not decide between equal runs.
        if end > start and (round(weight, 6), spent) > best:
            best, found = (round(weight, 6), spent), (start, end)
    return found


# -- decides whether the documents can answer a question: a wrong answer does more harm than none


_FEWEST = 12
"""A store of fewer chunks is taken as one of so many, as among memories."""


_NAMES = ("coverage", "likeness", "unknown", "unknown_names", "tenfold")
_BY_BOTH, _BY_WORDS, _BY_MEANING = (
    Regression(bias, dict(zip(_NAMES, weights, strict=True)))
    for bias, *weights in (
        (-2.7, 7.0, 14.0, -4.0, -1.0, -2.0),
        (1.0, 13.5, 0.0, -4.0, -2.3, -1.9),
        (-0.9, 0.0, 16.0, -7.0, -1.0, -1.9),
    )
)
"""What speaks for and against an answer: the first four as in `Support`, then ten times the chunks. Fitted to
49 questions that two documentation trees answer and 170 that they do not, in stores of 5 to 2,600 chunks, and
rounded (bench/RESULTS.md; bench/documents.py --questions)."""


def answerable(support: Support, size: int) -> float:
    """The probability that one of so many chunks answers: 0 to 1."""
    # Each case has weights of its own: without vectors, words have to bear all of it.
    both = _BY_WORDS if support.likeness is None else _BY_BOTH
    model = _BY_MEANING if support.coverage is None else both
    found = (support.coverage or 0.0, support.likeness or 0.0, support.unknown, support.unknown_names)
    return model.probability(dict(zip(_NAMES, (*found, log10(max(size, _FEWEST))), strict=True)))


# -- ranks parts for a question, with the probability that the words shown of one answer it


LEAST = 0.1
"""A part with a lower probability is not told: 5 % of what answers is below it (bench/RESULTS.md)."""
WEAK = 0.2
"""A part with a lower probability is marked as weak, as an exchange is."""
LOOKED_AT = 40
"""Candidates that are ranked, the first ones by the common scorer."""
_RIVALS = 5
_NEWS = 0.3
"""How much less a page of news counts: it repeats in other words what all other pages say."""
_OF_NEWS = re.compile(
    r"(?:^|/)(?:change-?(?:s|log)?|history|news|releases?(?:[-_]?notes?)?|whats[-_]?new)[^/]*$", re.IGNORECASE
)
_ASKS_FOR_NEWS = re.compile(
    r"\b(?:versions?|releas\w*|chang\w*|new|news|since|upgrad\w*|migrat\w*|deprecat\w*)\b", re.IGNORECASE
)
_WITHOUT_VECTOR = (0.35, 0.17)
"""The usual cosine of a part that waits for its vector: by itself, and for its share of the words."""


class _Fit(NamedTuple):
    """What was fitted where words, vectors or both were compared.

    Attributes:
        keyword, semantic: the weights of a part's sum.
        rival: the usual sum of the five parts after the best, for stores that have fewer.
        chance: the probability that the shown words answer; `lead` is how far a part's sum is above the mean
            of the five best others.
    """

    keyword: float
    semantic: float
    rival: float
    chance: Regression


_BOTH = _Fit(
    1.1,
    1.7,
    0.76,
    Regression(-2.79, {"semantic": 2.05, "unknown": -1.34, "unknown_names": -1.7, "lead": 5.91}),
)
_WORDS = _Fit(
    1.1,
    0.0,
    0.24,
    Regression(-2.99, {"keyword": 1.75, "unknown": -1.51, "unknown_names": -1.39, "lead": 11.34}),
)
_MEANING = _Fit(
    0.0,
    1.7,
    0.59,
    Regression(-2.74, {"semantic": 1.96, "unknown": -1.3, "unknown_names": -1.73, "lead": 8.78}),
)
"""Fitted to 116 questions that five documentation trees answer and 46 that they do not (bench/RESULTS.md)."""


def rated(
    query: str,
    considered: Considered,
    paths: Callable[[Sequence[int]], Mapping[int, str]],
) -> Iterator[tuple[Scored, float]]:
    """The first candidates, best first, each with the probability that its shown words answer.

    Args:
        query: the question.
        considered: the candidates.
        paths: the documents of parts, by their keys.
    """
    support, first = considered.support, list(islice(considered.scored, LOOKED_AT))
    both = _WORDS if support.likeness is None else _BOTH
    fit = _MEANING if support.coverage is None else both
    # Whoever asks for versions or changes wants just these pages.
    news = {} if _ASKS_FOR_NEWS.search(query) else paths([one.facts.key for one in first])
    sums = [
        fit.keyword * one.compared.keyword
        + fit.semantic * _likeness(one)
        - _NEWS * bool(_OF_NEWS.search(news.get(one.facts.key, "")))
        for one in first
    ]
    order = sorted(range(len(first)), key=lambda place: -sums[place])
    best = [sums[place] for place in order[: _RIVALS + 1]]
    # Never above the one before, so that the list may be cut at the first that is too improbable.
    last = 1.0
    for number, place in enumerate(order):
        others = [*best[:number], *best[number + 1 :]][:_RIVALS]
        # In a store with fewer chunks, the best would seem far ahead of what is not there.
        others += [fit.rival] * (_RIVALS - len(others))
        measured = {
            "keyword": first[place].compared.keyword,
            "semantic": _likeness(first[place]),
            "unknown": support.unknown,
            "unknown_names": support.unknown_names,
            "lead": sums[place] - sum(others) / _RIVALS,
        }
        last = min(last, fit.chance.probability(measured))
        yield first[place], last


def answering(found: Iterable[tuple[Scored, float]]) -> Iterator[tuple[Scored, float]]:
    """Those that are probable enough to be told: probabilities never rise."""
    likely = takewhile(lambda entry: entry[1] >= LEAST, found)
    return ((one, chance) for one, chance in likely if in_common(one))


def _likeness(one: Scored) -> float:
    if lacks_vector(one.facts):
        # While vectors are made, a part that still lacks its own must be neither first nor last for that.
        alone, of_words = _WITHOUT_VECTOR
        return alone + of_words * one.compared.keyword
    return one.compared.semantic


# -- answers questions from the documents of one store


LEAST_SHARE = 0.6
"""A frame tells no chunk whose sum is less than this part of the best one's: of 49 questions all had their
answer above 0.77 (bench/RESULTS.md)."""
LOADED = 20
"""Chunks that are read at once for a frame."""
LEAST_OF_TASK = 2
"""Words of a task beside its new names, so that documents may bear on it."""
PASSAGE, AROUND = 150, 30
"""Tokens of the lines that are shown of a chunk, and of what says where they stand."""


class ChunkRetrieval:
    """Answers questions from the chunks of one store.

    Args:
        search: over the chunks.
        count: tokens of a text.
    """

    def __init__(self, search: ChunkSearch, count: Callable[[str], int]) -> None:
        self._search = search
        self._count = count
        # The question's vector is given: nothing is embedded here. Nor does a chunk fade.
        self._retrieval = Retrieval(search, historical=True)

    def recall(
        self,
        question: str,
        *,
        limit: int,
        now: datetime,
        meaning: Meaning,
        recipe: Recipe = "hybrid",
        only: MemoryQuery | None = None,
        floor: bool = True,
        task: bool = False,
    ) -> list[ChunkHit]:
        """The chunks that answer, best first, each by the lines that do; none where no document can.

        Args:
            question: any text.
            limit: at most so many.
            now: the time for which recency is computed.
            meaning: of the question in any store: its vector is used.
            recipe: which signals are used.
            only: filters; those that no document can pass or fail are not used.
            floor: False to get the best, however weak.
            task: whether it is something to be done, not a question.
        """
        considered = self._considered(
            question, now=now, meaning=meaning, recipe=recipe, only=only or MemoryQuery(), task=task
        )
        found = rated(question, considered, self._paths)
        return self._hits(answering(found) if floor else found, limit, meaning)

    def nearest(self, question: str, *, limit: int, now: datetime, meaning: Meaning) -> list[ChunkHit]:
        """The best chunks, however weak, with the probability of the store's answer as their scores."""
        found = self.ranked(question, now=now, meaning=meaning, recipe="hybrid", floor=False)
        return self._hits(found, limit, meaning)

    def _hits(self, found: Iterable[tuple[Scored, float]], limit: int, meaning: Meaning) -> list[ChunkHit]:
        best = list(islice(found, limit))
        chunks = self._search.chunks([one.facts.key for one, _ in best])
        words = meaning.asked.words
        return [
            self._hit(chunks[one.facts.key], one, score, words)
            for one, score in best
            if one.facts.key in chunks
        ]

    def _paths(self, keys: Sequence[int]) -> dict[int, str]:
        return {key: links.files[0] for key, links in self._search.links(keys).items()}

    def ranked(
        self,
        question: str,
        *,
        now: datetime,
        meaning: Meaning,
        recipe: Recipe,
        only: MemoryQuery | None = None,
        floor: bool = True,
        task: bool = False,
    ) -> list[tuple[Scored, float]]:
        """The chunks that may answer with their scores from 0 to 1, best first."""
        considered = self._considered(
            question, now=now, meaning=meaning, recipe=recipe, only=only or MemoryQuery(), task=task
        )
        best = answerable(considered.support, self._search.searchable()) if considered.scored else 0.0
        if floor and best < FLOOR:
            return []
        found = [one for one in considered.scored if not floor or in_common(one)]
        top = found[0].total if found else 0.0
        # Bounded, as the exponential of a much lower total is 0 in any case.
        return [(one, best * exp(max((one.total - top) / NEAR, -60.0))) for one in found]

    def _considered(
        self,
        question: str,
        *,
        now: datetime,
        meaning: Meaning,
        recipe: Recipe,
        only: MemoryQuery,
        task: bool,
    ) -> Considered:
        if not self._search.searchable():
            return Considered((), Support(coverage=0.0, unknown=1.0, unknown_names=0.0))
        # The words are looked up in this store's documents; the vector is that of any store.
        own = self._retrieval.meaning(question, recipe="keyword", in_play=meaning.in_play)
        if task:
            own = self._without_new_names(own)
        return self._retrieval.consider(
            question, now=now, recipe=recipe, only=only, meaning=own.with_vector_of(meaning)
        )

    def _without_new_names(self, meaning: Meaning) -> Meaning:
        """A task without the names that no document has, if there is enough besides.

        A question about an unknown name has no answer here. A task may be to add just what the name stands
        for: documents that tell how such things are added bear on it.
        """
        asked, known = meaning.asked, meaning.vocabulary.frequency
        new = {name for name in asked.names if not known.get(name)}
        kept = [word for word in asked.typed if index_form(word) not in new]
        if not new or len(question(" ".join(kept)).words) < LEAST_OF_TASK:
            return meaning
        return self._retrieval.meaning(" ".join(kept), recipe="keyword", in_play=meaning.in_play)

    def for_frame(
        self, task: str, *, now: datetime, meaning: Meaning, only: MemoryQuery
    ) -> tuple[int, Iterator[tuple[Chunk, float]]]:
        """How many chunks bear on a task; and these with their scores, best first, read when they are wanted.

        Args:
            task: any text.
            now: the time for which recency is computed.
            meaning: of the task in any store: its vector is used.
            only: filters.
        """
        # A task is worded otherwise than the documents that bear on it, so only the distance to the best
        # one counts.
        ranked = self.ranked(task, now=now, meaning=meaning, recipe="frame", only=only, task=True)
        least = LEAST_SHARE * ranked[0][0].total if ranked else 0.0
        scores = {one.facts.key: score for one, score in ranked if one.total >= least}
        return len(scores), self._read(scores)

    def _read(self, scores: Mapping[int, float]) -> Iterator[tuple[Chunk, float]]:
        keys = list(scores)
        for start in range(0, len(keys), LOADED):
            found = self._search.chunks(keys[start : start + LOADED])
            yield from ((found[key], scores[key]) for key in keys[start : start + LOADED] if key in found)

    def _hit(self, chunk: Chunk, one: Scored, score: float, words: Sequence[str]) -> ChunkHit:
        text, first, last = passage(chunk, words, PASSAGE, self._count)
        return ChunkHit(
            id=chunk.id,
            path=chunk.path,
            first_line=first,
            last_line=last,
            headings=chunk.headings,
            text=text,
            domain=chunk.domain,
            score=score,
            weak=score < WEAK,
            signals=one.signals,
            tokens=AROUND + self._count(text),
        )


# -- how like whole documents are to a question: by their nearest parts, so that one that is about it counts


PARTS_LOOKED_AT = 600
"""Chunks that are nearest to a question, of some documents."""
NEAREST = 2
"""Of a document, those whose mean cosine is its likeness."""
MOST_ALIKE = 4
_SHORTEST, _LONGEST = 25, 1_000
_APART = re.compile(r"\n\s*\n")


def documents_alike(
    search: ChunkSearch, embedder: NamedEmbedder, question: str, paths: Collection[str], behind: float
) -> list[Alike]:
    """The documents that are likest to a question, at most four, likest first; none without their vectors.

    Args:
        search: over the chunks.
        embedder: makes the vectors of the question, and of the paragraphs of what may answer.
        question: any text. Its vector is that of all its words: also those that the store often has.
        paths: of the documents that are compared.
        behind: how much less like than the likest one a document may be to be shown by a paragraph.

    Raises:
        EmbeddingError: no vectors can be made.
    """
    asked = embedder.embed_named([question], purpose="query")
    query, of_files = asked.vectors[0], MemoryQuery(files=tuple(paths))
    near = search.nearest(query.astype("<f4").tobytes(), PARTS_LOOKED_AT, of_files, asked.name)
    of_chunk = cosines(query, search.vectors(near, asked.name))
    of_path: dict[str, list[tuple[float, int]]] = {}
    for key, links in search.links(list(of_chunk)).items():
        of_path.setdefault(links.files[0], []).append((of_chunk[key], key))
    # Two parts: one that happens to be near does not make a document about the question.
    best = {path: sorted(found, reverse=True)[:NEAREST] for path, found in of_path.items()}
    likeness = {path: sum(one for one, _ in found) / len(found) for path, found in best.items()}
    first = sorted(likeness, key=lambda path: (-likeness[path], path))[:MOST_ALIKE]
    shown = [path for path in first if likeness[path] >= likeness[first[0]] - behind]
    chunks = search.chunks([best[path][0][1] for path in shown])
    texts = {path: _paragraphs(chunks.get(best[path][0][1])) for path in shown}
    words = _nearest(texts, query, embedder)
    return [Alike(path, likeness[path], words.get(path, "")) for path in first]


def _paragraphs(chunk: Chunk | None) -> list[str]:
    parts = _APART.split(chunk.text) if chunk else ()
    return [one[:_LONGEST] for one in parts if len(one.strip()) >= _SHORTEST]


def _nearest(texts: Mapping[str, Sequence[str]], query: Row, embedder: NamedEmbedder) -> dict[str, str]:
    """Of each document the paragraph that is nearest to a question."""
    flat = [(path, text) for path, some in texts.items() for text in some]
    vectors = embedder.embed_named([text for _, text in flat]).vectors if flat else ()
    found: dict[str, tuple[float, str]] = {}
    for (path, text), vector in zip(flat, vectors, strict=True):
        found[path] = max(found.get(path, (-1.0, "")), (float(vector @ query), text))
    return {path: text for path, (_, text) in found.items()}


# -- the text of which a chunk's vector is made


_WHOLE = 128
"""Tokens of a chunk that is read whole."""


def embedded(chunk: Chunk) -> tuple[str]:
    """The headings that a chunk stands under, and its text: of a longer one two halves, each under them.

    The shipped model reads 256 pieces of a word. The mean of the halves' vectors finds more than the vector
    of what it reads of the whole, in the same time (bench/RESULTS.md).
    """
    head = " > ".join(chunk.headings)
    parts = [chunk.text] if chunk.tokens <= _WHOLE else _halves(chunk.text)
    return (PART.join(f"{head}\n{part}" if head else part for part in parts),)


def _halves(text: str) -> list[str]:
    """A text in two, cut at the last break, or else space, before its middle."""
    middle = len(text) // 2
    cuts = (text.rfind(sign, middle // 2, middle) for sign in "\n ")
    at = next((place for place in cuts if place > 0), middle)
    return [text[:at], text[at:].lstrip("\n")]


# -- answers questions from the documents of an opened store, which may have changed since


class StoreAnswers(ChunkRetrieval):
    """Answers from a store's documents, and compares these with their files."""

    def __init__(self, services: StoreServices) -> None:
        super().__init__(services.store.chunk_search, services.count_tokens)
        self._store, self._root, self._embedder = services.store, services.root, services.embedder

    def embedded(self, chunk: Chunk) -> tuple[str]:
        """The text of which a chunk's vector is made."""
        return embedded(chunk)

    def alike(self, question: str, paths: Collection[str], behind: float) -> list[Alike]:
        """Those of some documents that are likest to a question, likest first; none without vectors."""
        if self._embedder is None or not paths:
            return []
        try:
            return documents_alike(self._store.chunk_search, self._embedder, question, paths, behind)
        except EmbeddingError:
            return []

    def with_freshness(self, hits: Sequence[ChunkHit]) -> list[ChunkHit]:
        """The hits, each with whether its document still reads as it did."""
        paths = list(dict.fromkeys(hit.path for hit in hits))
        known = self._store.documents.all(within=paths) if paths else ()
        states = {one.path: _state(self._root, one) for one in known}
        return [replace(hit, freshness=states.get(hit.path, "none")) for hit in hits]


def _state(root: Path, document: Document) -> Freshness:
    from recortex.documents.making import content_hash

    place = root / document.path
    try:
        if place.stat().st_size != document.size:  # of most changed ones, without reading them
            return "changed"
        same = content_hash(read_regular(place, document.size)) == document.hash
    except FileNotFoundError:
        return "gone"
    except (OSError, UntrustedFileError):
        return "changed"
    return "fresh" if same else "changed"
