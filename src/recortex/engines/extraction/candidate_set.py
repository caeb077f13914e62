"""The candidates of a session so far: one for each statement, withdrawn where a later turn overtakes it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from recortex.domain.candidate import Candidate
from recortex.engines.extraction.drafting import doubted
from recortex.engines.similarity.near_duplicates import is_near_duplicate
from recortex.engines.supersession.detection import Outcome, find_supersession, is_near
from recortex.engines.words import FAILURE_WORDS, LETTERS, tokens

if TYPE_CHECKING:
    from collections.abc import Callable


# Below this share of common words two statements are not compared closely.
_ALIKE = 0.4
# Shares of a statement's own words found in a repair: one incident told twice, or a state that was repaired.
# Measured with bench/extraction.py: pairs of different incidents stay below 0.45.
_SAME_INCIDENT, _OVERTAKEN = 0.6, 0.5
_MIN_SHARED = 4
_STEM = 5
# Repairs looked at for one new statement, the latest first: bounds the work, not the quality.
_MAX_COMPARED = 200
_REPEATED_BONUS = 0.05
_CODE = re.compile(r"`([^`]{1,200})`")


def _topic(one: Candidate) -> frozenset[str]:
    """The stems of what a statement is about, its commands left out: incidents of one test differ."""
    text = _CODE.sub(lambda code: " " if code.group(1) in one.commands else f" {code.group(1)} ", one.text)
    return frozenset(
        word[:_STEM] for word in tokens(text, LETTERS) if word not in FAILURE_WORDS and len(word) > 1
    )


def _is_repair(one: Candidate) -> bool:
    return one.rule.endswith("_fix")


def _is_told(one: Candidate) -> bool:
    """Whether the agent said it in passing, so that a later report knows better."""
    return one.speaker == "assistant" and one.active and one.rule.startswith("agent_")


@dataclass(slots=True)
class CandidateSet:
    """The candidates in the order in which they were first said, indexed by their words."""

    kept: list[Candidate] = field(default_factory=list)
    words: list[frozenset[str]] = field(default_factory=list)
    by_word: dict[str, list[int]] = field(default_factory=dict)

    def add(self, new: Candidate) -> None:
        """Keep a candidate, or count it as evidence for the one that says the same."""
        words = frozenset(tokens(new.text, LETTERS))
        self._reverse(new, words)
        place = self._place_of(words, new.text)
        if place is None and _is_repair(new):
            place = self._overtake(new)
        if place is not None:
            self.kept[place] = _merged(self.kept[place], new)
            return
        place = len(self.kept)
        self.kept.append(new)
        self.words.append(words)
        for word in words:
            self.by_word.setdefault(word, []).append(place)

    def _reverse(self, new: Candidate, words: frozenset[str]) -> None:
        """Withdraw what was said earlier and the person now contradicts."""
        if new.speaker != "user" or not new.active:
            return
        for place in range(len(self.kept) - 1, max(-1, len(self.kept) - 1 - _MAX_COMPARED), -1):
            known = self.kept[place]
            if known.active and is_near(words, self.words[place]) and _replaces(new.text, known.text):
                self.kept[place] = doubted(known)

    def _place_of(self, words: frozenset[str], text: str) -> int | None:
        """The place of a kept candidate that says all that a statement says."""
        if not words:
            return None
        rare = sorted(words, key=lambda word: (len(self.by_word.get(word, ())), word))
        # A repetition shares all words but padding with the kept one, so it shares one of the rarer half.
        rarest = rare[: len(words) // 2 + 1]
        for place in sorted({place for word in rarest for place in self.by_word.get(word, ())}):
            other = self.words[place]
            if len(words & other) < _ALIKE * len(words | other):
                continue
            if words == other or is_near_duplicate(text, self.kept[place].text):
                return place
        return None

    def _overtake(self, repair: Candidate) -> int | None:
        """Withdraw the states that a repair ended; return the place of the same incident, if it is kept."""
        topic, found = _topic(repair), None
        for place in range(len(self.kept) - 1, max(-1, len(self.kept) - 1 - _MAX_COMPARED), -1):
            known = self.kept[place]
            if not (_is_told(known) or _is_repair(known)):
                continue
            other = _topic(known)
            shared = len(topic & other)
            if shared < _MIN_SHARED:
                continue
            if _is_repair(known):
                found = place if shared >= _SAME_INCIDENT * min(len(topic), len(other)) else found
            elif shared >= _OVERTAKEN * len(other):
                self.kept[place] = doubted(known)
        return found

    def withdraw_since(self, turn_index: int, which: Callable[[Candidate], bool]) -> None:
        """Set to `proposed` those said at or after a turn that a later turn casts doubt on."""
        for place in range(len(self.kept) - 1, -1, -1):
            known = self.kept[place]
            if known.turn_index < turn_index:
                break
            if known.active and which(known):
                self.kept[place] = doubted(known)


def _replaces(new: str, known: str) -> bool:
    return find_supersession(new, known).outcome is Outcome.REPLACES


def _merged(known: Candidate, new: Candidate) -> Candidate:
    """One candidate out of two that say the same: the surer wording, the first turn, the evidence of both."""
    best = new if (new.active, new.confidence) > (known.active, known.confidence) else known
    confidence = min(best.confidence + _REPEATED_BONUS, 0.95)
    return replace(best, evidence=known.evidence + new.evidence, confidence=round(confidence, 2))
