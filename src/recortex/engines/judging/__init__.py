"""Judges whether what a person typed is worth remembering, as learned from labelled sessions.

A logistic regression for each question gives a probability, from features of the text. They were trained on
sessions of many projects; `table.json` holds the weights, how they are calibrated, and the training record.
The weights of persons' and of agents' words were trained together; those of persons' are kept, since nobody
else's are judged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from math import log, log1p
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.domain.text import lazy
from recortex.engines.tables import Patterns, logistic, table
from recortex.lean import NamedTuple
from recortex.text.words import sections

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.engines.tables import Table

__all__ = ["Judgement", "Message", "Statement", "assess", "features"]


# -- what the words of a sentence are a sign of, by short lists of general words (`cues.txt`)


_CUES_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_CUES_LONGEST = 3
"""Words of the longest phrase."""


def cues(text: str) -> dict[str, float]:
    """By `says_` and the name of each list whether the text has a word or phrase of it."""
    named, signs = _lists()
    words = _CUES_WORD.findall(text.lower().replace("’", "'"))
    found = dict.fromkeys(named, 0.0)
    for place in range(len(words)):
        for end in range(place + 1, min(place + _CUES_LONGEST, len(words)) + 1):
            for name in signs.get(" ".join(words[place:end]), ()):
                found[name] = 1.0
    return found


@cache
def _lists() -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """The names of all lists, and for each phrase the lists that it is in."""
    signs: dict[str, tuple[str, ...]] = {}
    written = sections(__file__, "cues")
    for name, listed in written.items():
        for phrase in " ".join(listed.split()).split(", "):
            signs[phrase] = (*signs.get(phrase, ()), f"says_{name}")
    return tuple(f"says_{name}" for name in written), signs


# -- what is known of a statement, as named numbers: its form, its words, who said it and what stands around


PATTERNS = Patterns(__file__, "features")
_BRIEF, _SHORT, _LONG = 80, 400, 2_500
"""Characters of a message that says little, that was certainly typed, and that was hardly typed."""
_ABOVE, _AROUND, _NEXT = 2_000, 300, 60
"""Characters that are read before a statement for its heading, on both sides of it, and of the next one."""
_FEW_WORDS, _MANY_WORDS = 5, 35
_READ = 1_000
"""Characters of a statement that are read."""
_FOREIGN = 0.1
_SHORTEST_LEAD = 3
_EASTERN = lazy(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FEATURES_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")
_CODE = re.compile(r"[{}\[\]<>=;$|\\_/()]")
_COMMA = re.compile("[,;，、—–]")  # noqa: RUF001
_CAPITAL, _DIGIT, _LETTER = re.compile(r"[A-Z]"), re.compile(r"\d"), re.compile(r"[^\W\d_]")
_BEYOND_ASCII = re.compile(r"[^\W\d_a-zA-Z]")


@dataclass(frozen=True)
class Message:
    """A person's message, and what the agent said before; what follows is not known when a session is read.

    Attributes:
        first: it begins the session.
    """

    text: str
    before: str = ""
    first: bool = False

    @cached_property
    def shared(self) -> dict[str, float]:
        """The features that all statements share: its length and look, how it begins and what it answers."""
        text, start, before = self.text, self.text[:_AROUND], self.before[-_AROUND:]
        return {
            "message_size": log1p(len(text)),
            "message_brief": float(len(text) < _BRIEF),
            "message_short": float(len(text) < _SHORT),
            "message_long": float(len(text) > _LONG),
            "message_wrapped": float(PATTERNS.wrapped.match(text) is not None),
            "message_fenced": float("```" in text),
            "message_first": float(self.first),
            "message_objects": float(PATTERNS.objects.search(start) is not None),
            "message_agrees": float(PATTERNS.agrees.match(start) is not None),
            "answers_offer": float(PATTERNS.offers.search(before) is not None),
            "answers_nothing": float(not before),
        }


class Statement(NamedTuple):
    """A sentence of a message.

    Attributes:
        start, end: its characters in the message.
        rule: the confidence of the rule that took it; 0 where none did.
    """

    start: int
    end: int
    rule: float = 0.0


def features(statement: Statement, message: Message) -> dict[str, float]:
    """The features of a statement by name; the names and their order are always the same."""
    text = message.text[statement.start : min(statement.end, statement.start + _READ)]
    found = _shape(text) | cues(text)
    found |= {name: float(one.search(text) is not None) for name, one in _FORMS.items()}
    found |= {name: log1p(_count(one, text)) for name, one in _NAMES.items()}
    return found | message.shared | _place(statement, message) | _section(statement, message)


_FORMS = PATTERNS.by_name("form_")
_NAMES = PATTERNS.by_name("names_")
_UNDER = PATTERNS.by_name("under_")


def _count(pattern: re.Pattern[str], text: str) -> int:
    return len(pattern.findall(text))


def _shape(text: str) -> dict[str, float]:
    """Its length and what it is made of; a Chinese or Japanese character counts as half a word."""
    size, letters = max(len(text), 1), _count(_LETTER, text)
    words = _count(_FEATURES_WORD, text) + (0 if text.isascii() else _count(_EASTERN, text) / 2)
    return {
        "shape_words": log1p(words),
        "shape_short": float(words < _FEW_WORDS),
        "shape_long": float(words > _MANY_WORDS),
        "shape_letters": letters / size,
        "shape_code": _count(_CODE, text) / size,
        "shape_digits": _count(_DIGIT, text) / size,
        "shape_foreign": float(_count(_BEYOND_ASCII, text) > letters * _FOREIGN),
        "shape_commas": log1p(_count(_COMMA, text)),
        "shape_capitals": _count(_CAPITAL, text) / max(letters, 1),
        "shape_marks": float("!" in text or "！" in text),  # noqa: RUF001
        "shape_bold": float("**" in text),
        "shape_arrow": float("→" in text or "->" in text),
    }


def _place(statement: Statement, message: Message) -> dict[str, float]:
    """Where in the message it stands, and how the text goes on before and after it."""
    start, end, text = statement.start, statement.end, message.text
    before = text[max(0, start - _AROUND) : start].strip()
    after = text[end : end + _AROUND].lstrip("*_`\"')] \n")
    following = cues(after[:_NEXT])
    return {
        "rule": statement.rule,
        "ruled": float(statement.rule > 0),
        "stands_first": float(not before),
        "stands_last": float(not after),
        "stands_alone": float(not before and not after),
        "stands_at": start / max(len(text), 1),
        "same_line": float(bool(before) and "\n" not in text[max(0, start - 3) : start]),
        "before_colon": float(before.endswith((":", "："))),  # noqa: RUF001
        "before_question": float(before.endswith(("?", "？"))),  # noqa: RUF001
        "after_points": float(_FORMS["form_points"].match(after) is not None),
        "after_why": following["says_why"],
        "after_plan": following["says_plans"],
    }


def _section(statement: Statement, message: Message) -> dict[str, float]:
    """What the heading, the bold line or the line with a colon above it says."""
    above = message.text[max(0, statement.start - _ABOVE) : statement.start].splitlines()
    heading = next((one for one in map(str.strip, reversed(above)) if _heads(one)), "")
    found = {name: float(bool(heading) and one.search(heading) is not None) for name, one in _UNDER.items()}
    return found | {"under_heading": float(bool(heading))}


def _heads(line: str) -> bool:
    if line.startswith(("#", "**")):
        return bool(_FORMS["form_heading"].match(line) or _FORMS["form_all_bold"].match(line))
    return _SHORTEST_LEAD <= len(line) < _BRIEF and line.endswith((":", "："))  # noqa: RUF001


# -- probabilities that a statement is worth remembering, from its features


TABLE = Path(__file__).with_name("table.json")


class Judgement(NamedTuple):
    """What is expected of a statement, each as a probability.

    Attributes:
        keep: that it is worth keeping, true, and holds beyond the task at hand.
        active: that besides a reader understands it without what stands around it.
    """

    keep: float
    active: float


def assess(statement: Statement, message: Message, *, trained: Table | None = None) -> Judgement:
    """Judge a statement with the message that it stands in.

    Args:
        statement: in the message.
        message: what the person typed.
        trained: another table than the package's.
    """
    used = trained or table(TABLE)
    found = features(statement, message)
    logits = {name: model.logit(found) for name, model in used.models.items()}
    # To be kept and to be understood alone are taken as independent. The product goes back to log-odds, on
    # which the calibration was fitted.
    both = logistic(logits["keep"]) * logistic(logits["alone"])
    logits["active"] = log(both) - log1p(-both)
    calibrated = used.written["calibration"].items()
    return Judgement(**{name: logistic(bias + weight * logits[name]) for name, (bias, weight) in calibrated})


# -- where the sentences and lines of a message stand, as they were labelled (`bench/statements.py`)


_FENCE = lazy(
    r"^[^\S\n]*(`{3,9}|~{3,9}).*?(?:^[^\S\n]*\1[^\S\n]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_BETWEEN = lazy(r"(?<=[.!?])[\"'”’)\]*_`]{0,3}\s+|(?<=[。！？])|\n+")  # noqa: RUF001
_LEAST, _SENTENCES_LONGEST = 15, 400


def sentences(text: str, least: int = _LEAST) -> Iterator[tuple[int, int]]:
    """Beginning and end of each sentence of so many characters, at most 400 of it; no blocks of code."""
    # As many characters as before, so that the places found are those of the original.
    text = _FENCE.sub(lambda block: "\n" * len(block[0]), text)
    start = 0
    for found in [*_BETWEEN.finditer(text), None]:
        end = found.start() if found else len(text)
        piece = text[start:end]
        begin = start + len(piece) - len(piece.lstrip())
        if len(piece.strip()) >= least:
            yield begin, min(begin + _SENTENCES_LONGEST, start + len(piece.rstrip()))
        start = found.end() if found else end
