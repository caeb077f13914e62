"""Rules for what the person typed: notes, standing rules, preferences, corrections, decisions.

People write briefly and refer to what is on the screen, so a sentence counts only if it is about more than
the task at hand: a standing rule, the team's way of working, a preference, or an explicit note.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.engines.extraction.drafting import ACTIVE, ON_PURPOSE, RuleFinding
from recortex.engines.extraction.explicit import explicit
from recortex.engines.extraction.passages import passages
from recortex.engines.extraction.pasted_text import DOUBT, DOUBT_OF_ORDER, HOLD, doubtful, typed
from recortex.engines.extraction.polarity import hangs, keeps
from recortex.engines.extraction.self_contained import is_specific, objection
from recortex.engines.extraction.sentences import plain, statement
from recortex.engines.extraction.statement_rules import is_report, stated
from recortex.engines.extraction.typed_sentences import readings, typed_sentences
from recortex.engines.judging.sentences import sentences
from recortex.engines.patterns import Form, Patterns
from recortex.engines.supersession.lexicon import FAMILY_OF, SYNONYMS
from recortex.engines.words import PRODUCT, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

PATTERNS = Patterns(__file__)

# Longer messages are pasted plans, issues and logs: words of others or of the agent.
MAX_TYPED = 2_500


PASTED = PATTERNS.pasted
"""The beginning of a message that was pasted whole."""
HABITS = PATTERNS.forms("habit_")
"""Forms of statements that hold beyond the task at hand. Those in `_NEEDS_NAME` only if they name
something."""
OBJECTED = 0.5
"""The confidence of an objection in the form of a question."""
_LEAST_WORDS = 4
"""Words of a note that names nothing: "remember this, as a rule" says nothing by itself."""
_NEEDS_NAME = {"fact", "constraint", "decided_for", "recurring"}


def from_user(text: str) -> Iterator[RuleFinding]:
    """Yield the lasting statements in a message that a person typed."""
    if len(text) > MAX_TYPED or PATTERNS.pasted.match(text) or not (said := typed(text)):
        return
    reporting, chance = is_report(said), doubtful(text)
    for passage in passages(said):
        for part in typed_sentences(passage.text):
            if found := explicit(part) or _best(part, reporting=reporting):
                most = DOUBT_OF_ORDER if found.rule in ON_PURPOSE else DOUBT
                yield replace(found, hold=found.hold or HOLD) if chance(part) >= most else found


def typed_spans(text: str) -> list[tuple[int, int]]:
    """Beginning and end of each sentence that the person typed; none of a message that was pasted."""
    if len(text) > MAX_TYPED or PATTERNS.pasted.match(text):
        return []
    said = typed(text)
    return [(start, end) for start, end in sentences(text) if text[start:end] in said]


def from_objection(sentence: str) -> RuleFinding | None:
    """What "can't the tests be table driven?" asks for: "the tests should be table driven"."""
    said = PATTERNS.filler.sub("", plain(sentence))
    asked = PATTERNS.rhetorical.match(said)
    text = _direct(statement(f"{asked['subject']} should {asked['rest']}")) if asked else ""
    if _refused(text, meant=_names(text)):
        return None
    return RuleFinding(text, "preference", OBJECTED, "person_objected", sentence)


def _best(sentence: str, *, reporting: bool) -> RuleFinding | None:
    """The reading of a sentence with the highest confidence; the whole sentence if it is high enough."""
    meant = readings(PATTERNS.filler.sub("", plain(sentence)))
    best = _judged(sentence)
    for reading in meant:
        if best and best.confidence >= ACTIVE:
            break
        for found in (_stated(reading, sentence, reporting=reporting), _judged(reading, sentence)):
            if found and found.confidence >= ACTIVE and (best is None or found.confidence > best.confidence):
                best = found
    # One whose negation, exception or condition was cut off would say something else.
    return best if best and keeps(sentence, best.text) and not hangs(best.text) else None


def _stated(said: str, sentence: str, *, reporting: bool) -> RuleFinding | None:
    """Read a plain statement about the project, without a word such as "always"."""
    text = _direct(statement(PATTERNS.filler.sub("", plain(said))))
    lasting = PATTERNS.lasting.sub("", text)
    named = _names(text)
    found = stated(lasting, named=named, reporting=reporting)
    if (
        found is None
        or objection(lasting, addressed=True, meant=True) not in {"", "chatter"}
        or PATTERNS.once.search(lasting)
    ):
        return None
    return RuleFinding(text, found.kind, found.confidence, f"person_{found.name}", sentence)


def _judged(reading: str, sentence: str = "") -> RuleFinding | None:
    """Read a sentence of the person, or one reading of it, as a rule, note, preference or decision."""
    sentence = sentence or reading
    said = PATTERNS.filler.sub("", plain(reading))
    if overstep := PATTERNS.overstep.match(said):
        text = f"Do not {overstep.group('what').lower()} unless asked to."
        return RuleFinding(text, "preference", 0.8, "person_overstep", sentence)
    noted, corrected = PATTERNS.note.match(said), PATTERNS.corrects.search(said)
    aside = PATTERNS.aside_note.match(said)
    scoped = PATTERNS.in_project.match(said)
    opening = noted or aside or scoped or corrected
    text = _direct(statement(said[opening.end() :] if opening else said))
    named = _names(text)
    if _refused(text, meant=bool(noted) or named):
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
    if PATTERNS.decision.match(said):
        return "decision", 0.85, "person_decision"
    if PATTERNS.note.match(said) and (named or len(text.strip(" ,.;:-").split()) >= _LEAST_WORDS):
        return kind, 0.9, "person_note"
    if (
        PATTERNS.in_project.match(said)
        and (habit or (named and PATTERNS.holds.search(text)))
        and not PATTERNS.asking.match(text)
    ):
        return habit.kind if habit else "tribal", 0.75, "person_scoped"
    if PATTERNS.aside_note.match(said) and (habit or (named and PATTERNS.why.search(text))):
        return kind, 0.75, "person_note"
    return None


def _names(text: str) -> bool:
    """Whether a statement names a piece of code, a file, a product or a number."""
    if is_specific(text) or PATTERNS.named.search(text) is not None:
        return True
    return any(SYNONYMS.get(word, word) in FAMILY_OF for word in tokens(text, PRODUCT))


def _refused(text: str, *, meant: bool) -> bool:
    """Whether a cleaned sentence is no rule: not self-contained, a complaint, or about what is broken now."""
    if not text or objection(text, addressed=True, meant=meant) or PATTERNS.once.search(text):
        return True
    lasting = PATTERNS.used_now.sub("", text) if PATTERNS.in_use.search(text) else text
    return PATTERNS.broken.search(lasting) is not None and not PATTERNS.why.search(text)


def _weight(name: str, text: str, *, named: bool) -> float:
    """The change of a rule's confidence by a reason, a scope, a name, and a request."""
    change = 0.1 * bool(PATTERNS.why.search(text)) + 0.05 * named - 0.2 * bool(PATTERNS.asking.match(text))
    change += 0.1 if name in {"prohibition", "choice"} and PATTERNS.scope.search(text) else 0.0
    change += 0.1 if name == "prohibition" and PATTERNS.habitual.match(text) else 0.0
    change += 0.05 if name == "choice" and PATTERNS.bare_choice.match(text) else 0.0
    change += 0.05 if name == "constraint" and PATTERNS.limit.search(text) else 0.0
    change -= 0.15 if PATTERNS.local_choice.match(text) else 0.0
    change -= 0.08 if name == "universal" and PATTERNS.should.search(text) else 0.0
    return change - (0.15 if name in _NEEDS_NAME and not named and not PATTERNS.why.search(text) else 0.0)


def _direct(text: str) -> str:
    """Reword a rule: without politeness, and "let's use X" as a decision."""
    text = PATTERNS.please.sub(".", text)
    text = PATTERNS.lets.sub("Decision: ", text, count=1) if PATTERNS.lets.match(text) else text
    if told := PATTERNS.told.match(text):
        order = "Do not" if told.group("what").lower() == "not to" else told.group("what")[3:]
        text = f"{order} {text[told.end() :]}"
    shorter = PATTERNS.polite.sub("", text, count=1) if PATTERNS.polite.match(text) else text
    return shorter[:1].upper() + shorter[1:]
