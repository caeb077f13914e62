"""Careless English as plain English: what people type in haste or anger, say to a machine, or abbreviate.

Nothing that a rule could depend on is taken away: words of address, excitement and politeness, a spoken
"comma", and shortcuts of typing. What remains is read by the rules and by the table of durable statements.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.engines.extraction.authorship import DOUBT, HOLD, doubtful, typed
from recortex.engines.extraction.sentences import (
    DURABLE,
    MAX_LENGTH,
    MIN_TYPED,
    RuleFinding,
    hangs,
    is_cut,
    keeps,
    passages,
    plain,
    statement,
    typed_sentences,
)
from recortex.engines.patterns import Patterns
from recortex.engines.regression import table
from recortex.text.languages import language_of
from recortex.text.words import LETTERS, tokens, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator


# -- words that people type in haste, written out, so that rules know them: "dont", "thats", "u"


_TYPED = (
    (
        re.compile(
            r"\b(do|did|does|is|are|was|were|wo|ca|could|should|would|have|has|had|must)nt\b", re.IGNORECASE
        ),
        r"\1n't",
    ),
    (re.compile(r"\b(that|what|there|here|let)s\b(?= (?!\w+s\b))", re.IGNORECASE), r"\1's"),
    (re.compile(r"\b(you|they)re\b", re.IGNORECASE), r"\1're"),
    (re.compile(r"\b(you|we|they)ve\b", re.IGNORECASE), r"\1've"),
    (re.compile(r"\bim\b", re.IGNORECASE), "I'm"),
    (re.compile(r"\bu\b"), "you"),
    (re.compile(r"\bur\b"), "your"),
    (re.compile(r"\b(?:pls|plz)\b"), "please"),
    (re.compile(r"\b(?:coz|cuz|bc)\b"), "because"),
    (re.compile(r"\brn\b"), "right now"),
    (
        re.compile(
            r"\bits (?=(?!own\b)(?:always|never|not|only|a|an|the|now|rest|banned|forbidden|important)\b)"
        ),
        "it's ",
    ),
    (re.compile(r"\b(?:ya|yall)\b"), "you"),
    (re.compile(r"\bill (?=\w+ (?:it|this|that|them)\b)"), "I'll "),
    (re.compile(r"\b(he|she|who|how|where)s\b(?= (?:the|a|it|that|this)\b)", re.IGNORECASE), r"\1's"),
    (re.compile(r"\baint\b", re.IGNORECASE), "ain't"),
    (re.compile(r"\b(?:alot)\b"), "a lot"),
    (re.compile(r"\bgonna\b"), "going to"),
    (re.compile(r"\bgotta\b"), "have to"),
    (re.compile(r"\bwanna\b"), "want to"),
    (re.compile(r"\boutta\b"), "out of"),
    (re.compile(r"\blemme\b"), "let me"),
    (re.compile(r"\bem\b"), "them"),
    (re.compile(r"\bthru\b"), "through"),
    (re.compile(r"\b(?:b4)\b"), "before"),
    (re.compile(r"\b(?:thx|tnx)\b"), "thanks"),
    (re.compile(r"\bw/o(?!\w)"), "without"),
    (re.compile(r"\bw/(?= ?[a-z])(?!\w+/)"), "with "),
)


def spelled_out(text: str) -> str:
    """A text with the usual shortcuts of typing written out."""
    for shortcut, meant in _TYPED:
        text = shortcut.sub(meant, text)
    return text


# -- careless English as plain English: what people type in haste or anger, say to a machine, or abbreviate


PATTERNS = Patterns(__file__)
_SPOKEN = {"comma": ",", "period": ".", "full stop": ".", "colon": ":", "exclamation mark": "!"}
_SHOUTED = 3
"""Words in capitals from which a sentence is shouted, not made of names."""
_FEWEST = 2
_ROUNDS = 6


def plain_speech(said: str) -> str:
    """A typed or dictated sentence in plain words; its own where nothing else would be left."""
    text = _quiet(spelled_out(plain(said)))
    text = PATTERNS.spoken.sub(lambda found: _SPOKEN[found[1].lower()] + (found[2] or ""), text)
    text = PATTERNS.stutter.sub(r"\1", PATTERNS.murmur.sub(" ", text))
    text = " ".join(PATTERNS.loose.sub("", PATTERNS.repeated.sub(r"\1", text)).split())
    # What is taken off may bare another opening: "ok so please" goes a word at a time.
    for _ in range(_ROUNDS):
        shorter = PATTERNS.ending.sub("", PATTERNS.opening.sub("", text, count=1), count=1).strip(" ,;-–—")
        # One word alone would tell nothing.
        if shorter == text or len(shorter.split()) < _FEWEST:
            break
        text = shorter
    return text


def unasked(said: str) -> tuple[str, bool]:
    """What a polite wish in plain speech wishes for, and whether that is worded as an order.

    "Would you please never commit?" wishes "never commit"; "it would be nice if you never edited it" wishes
    "never edited it", which is no order.
    """
    found = PATTERNS.wish.match(said)
    if found is None:
        return said, True
    past = (found["past"] and not found["modal"]) or (found["past_2"] and not found["modal_2"])
    rest = said[found.end() :].rstrip("? ")
    # "I wish you didn't use mocks" wishes "don't use mocks".
    denied = PATTERNS.did_not.sub("don't", rest)
    return plain_speech(denied), not past or denied != rest


def _quiet(text: str) -> str:
    """A shouted sentence in small letters."""
    letters = [letter for letter in text if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    # Abbreviations alone make no shouting: most letters of some words must be capitals.
    shouted = len(text.split()) >= _SHOUTED and capitals > 0.8 * len(letters)
    return text.lower() if shouted else text


# -- whether a sentence that a person typed, however carelessly, states something that lasts


DURABLE_PATTERNS = Patterns(__file__, "durable")
TABLE = Path(__file__).with_name("durable.json")
SIGNS, HEDGES = DURABLE_PATTERNS.by_name("sign_"), DURABLE_PATTERNS.by_name("hedge_")
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


def durable(text: str) -> Iterator[RuleFinding]:
    """Yield what a message that a person typed states to hold beyond the task at hand."""
    material = doubtful(text)
    # In a long message most of what is typed explains the task, however lasting it sounds.
    for kept, likely, said, sentence in _stated(text, SURE if len(text) <= _BRIEF else SURER):
        # What was taken here passed the learned limit, so that it is active unless something holds it back.
        confidence = max(_DECIDED, round(likely, 2))
        hold = HOLD if material(sentence) >= DOUBT else ""
        yield RuleFinding(kept, _kind(said), confidence, DURABLE, sentence, hold=hold)


def asks(sentence: str) -> bool:
    """Whether a sentence only asks something, with or without a question mark; a polite wish does not."""
    said = plain_speech(sentence)
    wish, _ = unasked(said)
    return _asks(wish, said, sentence) or (wish == said and sentence.rstrip().endswith(_MARKS))


def _stated(text: str, least: float) -> Iterator[tuple[str, float, str, str]]:
    """What a message states from a chance on: as kept, the chance, in plain speech, as typed."""
    for sentence, said in spoken(text):
        wish, _ = unasked(said)
        if (
            _asks(wish, said, sentence)
            or DURABLE_PATTERNS.step.match(wish)
            or DURABLE_PATTERNS.status.match(wish)
        ):
            # A step of the work or a report on it may sound as lasting as a rule.
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
        for sentence in typed_sentences(passage):
            if not DURABLE_PATTERNS.machine.search(sentence):
                yield sentence, plainly(sentence)


def plainly(sentence: str) -> str:
    """A typed sentence in plain speech, without a file that is handed over before it."""
    return plain_speech(DURABLE_PATTERNS.mention.sub("", sentence))


def chance_of(said: str, sentence: str, message: str) -> float:
    """The chance that a sentence lasts; the arguments are those of `signs`."""
    return table(TABLE).models["durable"].probability(signs(said, sentence, message))


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
    order = DURABLE_PATTERNS.task.match(said) is not None
    general = DURABLE_PATTERNS.general.search(said) is not None
    return found | {
        "wished": float(asked != said),
        # The signs were learned as products too, since a sum of two weights cannot say "only both together".
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


def _kept(said: str, sentence: str) -> str:
    """The statement as it is kept; empty where something of it would be lost, or it cannot stand."""
    wish, orders = unasked(said)
    # A wish in the past tense is no order, and is kept in the words in which it was said.
    text = statement(wish if orders else said.rstrip("? "))
    text = text[:1].upper() + text[1:] if DURABLE_PATTERNS.small_word.match(text) else text
    if not MIN_TYPED <= len(text) <= MAX_LENGTH or len(text.split()) < _LEAST_WORDS:
        return ""
    if (
        text.endswith("?")
        or DURABLE_PATTERNS.points.match(text)
        or is_cut(text)
        or hangs(text)
        or not keeps(sentence, text)
    ):
        return ""
    return text


def _kind(said: str) -> str:
    """A rule or wish is a preference, a change of mind a decision, and the rest is knowledge of the team."""
    if DURABLE_PATTERNS.decides.search(said):
        return "decision"
    return "preference" if DURABLE_PATTERNS.rules.search(said) else "tribal"
