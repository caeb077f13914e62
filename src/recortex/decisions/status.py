"""What a record says of its own status, and when: the words and dates of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence


Standing = Literal["accepted", "proposed", "rejected", "deprecated", "superseded", ""]
"""Empty: it does not say, or not in words that are known."""

PATTERNS = Patterns(__file__)
_SHORT_YEAR, _DAY = 2, timedelta(days=1)
_MONTHS = {name: at for at, name in enumerate(
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)}  # fmt: skip
# Rejected and deprecated are equally late in a record's life: of both the date decides, or the first named.
_AGE: dict[Standing, int] = {"proposed": 0, "accepted": 1, "deprecated": 2, "rejected": 2, "superseded": 3}
"""How far a standing is in a record's life."""
_ENDED, _CHOICES = 2, 3
MOST_STATEMENT = 1_000
"""Characters from which on a statement is not wrapped to another line."""
MOST_ALONE = 200
"""Characters of a line that may be nothing but a standing and its date."""
_NEVER = datetime.min.replace(tzinfo=UTC)


class Said(NamedTuple):
    """A standing that a status states, with its date if it names one."""

    standing: Standing
    date: datetime | None


def stated_in(text: str) -> Said:
    """What a status says, and since when: its first word, unless a later statement says what became of it.

    A later statement begins a line or clause and says nothing but a standing with its date, person or
    reason: "Deprecated options are listed below" is none. What a status says of other records ("supersedes
    …"), of what was once or may be, and of the end of a part, is not its standing. Of several with dates the
    latest counts, otherwise the one that is furthest in a record's life.
    """
    rows = [list(_own(_clauses(statement))) for statement in statements(text)]
    found = [said for number, row in enumerate(rows) for said in _stated(row, first=not number)]
    if not found:
        words = (_first_word(clause) for row in rows for clause, part in row if not part)
        in_part = any(part for row in rows for _, part in row)
        return Said(next(filter(None, words), "accepted" if in_part else ""), date_in(text))
    if all(one.date for one in found):
        return max(found, key=lambda one: (one.date or _NEVER, _AGE[one.standing]))
    return max(found, key=lambda one: _AGE[one.standing])


def is_of_others(text: str) -> bool:
    """Whether a status says nothing of its own standing, only how the record is related to others."""
    left = [PATTERNS.of_another.sub("", one) for line in statements(text) for one in _clauses(line)]
    others = bool(PATTERNS.of_another.search(_unlinked(text)))
    return others and not any(PATTERNS.letter.search(one.replace(_LINK, "")) for one in left)


def statements(text: str) -> list[str]:
    """The lines of a status, each with those that it is wrapped to; of a table each row."""
    # Struck through, or a box that is not ticked: written there, and not what holds.
    text = PATTERNS.unchecked.sub("", PATTERNS.struck.sub("", text))
    found, goes_on = list[str](), False
    for line in text.split("\n"):
        if PATTERNS.rule.match(line):
            goes_on = False
            continue
        anew = PATTERNS.begins.match(line) or (line.strip()[:1].isupper() and _is_statement(line))
        # A capital alone begins no statement, as names have one, too; it must also say a standing.
        if goes_on and len(found[-1]) < MOST_STATEMENT and (not anew or PATTERNS.open_end.search(found[-1])):
            found[-1] += f" {line.strip()}"
        else:
            found.append(line.strip())
        goes_on = len(found[-1]) > MOST_ALONE or not PATTERNS.alone.fullmatch(_unlinked(found[-1]))
    return [" ".join(one.strip("|").split("|")) if one.startswith("|") else one for one in found]


def is_choice(text: str) -> bool:
    # Templates list all standings to choose from: "proposed | accepted | rejected".
    """Whether a status is that of a template: several to choose from."""
    if PATTERNS.choice.search(text):
        return True
    for line in filter(PATTERNS.listing.search, text.split("\n")):
        named = {_word(one) for one in PATTERNS.listing.split(line)}
        # With dates it is a history of the record and no list to choose from.
        if len(named - {""}) >= _CHOICES and not PATTERNS.date.search(line):
            return True
    return False


_LINK = "[link]"


def _unlinked(text: str) -> str:
    """A text in which a link is one word, unless its own words are a standing."""

    def words(found: re.Match[str]) -> str:
        said = found["said"] or found["named"] or ""
        # The words of a link are mostly another record's title, in which "deprecated" is not about this
        # one.
        return said if PATTERNS.word.search(said) and _is_statement(said) else _LINK

    return PATTERNS.link.sub(words, text)


