"""Rules for what the person typed: notes, standing rules, plain statements, corrections, decisions.

People type in haste or anger, abbreviate, or speak to a machine. Careless English is first made plain, and
nothing that a rule could depend on is taken away: only words of address, excitement and politeness, a spoken
"comma", and shortcuts of typing. What remains is read by the rules and by the table of durable statements.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.engines.extraction.authorship import DOUBT, DOUBT_OF_ORDER, HOLD, doubtful, typed
from recortex.engines.extraction.sentences import (
    ACTIVE,
    DURABLE,
    MAX_LENGTH,
    MIN_TYPED,
    ON_PURPOSE,
    RuleFinding,
    hangs,
    is_cut,
    is_specific,
    keeps,
    objection,
    passages,
    plain,
    readings,
    statement,
    typed_sentences,
)
from recortex.engines.supersession import FAMILY_OF, SYNONYMS
from recortex.engines.tables import Form, Patterns, table
from recortex.text.words import LETTERS, PRODUCT, language_of, tokens, word_set

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


PLAIN_SPEECH_PATTERNS = Patterns(__file__, "plain_speech")
_SPOKEN = {"comma": ",", "period": ".", "full stop": ".", "colon": ":", "exclamation mark": "!"}
_SHOUTED = 3
"""Words in capitals from which a sentence is shouted, not made of names."""
_FEWEST = 2
_ROUNDS = 6


def plain_speech(said: str) -> str:
    """A typed or dictated sentence in plain words; its own where nothing else would be left."""
    text = _quiet(spelled_out(plain(said)))
    text = PLAIN_SPEECH_PATTERNS.spoken.sub(lambda found: _SPOKEN[found[1].lower()] + (found[2] or ""), text)
    text = PLAIN_SPEECH_PATTERNS.stutter.sub(r"\1", PLAIN_SPEECH_PATTERNS.murmur.sub(" ", text))
    text = " ".join(
        PLAIN_SPEECH_PATTERNS.loose.sub("", PLAIN_SPEECH_PATTERNS.repeated.sub(r"\1", text)).split()
    )
    # What is taken off may bare another opening: "ok so please" goes a word at a time.
    for _ in range(_ROUNDS):
        shorter = PLAIN_SPEECH_PATTERNS.ending.sub(
            "", PLAIN_SPEECH_PATTERNS.opening.sub("", text, count=1), count=1
        ).strip(" ,;-–—")
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
    found = PLAIN_SPEECH_PATTERNS.wish.match(said)
    if found is None:
        return said, True
    past = (found["past"] and not found["modal"]) or (found["past_2"] and not found["modal_2"])
    rest = said[found.end() :].rstrip("? ")
    # "I wish you didn't use mocks" wishes "don't use mocks".
    denied = PLAIN_SPEECH_PATTERNS.did_not.sub("don't", rest)
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
_FEW_WORDS, _LENGTHY = 160, 600
"""Characters up to which a message is brief, and from which it is hardly typed in haste."""
_FOREIGN = 0.05
"""The share of letters beyond ASCII from which a message is not in English, which the signs are of."""
_DECIDED = 0.8
_MARKS = ("?", "\N{FULLWIDTH QUESTION MARK}")


def durable(text: str) -> Iterator[RuleFinding]:
    """Yield what a message that a person typed states to hold beyond the task at hand."""
    material = doubtful(text)
    # In a long message most of what is typed explains the task, however lasting it sounds.
    for kept, likely, said, sentence in _as_statement(text, SURE if len(text) <= _FEW_WORDS else SURER):
        # What was taken here passed the learned limit, so that it is active unless something holds it back.
        confidence = max(_DECIDED, round(likely, 2))
        hold = HOLD if material(sentence) >= DOUBT else ""
        yield RuleFinding(kept, _kind(said), confidence, DURABLE, sentence, hold=hold)


def asks(sentence: str) -> bool:
    """Whether a sentence only asks something, with or without a question mark; a polite wish does not."""
    said = plain_speech(sentence)
    wish, _ = unasked(said)
    return _asks(wish, said, sentence) or (wish == said and sentence.rstrip().endswith(_MARKS))


def _as_statement(text: str, least: float) -> Iterator[tuple[str, float, str, str]]:
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
        "message_brief": float(len(message) <= _FEW_WORDS),
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


# -- plain statements of the person about the project: what holds in it, and what has changed


STATEMENT_RULES_PATTERNS = Patterns(__file__, "statement_rules")


_FORMS = STATEMENT_RULES_PATTERNS.forms("stated_")
_BRIEF = 5
"""Words up to which a practice needs no name: "we release every Friday"."""


def is_report(message: str) -> bool:
    """Whether a message reports a failure: then it says what is, not what should be."""
    return STATEMENT_RULES_PATTERNS.reporting.search(message) is not None


def stated(text: str, *, named: bool, reporting: bool) -> Form | None:
    """The form in which a cleaned sentence states something lasting about the project; None if it does not.

    Args:
        text: one sentence, without greeting and request.
        named: whether it names a product, a piece of code or a number.
        reporting: whether the whole message reports a failure.
    """
    if (
        # A reason may tell of a failure ("because X kept crashing") and the statement hold all the same.
        STATEMENT_RULES_PATTERNS.failing.search(STATEMENT_RULES_PATTERNS.reason.sub("", text))
        or text.endswith("?")
        or STATEMENT_RULES_PATTERNS.asks.match(text)
    ):
        return None
    for part in (text, *STATEMENT_RULES_PATTERNS.clauses.split(text)):
        found = next((form for form in _FORMS if form.pattern.search(part)), None)
        if (
            found is None
            or STATEMENT_RULES_PATTERNS.pointing.search(part)
            or not _carries(found, part, named=named)
        ):
            continue
        # A report tells what is wrong now; only what changed, or how the work is done, holds beyond it.
        return None if reporting and found.name not in {"changed", "turned", "practice"} else found
    return None


def _carries(form: Form, text: str, *, named: bool) -> bool:
    """Whether a sentence of a form says enough about how the project is run."""
    if form.name in {"changed", "turned"} and (form.name == "changed" or _is_claim(text)):
        return (
            named or bool(STATEMENT_RULES_PATTERNS.we_say.match(text))
        ) and not STATEMENT_RULES_PATTERNS.past_work.search(text)
    if form.name in {"turned", "place"}:
        return named and form.name == "place"
    if form.name == "order":
        return (
            named
            or bool(STATEMENT_RULES_PATTERNS.from_now.search(text))
            or bool(STATEMENT_RULES_PATTERNS.generic.match(text))
        )
    if form.name == "practice":
        return named or bool(STATEMENT_RULES_PATTERNS.scoped.search(text)) or len(text.split()) <= _BRIEF
    return (
        named
        or form.name == "built"
        or bool(STATEMENT_RULES_PATTERNS.day.search(text))
        or bool(STATEMENT_RULES_PATTERNS.lasts.search(text))
        or _is_claim(text)
    )


def _is_claim(text: str) -> bool:
    """Whether a sentence says a value of something named."""
    return STATEMENT_RULES_PATTERNS.claim.search(text) is not None


# -- what a person wants to be remembered, in German, French, Spanish, Portuguese, Chinese and Japanese


EXPLICIT_PATTERNS = Patterns(__file__, "explicit")

_NOTES, _RULES = EXPLICIT_PATTERNS.by_name("note_"), EXPLICIT_PATTERNS.by_name("standing_")
_NOTED, _STANDING = 0.9, 0.85
"""Confidences: as of the same forms in English; no judge is needed."""
_EXPLICIT_LEAST_WORDS, _LEAST_CHARACTERS = 2, 4
_WESTERN = ("de", "fr", "es", "pt")
_ENDS = ".!。！"  # noqa: RUF001


def explicit(sentence: str) -> RuleFinding | None:
    """What a typed sentence explicitly wants to be remembered; None where it does not, or asks something."""
    said = plain(sentence)
    asks = EXPLICIT_PATTERNS.asks.match(said) is not None
    if EXPLICIT_PATTERNS.question.search(said) and not asks and not _japanese_request(said):
        return None
    # Western languages are tried in turn, since a short sentence does not tell which of them it is in.
    for language in _languages(said):
        if found := _noted(said, language):
            return _finding(found, sentence, "tribal", _NOTED)
        if found := _parse_lasting(said, language):
            return _finding(found, sentence, "preference", _STANDING)
    return None


def _languages(said: str) -> tuple[str, ...]:
    if EXPLICIT_PATTERNS.kana.search(said):
        return ("ja",)
    return ("zh",) if EXPLICIT_PATTERNS.han.search(said) else _WESTERN


def _japanese_request(said: str) -> bool:
    return (
        EXPLICIT_PATTERNS.kana.search(said) is not None and EXPLICIT_PATTERNS.last_ja.match(said) is not None
    )


def _noted(said: str, language: str) -> str:
    """What follows "remember that", as a main clause; empty where that is not said."""
    if language == "ja" and (last := EXPLICIT_PATTERNS.last_ja.match(said)):
        return last["said"]
    found = _NOTES[f"note_{language}"].match(said)
    if found is None:
        return ""
    rest = said[found.end() :].rstrip("?？ ")  # noqa: RUF001
    if language != "de":
        return rest
    return _main_clause(rest) if found["that"] else _ordered(rest)


def _parse_lasting(said: str, language: str) -> str:
    """What is to hold from now on; empty where nothing is ruled."""
    found = _RULES[f"standing_{language}"].match(said)
    rest = said[found.end() :] if found else ""
    if not rest or EXPLICIT_PATTERNS.maybe.search(rest) or EXPLICIT_PATTERNS.fails.search(rest):
        return ""
    if language == "ja":
        return rest if EXPLICIT_PATTERNS.rules_ja.search(rest) else ""
    return rest if language != "de" else _uninverted(rest, said)


def _finding(text: str, sentence: str, kind: str, confidence: float) -> RuleFinding | None:
    text = EXPLICIT_PATTERNS.please.sub("", text.strip(" ,;、，：:")).strip()  # noqa: RUF001
    if _explicit_refused(text):
        return None
    eastern = EXPLICIT_PATTERNS.eastern.search(text) is not None
    whole = text if eastern else text[0].upper() + text[1:]
    ended = whole if whole[-1] in _ENDS else whole + ("。" if eastern else ".")
    return RuleFinding(ended, kind, confidence, "person_note", sentence)


def _explicit_refused(text: str) -> bool:
    """Whether a text is too short or long for a statement, of one day, or points to what stands elsewhere."""
    if EXPLICIT_PATTERNS.points.match(text) or EXPLICIT_PATTERNS.today.search(text) or len(text) > MAX_LENGTH:
        return True
    if EXPLICIT_PATTERNS.eastern.search(text):
        return len(text) < _LEAST_CHARACTERS
    return len(text) < MIN_TYPED or len(text.split()) < _EXPLICIT_LEAST_WORDS


def _main_clause(rest: str) -> str:
    """German: "wir immer pnpm verwenden" after "dass" as "wir verwenden immer pnpm"."""
    bare = rest.rstrip(" .!")
    if EXPLICIT_PATTERNS.points.match(bare):
        return ""
    found = EXPLICIT_PATTERNS.clause.match(bare)
    if found is None or not EXPLICIT_PATTERNS.finite.match(found["verb"]):
        return f"Es gilt, dass {bare}"
    return f"{found['subject']} {_placed(found)}{found['more']}"


def _placed(found: re.Match[str]) -> str:
    """The finite verb before the rest; what is parted from it stands at the end."""
    verb, rest = found["verb"], found["rest"]
    parted = EXPLICIT_PATTERNS.parted.match(verb)
    return f"{parted['last']}{rest} {parted['first']}" if parted else f"{verb}{rest}"


def _ordered(rest: str) -> str:
    """German: "immer pnpm zu verwenden" as "immer pnpm verwenden"."""
    return EXPLICIT_PATTERNS.infinitive.sub(" ", EXPLICIT_PATTERNS.parted_infinitive.sub(r"\g<first>", rest))


def _uninverted(rest: str, said: str) -> str:
    """German: "verwenden wir pnpm" as "wir verwenden pnpm"; all that was said where the order needs it."""
    if found := EXPLICIT_PATTERNS.inverted.match(rest):
        return f"{found['subject']} {found['verb']}{rest[found.end() :]}"
    return rest if EXPLICIT_PATTERNS.ordered.match(rest) else said


# -- rules for what the person typed: notes, standing rules, preferences, corrections, decisions


USER_RULES_PATTERNS = Patterns(__file__, "user_rules")

# Longer messages are pasted plans, issues and logs: words of others or of the agent.
MAX_TYPED = 2_500


PASTED = USER_RULES_PATTERNS.pasted
"""The beginning of a message that was pasted whole."""
HABITS = USER_RULES_PATTERNS.forms("habit_")
"""Forms of statements that hold beyond the task at hand. Those in `_NEEDS_NAME` only if they name
something."""
_USER_RULES_LEAST_WORDS = 4
"""Words of a note that names nothing: "remember this, as a rule" says nothing by itself."""
_NEEDS_NAME = {"fact", "constraint", "decided_for", "recurring"}


def from_user(text: str) -> Iterator[RuleFinding]:
    """Yield the lasting statements in a message that a person typed."""
    if len(text) > MAX_TYPED or USER_RULES_PATTERNS.pasted.match(text) or not (said := typed(text)):
        return
    reporting, chance = is_report(said), doubtful(text)
    for passage in passages(said):
        for part in typed_sentences(passage):
            # Requests to remember come first, since they need no sign that they last.
            if found := explicit(part) or _best(part, reporting=reporting):
                most = DOUBT_OF_ORDER if found.rule in ON_PURPOSE else DOUBT
                yield replace(found, hold=found.hold or HOLD) if chance(part) >= most else found


def _best(sentence: str, *, reporting: bool) -> RuleFinding | None:
    """The reading of a sentence with the highest confidence; the whole sentence if it is high enough."""
    meant = readings(USER_RULES_PATTERNS.filler.sub("", plain(sentence)))
    best = _judged(sentence)
    for reading in meant:
        # Once a reading is sure enough to be active, a further cut could only lose words.
        if best and best.confidence >= ACTIVE:
            break
        for found in (_stated(reading, sentence, reporting=reporting), _judged(reading, sentence)):
            if found and found.confidence >= ACTIVE and (best is None or found.confidence > best.confidence):
                best = found
    # One whose negation, exception or condition was cut off would say something else.
    return best if best and keeps(sentence, best.text) and not hangs(best.text) else None


def _stated(said: str, sentence: str, *, reporting: bool) -> RuleFinding | None:
    """Read a plain statement about the project, without a word such as "always"."""
    text = _direct(statement(USER_RULES_PATTERNS.filler.sub("", plain(said))))
    lasting = USER_RULES_PATTERNS.lasting.sub("", text)
    named = _names(text)
    found = stated(lasting, named=named, reporting=reporting)
    if (
        found is None
        or objection(lasting, meant=True) not in {"", "chatter"}
        or USER_RULES_PATTERNS.once.search(lasting)
    ):
        return None
    return RuleFinding(text, found.kind, found.confidence, f"person_{found.name}", sentence)


def _judged(reading: str, sentence: str = "") -> RuleFinding | None:
    """Read a sentence of the person, or one reading of it, as a rule, note, preference or decision."""
    sentence = sentence or reading
    said = USER_RULES_PATTERNS.filler.sub("", plain(reading))
    # Before all other forms: "did I ask you to …?" would be read as a question.
    if overstep := USER_RULES_PATTERNS.overstep.match(said):
        text = f"Do not {overstep.group('what').lower()} unless asked to."
        return RuleFinding(text, "preference", 0.8, "person_overstep", sentence)
    noted, corrected = USER_RULES_PATTERNS.note.match(said), USER_RULES_PATTERNS.corrects.search(said)
    aside = USER_RULES_PATTERNS.aside_note.match(said)
    scoped = USER_RULES_PATTERNS.in_project.match(said)
    opening = noted or aside or scoped or corrected
    text = _direct(statement(said[opening.end() :] if opening else said))
    named = _names(text)
    if _user_rules_refused(text, meant=bool(noted) or named):
        return None
    habit = next((row for row in HABITS if row.pattern.search(text)), None)
    if said_on_purpose := _declared(said, text, habit, named=named):
        return RuleFinding(text, *said_on_purpose, sentence)
    if habit is None:
        return None
    confidence = habit.confidence + _weight(habit.name, text, named=named) + 0.05 * bool(corrected)
    name, kind = ("correction", "feedback") if corrected else (habit.name, habit.kind)
    return RuleFinding(text, kind, confidence, f"person_{name}", sentence)


def _declared(said: str, text: str, habit: Form | None, *, named: bool) -> tuple[str, float, str] | None:
    """Kind, confidence and rule of an explicit statement: a decision, a note, a fact about the project."""
    kind = habit.kind if habit is not None and habit.kind == "decision" else "tribal"
    if USER_RULES_PATTERNS.decision.match(said):
        return "decision", 0.85, "person_decision"
    noted = USER_RULES_PATTERNS.note.match(said)
    later = noted is not None and USER_RULES_PATTERNS.for_later.search(noted[0]) is not None
    if later and (named or len(text.strip(" ,.;:-").split()) >= _USER_RULES_LEAST_WORDS):
        return kind, 0.9, "person_note"
    if (
        USER_RULES_PATTERNS.in_project.match(said)
        and (habit or (named and USER_RULES_PATTERNS.holds.search(text)))
        and not USER_RULES_PATTERNS.asking.match(text)
    ):
        return habit.kind if habit else "tribal", 0.75, "person_scoped"
    aside = noted or (USER_RULES_PATTERNS.aside_note.match(said) and USER_RULES_PATTERNS.why.search(text))
    return (kind, 0.75, "person_aside") if aside and named and not habit else None


def _names(text: str) -> bool:
    """Whether a statement names a piece of code, a file, a product or a number."""
    if is_specific(text) or USER_RULES_PATTERNS.named.search(text) is not None:
        return True
    return any(SYNONYMS.get(word, word) in FAMILY_OF for word in tokens(text, PRODUCT))


def _user_rules_refused(text: str, *, meant: bool) -> bool:
    """Whether a cleaned sentence is no rule: not self-contained, a complaint, or about what is broken now."""
    if not text or objection(text, meant=meant) or USER_RULES_PATTERNS.once.search(text):
        return True
    lasting = USER_RULES_PATTERNS.used_now.sub("", text) if USER_RULES_PATTERNS.in_use.search(text) else text
    return USER_RULES_PATTERNS.broken.search(lasting) is not None and not USER_RULES_PATTERNS.why.search(text)


def _weight(name: str, text: str, *, named: bool) -> float:
    """The change of a rule's confidence by a reason, a scope, a name, and a request."""
    change = (
        0.1 * bool(USER_RULES_PATTERNS.why.search(text))
        + 0.05 * named
        - 0.2 * bool(USER_RULES_PATTERNS.asking.match(text))
    )
    change += 0.1 if name in {"prohibition", "choice"} and USER_RULES_PATTERNS.scope.search(text) else 0.0
    change += 0.1 if name == "prohibition" and USER_RULES_PATTERNS.habitual.match(text) else 0.0
    change += 0.05 if name == "choice" and USER_RULES_PATTERNS.bare_choice.match(text) else 0.0
    change += 0.05 if name == "constraint" and USER_RULES_PATTERNS.limit.search(text) else 0.0
    change -= 0.15 if USER_RULES_PATTERNS.local_choice.match(text) else 0.0
    change -= 0.08 if name == "universal" and USER_RULES_PATTERNS.should.search(text) else 0.0
    return change - (
        0.15 if name in _NEEDS_NAME and not named and not USER_RULES_PATTERNS.why.search(text) else 0.0
    )


def _direct(text: str) -> str:
    """Reword a rule: without politeness, and "let's use X" as a decision."""
    text = USER_RULES_PATTERNS.please.sub(".", text)
    text = (
        USER_RULES_PATTERNS.lets.sub("Decision: ", text, count=1)
        if USER_RULES_PATTERNS.lets.match(text)
        else text
    )
    if told := USER_RULES_PATTERNS.told.match(text):
        order = "Do not" if told.group("what").lower() == "not to" else told.group("what")[3:]
        text = f"{order} {text[told.end() :]}"
    shorter = (
        USER_RULES_PATTERNS.polite.sub("", text, count=1) if USER_RULES_PATTERNS.polite.match(text) else text
    )
    return shorter[:1].upper() + shorter[1:]
