"""What happened when a part failed and another took over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Degradation:
    """One fallback. The time is added by whoever records it.

    Attributes:
        component: the part that failed, as `status` names it ("embedding model", "token counter").
        failure: what went wrong, in one sentence.
        fallback: what is used instead.
        recovered: True when the part works again.
    """

    component: str
    failure: str
    fallback: str
    recovered: bool = False


class DegradationRecord(NamedTuple):
    """A fallback with when it was first and last seen, and how often."""

    degradation: Degradation
    first_at: datetime
    last_at: datetime
    times: int
