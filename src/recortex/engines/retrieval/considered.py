"""What a recall makes of its candidates before any is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.engines.retrieval.floor import Support
    from recortex.engines.retrieval.scorer import Scored


class Considered(NamedTuple):
    """The scored candidates of a recall, the support for an answer, and notes on what could not be used."""

    scored: Sequence[Scored]
    support: Support
    degraded: tuple[str, ...] = ()
