"""What happened when a part failed and another took over (A, CX18)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Degradation:
    """One fall back. The time is added by whoever records it.

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
