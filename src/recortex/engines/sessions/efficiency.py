"""Tokens of the memories given in a session, and the share that was used."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.session import Receipt, Signal

TOUCHES = frozenset({"read", "written"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Efficiency:
    """The tokens of what was given in a session, and of what was used.

    Attributes:
        memories: how many different ones were given; `used` of them were used.
        tokens_given: of all that was given, in cl100k_base; what was given again counts again.
        tokens_used: of what was used.
        ratio: tokens used / tokens given, 0 to 1; 0 where nothing was given.
        tokens_saved: what the warnings about files would have cost in addition if they had been given with
            each later access to their file.
    """

    memories: int = 0
    used: int = 0
    tokens_given: int = 0
    tokens_used: int = 0
    ratio: float = 0.0
    tokens_saved: int = 0


def efficiency(receipts: Sequence[Receipt], signals: Sequence[Signal]) -> Efficiency:
    """The efficiency of one session."""
    given = sum(one.tokens for one in receipts)
    used = [one for one in receipts if one.used_as]
    worth = sum(one.tokens for one in used)
    return Efficiency(
        memories=len({one.memory for one in receipts}),
        used=len({one.memory for one in used}),
        tokens_given=given,
        tokens_used=worth,
        ratio=round(worth / given, 4) if given else 0.0,
        tokens_saved=sum(one.tokens * _later_touches(one, signals) for one in receipts),
    )


def _later_touches(receipt: Receipt, signals: Sequence[Signal]) -> int:
    """How often a warning's file was accessed again, after the access that caused the warning."""
    if receipt.channel != "file":
        return 0
    touches = sum(
        one.name in TOUCHES and one.subject == receipt.subject and one.at >= receipt.at for one in signals
    )
    return max(0, touches - 1)


def counts(signals: Sequence[Signal]) -> dict[str, int]:
    """How many signals of each name."""
    return dict(sorted(Counter(one.name for one in signals).items()))
