"""Whether a sentence that a person typed, however carelessly, states something that lasts.

The chance is learned: a logistic regression over named signs of form (`bench/careless_fit.py`), trained on
typed sentences of many projects that a reader labelled and on half of the careless sentences of
`bench/careless.txt`. No sign knows a project. What is taken is kept whole, in plain words.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.engines.extraction.drafting import DURABLE, RuleFinding
from recortex.engines.extraction.passages import passages
from recortex.engines.extraction.pasted_text import DOUBT, HOLD, doubtful, typed
from recortex.engines.extraction.plain_speech import plain_speech, unasked
from recortex.engines.extraction.polarity import hangs, keeps
from recortex.engines.extraction.self_contained import MAX_LENGTH, MIN_TYPED, is_cut
from recortex.engines.extraction.sentences import statement
from recortex.engines.extraction.typed_sentences import typed_sentences
from recortex.engines.languages import language_of
from recortex.engines.patterns import Patterns
from recortex.engines.similarity.near_duplicates import marked
from recortex.engines.words import LETTERS, tokens, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PATTERNS = Patterns(__file__)
TABLE = Path(__file__).with_suffix(".json")
SIGNS, HEDGES = PATTERNS.by_name("sign_"), PATTERNS.by_name("hedge_")
"""Signs in plain speech, and in what was typed around it."""
WORDS = tuple(sorted(word_set(
    "a about after all already also an and any are as at be because been before but by can could did do does "
    "done for from get had has have he her here him his how i if in instead into is it just let like make "
    "may me might more most must my need no not now of off on one only or other our out over own per same "
    "she should so some still such than that the their them then there these they thing this "
    "those to too under until up us via want was way we were what when where which while who why will with "
    "would yet you your"
)))  # fmt: skip
SURE, SURER = 0.5, 0.65
"""The chances from which a statement is active in a brief message and in a longer one, where more of what is
typed is about the task (bench/careless_fit.py)."""
AGAIN = 0.15
"""The chance from which a statement lasts that was said in another session, too: what is said of a task is
said once."""
EVEN = 0.5
"""The chance of what is as likely to last as not."""
MOST_TYPED = 2_500
"""Longer messages are pasted plans, issues and logs."""
_LEAST_WORDS = 2
_TERSE, _SHORT, _LONG = 4, 12, 25
"""Words up to which a sentence is terse and short, and from which it is hardly a rule."""
_SHORT_NOUN = 6
_BRIEF, _LENGTHY = 160, 600
"""Characters up to which a message is brief, and from which it is hardly typed in haste."""
_FOREIGN = 0.05
"""The share of letters beyond ASCII from which a message is not in English, which the signs are of."""
_DECIDED = 0.8
_MARKS = ("?", "\N{FULLWIDTH QUESTION MARK}")

_MOST = 30.0


class Table(NamedTuple):
    """The trained weights.

    Attributes:
        bias: of the logit.
        weights: by feature; of one that is not named it is 0.
        record: of the training.
    """

    bias: float
    weights: Mapping[str, float]
    record: Mapping[str, Any]


def durable(text: str) -> Iterator[RuleFinding]:
    """Yield what a message that a person typed states to hold beyond the task at hand."""
    material = doubtful(text)
    for kept, likely, said, sentence in _stated(text, SURE if len(text) <= _BRIEF else SURER):
        confidence = max(_DECIDED, round(likely, 2))
        hold = HOLD if material(sentence) >= DOUBT else ""
        yield RuleFinding(kept, _kind(said), confidence, DURABLE, sentence, hold=hold)


def perhaps_durable(text: str) -> list[str]:
    """What lasts of a message if another session says it, too; nothing that may be pasted.

    "Thank you." and "Same error as before." are said again and again, too: what is less likely to last than
    not must name something, such as a path, a command or a number.
    """
    material = doubtful(text)
    return [
        kept
        for kept, likely, _, sentence in _stated(text, AGAIN)
        if material(sentence) < DOUBT and (likely >= EVEN or marked(kept))
    ]


def asks(sentence: str) -> bool:
    """Whether a sentence only asks something, with or without a question mark; a polite wish does not."""
    said = plain_speech(sentence)
    wish, _ = unasked(said)
    return _asks(wish, said, sentence) or (wish == said and sentence.rstrip().endswith(_MARKS))


def _stated(text: str, least: float) -> Iterator[tuple[str, float, str, str]]:
    """What a message states from a chance on: as kept, the chance, in plain speech, as typed."""
    for sentence, said in spoken(text):
        wish, _ = unasked(said)
        if _asks(wish, said, sentence) or PATTERNS.step.match(wish) or PATTERNS.status.match(wish):
            continue
        likely = chance_of(said, sentence, text)
        if likely >= least and (kept := _kept(said, sentence)):
            yield kept, likely, said, sentence


def is_foreign(text: str) -> bool:
    """Whether a message is in another language than English, by its letters or its words."""
    return language_of(text) not in {"", "en"} or sum(
        not letter.isascii() for letter in text if letter.isalpha()
    ) > _FOREIGN * len(text)


def spoken(text: str) -> Iterator[tuple[str, str]]:
    """The typed sentences of a message, each as it stands and in plain speech."""
    if len(text) > MOST_TYPED or is_foreign(text):
        return
    for passage in passages(typed(text)):
        for sentence in typed_sentences(passage.text):
            if not PATTERNS.machine.search(sentence):
                yield sentence, plainly(sentence)


def plainly(sentence: str) -> str:
    """A typed sentence in plain speech, without a file that is handed over before it."""
    return plain_speech(PATTERNS.mention.sub("", sentence))


def chance_of(said: str, sentence: str, message: str) -> float:
    """The chance that a sentence lasts; the arguments are those of `signs`."""
    found, trained = signs(said, sentence, message), table()
    logit = trained.bias + sum(weight * found.get(name, 0.0) for name, weight in trained.weights.items())
    return 1.0 / (1.0 + math.exp(-min(max(logit, -_MOST), _MOST)))


def signs(said: str, sentence: str, message: str) -> dict[str, float]:
    """What is known of a sentence in plain speech, as named numbers.

    Args:
        said: the sentence.
        sentence: as it was typed.
        message: that it stands in.
    """
    asked = said
    said, _ = unasked(said)
    words = len(said.split())
    found = {name: float(one.search(said) is not None) for name, one in SIGNS.items()}
    found |= {name: float(one.search(sentence) is not None) for name, one in HEDGES.items()}
    used = set(tokens(said.lower(), LETTERS))
    found |= {f"word_{word}": float(word in used) for word in WORDS}
    order = PATTERNS.task.match(said) is not None
    general = PATTERNS.general.search(said) is not None
    return found | {
        "wished": float(asked != said),
        "order_once": float(order and not general),
        "order_general": float(order and general),
        "wished_once": float(asked != said and order and not general),
        "terse_noun": float(words <= _SHORT_NOUN) * found["sign_noun_in"],
        "denies_one_thing": found["sign_denies_first"] * max(found["sign_this"], found["sign_one_thing"]),
        "we_contrast": found["sign_we_do"] * found["sign_contrast"],
        "size_words": math.log1p(words),
        "size_terse": float(words <= _TERSE),
        "size_short": float(words <= _SHORT),
        "size_long": float(words > _LONG),
        "message_brief": float(len(message) <= _BRIEF),
        "message_long": float(len(message) > _LENGTHY),
        "message_lines": math.log1p(message.count("\n")),
        "message_asks": float("?" in message),
    }


def _asks(wish: str, said: str, sentence: str) -> bool:
    """Whether a sentence asks something, with or without a question mark; a polite wish does not."""
    if SIGNS["sign_asks"].match(wish) or HEDGES["hedge_right"].search(sentence):
        return True
    return wish == said and bool(SIGNS["sign_aux_first"].match(said) or SIGNS["sign_question"].search(said))


@cache
def table() -> Table:
    """The table of this package."""
    return Table(**json.loads(TABLE.read_text(encoding="utf-8")))


def _kept(said: str, sentence: str) -> str:
    """The statement as it is kept; empty where something of it would be lost, or it cannot stand."""
    wish, orders = unasked(said)
    text = statement(wish if orders else said.rstrip("? "))
    text = text[:1].upper() + text[1:] if PATTERNS.small_word.match(text) else text
    if not MIN_TYPED <= len(text) <= MAX_LENGTH or len(text.split()) < _LEAST_WORDS:
        return ""
    if (
        text.endswith("?")
        or PATTERNS.points.match(text)
        or is_cut(text)
        or hangs(text)
        or not keeps(sentence, text)
    ):
        return ""
    return text


def _kind(said: str) -> str:
    """A rule or wish is a preference, a change of mind a decision, and the rest is knowledge of the team."""
    if PATTERNS.decides.search(said):
        return "decision"
    return "preference" if PATTERNS.rules.search(said) else "tribal"
