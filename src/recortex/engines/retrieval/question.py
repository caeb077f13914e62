"""Analyses a question: its words, its dates and its parts."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import accumulate, islice, zip_longest
from typing import TYPE_CHECKING, TypeVar

from recortex.domain.kinds import Kind
from recortex.domain.text import lazy, to_micros
from recortex.engines.indexing import Trait
from recortex.lean import NamedTuple, Value, replace
from recortex.text.words import STOP_WORDS, TYPED, function_words, is_german, question_words, tokens, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from recortex.domain.search import Hit
    from recortex.engines.retrieval.weights import Vocabulary


# -- finds dates in a question, and compares memories' times with them


_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH_FORMS = {name: number for number, name in enumerate(_NAMES, 1)}
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


def date_agreement(dates: tuple[NamedDate, ...], micros: int) -> float:
    """0 to 1: how well an instant (microseconds since 1970 UTC) agrees with the best of the dates.

    People speak of an event some days after it, so the days that follow count, and the month that follows a
    month.
    """
    try:
        at = datetime.fromtimestamp(micros / 1_000_000, tz=UTC)
    except (OverflowError, ValueError, OSError):
        return 0.0
    return max((_of_dates(date, at) for date in dates), default=0.0)


def _date(match: re.Match[str], text: str) -> NamedDate | None:
    before, month, after, year = match.groups()
    bare = not (before or after or year)
    if bare and month in _AMBIGUOUS and not _BEFORE_MONTH.search(text[: match.start(2)]):
        return None
    day = before or after
    return NamedDate(int(day) if day else None, _MONTH_FORMS[month], int(year) if year else None)


def _of_dates(date: NamedDate, at: datetime) -> float:
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


_NUMBERS = {
    word: number
    for number, words in enumerate(
        ("", "a an one", "two couple", "three few", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
    for word in words.split()
}
_FOLDED = str.maketrans("\u017f\u0131", "si")
"""Letters that a pattern without regard to case takes for others, and that lower case leaves as they are."""
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNT = rf"(?:(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})\s+(?:of\s+)?)"
_TIME = lazy(
    r"\b(?:(?P<border>since|after|before|until|till|from)\s+)?(?:on\s+|in\s+|over\s+|during\s+|within\s+)?"
    r"(?:(?P<eve>the\s+day\s+before\s+yesterday)|(?P<day>yesterday|today|tonight|last\s+night|this\s+"
    r"(?:morning|afternoon|evening))"
    rf"|(?:the\s+)?(?:last|past)\s+{_COUNT}(?P<back>hour|day|week|month|year)s?"
    rf"|{_COUNT.replace('count', 'ago_count')}(?P<ago>hour|day|week|month|year)s?\s+ago"
    r"|(?:the\s+)?(?P<which>last|past|previous|this|current)\s+(?P<unit>week|weekend|month|quarter|year)"
    rf"|(?:(?:last|this|past)\s+)?(?P<weekday>{'|'.join(_WEEKDAYS)}))\b(?!['’]s\s+\w)",
    re.IGNORECASE,
)
_SINCE_DATE = lazy(
    r"\b(?P<border>since|after|before|until|till)\s+(?:the\s+)?"
    r"(?P<date>(?:\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?)?"
    rf"(?:{_MONTHS})(?:\s+\d{{1,2}}(?:st|nd|rd|th)?(?!\d))?(?:,?\s+(?:19|20)\d\d)?"
    r"|(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?)\b",
    re.IGNORECASE,
)
_LENGTHS = "day night noon morning evening hour week month quarter year".split()
"""What matches `_TIME` has one of these."""
_BORDERS = "since after before until till".split()
_DISTANCE = lazy(r"\b(?:hour|day|week|month|year)s?\s$")
_DAYS = {"hour": 1 / 24, "day": 1, "week": 7, "month": 30, "year": 365}
_LEAST_TOLERANCE = timedelta(days=1)
_TOLERANCE = 0.25
"""People are not exact: so large a share of a time's length around it counts too, the less the further."""
_AFTER = frozenset(("since", "after", "from"))
_DECEMBER = 12
_WEEKEND = (5, 6)


class Period(NamedTuple):
    """A time, in microseconds since 1970 UTC; open where there is None.

    Attributes:
        dated: it begins or ends with a date that is named, which a turn of dialogue is compared with itself.
    """

    since: int | None
    until: int | None
    dated: bool = False


def periods(text: str, now: datetime) -> tuple[Period, ...]:
    """The times that a text names relative to now, and those since or before a date."""
    lower = text.lower().translate(_FOLDED)
    relative = [_period(match, _relative, now) for match in _times(lower)]
    dated = [
        one._replace(dated=True)
        for match in _dates_since(lower)
        if not _DISTANCE.search(lower[: match.start()]) and (one := _period(match, _dated, now))
    ]
    return tuple(dict.fromkeys(one for one in (*relative, *dated) if one))


def _times(lower: str) -> Iterable[re.Match[str]]:
    # Most questions name none, which is seen before the pattern is compiled.
    return _TIME.finditer(lower) if any(word in lower for word in _LENGTHS) else ()


def _dates_since(lower: str) -> Iterable[re.Match[str]]:
    return _SINCE_DATE.finditer(lower) if any(word in lower for word in _BORDERS) else ()


