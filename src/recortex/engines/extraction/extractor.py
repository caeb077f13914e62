"""The extractor: a session's turns in, candidates out.

Pure and deterministic. The turns are read once, as a stream; kept are the candidates found so far, the
failures of the last commands, and nothing of the turns themselves. Candidates leave at the end of the stream,
because a later turn may correct, doubt or repeat an earlier one. Reading may resume in the middle: given some
turns before the cursor, the rest teaches what it would have taught, and what it withdraws is named.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.candidate import Candidate
from recortex.domain.vocabulary import Origin
from recortex.engines.extraction.answers import answered, choices, own_words
from recortex.engines.extraction.candidate_set import CandidateSet
from recortex.engines.extraction.drafting import candidate
from recortex.engines.extraction.instruction_rules import Instructions
from recortex.engines.extraction.report_rules import from_message, from_summary, is_summary
from recortex.engines.extraction.tool_use_rules import ToolUseRules
from recortex.engines.extraction.user_rules import MAX_TYPED, from_user
from recortex.engines.extraction.weighing import message_of, weighed
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.domain.transcript import SessionInfo, Turn
    from recortex.engines.extraction.drafting import RuleFinding

PATTERNS = Patterns(__file__)

# Candidates that are held at once; a session that teaches more releases them early, to limit memory.
MAX_HELD = 4_000
# Turns back to which the agent's own doubt refers.
_DOUBT_REACH = 3
# Turns back to which it refers that the person reconsiders the last decision.
_RECONSIDER_REACH = 12

# Turns back to which it refers that the person has the last changes reverted.
_REVERT_REACH = 8
# Characters of the last message of each side that the other one's next message is read with.
_ANSWERED = 4_000
_MADE = ("change_reason", "agent_decision")


def _made(one: Candidate) -> bool:
    """Whether a statement is about work of this session: what was changed, repaired or put to use."""
    if one.speaker == "user":
        return False
    return one.rule in _MADE or one.rule.endswith("_fix") or PATTERNS.by_call.search(one.text) is not None


def _concluded(one: Candidate) -> bool:
    return one.speaker == "assistant" and one.rule.startswith("agent_")


def _decided(one: Candidate) -> bool:
    return one.speaker == "user" and one.kind == "decision"


class Learned(NamedTuple):
    """What the new turns of a session teach, and what they take back.

    Attributes:
        withdrawn: candidates of earlier turns that no longer hold, as they were returned before.
    """

    candidates: list[Candidate]
    withdrawn: list[Candidate]


def extract(turns: Iterable[Turn], info: SessionInfo, *, before: Iterable[Turn] = ()) -> Iterator[Candidate]:
    """Yield what a session teaches, in the order in which it was first said.

    Args:
        turns: the session's turns in order, from its start or from a cursor.
        info: the session; that of a sub-agent is read like any other.
        before: turns before the cursor, which were read in an earlier pass.
    """
    yield from learned(turns, info, before=before).candidates


def learned(turns: Iterable[Turn], info: SessionInfo, *, before: Iterable[Turn] = ()) -> Learned:
    """What the turns teach, read after those before them, which teach nothing again.

    A session that is read in several passes gives the same as when it is read at once, as far as `before`
    goes back: a repair is recognised if its failure is before the cursor, a repetition is not returned again,
    and what a later turn takes back is named.
    """
    del info  # callers record the session; no rule depends on it
    reading = _SessionReader()
    for turn in before:
        reading.take(turn)
    reading.released.clear()
    told, habits = list(reading.candidates.kept), reading.conclusions()
    for turn in turns:
        reading.take(turn)
    return reading.since(told, habits)


@dataclass(slots=True)
class _SessionReader:
    """The state of reading a session.

    Attributes:
        said: the last message of each side.
    """

    candidates: CandidateSet = field(default_factory=CandidateSet)
    tool_use: ToolUseRules = field(default_factory=ToolUseRules)
    instructions: Instructions = field(default_factory=Instructions)
    released: list[Candidate] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)

    def take(self, turn: Turn) -> None:
        """Read one turn."""
        if turn.role == "assistant" and PATTERNS.doubt.match(turn.text):
            self.candidates.withdraw_since(turn.index - _DOUBT_REACH, _concluded)
        if turn.by_person:
            _reconsider(turn, self.candidates)
        self.instructions.observe(turn)
        for finding in self.tool_use.observe(turn):
            self.candidates.add(candidate(finding, turn, Origin.EXTRACTION))
        for finding in self._said(turn):
            self.candidates.add(candidate(finding, turn))
        if turn.text and not turn.sidechain and (turn.by_person or turn.role != "user"):
            self.said["person" if turn.role == "user" else "agent"] = turn.text[-_ANSWERED:]
        if len(self.candidates.kept) > MAX_HELD:
            self.released += self.candidates.kept
            self.candidates = CandidateSet()

    def _said(self, turn: Turn) -> Iterator[RuleFinding]:
        """What a turn's prose teaches, with what it answers."""
        before = self.said.get("agent" if turn.role == "user" else "person", "")
        message = message_of(turn, before, first=not self.said)
        if message is None:
            return
        if message.speaker == "person":
            yield from answered(turn.text, before)
        yield from weighed(by_rules(turn), message)

    def conclusions(self) -> list[Candidate]:
        """The candidates of all commands and instructions so far."""
        found = (*self.tool_use.habits(), *self.instructions.findings())
        return [candidate(finding, turn, Origin.EXTRACTION) for finding, turn in found]

    def since(self, told: list[Candidate], habits: list[Candidate]) -> Learned:
        """What is new, and what no longer holds, compared with an earlier point of the session."""
        known = {one.text for one in habits}
        now = self.conclusions()
        for one in now:
            if one.text not in known:
                self.candidates.add(one)
        kept = [] if self.released else self.candidates.kept[: len(told)]
        raised = [one for one, was in zip(kept, told, strict=False) if one.active and not was.active]
        withdrawn = [was for one, was in zip(kept, told, strict=False) if was.active and not one.active]
        standing = {one.text for one in now}
        withdrawn += [was for was in habits if was.active and was.text not in standing]
        return Learned([*self.released, *raised, *self.candidates.kept[len(kept) :]], withdrawn)


def _reconsider(turn: Turn, candidates: CandidateSet) -> None:
    """Withdraw what the person takes back: the last decision, the last changes, or all of the work."""
    said = turn.text[:MAX_TYPED]
    if PATTERNS.reconsiders.match(said):
        candidates.withdraw_since(turn.index - _RECONSIDER_REACH, _decided)
    if PATTERNS.abandons.search(said):
        candidates.withdraw_since(0, _made)
    elif PATTERNS.reverts.search(said) and not said.rstrip().endswith("?"):
        candidates.withdraw_since(turn.index - _REVERT_REACH, _made)


def by_rules(turn: Turn) -> Iterator[RuleFinding]:
    """What the rules for its speaker find in a turn's prose."""
    if not turn.text:
        return
    if turn.role == "summary" or (turn.role == "assistant" and is_summary(turn.text)):
        yield from from_summary(turn.text)
    elif turn.role == "assistant":
        yield from from_message(turn.text)
    elif turn.by_person:
        yield from choices(turn)
        yield from from_user(own_words(turn))
