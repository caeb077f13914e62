"""Wishes that are the same, across sessions, and which of their wordings says it best."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.time import same_moment
from recortex.engines.extraction.extractor import is_momentary
from recortex.engines.extraction.sentences import MAX_LENGTH, MIN_TYPED, is_cut

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime

    from recortex.engines.repetition.wishes import Wish

FEW, STANDING = 2, 3
"""Sessions in which a wish is said before it is proposed, and before it is active; a statement is at once."""
NEAR = 0.55
"""The least cosine of two wordings of one wish (bench/repeats.py)."""
SURE = 0.65
"""The same, where one of them asks for a piece of work."""
SHARED = 0.3
"""The share of the words' rarity that the shorter of two such wordings has in common with the other."""
MOST_WORDS = 0.35
"""The least share of their words that a wish and a known statement have in common, with vectors beside it."""
MEAN, MEAN_OF_FEW = 0.6, 0.66
"""The least mean of the nearest wordings of other sessions; where only one other session says it."""
SUPPORT = 0.65
"""The least share of a wording's words that other sessions have too."""
SAME_WORDS = 0.5
"""The same of both together, where there are no vectors."""


_TELLING = 4
"""Words of a wording that tells more than "add a test"."""


class Said(NamedTuple):
    """A wish where it was said.

    Attributes:
        place: id of the exchange.
        turn: of the session.
        at: when, where the transcript says so.
        message: the whole of it, where it is so long that the same in another session is a copy; else empty.
    """

    wish: Wish
    session: str
    place: str
    turn: int
    at: datetime | None
    message: str = ""


class Repeat(NamedTuple):
    """A wish that was said in several sessions.

    Attributes:
        said: the wording that says it best; the others are alike to it.
        others: every other place, in the order of time.
    """

    said: Said
    others: tuple[Said, ...]

    @property
    def sessions(self) -> int:
        """In how many sessions it was said."""
        return len({one.session for one in (self.said, *self.others)})

    @property
    def standing(self) -> bool:
        """Whether it was said often enough to count as a standing wish; what states something, said twice.

        What may be quoted or pasted does not count: a text that is pasted again and again is nobody's wish.
        Nor does a piece of work that is asked for in each session, or what is wrong in each.
        """
        if is_momentary(self.said.wish.text):
            return False
        said = [one for one in (self.said, *self.others) if not one.wish.doubtful]
        stated = {one.session for one in said if one.wish.lasting}
        return len({one.session for one in said}) >= STANDING or (
            self.said.wish.lasting and len(stated) >= FEW
        )

    @property
    def latest(self) -> datetime | None:
        """When it was said last, where that is known."""
        return max((one.at for one in (self.said, *self.others) if one.at), default=None)


class Likeness(NamedTuple):
    """What two wordings are compared by.

    Attributes:
        rarity: of words, in the store.
        cosines: of the texts, by both; None where there are no vectors.
    """

    rarity: Mapping[str, float]
    cosines: Callable[[str, str], float] | None = None

    def share_words(self, one: Wish, other: Wish) -> bool:
        """Whether two wishes have so many words in common that their vectors are worth comparing."""
        shared = self._weight(one.words & other.words)
        return shared > 0 and shared >= SHARED * min(self._weight(one.words), self._weight(other.words))

    def alike(self, one: Wish, other: Wish) -> float:
        """How alike two wishes are, above 0 only if they are the same wish."""
        if one.words == other.words:
            return 1.0
        if not self.share_words(one, other):
            return 0.0
        if self.cosines is None:
            share = self._weight(one.words & other.words) / self._weight(one.words | other.words)
            return share if share >= SAME_WORDS else 0.0
        cosine = self.cosines(one.text, other.text)
        least = NEAR if one.standing and other.standing else SURE
        return cosine if cosine >= least else 0.0

    def same(self, wish: Wish, statement: Wish) -> bool:
        """Whether a statement that is known already says what a wish says, and hardly more."""
        shared = self._weight(wish.words & statement.words)
        return shared >= SAME_WORDS * self._weight(wish.words | statement.words) or (
            shared >= MOST_WORDS * self._weight(wish.words | statement.words)
            and self.alike(wish, statement) >= SURE
        )

    def share_of(self, one: Wish, other: Wish) -> float:
        """The share of a wish's words, by rarity, that another has too; 0 to 1."""
        return self._weight(one.words & other.words) / (self._weight(one.words) or 1.0)

    def support(self, made: Repeat) -> float:
        """The share of a wording's words, by rarity, that other sessions have too; 0 to 1."""
        wish, session = made.said.wish, made.said.session
        theirs = {word for other in made.others if other.session != session for word in other.wish.words}
        return self._weight(wish.words & theirs) / self._weight(wish.words)

    def _weight(self, words: Collection[str]) -> float:
        return math.fsum(sorted(self.rarity.get(word, 1.0) for word in words))