def timeless(asked: Question, vocabulary: Vocabulary) -> Question:
    """The question without those times and dates of which the store has no word; the dates stay known.

    People who talk say "last week", and a turn is found by the words of its day. Other memories lack these
    words, which says nothing against them.
    """
    lower = asked.text.lower()
    # Some letters become two in lower case, after which positions would not fit.
    if len(lower) != len(asked.text):
        return asked
    text = asked.text
    spans = [match.span() for match in (*_times(lower), *_dates_since(lower))]
    # From the end, so that the positions before stay right.
    for first, end in sorted(_apart([*spans, *date_spans(lower)]), reverse=True):
        if not any(vocabulary.frequency.get(word) for word in words(lower[first:end])):
            text = f"{text[:first]} {text[end:]}"
    if text == asked.text:
        return asked
    left = question(" ".join(text.split()))
    return replace(left, dates=asked.dates) if left.words else asked


def untimed(text: str) -> str:
    """The text without times relative to now and borders of time; whole where nothing else would be left."""
    left = " ".join(_SINCE_DATE.sub(" ", _TIME.sub(" ", text)).split())
    return left if question(left).words else text


def agreement(times: Sequence[Period], micros: int) -> float:
    """0 to 1: how well an instant agrees with the best of some times: 1 within it, falling outside."""
    return max((_agreement(one, micros) for one in times), default=0.0)


def _agreement(period: Period, micros: int) -> float:
    since, until, _ = period
    gap = max(since - micros if since is not None else 0, micros - until if until is not None else 0, 0)
    length = until - since if since is not None and until is not None else 0
    return max(0.0, 1.0 - gap / max(_TOLERANCE * length, _LEAST_TOLERANCE / timedelta(microseconds=1)))


def _apart(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans that lie within no other, each once."""
    once = set(spans)
    return [
        (first, end)
        for first, end in once
        if not any(other <= first and end <= last for other, last in once - {(first, end)})
    ]


def _period(
    match: re.Match[str],
    resolved: Callable[[re.Match[str], datetime], tuple[datetime, datetime] | None],
    now: datetime,
) -> Period | None:
    """A time with what the word before it makes of it; None where there is none such."""
    try:
        span = resolved(match, now)
        if span is None:
            return None
        first, last = map(to_micros, span)
    except (OverflowError, ValueError):  # 31 February, before the first year
        return None
    border = match["border"]
    if border in _AFTER:
        return Period(first, None)
    return Period(None, first) if border else Period(first, last)


def _relative(match: re.Match[str], now: datetime) -> tuple[datetime, datetime]:
    """The beginning and end of a time."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    one_day = timedelta(days=1)
    if match["eve"]:
        return today - 2 * one_day, today - one_day
    if match["day"]:
        start = today - one_day * (match["day"] == "yesterday" or match["day"].startswith("last"))
        return start, start + one_day
    if match["back"]:
        return now - _count(match["count"]) * _length(match["back"]), now
    # "Three weeks ago" is no exact day: half a week to both sides counts in full.
    if match["ago"]:
        middle, length = now - _count(match["ago_count"]) * _length(match["ago"]), _length(match["ago"])
        return middle - length / 2, middle + length / 2
    if match["weekday"]:
        # On a Monday, "Monday" is that of last week.
        back = (today.weekday() - _WEEKDAYS.index(match["weekday"])) % 7 or 7
        return today - back * one_day, today - (back - 1) * one_day
    return _calendar(match["which"] not in {"this", "current"}, match["unit"], today)


def _calendar(before: bool, unit: str, today: datetime) -> tuple[datetime, datetime]:
    """This or the last week, weekend, month, quarter or year, as the calendar has them."""
    monday = today - timedelta(days=today.weekday())
    if unit == "week":
        start = monday - timedelta(days=7 * before)
        return start, start + timedelta(days=7)
    if unit == "weekend":
        coming = not before and today.weekday() in _WEEKEND
        start = monday + timedelta(days=_WEEKEND[0] if coming else _WEEKEND[0] - 7)
        return start, start + timedelta(days=2)
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    first = today.replace(day=1, month=(today.month - 1) // months * months + 1)
    start = _earlier(first, months) if before else first
    return start, _earlier(start, -months)


def _dated(match: re.Match[str], now: datetime) -> tuple[datetime, datetime] | None:
    # With a preposition, since "may" and "march" alone may be no months.
    dates = named_dates(f"in {match['date']}")
    return _of_date(dates[0], now) if dates else None


def _of_date(date: NamedDate, now: datetime) -> tuple[datetime, datetime]:
    """A named date; without a year the latest that is not to come."""
    start = now.replace(month=date.month or 1, day=date.day or 1, hour=0, minute=0, second=0, microsecond=0)
    start = start.replace(year=date.year) if date.year else start
    if not date.year and start > now:
        start = start.replace(year=start.year - 1)
    if date.day:
        return start, start + timedelta(days=1)
    return start, _earlier(start, -1 if date.month else -_DECEMBER)


def _earlier(first: datetime, months: int) -> datetime:
    """The first of a month, so many months before."""
    year, month = divmod(first.year * _DECEMBER + first.month - 1 - months, _DECEMBER)
    return first.replace(year=year, month=month + 1)


def _count(said: str) -> int:
    return int(said) if said.isdecimal() else _NUMBERS[said]


def _length(unit: str) -> timedelta:
    return timedelta(days=_DAYS[unit])
