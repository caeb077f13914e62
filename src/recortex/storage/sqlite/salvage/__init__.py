"""Salvages a damaged store: what can be read goes into a new one, and a backup fills the gaps.

What is lost is reported by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.storage.sqlite.salvage.reading import DamagedContent
from recortex.storage.sqlite.salvage.rebuilding import Aside, Backup, Filling, lost, tidy, write

if TYPE_CHECKING:
    from pathlib import Path

    import apsw

    from recortex.storage.sqlite.salvage.reading import Fingerprint

__all__ = ["Backup", "Salvaged", "salvage"]

_NAMED_AT_MOST = 10_000  # sentences on losses that are reported


class Salvaged(NamedTuple):
    """What a salvage kept and lost.

    Attributes:
        lost: sentences that begin with the memory's id where it is known.
        memories: in the new store.
        from_backup: of these, as the backup has them.
    """

    lost: tuple[str, ...]
    memories: int
    from_backup: int


def salvage(
    into: apsw.Connection, damaged: Path, fingerprint: Fingerprint, backup: Backup | None
) -> Salvaged:
    """Read, fill the gaps from a backup, write.

    Args:
        into: a new, empty store, of today's schema.
        damaged: the damaged file, with its write-ahead log beside it; neither is written.
        fingerprint: the hash of a kind and a text, by which a damaged text is known.
        backup: a whole store of today's schema, if there is one.
    """
    found = DamagedContent(into, damaged, fingerprint)
    named = [*found.contradicted]
    write(into, found)
    aside = Aside(into, found)
    filling = Filling(into, found, backup) if backup else None
    if filling:
        named += filling.run()
    named += [*aside.put_back(), *aside.seal_anew()]
    tidy(into)
    named += lost(into, found)
    count = int(into.execute("SELECT count(*) FROM memories").get)
    return Salvaged(tuple(named[:_NAMED_AT_MOST]), count, filling.filled if filling else 0)
