"""Interface of what reads two statements together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.change import Chances


class ChangeReader(Protocol):
    """Reads pairs of a known and a new statement."""

    def chances(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Chances]:
        """For each pair, the chances of what the new statement does to the known one.

        Raises:
            EmbeddingError: they cannot be read here.
        """
