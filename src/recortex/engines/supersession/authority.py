r"""Who may replace whom: a guess never silently ends what the person said.

| new \\ known           | pinned      | said by the person | told by the agent | found by rules |
|------------------------|-------------|--------------------|-------------------|----------------|
| said by the person     | contradicts | replaces           | replaces          | replaces       |
| told by the agent      | contradicts | if it says so      | replaces          | replaces       |
| found by rules         | contradicts | contradicts        | contradicts       | if it says so  |
| untrusted, or proposed | contradicts | contradicts        | contradicts       | contradicts    |

"Told by the agent" means that the agent called `remember`. It speaks for the person of the session, so its
statement replaces what the person said where it announces the change itself ("use X instead of Y"), but not
where it only has another value. What rules found in a session never replaces what was told on purpose. Of two
commands that rules saw at work, both may be right, since a repository may have several parts. Only active or
proposed memories are replaced, and never by an older one. What the person's own CLAUDE.md says for all
projects replaces nothing either: what was said for one project stands beside it.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from recortex.domain.kinds import KINDS
from recortex.domain.vocabulary import Origin, Status, Trust
from recortex.domain.written_in import RULE

if TYPE_CHECKING:
    from recortex.domain.kinds import Kind
    from recortex.domain.memory import Memory
    from recortex.engines.supersession.detection import SupersessionVerdict


class Authority(IntEnum):
    """Who stands behind a memory, from the least to the most authority."""

    UNTRUSTED = 0
    FOUND = 1
    TOLD = 2
    PERSON = 3


def authority_of(memory: Memory) -> Authority:
    """Who stands behind a memory."""
    if memory.trust is Trust.UNTRUSTED:
        return Authority.UNTRUSTED
    if memory.trust is Trust.TRUSTED:
        return Authority.PERSON
    return Authority.TOLD if memory.origin is Origin.AGENT and not memory.source.rule else Authority.FOUND


def may_replace(new: Memory, old: Memory, verdict: SupersessionVerdict) -> bool:
    """Whether a memory may replace another without a person, where their wording says that it does."""
    if new.status is not Status.ACTIVE or old.pinned or old.status not in {Status.ACTIVE, Status.PROPOSED}:
        return False
    if not (is_replaceable(new.kind) and is_replaceable(old.kind)):
        return False
    if old.valid_from > new.valid_from or new.scope is not old.scope:
        return False
    mine, theirs = authority_of(new), authority_of(old)
    if mine is Authority.UNTRUSTED or _of_all_projects(new):
        return False
    if mine is Authority.FOUND:
        return theirs is Authority.FOUND and verdict.explicit
    return mine >= theirs or verdict.explicit


def _of_all_projects(memory: Memory) -> bool:
    """Whether it stands in the person's own file: it never replaces what was said for this project."""
    return memory.origin is Origin.USER and memory.source.rule == RULE


def is_replaceable(kind: Kind) -> bool:
    """Whether memories of a kind say what holds until something else does; what happened stays true."""
    return KINDS[kind].replaceable and not KINDS[kind].event
