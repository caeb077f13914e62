"""The extractor: a session's turns in, candidates out.

Pure and deterministic. The turns are read once, as a stream; kept are the candidates found so far, the
failures of the last commands, and nothing of the turns themselves. Candidates leave at the end of the stream,
because a later turn may correct, doubt or repeat an earlier one. Reading may resume in the middle: the same
candidates come out of the remaining turns, except that a repair whose failure lies before the cursor, a count
of repetitions, and a correction of an earlier statement are not seen across it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.domain.vocabulary import Origin
from recortex.engines.extraction.drafting import candidate
from recortex.engines.extraction.held import Held
from recortex.engines.extraction.how_to import Instructions
from recortex.engines.extraction.person import MAX_TYPED, from_person
from recortex.engines.extraction.practice import Practice
from recortex.engines.extraction.reports import from_message, from_summary, is_summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.domain.candidate import Candidate
    from recortex.domain.transcript import SessionInfo, Turn
    from recortex.engines.extraction.drafting import Finding

# Candidates kept at once; a session that teaches more releases them early. Bounds memory, not quality.
MAX_HELD = 4_000
# Turns of the agent after which its own doubt no longer reaches back.
_DOUBT_REACH = 3
_DOUBT = re.compile(
    r"^(?:\W*)(?:hmm|wait(?! for)|actually|oh,? |still (?:fail|slow|not|the same|broken|see)|that (?:didn't|did not|doesn't)|not quite|"
    r"i was wrong|my mistake|interesting, so)",
    re.IGNORECASE,
)
# The person takes up the last decision again; it may not stand. Counted in turns back.
_RECONSIDER_REACH = 12
_RECONSIDERS = re.compile(
    r"\W*(?:(?:hmm+|ok|no|sorry|well)[,. ]+)*(?:why (?:can'?t|cannot|don't|not|are we not|do we not)|thinking (?:again|about it)|"
    r"on second thoughts?|actually|wait\b|scratch that|forget (?:that|it)|never ?mind|instead)",
    re.IGNORECASE,
)


# Work that the person throws away takes with it what was said of it: all of it, or what was done last.
_ABANDONS = re.compile(
    r"\b(?:abandon|discard|scrap|throw away|get rid of|drop)\b.{0,30}\b(?:branch|everything|approach|all|work|attempt|pr)\b|\bstart (?:over|from scratch)\b",
    re.IGNORECASE,
)
_REVERTS = re.compile(
    r"\b(?:revert|undo|roll back)\b.{0,40}\b(?:that|this|it|changes?|everything|all|last|commit)\b",
    re.IGNORECASE,
)
_REVERT_REACH = 8
_MADE = ("change_reason", "agent_decision")
_BY_CALL = re.compile(r"\b(?:added|adds|new|uses|switch\w*|replac\w+)\b.{0,120}\(\)`", re.IGNORECASE)


def _made(one: Candidate) -> bool:
    """Whether a statement is about work of this session: what was changed, repaired or put to use."""
    if one.speaker == "user":
        return False
    return one.rule in _MADE or one.rule.endswith("_fix") or _BY_CALL.search(one.text) is not None


def _concluded(one: Candidate) -> bool:
    return one.speaker == "assistant" and one.rule.startswith("agent_")


def _decided(one: Candidate) -> bool:
    return one.speaker == "user" and one.kind == "decision"


def extract(turns: Iterable[Turn], info: SessionInfo) -> Iterator[Candidate]:
    """Yield what a session teaches, in the order in which it was first said.

    Args:
        turns: the session's turns in order, from its start or from a cursor.
        info: the session; a sub-agent's own session is read like any other.
    """
    del info  # the statement's place is in its turn; the session is the caller's to record
    held, practice, instructions = Held(), Practice(), Instructions()
    for turn in turns:
        if turn.role == "assistant" and _DOUBT.match(turn.text):
            held.withdraw_since(turn.index - _DOUBT_REACH, _concluded)
        if turn.role == "user" and not turn.sidechain:
            _reconsider(turn, held)
        instructions.observe(turn)
        for finding in practice.observe(turn):
            held.add(candidate(finding, turn, Origin.EXTRACTION))
        for finding in _said(turn):
            held.add(candidate(finding, turn))
        if len(held.kept) > MAX_HELD:
            yield from held.kept
            held = Held()
    for finding, turn in (*practice.habits(), *instructions.findings()):
        held.add(candidate(finding, turn, Origin.EXTRACTION))
    yield from held.kept


def _reconsider(turn: Turn, held: Held) -> None:
    """Withdraw what the person's message takes back: the last decision, the last changes, or all of the work."""
    said = turn.text[:MAX_TYPED]
    if _RECONSIDERS.match(said):
        held.withdraw_since(turn.index - _RECONSIDER_REACH, _decided)
    if _ABANDONS.search(said):
        held.withdraw_since(0, _made)
    elif _REVERTS.search(said) and not said.rstrip().endswith("?"):
        held.withdraw_since(turn.index - _REVERT_REACH, _made)


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
