"""How likely a sentence of a person's message is material: quoted, listed, pasted or given to be worked on.

What is told apart is form: punctuation, quotes, what stands before a colon, register, and how a sentence
differs from the beginning of its message. No word of a project counts. A logistic regression, learned
from messages of many projects; `authorship.json` holds its weights.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.engines.extraction.sentences import sentences as sentences_sentences
from recortex.engines.judging import sentences
from recortex.engines.tables import Patterns, table
from recortex.lean import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


PATTERNS = Patterns(__file__)
TABLE = Path(__file__).with_name("authorship.json")
LEAST = 6
"""Characters of a sentence that is judged."""
READ = 20_000
"""Characters of a message that are judged; what follows was hardly typed."""
_LEAD, _LINE, _ABOVE = 200, 400, 2_000
"""Characters that are read of what leads to a text, of a line before a sentence, of the lines above it."""
_COMPARED = 60
"""Sentences of a message that are looked at for its register."""
_FORMS, _LEADS = PATTERNS.by_name("form_"), PATTERNS.by_name("lead_")
_REGISTER = ("form_careless", "form_me", "form_capital", "form_stop", "form_typeset")
"""Forms in which a sentence is compared with the first one of its message."""


_EASTERN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_UNREAD = 0.4
"""The highest probability in a script whose register was not learned: clear forms are cut off by rules."""
_SPOKEN = 0.85
"""The least probability of a line of one of several speakers."""


class Piece(NamedTuple):
    """A sentence by its characters in the message, and the probability that it is material."""

    start: int
    end: int
    chance: float


# Several parts of the extraction ask for the same message.
@lru_cache(maxsize=64)
def pieces(text: str) -> tuple[Piece, ...]:
    """The sentences of a message, each with its probability; none of fenced blocks."""
    material, (spans, found) = table(TABLE).models["material"], featured(text)
    eastern = _EASTERN.search(text[:READ]) is not None
    spoken = {one.start() for one in PATTERNS.speaks.finditer(text[:READ])}
    chat = len(spoken) > 1  # one line "note: …" is typed, a line for each of several names is copied
    told = []
    for (start, end), one in zip(spans, found, strict=True):
        # The regression learned its register from languages with spaces and capital letters.
        chance = min(material.probability(one), _UNREAD if eastern else 1.0)
        line = text.rfind("\n", 0, start) + 1
        told.append(Piece(start, end, max(chance, _SPOKEN) if chat and line in spoken else chance))
    return tuple(told)


def featured(text: str) -> tuple[list[tuple[int, int]], list[dict[str, float]]]:
    """The sentences of a message, and the features of each; names and order are always the same."""
    spans = list(sentences(text[:READ], LEAST))
    message = _Message(text[:READ], spans)
    return spans, [message.features(start, end) for start, end in spans]


@dataclass(slots=True)
class _Message:
    """What the sentences of a message share, and what was said up to the one that is looked at."""

    text: str
    spans: Sequence[tuple[int, int]]
    shared: dict[str, float] = field(init=False)
    first: dict[str, float] = field(init=False)

    def __post_init__(self) -> None:
        """Look at what is the same for all sentences once: the time is linear."""
        self.shared = _whole(self.text) | _register([self.text[slice(*one)] for one in self.spans])
        self.first = _form(self.text[slice(*self.spans[0])]) if self.spans else {}

    def features(self, start: int, end: int) -> dict[str, float]:
        said = self.text[start:end]
        line_start = self.text.rfind("\n", 0, start) + 1
        # Only so far back, since a pasted line may be very long.
        line = self.text[max(line_start, start - _LINE) : start]
        found = _form(said) | {"indented": float(line.startswith((" ", "\t")))}
        listed = PATTERNS.mark.match(line + said[:9]) is not None
        found |= {"line_mark": float(listed), "line_key": float(PATTERNS.key.match(line) is not None)}
        found |= self._leading(line, line_start, start) | self._place(line_start, start) | self.shared
        for name in _REGISTER:
            found[f"gains_{name}"] = max(0.0, found[name] - self.first[name])
            found[f"loses_{name}"] = max(0.0, self.first[name] - found[name])
        own = 1 - max(self.shared["says_form_me"], self.shared["says_form_you"])
        found["nobodys"] = own * (1 - found["form_order"]) * (1 - found["form_careless"]) * found["words"]
        found["rules_listed"] = found["far_lead_rule"] * float(found["lead_near"] > 0 or listed)
        found["work_given"] = max(
            found["inline_lead_work"], found["within_lead_work"], found["far_lead_work"] * found["lead_near"]
        )
        found["source_given"] = max(
            found["inline_lead_source"], found["far_lead_source"] * found["lead_near"]
        )
        found["longer"] = math.log1p(end - start) - math.log1p(self.spans[0][1] - self.spans[0][0])
        return found

    def _leading(self, line: str, line_start: int, start: int) -> dict[str, float]:
        """What leads to the sentence: before a colon or quotation in its line, or the last line with one."""
        inline = PATTERNS.inline.match(line)
        own = inline["lead"] if inline else ""
        above = self.text[max(0, line_start - _ABOVE) : line_start].splitlines()
        far = next((one for one in reversed(above) if PATTERNS.ends_lead.search(one)), "")
        near = next((one for one in reversed(above) if one.strip() and not PATTERNS.mark.match(one)), "")
        found = {
            "lead_inline": float(bool(own)),
            "lead_far": float(bool(far)),
            "lead_near": float(bool(far) and near == far),
        }
        for name, one in _LEADS.items():
            found[f"inline_{name}"] = float(bool(own) and one.search(own[-_LEAD:]) is not None)
            found[f"far_{name}"] = float(bool(far) and one.search(far[-_LEAD:]) is not None)
        within = PATTERNS.within.match(self.text[start : start + _LEAD])
        found["lead_within"] = float(within is not None)
        for name, one in _LEADS.items():
            found[f"within_{name}"] = float(within is not None and one.search(within["lead"]) is not None)
        lead = self.text[slice(*self.spans[0])] if start > self.spans[0][0] else ""
        for name, one in _LEADS.items():
            found[f"opening_{name}"] = float(bool(lead) and one.search(lead[:_LEAD]) is not None)
        # Quotation marks are counted within a paragraph: one that is left open by mistake ends there.
        paragraph = self.text[max(self.text.rfind("\n\n", 0, start), start - _ABOVE, 0) : start]
        odd = paragraph.count('"') % 2 or paragraph.count("“") > paragraph.count("”")
        found["quoted"] = float(bool(odd) or PATTERNS.opens_quote.search(line) is not None)
        return found

    def _place(self, line_start: int, start: int) -> dict[str, float]:
        before = self.text[:line_start]
        paragraph = before.count("\n\n")
        return {
            "first": float(start == self.spans[0][0]),
            "first_paragraph": float(paragraph == 0),
            "paragraph": math.log1p(paragraph),
            "line": math.log1p(before.count("\n")),
            "at": start / max(len(self.text), 1),
        }


def _whole(text: str) -> dict[str, float]:
    """What a message looks like as a whole."""
    lines = [one for one in text.splitlines() if one.strip()]
    count = max(len(lines), 1)
    return {
        "size": math.log1p(len(text)),
        "lines": math.log1p(count),
        "marked": sum(PATTERNS.mark.match(one) is not None for one in lines) / count,
        "keyed": sum(PATTERNS.key.match(one) is not None for one in lines) / count,
        "headed": float(PATTERNS.headed.search(text) is not None),
        "fenced": float("```" in text),
        "capitals": sum(one.strip()[:1].isupper() for one in lines) / count,
    }


_SHARED = ("form_me", "form_you", "form_careless", "form_order", "form_please", "form_question",
           "form_capital", "form_stop", "form_tick")  # fmt: skip
"""Forms of which it counts how many sentences of the message have them."""


def _register(said: Sequence[str]) -> dict[str, float]:
    """In which words a message is spoken: shares of its sentences, and how long and named they are."""
    forms = [_form(one) for one in said[:_COMPARED]]
    count = max(len(forms), 1)
    found = {f"says_{name}": sum(one[name] for one in forms) / count for name in _SHARED}
    return found | {
        "mean_words": sum(one["words"] for one in forms) / count,
        "mean_code": sum(one["code"] for one in forms) / count,
        "mean_symbols": sum(one["symbols"] for one in forms) / count,
        "sentences": math.log1p(len(said)),
    }


def _form(said: str) -> dict[str, float]:
    """What a sentence looks like by itself."""
    words = said.split()
    return {
        **{name: float(one.search(said) is not None) for name, one in _FORMS.items()},
        "words": math.log1p(len(words)),
        "code": sum(sign in "{}[]<>=;$|\\_/()" for sign in said) / max(len(said), 1),
        "names": sum(word[:1].isupper() for word in words[1:]) / max(len(words), 1),
        "symbols": math.log1p(len(PATTERNS.symbol.findall(said))),
        "upper": float(sum(map(str.isupper, said)) > len(said) / 2),
    }


_SPACE = re.compile(r"\W+")


def plain_words(text: str) -> str:
    """A text by its words alone, as it is looked for whatever markup stands between them."""
    return f" {_SPACE.sub(' ', text.lower()).strip()} "


# -- whose word a sentence of the person's message is: the one place that all who learn from messages ask


PASTED_TEXT_PATTERNS = Patterns(__file__, "pasted_text")

_LEAST_OF_REVIEW, _CAREFUL, _FEW = 3, 0.8, 2
"""Sentences of a review; the share of them that is written with care; those that judge or name a part."""
_LINES = 12
"""List items from which a paragraph was pasted, not typed."""


SURE, DOUBT, DOUBT_OF_ORDER = 0.9, 0.55, 0.8
"""The probabilities from which a sentence is material, from which it may be, and from which one may be that
says itself that it is to be remembered. Of sentences of projects that the weights had not seen, 2.2 % of
what was typed are above the first and 9.6 % above 0.5; of material 66 % and 80 % (bench/authorship.py)."""
HOLD = "may be quoted or pasted"
"""Why a statement waits that may be material."""


def typed(text: str) -> str:
    """The text without what is surely not the person's word, and without what only serves a command."""
    said = unpasted(text)
    command = PASTED_TEXT_PATTERNS.command.match(said)
    if command is None:
        return said
    return (
        "" if PASTED_TEXT_PATTERNS.works_on.fullmatch(command["name"]) else arguments(said[command.end() :])
    )


