"""The extractor: a session's turns in, candidates out.

Pure and deterministic. The turns are read once, as a stream; kept are the candidates found so far, the
failures of the last commands, and nothing of the turns themselves. Candidates leave at the end of the stream,
because a later turn may correct, doubt or repeat an earlier one. Reading may resume in the middle: the same
candidates come out of the remaining turns, except that a repair whose failure lies before the cursor, a count
of repetitions, and a correction of an earlier statement are not seen across it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from recortex.domain.candidate import Candidate
from recortex.domain.vocabulary import Origin
from recortex.engines.extraction.drafting import candidate, doubted
from recortex.engines.extraction.person import from_person
from recortex.engines.extraction.practice import Practice
from recortex.engines.extraction.reports import from_message, from_summary, is_summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.domain.transcript import SessionInfo, Turn
    from recortex.engines.extraction.drafting import Finding

# Candidates kept at once; a session that teaches more releases them early. Bounds memory, not quality.
MAX_HELD = 4_000
# Turns of the agent after which its own doubt no longer reaches back.
_DOUBT_REACH = 3
_SAME = 0.8
_DOUBT = re.compile(
    r"^(?:\W*)(?:hmm|wait(?! for)|actually|oh,? |still (?:fail|slow|not|the same|broken|see)|that (?:didn't|did not|doesn't)|not quite|"
    r"i was wrong|my mistake|interesting, so)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_REPEATED_BONUS = 0.05


@dataclass(slots=True)
class _Held:
    """Candidates of the session so far, one for each statement."""

    kept: list[Candidate] = field(default_factory=list)
    words: list[frozenset[str]] = field(default_factory=list)
    by_word: dict[str, list[int]] = field(default_factory=dict)

    def add(self, new: Candidate) -> None:
        """Keep a candidate, or count it as evidence for the one that says the same."""
        words = frozenset(_WORD.findall(new.text.lower()))
        place = self._place_of(words)
        if place is None:
            place = len(self.kept)
            self.kept.append(new)
            self.words.append(words)
            for word in words:
                self.by_word.setdefault(word, []).append(place)
            return
        self.kept[place] = _merged(self.kept[place], new)

    def _place_of(self, words: frozenset[str]) -> int | None:
        """Find a held candidate that says the same: Jaccard of words of at least 0.8."""
        if not words:
            return None
        rare = sorted(words, key=lambda word: (len(self.by_word.get(word, ())), word))
        # A pair at Jaccard 0.8 or more differs in at most a fifth of the words, so one of these is shared.
        probes = rare[: len(words) // 4 + 1]
        for place in sorted({place for word in probes for place in self.by_word.get(word, ())}):
            if len(words & self.words[place]) >= _SAME * len(words | self.words[place]):
                return place
        return None

    def doubt_since(self, turn_index: int) -> None:
        """Withdraw to `proposed` what the agent concluded in its prose since a turn."""
        for place in range(len(self.kept) - 1, -1, -1):
            known = self.kept[place]
            if known.turn_index < turn_index:
                break
            if known.speaker == "assistant" and known.active and known.rule.startswith("agent_"):
                self.kept[place] = doubted(known)


def _merged(known: Candidate, new: Candidate) -> Candidate:
    """One candidate out of two that say the same: the surer wording, the first turn, the evidence of both."""
    best = new if (new.active, new.confidence) > (known.active, known.confidence) else known
    confidence = min(best.confidence + _REPEATED_BONUS, 0.95)
    return replace(best, evidence=known.evidence + new.evidence, confidence=round(confidence, 2))


def extract(turns: Iterable[Turn], info: SessionInfo) -> Iterator[Candidate]:
    """Yield what a session teaches, in the order in which it was first said.

    Args:
        turns: the session's turns in order, from its start or from a cursor.
        info: the session; a sub-agent's own session is read like any other.
    """
    del info  # the statement's place is in its turn; the session is the caller's to record
    held, practice = _Held(), Practice()
    for turn in turns:
        if turn.role == "assistant" and _DOUBT.match(turn.text):
            held.doubt_since(turn.index - _DOUBT_REACH)
        for finding in practice.observe(turn):
            held.add(candidate(finding, turn, Origin.EXTRACTION))
        for finding in _said(turn):
            held.add(candidate(finding, turn))
        if len(held.kept) > MAX_HELD:
            yield from held.kept
            held = _Held()
    for finding, turn in practice.habits():
        held.add(candidate(finding, turn, Origin.EXTRACTION))
    yield from held.kept


def _said(turn: Turn) -> Iterator[Finding]:
    """Send a turn's prose to the rules for its speaker."""
    if not turn.text:
        return
    if turn.role == "summary" or (turn.role == "assistant" and is_summary(turn.text)):
        yield from from_summary(turn.text)
    elif turn.role == "assistant":
        yield from from_message(turn.text)
    elif not turn.sidechain:
        yield from from_person(turn.text)
