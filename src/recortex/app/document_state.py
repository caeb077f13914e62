"""Whether documents still read as they did when they were ingested."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.errors import UntrustedFileError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from recortex.app.store_services import StoreServices
    from recortex.domain.document import ChunkHit, Document
    from recortex.domain.links import Freshness


def with_freshness(root: Path, services: StoreServices, hits: Sequence[ChunkHit]) -> list[ChunkHit]:
    """The hits, each with whether its document still reads as it did."""
    paths = list(dict.fromkeys(hit.path for hit in hits))
    known = services.store.documents.all(within=paths) if paths else ()
    states = {one.path: _state(root, one) for one in known}
    return [replace(hit, freshness=states.get(hit.path, "none")) for hit in hits]


def _state(root: Path, document: Document) -> Freshness:
    from recortex.engines.documents.making import content_hash
    from recortex.filesystem import read_regular

    place = root / document.path
    try:
        if place.stat().st_size != document.size:  # of most changed ones, without reading them
            return "changed"
        same = content_hash(read_regular(place, document.size)) == document.hash
    except FileNotFoundError:
        return "gone"
    except (OSError, UntrustedFileError):
        return "changed"
    return "fresh" if same else "changed"
