"""Which version of a record holds: a pure function of the set of versions that are known of it.

Versions name those that they replace. One that nobody replaced is a leaf; two leaves are a conflict, and
both are kept. A strategy chooses which of them is shown, so even "last write wins" loses nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.sync.protocol import PURGE, SyncVersion, parse_body

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Strategy = Literal["last-write-wins", "local-wins", "remote-wins", "manual"]


class Settled(NamedTuple):
    """What holds.

    Attributes:
        head: the version to show.
        leaves: all that nobody replaced, by id, the head among them.
        purged: the record is gone for good.
    """

    head: SyncVersion
    leaves: tuple[SyncVersion, ...]
    purged: bool = False

    @property
    def conflict(self) -> bool:
        """Whether two leaves say something different."""
        return not self.purged and len({one.body for one in self.leaves}) > 1


def settle(
    versions: Iterable[SyncVersion], strategy: Strategy, author: str, shown: str = ""
) -> Settled | None:
    """What holds of a record; None where nothing is known of it.

    Args:
        versions: all that are known, in any order, repeated or not.
        strategy: which leaf is shown where there are several.
        author: whose store it is: their words are local.
        shown: the id of the version that is shown now, which "manual" keeps while it is a leaf.
    """
    nodes = by_id(versions)
    if not nodes:
        return None
    purges = [one for one in nodes.values() if one.operation == PURGE]
    if purges:
        head = min(purges, key=_order)
        return Settled(head, (head,), purged=True)
    replaced = {parent for one in nodes.values() for parent in one.parents}
    leaves = tuple(sorted((one for one in nodes.values() if one.id not in replaced), key=lambda one: one.id))
    local = [one for one in leaves if one.author == author]
    remote = [one for one in leaves if one.author != author]
    preferred = {
        "last-write-wins": leaves,
        "local-wins": local or leaves,
        "remote-wins": remote or leaves,
        "manual": [one for one in leaves if one.id == shown] or local or leaves,
    }[strategy]
    return Settled(max(preferred, key=_order), leaves)


def by_id(versions: Iterable[SyncVersion], author: str | None = None) -> dict[str, SyncVersion]:
    """One version for each id: two replicas may have done the same. The first counts.

    Args:
        versions: in any order.
        author: whose own counts before all others: nobody takes a person's words by repeating them.
    """
    found: dict[str, SyncVersion] = {}
    for one in versions:
        if one.id not in found or _rank(one, author) < _rank(found[one.id], author):
            found[one.id] = one
    return found


def speaker_of(head: SyncVersion, nodes: Mapping[str, SyncVersion]) -> str:
    """Whose words a version's text is: of who wrote it first, not of who filed it differently since.

    Nobody can claim another's words: only a version that its author signed has that author.
    """
    said, text = head, _text(head)
    while True:
        earlier = [nodes[id_] for id_ in said.parents if id_ in nodes and _text(nodes[id_]) == text]
        if not earlier:
            return said.author
        said = min(earlier, key=_order)


def _text(version: SyncVersion) -> object:
    return parse_body(version.body).get("text") if version.body else None


def _rank(version: SyncVersion, author: str | None) -> tuple[bool, tuple[int, str, str]]:
    return version.author != author, _order(version)


def _order(version: SyncVersion) -> tuple[int, str, str]:
    return version.clock, version.replica, version.id
