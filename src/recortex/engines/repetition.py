"""Wishes that are the same, across sessions, and which of their wordings says it best."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.time import same_moment
from recortex.engines.extraction.authorship import DOUBT, doubtful, typed
from recortex.engines.extraction.extractor import is_momentary
from recortex.engines.extraction.plain_speech import perhaps_durable
from recortex.engines.extraction.sentences import (
    MAX_LENGTH,
    MIN_TYPED,
    hangs,
    is_cut,
    keeps,
    passages,
    plain,
    typed_sentences,
)
from recortex.engines.patterns import Patterns
from recortex.text.words import STOP_WORDS, groups_of_synonyms, sections, stem, tokens, word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from datetime import datetime


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
    def is_lasting(self) -> bool:
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
        least = NEAR if one.is_lasting and other.is_lasting else SURE
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
        and wish.is_lasting
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


# -- the wishes in a message of the person: orders, requests, corrections and rules, a clause each


PATTERNS = Patterns(__file__, "repetition/wishes")
MOST_TYPED = 2_500
"""Characters of a message; a longer one is pasted."""
_MOST_WORDS = 40
_FEWEST_WORDS = 2
_DIGITS = 3
_WORD = re.compile(r"[^\W_]+(?:['’]t|-[^\W\d_]+)*")
_NUMBER = re.compile(r"\d+")
_NOT = "not"
_DENYING = word_set(
    "don't dont doesn't never without no not cannot can't shouldn't mustn't nothing nor avoid stop"
)
_LISTS = sections(__file__, "wishes")


class Wish(NamedTuple):
    """A clause that wishes for something.

    Attributes:
        text: worded as a rule.
        words: what it is compared by: stems of its content words, one for words that mean the same.
        rule: it is worded as a rule for more than the moment.
        how: it says how work is to be done.
        stands: a reader understands it without what stands around it.
        task: it asks for a step of everyday work, and says nothing of how.
        doubtful: it may be quoted or pasted, and so not the person's wish.
        lasting: it may be a statement that lasts, in careless words: two sessions are enough for it.
    """

    text: str
    words: frozenset[str]
    rule: bool
    how: bool
    stands: bool
    task: bool
    doubtful: bool = False
    lasting: bool = False

    @property
    def is_lasting(self) -> bool:
        """Whether its form is that of a wish for all work."""
        return self.rule or self.how


def wishes(message: str) -> list[Wish]:
    """The wishes in a message, in order, and then what it states carelessly that may last."""
    whole = PATTERNS.markup.sub(" ", message[: MOST_TYPED + 1])
    if len(whole) > MOST_TYPED or not (text := typed(whole)):
        return []
    text = PATTERNS.line.sub("\n\n", text)
    lasting = {
        words | set(_NUMBER.findall(one)): one  # a port that changed is not said again
        for one in perhaps_durable(whole)
        if (words := compared(one)) - {_NOT}
    }
    material = doubtful(whole)
    found = (
        wish._replace(doubtful=material(clause) >= DOUBT)
        for passage in passages(text)
        for clause in _clauses(passage)
        if (wish := _wish(clause)) and wish.words
    )
    asked = [one for one in found if one.words not in lasting]
    return asked + [
        Wish(one, words, rule=True, how=False, stands=True, task=False, lasting=True)
        for words, one in lasting.items()
    ]


def as_wish(statement: str) -> Wish:
    """A statement as it is compared with wishes; no wish itself, so that only what is surely alike is."""
    return Wish(statement, compared(statement), rule=False, how=False, stands=True, task=False)


def _clauses(passage: str) -> Iterator[str]:
    for sentence in typed_sentences(passage):
        first, *more = PATTERNS.split.split(plain(sentence))
        yield PATTERNS.joint.sub("", first.strip())
        for part in more:  # "can you repeat this, but format it in Markdown?" orders the second
            yield PATTERNS.joint.sub("", part.strip().rstrip("?"))


def _wish(clause: str) -> Wish | None:
    """The clause as a wish; None where it is none."""
    if not _FEWEST_WORDS <= len(clause.split()) <= _MOST_WORDS:
        return None
    said = PATTERNS.opening.sub("", clause)
    reminded = PATTERNS.never_forget.search(said) is not None
    bare = PATTERNS.request.sub("", said, count=1)
    asked = bare != said
    question = clause.rstrip().endswith("?")
    if not (
        asked
        or (
            not question
            and any(one.search(bare) for one in (PATTERNS.order, PATTERNS.order_after, PATTERNS.modal))
        )
    ):
        return None
    shorter = PATTERNS.tail.sub("", bare.rstrip(" ,;:?.!-")).rstrip(" ,;:?.!-")
    text = f"{shorter[:1].upper()}{shorter[1:]}." if shorter else ""
    words = compared(text)
    if not words - {_NOT} or hangs(text) or not keeps(PATTERNS.asked_not.sub("", said), text):
        return None  # without its negation, exception or condition it would say something else
    rule = reminded or PATTERNS.rule.search(text) is not None
    stands = not (PATTERNS.pointing.search(text) or PATTERNS.cut.search(text))
    how = PATTERNS.how.search(text) is not None
    return Wish(text, words, rule, how, stands, task=not rule and words <= _tasks())


def compared(text: str) -> frozenset[str]:
    """The words that two wishes are compared by: names as they are, no function words and numbers."""
    names = [name.strip("`") for name in PATTERNS.code.findall(text)]
    plain_words: list[str] = []
    for word in PATTERNS.code.sub(" ", text).split():
        bare = word.strip("'\".,;:()?!")
        (names if PATTERNS.name.match(bare) else plain_words).append(bare)
    told = {name.lower() for name in names if not _passing(name)}
    found = (word.replace("’", "'") for word in tokens(" ".join(plain_words), _WORD))
    return frozenset(_NOT if word in _DENYING else _root(word) for word in found if _counts(word)) | told


def _passing(name: str) -> bool:
    """Whether a name tells apart one case from the others, such as an address, a number or a hash."""
    return "://" in name or not re.search(r"[^\W\d_]{2}", name) or sum(map(str.isdigit, name)) > _DIGITS


def _counts(word: str) -> bool:
    return word in _DENYING or (word not in STOP_WORDS and len(word) > 1)


def _root(word: str) -> str:
    return _same().get(word) or _same().get(stem(word)) or stem(word)


@cache
def _same() -> dict[str, str]:
    """For each word and stem of the groups of words that mean the same, the first of its group."""
    groups = groups_of_synonyms()
    named = {stem(word): group[0] for group in groups for word in group}
    return named | {word: group[0] for group in groups for word in group}


@cache
def _tasks() -> frozenset[str]:
    return frozenset(map(_root, word_set(_LISTS["TASKS"]))) | {_NOT}
