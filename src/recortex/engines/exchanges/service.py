"""Answers questions from what was said in sessions."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from recortex.domain.exchange import ExchangeHit
from recortex.domain.search import ANY_ENDING
from recortex.engines.exchanges.passages import passage
from recortex.engines.exchanges.ranking import (
    TURNED,
    WEAK,
    Evidence,
    asked_words,
    latest_first,
    ranked,
    same_matter,
)
from recortex.engines.indexing.vectors import cosines
from recortex.engines.languages import looked_up
from recortex.engines.words import SUFFIXES, borders, stem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from recortex.domain.exchange import Exchange, ExchangeFacts, ExchangeQuery
    from recortex.engines.exchanges.ranking import Place
    from recortex.engines.indexing.vectors import QuestionVector, Row
    from recortex.ports.exchanges import ExchangeSearch

GATHERED = 40
"""Candidates by words, and as many by vectors; 200 find no more (bench/exchanges.py)."""
LOOKED = 4
"""So many places for each that is wanted are looked at, to find some that are not weak."""
MOST_WEAK = 4
"""Weak answers that are shown."""
PASSAGE, AROUND = 75, 45
"""Tokens of an exchange's passage, and of what tells when, by whom and in which session: 120 in all."""

_READ = 600
"""Characters of a message that are read for what it changes."""


class ExchangeRetrieval:
    """Answers questions from the exchanges of one store.

    Args:
        search: over the exchanges.
        count: tokens of a text.
    """

    def __init__(self, search: ExchangeSearch, count: Callable[[str], int]) -> None:
        self._search = search
        self._count = count

    def recall(
        self,
        question: str,
        *,
        limit: int,
        only: ExchangeQuery | None = None,
        vector: QuestionVector | None = None,
        words: bool = True,
        when: Callable[[int], float] | None = None,
    ) -> list[ExchangeHit]:
        """The exchanges that may answer, best first; of those on the same matter the latest first.

        Args:
            question: any text.
            limit: at most so many.
            only: filters; the order, limit and offset are not used.
            vector: of the question; None: words alone.
            words: whether words are searched.
            when: what its end, in microseconds since 1970 UTC, adds to a place, in standard deviations.
        """
        if not self._search.size():
            return []
        evidence = self.evidence(question, only=only, vector=vector, words=words)
        places = _few_weak(islice(ranked(evidence, when=when), LOOKED * limit), limit)
        found = self._search.exchanges([key for place in places for key in place.parts])
        roots = self._search.beginning_at([(place.session, place.turn) for place in places])
        asked = {
            stem(word.removesuffix(ANY_ENDING), SUFFIXES): evidence.rarity(word)
            for word in evidence.frequency
        }
        hits = [
            (
                place.parts[0],
                self._hit(place, root, [found[key] for key in place.parts if key in found], asked),
                root.message,
            )
            for place in places
            if (root := roots.get((place.session, place.turn)) or found.get(place.parts[0]))
        ]
        facts = {one.key: one for one in evidence.facts}

        def same(earlier: int, later: int) -> bool:
            one, other = (facts[hits[place][0]] for place in (earlier, later))
            return same_matter(one, other) or (same_matter(one, other, TURNED) and _turns(hits[later][2]))

        return latest_first([hit for _, hit, _ in hits], same)

    def evidence(
        self, question: str, *, only: ExchangeQuery | None, vector: QuestionVector | None, words: bool
    ) -> Evidence:
        """What is known of the candidates."""
        asked = looked_up(question, asked_words(question))
        frequency = dict(zip(asked, self._search.frequencies(asked), strict=True)) if asked else {}
        for pair in borders(frequency):
            del frequency[pair]
        matched = dict(self._search.match(frequency, GATHERED, only)) if asked and words else {}
        near: Sequence[int] = ()
        if vector is not None:
            near = self._search.nearest(vector.raw, GATHERED, only, vector.model)
        keys = list(dict.fromkeys([*matched, *near]))
        found = self._search.facts(keys, only, vector.model if vector else None) if keys else ()
        facts = [one for one in found if one.opener != "imported"]
        compared = _compared(vector.values, facts) if vector else ({}, {})
        return Evidence(facts, matched, frequency, max(self._search.size(), 1), *compared)

    def _hit(
        self, place: Place, root: Exchange, parts: Sequence[Exchange], asked: Mapping[str, float]
    ) -> ExchangeHit:
        work = [one.outcome for one in sorted(parts, key=lambda one: one.part) if one.id != root.id]
        texts = (root.asked, root.message, "\n".join([*work, root.came_of_it]))
        shown = passage(texts, asked, PASSAGE, self._count)
        return ExchangeHit(
            id=root.id,
            said_at=root.started_at,
            by=root.opener,
            session=root.session,
            turn=root.first_turn,
            client=root.client,
            **shown._asdict(),
            score=place.probability,
            weak=place.probability < WEAK,
            tokens=AROUND + self._count(shown.text),
        )


def _compared(query: Row, facts: Sequence[ExchangeFacts]) -> tuple[dict[int, float], ...]:
    """The cosines of each part's vector, by key; of equal vectors computed once."""
    parts = [(one.answered, one.outcome) for one in facts]
    different = {raw: number for number, raw in enumerate({raw for raws in parts for raw in raws if raw})}
    found = cosines(query, {number: raw for raw, number in different.items()})
    by_part = zip(*parts, strict=True) if parts else ((), ())
    return tuple(
        {one.key: found[different[raw]] for one, raw in zip(facts, raws, strict=True) if raw}
        for raws in by_part
    )


def _few_weak(places: Iterable[Place], limit: int) -> list[Place]:
    """The first places, of weak ones only a few."""
    weak = 0
    kept = []
    for place in places:
        weak += place.probability < WEAK
        if place.probability >= WEAK or weak <= MOST_WEAK:
            kept.append(place)
        if len(kept) == limit:
            break
    return kept


def _turns(message: str) -> bool:
    """Whether a message says that something is otherwise from now on."""
    from recortex.engines.supersession.reading import announces

    return announces(message[:_READ])