def rarity(count: int, of: int) -> float:
    """The weight of a word that so many of all exchanges have."""
    return 0.5 + math.log((of + 1) / (min(count, of) + 0.5))


def repeat(said: Sequence[Said], likeness: Likeness) -> Repeat | None:
    """The clearest of wishes that are alike, with the others; None where too few sessions say it.

    Args:
        said: a wish and those that are alike to it, in any order.
        likeness: what they are compared by.
    """
    ordered = _once(sorted(said, key=_when))
    found = [made for one in ordered if clear(one.wish) and (made := _around(one, ordered, likeness))]
    return max(found, key=lambda made: _clarity(made, likeness), default=None)


def _when(said: Said) -> tuple[float, str, int]:
    return (said.at.timestamp() if said.at else 0.0, said.session, said.turn)


def _once(said: Sequence[Said]) -> list[Said]:
    """Without copies: of a long message, and of the same words at one moment, what the first session says."""
    first: dict[str, str] = {}
    kept: list[Said] = []
    for one in said:
        if one.message and first.setdefault(one.message, one.session) != one.session:
            continue
        if not any(_copied(one, other) for other in kept):
            kept.append(one)
    return kept


def _copied(one: Said, other: Said) -> bool:
    apart = one.session != other.session and one.wish.text == other.wish.text
    return apart and one.at is not None and other.at is not None and same_moment(one.at, other.at)


def clear(wish: Wish) -> bool:
    """Whether a wish may stand as a rule: it says how work is done, and is understood alone."""
    return (
        wish.stands
        and not wish.task
        and wish.standing
        and MIN_TYPED <= len(wish.text) <= MAX_LENGTH
        and not is_cut(wish.text)
        and wish.text.count("(") == wish.text.count(")")
        and wish.text.count("`") % 2 == 0
    )


def _around(centre: Said, said: Sequence[Said], likeness: Likeness) -> Repeat | None:
    others = tuple(one for one in said if one is not centre and likeness.alike(centre.wish, one.wish))
    made = Repeat(centre, others)
    if made.sessions < FEW or likeness.support(made) < SUPPORT:
        return None
    nearest = sorted(_nearest(made, likeness), reverse=True)[:STANDING]
    least = MEAN if made.sessions >= STANDING else MEAN_OF_FEW
    return made if math.fsum(nearest) >= least * len(nearest) else None


def _nearest(made: Repeat, likeness: Likeness) -> list[float]:
    """How alike the nearest wording of each other session is."""
    nearest: dict[str, float] = {}
    for other in made.others:
        nearest[other.session] = max(
            nearest.get(other.session, 0.0), likeness.alike(made.said.wish, other.wish)
        )
    nearest.pop(made.said.session, None)
    return list(nearest.values())


def _clarity(made: Repeat, likeness: Likeness) -> float:
    """How well a wording stands for the others: near to many, of words that they have too, and short."""
    wish = made.said.wish
    near = math.fsum(alike - NEAR / 2 for alike in _nearest(made, likeness))
    size = len(wish.text.split())
    scale = 1.0 + 0.05 * wish.rule - 0.01 * size - 0.15 * (size < _TELLING)
    return near * (0.5 + likeness.support(made)) * scale
