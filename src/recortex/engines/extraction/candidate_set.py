"""The candidates of a session so far: one for each statement, withdrawn if a later turn contradicts it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from recortex.domain.candidate import Candidate
from recortex.engines.extraction.drafting import doubted
from recortex.engines.scripts import units
from recortex.engines.similarity.near_duplicates import is_near_duplicate
from recortex.engines.supersession.detection import Outcome, find_supersession, is_near
from recortex.engines.words import FAILURE_WORDS, LETTERS, tokens

if TYPE_CHECKING:
    from collections.abc import Callable


# Statements with a lower share of common words are not compared closely.
_SIMILAR = 0.4
# The shares of a statement's words in a repair from which it is the same incident, or a state that it ended.
# Different incidents have less than 0.45 (bench/extraction.py).
_SAME_INCIDENT, _REPAIRED = 0.6, 0.5
_MIN_SHARED = 4
_STEM = 5
# The latest candidates that a new one is compared with: it limits the time and changes few results.
_MAX_COMPARED = 200
_REPEATED_BONUS = 0.05
_CODE = re.compile(r"`([^`]{1,200})`")


def _topic(one: Candidate) -> frozenset[str]:
    """The stems of what a statement is about, without its commands: one test may fail for several reasons."""
    text = _CODE.sub(lambda code: " " if code.group(1) in one.commands else f" {code.group(1)} ", one.text)
    return frozenset(
        word[:_STEM] for word in units(tokens(text, LETTERS)) if word not in FAILURE_WORDS and len(word) > 1
    )


def _is_repair(one: Candidate) -> bool:
    return one.rule.endswith("_fix")


def _is_passing(one: Candidate) -> bool:
    """Whether the agent said it in passing, so that a later report is more reliable."""
    return one.speaker == "assistant" and one.rule.startswith("agent_")


@dataclass(slots=True)
class CandidateSet:
    """The candidates in the order in which they were first said, indexed by their words."""

    kept: list[Candidate] = field(default_factory=list)
    words: list[frozenset[str]] = field(default_factory=list)
    by_word: dict[str, list[int]] = field(default_factory=dict)

    def add(self, new: Candidate) -> None:
        """Add a candidate, or count it as evidence for the one that says the same."""
        words = frozenset(units(tokens(new.text, LETTERS)))
        self._withdraw_contradicted(new, words)
        place = self._place_of(words, new.text)
        if place is None and _is_repair(new):
            place = self._withdraw_repaired(new)
        if place is not None:
            self.kept[place] = _merged(self.kept[place], new)
            return
        place = len(self.kept)
        self.kept.append(new)
        self.words.append(words)
        for word in words:
            self.by_word.setdefault(word, []).append(place)

    def _withdraw_contradicted(self, new: Candidate, words: frozenset[str]) -> None:
        """Withdraw earlier statements that the person now contradicts."""
        if new.speaker != "user" or not new.active:
            return
        for place in range(len(self.kept) - 1, max(-1, len(self.kept) - 1 - _MAX_COMPARED), -1):
            known = self.kept[place]
            if known.active and is_near(words, self.words[place]) and _replaces(new.text, known.text):
                self.kept[place] = doubted(known)

    def _place_of(self, words: frozenset[str], text: str) -> int | None:
        """The index of a kept candidate that says what a statement says."""
        if not words:
            return None
        rare = sorted(words, key=lambda word: (len(self.by_word.get(word, ())), word))
        # A repetition shares nearly all words with the kept one, so at least one of the rarer half.
        rarest = rare[: len(words) // 2 + 1]
        for place in sorted({place for word in rarest for place in self.by_word.get(word, ())}):
            other = self.words[place]
            if len(words & other) < _SIMILAR * len(words | other):
                continue
            if words == other or is_near_duplicate(text, self.kept[place].text):
                return place
        return None

    def _withdraw_repaired(self, repair: Candidate) -> int | None:
        """Withdraw the states that a repair ended; return the index of the same incident if it is kept."""
        topic, found = _topic(repair), None
        for place in range(len(self.kept) - 1, max(-1, len(self.kept) - 1 - _MAX_COMPARED), -1):
            known = self.kept[place]
            if not (_is_passing(known) or _is_repair(known)):
                continue
            other = _topic(known)
            shared = len(topic & other)
            if shared < _MIN_SHARED:
                continue
            if _is_repair(known):
                found = place if shared >= _SAME_INCIDENT * min(len(topic), len(other)) else found
            elif shared >= _REPAIRED * len(other):
                self.kept[place] = doubted(known)
        return found

    def withdraw_since(self, turn_index: int, which: Callable[[Candidate], bool]) -> None:
        """Withdraw the candidates since a turn that a later turn takes back."""
        for place in range(len(self.kept) - 1, -1, -1):
            known = self.kept[place]
            if known.turn_index < turn_index:
                break
            if known.active and which(known):
                self.kept[place] = doubted(known)


def _replaces(new: str, known: str) -> bool:
    return find_supersession(new, known).outcome is Outcome.REPLACES


def _merged(known: Candidate, new: Candidate) -> Candidate:
    """One candidate of two that say the same: the one of higher confidence, with the evidence of both."""
    best = new if (new.active, new.confidence) > (known.active, known.confidence) else known
    confidence = min(best.confidence + _REPEATED_BONUS, 0.95)
    return replace(best, evidence=known.evidence + new.evidence, confidence=round(confidence, 2))
