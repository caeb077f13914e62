"""Why a memory answers, or does not, in words: made of signals and counts by the tables below alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.explanation import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.explanation import Cause

_MUCH, _SOME = 0.7, 0.3


class Phrases(NamedTuple):
    """What a signal is called, and what is said of it where it is high, middling, low, or zero."""

    name: str
    much: str = ""
    some: str = ""
    little: str = ""
    none: str = ""


SIGNALS: dict[str, Phrases] = {
    "keyword": Phrases(
        "words",
        "the question's words",
        "some of the question's words",
        "few of the question's words",
        "none of the question's words",
    ),
    "semantic": Phrases("meaning", "the same meaning", "a similar meaning"),
    "nearby": Phrases("turns around it", "turns around it that fit"),
    "session": Phrases("session", "a session with these words"),
    "before": Phrases("turn before", "said after these words"),
    "after": Phrases("turn after", "said before these words"),
    "words": Phrases("wording", "the same wording", "a similar wording"),
    "weakest": Phrases("weakest word"),
    "passage": Phrases("passage", "turns around it in this wording"),
    "length": Phrases("length"),
    "speaker": Phrases("speaker", "the speaker who is named"),
    "date": Phrases("date", "the date that is named", "a date near the one that is named"),
    "answer": Phrases("kind of answer", "what is asked for"),
    "person": Phrases("who said it", "said by the person"),
    "proximity": Phrases("files", "the file that is named", "a file beside the one that is named"),
    "patterns": Phrases("patterns", "a pattern that matters now"),
    "kind": Phrases("kind", "the kind that is asked for"),
    "importance": Phrases("importance", "important", little="of little importance"),
    "recency": Phrases("recency", "recent", little="old"),
    "confidence": Phrases("confidence", some="not sure", little="doubtful"),
    "question": Phrases("being a question", "only a question itself"),
    "test": Phrases("being a test", "only a test"),
}
"""The words of each signal, in the order of the sentence; nothing where they would tell nobody anything."""

CAUSES: dict[Cause, str] = {
    "answers": "it is answer {place} of {answers}",
    "proposed": "it is only proposed: at most {most} that answer stand apart, as unchecked",
    "status": "it is {status}: only {allowed} memories answer",
    "not yet true": "it holds only from {day} on",
    "no longer true": "it held only until {day}",
    "kind": "{kind} answers only where this kind is asked for",
    "filter": "the filter {name} leaves it out",
    "candidates": "it is not among the {number} memories that are nearest by words and by meaning",
    "nothing in common": "it has no word of the question, and no meaning near enough to it",
    "floor": "the floor keeps it back: the best answer reaches {best:.2f} of {floor:.2f}",
    "far": "the floor keeps it back: it is {behind:.1f} standard deviations behind the best answer",
    "alike": "{id}, which says the same, stands for it",
    "limit": "others answer better: it is at place {place}, and {limit} are told",
    "budget": "it has {tokens} tokens: beside what answers better it does not fit the budget of {budget}",
    "exchanges": "what was said in sessions answers more surely",
    "no vector": "it has no vector yet, so that words alone find it: `recortex backfill` makes it",
}
"""Why a memory is an answer or is none."""


def reasons(signals: Mapping[str, float]) -> str:
    """The reasons with their parts of the score, as `the question's words (0.81), recent (0.95)`."""
    said = (
        (_degree(phrases, signals[name]), signals[name])
        for name, phrases in SIGNALS.items()
        if name in signals
    )
    return ", ".join(f"{words} ({part:.2f})" for words, part in said if words)


def found_words(has: Mapping[str, int], lacks: Sequence[str], store: int) -> str:
    """Which words matched and how rare they are: `has “bcrypt” (in 2 of 340 memories); lacks “rounds”`."""
    rare = (f"“{word}” (in {count:,} of {max(store, count):,} memories)" for word, count in has.items())
    parts = [f"has {', '.join(rare)}" if has else "has no word of the question"]
    if lacks:
        parts.append(f"lacks {', '.join(f'“{word}”' for word in lacks)}")
    return "; ".join(parts)


def additions(adds: Mapping[str, float]) -> str:
    """What each signal adds, as `the question's words +1.9, meaning +0.8`, the greatest first."""
    ordered = sorted(adds.items(), key=lambda one: -abs(one[1]))
    return ", ".join(f"{SIGNALS[name].name} {value:+.1f}" for name, value in ordered if name in SIGNALS)


def because(cause: Cause, **values: object) -> Reason:
    """A reason with its words."""
    return Reason(cause=cause, text=CAUSES[cause].format(**values))


def _degree(phrases: Phrases, part: float) -> str:
    if part >= _MUCH:
        return phrases.much
    if part >= _SOME:
        return phrases.some
    return phrases.little if part or not phrases.none else phrases.none
