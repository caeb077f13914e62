r"""Who may replace whom: a guess never silently ends what the person said.

| new \\ known           | pinned      | said by the person | told by the agent | found by rules |
|------------------------|-------------|--------------------|-------------------|----------------|
| said by the person     | contradicts | replaces           | replaces          | replaces       |
| told by the agent      | contradicts | if it says so      | replaces          | replaces       |
| found by rules         | contradicts | contradicts        | contradicts       | if it says so  |
| untrusted, or proposed | contradicts | contradicts        | contradicts       | contradicts    |

"Told by the agent" is `remember` called by the agent: it speaks for the person of the session, so what it
tells replaces what the person said where the statement itself announces the change ("use X instead of Y"); a
mere other value does not. What was told on purpose outlives what rules read between the lines, and of two
commands that rules saw at work in a repository of several parts both may be right. Only what is active or
proposed is replaced, and never by something older.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from recortex.domain.kinds import KINDS
from recortex.domain.vocabulary import Origin, Status, Trust

if TYPE_CHECKING:
    from recortex.domain.kinds import Kind
    from recortex.domain.memory import Memory
    from recortex.engines.supersession.detection import SupersessionVerdict


class Authority(IntEnum):
    """Whose word a memory is."""

    UNTRUSTED = 0
    FOUND = 1
    TOLD = 2
    PERSON = 3


def authority_of(memory: Memory) -> Authority:
    """Whose word a memory is."""
    if memory.trust is Trust.UNTRUSTED:
        return Authority.UNTRUSTED
    if memory.trust is Trust.TRUSTED:
        return Authority.PERSON
    return Authority.TOLD if memory.origin is Origin.AGENT and not memory.source.rule else Authority.FOUND


def may_replace(new: Memory, old: Memory, judged: SupersessionVerdict) -> bool:
    """Whether a memory that was judged to replace another may do so by itself."""
    if new.status is not Status.ACTIVE or old.pinned or old.status not in {Status.ACTIVE, Status.PROPOSED}:
        return False
    if not (states_what_holds(new.kind) and states_what_holds(old.kind)):
        return False
    if old.valid_from > new.valid_from or new.scope is not old.scope:
        return False
    mine, theirs = authority_of(new), authority_of(old)
    if mine is Authority.UNTRUSTED:
        return False
    if mine is Authority.FOUND:
        return theirs is Authority.FOUND and judged.explicit
    return mine >= theirs or judged.explicit


def states_what_holds(kind: Kind) -> bool:
    """Whether memories of a kind say what holds; what happened stays true whatever follows."""
    return KINDS[kind].replaceable and not KINDS[kind].event