def arguments(text: str) -> str:
    """What of the arguments of a command is a sentence of its own: "12 please never push" says "never push".

    A sentence behind the first one always is.
    """
    said = text[found.end() :] if (found := PASTED_TEXT_PATTERNS.named_first.match(text)) else text
    first = next(iter(sentences_sentences(said)), "")
    if PASTED_TEXT_PATTERNS.own.match(first):
        return said.strip()
    return said.strip().removeprefix(first).strip()


def unpasted(text: str) -> str:
    """The text without what is surely somebody else's."""
    said = _cut_off(text)
    for piece in pieces(text):
        if piece.chance >= SURE:
            # Once for each piece: a sentence that was typed and is also quoted loses only one of the two.
            said = said.replace(text[piece.start : piece.end], "", 1)
    return said.strip()


def doubtful(text: str) -> Callable[[str], float]:
    """Gives the chance that a sentence of a message is material; from `DOUBT` on it is at most proposed."""
    reviewed = _reviewed(text)
    chances = [
        (plain_words(text[one.start : one.end]), max(one.chance, DOUBT if one.start >= reviewed else 0.0))
        for one in pieces(text)
    ]

    def chance(sentence: str) -> float:
        said = plain_words(sentence)
        # What the rules read may be a part of a judged sentence, or join several.
        return max((likely for one, likely in chances if said in one or one in said), default=0.0)

    return chance