def _clauses(statement: str) -> list[str]:
    return [one for one in PATTERNS.clause.split(_unlinked(statement)) if one.strip()]


def _own(clauses: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """What each clause says of the record itself, and whether it only tells that a part of it ended."""
    for clause, following in zip(clauses, [*clauses[1:], ""], strict=False):
        own = PATTERNS.of_another.sub("", clause)
        # Only an ending can be of a part; a part that was accepted says nothing of the rest.
        word = next((one for one in PATTERNS.word.finditer(own) if _AGE[_name(one)] >= _ENDED), None)
        part = word and (
            PATTERNS.in_part.search(own)
            or PATTERNS.limited.match(own, word.end())
            or PATTERNS.part_only.match(following)
        )
        yield own, bool(part)


def _stated(row: Sequence[tuple[str, bool]], *, first: bool) -> Iterator[Said]:
    """The standings that the clauses of a statement are; the first one of all needs only to begin with it."""
    whole = " ".join(clause for clause, _ in row)
    for number, (clause, part) in enumerate(row):
        after = row[number + 1][0] if number + 1 < len(row) else ""
        lead = PATTERNS.lead_word.match(clause)
        word = PATTERNS.word.match(clause, lead.end()) if lead else None
        if word is None or part or PATTERNS.by_nobody.search(clause):
            continue
        only = first and not number and not PATTERNS.at_first.match(clause, word.end())
        if only or PATTERNS.tail.match(clause, word.end()):
            alone = not PATTERNS.word.search(after)
            yield Said(_name(word), date_in(clause) or (date_in(after) if alone else None) or date_in(whole))


def _is_statement(text: str) -> bool:
    lead = PATTERNS.lead_word.match(text)
    word = PATTERNS.word.match(text, lead.end()) if lead else None
    return bool(word and PATTERNS.tail.match(text, word.end()))


def _first_word(clause: str) -> Standing:
    """The first word of a clause that is a standing which it has now, else one that it had."""
    had: Standing = ""
    for word in PATTERNS.word.finditer(clause):
        # "No longer deprecated", "not yet accepted": the word is there, and does not hold.
        if PATTERNS.not_now.search(clause[: word.start()]):
            continue
        if not (PATTERNS.once.search(clause[: word.start()]) or PATTERNS.at_first.match(clause, word.end())):
            return _name(word)
        had = had or _name(word)
    return had


def _word(text: str) -> Standing:
    found = PATTERNS.word.search(text)
    return _name(found) if found else ""


def _name(word: re.Match[str]) -> Standing:
    return word.lastgroup  # type: ignore[return-value]  # the names of the groups


def dates_in(text: str) -> tuple[datetime, ...]:
    """What the first date of a text can mean, at midnight UTC: `2024-05-01`, `1.5.2024`, `May 1, 2024`.

    `4/5/2024` is the fourth of May or the fifth of April.
    """
    # The text does not say which order of day and month it follows, so all readings are kept until the date
    # of the file's first commit decides (`nearest`).
    for found in PATTERNS.date.finditer(text):
        if readings := tuple(filter(None, (_date(*parts) for parts in _parts(found)))):
            return readings
    return ()


def date_in(text: str) -> datetime | None:
    """The likelier meaning of the first date in a text."""
    return next(iter(dates_in(text)), None)


def nearest(readings: Sequence[datetime], to: datetime) -> datetime:
    """The meaning of a date that is nearest to when it was committed first; rather before than after."""
    # A decision is mostly written down on its day or later. One day of grace is for time zones.
    return min(readings, key=lambda one: (one > to + _DAY, abs(one - to)))


def _parts(found: re.Match[str]) -> Iterator[tuple[str, str, str]]:
    """Year, month and day, as the date may be read."""
    if found["y"]:
        # Two digits are years of this century: no decision record is older.
        year = found["y"] if len(found["y"]) > _SHORT_YEAR else f"20{found['y']}"
        yield from ((year, found["b"], found["a"]), (year, found["a"], found["b"]))
        return
    kind = next(one for one in "123456" if found[f"y{one}"])
    yield found[f"y{kind}"], found[f"m{kind}"], "1" if kind == "5" else found[f"d{kind}"]


def _date(year: str, month: str, day: str) -> datetime | None:
    try:
        return datetime(int(year), _MONTHS.get(month[:3].lower()) or int(month), int(day), tzinfo=UTC)
    except ValueError:
        return None
