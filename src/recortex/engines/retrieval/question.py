"""Analyses a question: its words, its dates and its parts."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from itertools import accumulate, islice, zip_longest
from typing import TYPE_CHECKING, TypeVar

from recortex.domain.kinds import Kind
from recortex.domain.text import lazy
from recortex.engines.indexing import Trait
from recortex.lean import NamedTuple, Value, replace
from recortex.text.languages import function_words, is_german, question_words
from recortex.text.words import STOP_WORDS, TYPED, tokens, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recortex.domain.search import Hit


# -- finds dates in a question, and compares memories' times with them


_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
_AMBIGUOUS = frozenset({"may", "march"})
"""Months that are words as well; they count with a day, a year or a preposition."""
_MONTH = "|".join(_NAMES)
_DATE = lazy(
    rf"(?:\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b({_MONTH})\b(?:\s+(\d{{1,2}})(?:st|nd|rd|"
    rf"th)?(?!\d))?(?:,?\s+((?:19|20)\d\d)\b)?"
)
_ISO = lazy(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_YEAR = lazy(r"\b((?:19|20)\d\d)\b")
_BEFORE_MONTH = lazy(r"\b(?:in|on|of|during|since|until|before|after|by|late|early|mid)\s$")

_SAME, _NEAR, _NEXT_MONTH, _SAME_YEAR = 1.0, 0.6, 0.4, 0.3
_LAST_DAY = 28


class NamedDate(NamedTuple):
    """The parts of a date that were said; month is None where only the year was."""

    day: int | None
    month: int | None
    year: int | None


def named_dates(text: str) -> tuple[NamedDate, ...]:
    """The dates that a text names in words or in ISO 8601; years alone where there is nothing else."""
    lower = text.lower()
    iso = [
        NamedDate(int(day) if day else None, int(month), int(year))
        for year, month, day in _ISO.findall(lower)
    ]
    said = [date for match in _DATE.finditer(lower) if (date := _date(match, lower))]
    found = [date for date in iso + said if date.month is None or 1 <= date.month <= len(_NAMES)]
    return tuple(found) or tuple(NamedDate(None, None, int(year)) for year in _YEAR.findall(lower))


def date_spans(text: str) -> list[tuple[int, int]]:
    """Where a text in lower case names dates, as first and next position, with prepositions before months."""
    said = [match for match in _DATE.finditer(text) if _date(match, text)]
    found = [*said, *_ISO.finditer(text)] or list(_YEAR.finditer(text))
    before = ((_BEFORE_MONTH.search(text[: match.start()]), match) for match in found)
    return [(word.start() if word else match.start(), match.end()) for word, match in before]


def agreement(dates: tuple[NamedDate, ...], micros: int) -> float:
    """0 to 1: how well an instant (microseconds since 1970 UTC) agrees with the best of the dates.

    People speak of an event some days after it, so the days that follow count, and the month that follows a
    month.
    """
    try:
        at = datetime.fromtimestamp(micros / 1_000_000, tz=UTC)
    except (OverflowError, ValueError, OSError):
        return 0.0
    return max((_agreement(date, at) for date in dates), default=0.0)


def _date(match: re.Match[str], text: str) -> NamedDate | None:
    before, month, after, year = match.groups()
    bare = not (before or after or year)
    if bare and month in _AMBIGUOUS and not _BEFORE_MONTH.search(text[: match.start(2)]):
        return None
    day = before or after
    return NamedDate(int(day) if day else None, _MONTHS[month], int(year) if year else None)


def _agreement(date: NamedDate, at: datetime) -> float:
    if date.month is None:
        return _SAME_YEAR if at.year == date.year else 0.0
    if date.day is not None:
        # Without a year, the one counts that is nearest to the memory.
        years = [date.year] if date.year else [at.year - 1, at.year, at.year + 1]
        return max(_day_agreement(year, date.month, date.day, at) for year in years)
    if date.year not in (None, at.year):
        return 0.0
    follows = at.month == date.month % len(_NAMES) + 1
    return _SAME if at.month == date.month else _NEXT_MONTH if follows else 0.0


def _day_agreement(year: int, month: int, day: int, at: datetime) -> float:
    try:
        # February.
        named = datetime(year, month, day if month != 2 else min(day, _LAST_DAY), tzinfo=UTC)  # noqa: PLR2004
    except ValueError:
        return 0.0
    gap = (at - named).days
    if -1 <= gap <= 3:  # noqa: PLR2004  days
        return _SAME
    return _NEAR if -2 <= gap <= 10 else 0.0  # noqa: PLR2004  days


# -- analyses a question by its words


READ_CHARACTERS = 2_000
"""Characters of a question that are read; MiniLM reads about 1,200."""
MOST_WORDS = 48
"""Words that are looked up: enough for any question, and a bound for a pasted text."""
NOTHING = Trait(0)

_PATH = re.compile(r"[\w.-]{1,100}(?:/[\w.-]{1,100}){1,40}/?|\b[\w-]{1,100}\.(?:[a-z]{1,4})\b")
_TESTS = re.compile(r"\btest")
_ANSWERS = (
    (Trait.TIME, re.compile(r"\bwhen\b|what (?:date|day|month|year|time)|which (?:month|year|day)")),
    (Trait.NUMBER, re.compile(r"how (?:many|much|often|long|old|far)")),
    (Trait.PLACE, re.compile(r"\bwhere\b|(?:which|what) (?:city|country|state|place)")),
    (Trait.REASON, re.compile(r"\bwhy\b|reason")),
)


def kinds_of(*names: str) -> frozenset[Kind]:
    """Kinds by their names."""
    return frozenset(Kind(name) for name in names)


_USUAL_KINDS = (
    (
        re.compile(
            r"\bwhy (?:do|did|not|is|are|was)|\b(?:chose|choose|decided?|decision|rationale)\b|"
            r"\b(?:warum|wieso|weshalb|entschieden|por qué|pourquoi|por que)\b|为什么|为何|なぜ|どうして|왜 "
        ),
        kinds_of("decision", "decision_context", "pattern_rationale", "constraint_override"),
    ),
    (
        re.compile(
            r"\bhow (?:do|to|can|should)\b|\bsteps\b|\bprocedure\b|\bcómo (?:se|puedo|debo)\b|"
            r"\bwie (?:kann|soll|muss|macht|wird|werden|geht)\b|\bcomment (?:faire|puis)|"
            r"\bcomo (?:faço|posso)\b|怎么|如何|どうやって|どうすれば|어떻게"
        ),
        kinds_of("procedural", "workflow", "skill", "tribal"),
    ),
    (
        re.compile(r"\b(?:outage|incident|broke|down|crash\w*|leak|went wrong|root cause)\b"),
        kinds_of("incident", "tribal"),
    ),
    (re.compile(r"\b(?:prefer\w*|style|convention)\b"), kinds_of("preference", "feedback")),
)
"""Kinds by the questions that they usually answer. A new kind need not be here: the weight of `kind` only
decides between memories that answer about equally well."""


class Question(Value, frozen=True):
    """An analysed question.

    Attributes:
        text: the question, at most `READ_CHARACTERS` long, without NUL.
        words: what to look up in the keyword index: words that are not function words, parts of identifiers,
            CJK pairs.
        names: capitalised words that do not begin the question, in lower case; none of German, where every
            noun is capitalised.
        typed: every word as it stands in the question.
        dates: the dates it names.
        answer: what kind of answer is asked for (a time, a number, a place, a reason), or nothing.
        paths: file names and paths in it.
        kinds: kinds of memories that usually answer such a question.
        about_tests: whether it asks about tests.
    """

    text: str
    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    typed: tuple[str, ...] = ()
    dates: tuple[NamedDate, ...] = ()
    answer: Trait = NOTHING
    paths: tuple[str, ...] = ()
    kinds: frozenset[Kind] = frozenset()
    about_tests: bool = False


@lru_cache(64)  # what searches memories and what searches documents analyse the same
def question(text: str) -> Question:
    """Analyse a question. Any text is accepted; an empty one asks for nothing."""
    text = text.replace("\0", " ")[:READ_CHARACTERS].strip()
    lower = text.lower()
    return Question(
        text=text,
        words=tuple(question_words(text))[:MOST_WORDS],
        names=() if is_german(text) else tuple(dict.fromkeys(_names(text))),
        typed=tuple(tokens(text, TYPED, lower=False)),
        dates=named_dates(text),
        answer=next((trait for trait, pattern in _ANSWERS if pattern.search(lower)), NOTHING),
        paths=tuple(paths_in(text)),
        kinds=frozenset[Kind]().union(*(kinds for pattern, kinds in _USUAL_KINDS if pattern.search(lower))),
        about_tests=bool(_TESTS.search(lower)),
    )


def paths_in(text: str) -> list[str]:
    """The file names and paths in a text."""
    return _PATH.findall(text)


def index_form(word: str) -> str:
    """A word of a question as the index knows it: in lower case, without a possessive ending."""
    return "".join(words(word)[:1])


def without(asked: Question, common: frozenset[str]) -> str:
    """The question without its common words, to be embedded; whole if only function words would be left."""
    kept = [word for word in asked.typed if index_form(word) not in common]
    nothing = function_words(asked.text)
    if len(kept) == len(asked.typed) or all(index_form(word) in nothing for word in kept):
        return asked.text
    return " ".join(kept)


def _names(text: str) -> Iterator[str]:
    # The first word has a capital whatever it is.
    for token in islice(TYPED.finditer(text), 1, None):
        word = index_form(token[0])
        begins_sentence = text[: token.start()].rstrip()[-1:] in {".", "!", "?", ":", "\n"}
        if token[0][0].isupper() and word not in STOP_WORDS and not begins_sentence:
            yield word


# -- questions that ask for more than one thing: two questions in one, and questions for a set


Item = TypeVar("Item")
MOST_PARTS = 3
LONGEST = 400
"""Characters: a longer text is no question with parts."""
SET_SHARE = 2
"""A question for a set gets so many times the usual number of memories: of what LoCoMo's answers to such
questions need, 8 hold 44 % and 16 hold 51 % (bench/understanding.py). Fewer of one session finds no more."""
_ASKS = r"(?:who|whom|whose|what|when|where|why|which|how)"
_BORDER = lazy(
    rf"\?\s{{1,3}}(?=\w)|(?:\s?[,;]\s{{0,3}}|\s)(?:and|or)\s{{1,3}}(?:also\s{{1,3}})?(?={_ASKS}\b)"
    rf"|;\s{{0,3}}(?={_ASKS}\b)"
)
_BEGINS = lazy(rf"\b{_ASKS}\b|^\W*(?:is|are|was|were|do|does|did|can|could|should|has|have|must|may|will)\b")
_ONE_THING = lazy(rf"\b(?:between|difference|compare[ds]?|versus|vs)\b|\b{_ASKS}\W*$")
_REFERS = lazy(r"\b(?:it|its|they|them|their|this|these|those|there|he|him|his|she|her|one)\b|\bthat\W*$")
_FEWEST, _FEWEST_ALONE = 3, 2
"""Words of a part; and content words of one that can be asked alone."""
_SINGULAR = (
    "was|is|does|has|his|this|us|as|class|bus|status|address|process|business|focus|series|always|news|"
    "access|progress|alias|analysis|basis|https|redis|kubernetes|postgres|aws|css|dns|tls|os|js|ios|macos|"
    "windows|times"
)
_THINGS = (
    r"\s+(?:all\s+|some\s+|other\s+|(?:kinds?|types?|sorts?)\s+of\s+)*(?:the\s+|our\s+)?(?:[\w-]+\s+)?"
    rf"(?!(?:{_SINGULAR})\b)[a-z-]{{3,}}s"
)
_VERB = "are|were|did|do|does|has|have|had|can|could|should|shall|will|would|must|might|may"
_SET = lazy(
    r"\b(?:list|enumerate|name)\s+(?:all|every|each|the)\b|\ball\s+(?:the|of|our|my)\b"
    rf"|\bwhich(?:\s+are)?{_THINGS}(?=\W*$|\s+(?!(?:the|a|an|our|my|its|from|to|with)\b))"
    rf"|\bwhat{_THINGS}(?=\W*$|\s+(?:{_VERB})\b)|\bwhat\s+are{_THINGS}\b"
)
"""Words of a question for several things: a plural after `which`, or after `what` before a verb."""


def split(text: str) -> tuple[str, ...]:
    """The questions that a text is made of; itself where it is one.

    A part that speaks of something by a pronoun is asked with the whole text.
    """
    if len(text) > LONGEST:
        return (text,)
    lower = text.lower()
    starts = [0, *(match.end() for match in _BORDER.finditer(lower))]
    ends = [*(match.start() for match in _BORDER.finditer(lower)), len(text)]
    found = [text[start:end].strip(" ,;") for start, end in zip(starts, ends, strict=True)]
    if not 1 < len(found) <= MOST_PARTS or not all(map(_is_question, found)):
        return (text,)
    return tuple(dict.fromkeys(text if place and _leans(one) else one for place, one in enumerate(found)))


def asks_for_a_set(text: str) -> bool:
    """Whether several things are asked for: `which services …`, `list all …`."""
    return len(text) <= LONGEST and _SET.search(text.lower()) is not None


def in_turns(answers: Sequence[Sequence[Item]], key: Callable[[Item], object]) -> list[Item]:
    """The items of several answers, the first of each, then the second; of equal ones the first."""
    found: dict[object, Item] = {}
    for turn in zip_longest(*answers):
        for one in turn:
            if one is not None:
                found.setdefault(key(one), one)
    return list(found.values())


def cap_scores(hits: Sequence[Hit]) -> list[Hit]:
    """The hits with scores that never rise: none is surer than the one before it."""
    lowest = accumulate((hit.score for hit in hits), min)
    return [
        hit if hit.score == score else replace(hit, score=score)
        for hit, score in zip(hits, lowest, strict=True)
    ]


def _leans(part: str) -> bool:
    """Whether a part cannot be understood without what comes before it.

    A pronoun after a name may speak of that: `what does John do with his kids`.
    """
    refers = _REFERS.search(part.lower())
    named = refers is not None and any(
        name in part[: refers.start()].lower() for name in question(part).names
    )
    return (refers is not None and not named) or len(question(part).words) < _FEWEST_ALONE


def _is_question(part: str) -> bool:
    lower = part.lower()
    return (
        _BEGINS.search(lower) is not None
        and _ONE_THING.search(lower) is None
        and len(part.split()) >= _FEWEST
        and bool(question(part).words)
    )