def _reviewed(text: str) -> int:
    """Where a review of code begins in a message, which says what should be in whole sentences of nobody's.

    The message's length, if it holds none. In such a text "errors must always be wrapped" is the reviewer's.
    """
    if announced := PASTED_TEXT_PATTERNS.gives_review.match(text):
        return announced.end()
    told = [text[one.start : one.end].strip() for one in pieces(text)]
    if (
        len(told) < _LEAST_OF_REVIEW
        or any(PASTED_TEXT_PATTERNS.persons.search(one) for one in told)
        or sum(PASTED_TEXT_PATTERNS.careful.match(one) is not None for one in told) < _CAREFUL * len(told)
    ):
        return len(text)
    judges = sum(PASTED_TEXT_PATTERNS.judges.search(one) is not None for one in told)
    of_parts = sum(PASTED_TEXT_PATTERNS.of_a_part.match(one) is not None for one in told)
    demands = any(PASTED_TEXT_PATTERNS.demands.search(one) for one in told)
    return 0 if judges >= _FEW or (demands and judges + of_parts >= _FEW) else len(text)


def _cut_off(text: str) -> str:
    """The text without pastes of a clear form."""
    kept: list[str] = []
    for paragraph in re.split(r"\n[^\S\n]*\n", text):
        lines = paragraph.split("\n")
        cut = next(
            (place for place, line in enumerate(lines) if PASTED_TEXT_PATTERNS.begins.match(line)), None
        )
        told = next(
            (place for place, line in enumerate(lines) if PASTED_TEXT_PATTERNS.announces.search(line[-200:])),
            None,
        )
        end = min((place for place in (cut, told) if place is not None), default=None)
        said = lines if end is None else lines[:end]
        if (
            not any(PASTED_TEXT_PATTERNS.machine.match(line) for line in said)
            and sum(map(bool, map(PASTED_TEXT_PATTERNS.item.match, said))) < _LINES
        ):
            kept.append("\n".join(said))
        if end is not None:
            break
    return "\n\n".join(kept).strip()
