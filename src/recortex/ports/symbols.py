"""What the layers above need to keep of the symbols that memories hang on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from recortex.domain.links import Role, SymbolLink
    from recortex.domain.memory import Memory


class Symbols(Protocol):
    """Links of memories to symbols of code."""

    def of(self, ids: Sequence[str]) -> Mapping[str, Sequence[SymbolLink]]:
        """The links of memories, by the ids of those that have some."""

    def put(self, memory: Memory, links: Sequence[SymbolLink], role: Role = "about") -> None:
        """Put these links of one role in place of those that a memory has."""

    def looked(self, memory: Memory, said: str) -> None:
        """Note that a memory was looked at as it is; `said`: a hash of what it says of code."""

    def said(self, ids: Sequence[str]) -> Mapping[str, str]:
        """What memories said of code when they were looked at, as hashes, by their ids."""

    def unlinked(self, limit: int) -> Sequence[str]:
        """Ids of active and proposed memories that were not looked at as they are, the newest first."""

    def linked(self, limit: int) -> Sequence[str]:
        """Ids of active and proposed memories that hang on a symbol."""

    def hanging(self, path: str, names: Collection[str]) -> Sequence[tuple[str, Role, str]]:
        """The active memories on symbols of a file with plain names: id, role, qualified name."""


class SymbolStore(Protocol):
    """A store that keeps them."""

    @property
    def symbols(self) -> Symbols:
        """The symbols that memories hang on."""
