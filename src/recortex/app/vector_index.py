"""The approximate index of many vectors: extending it in the background, and saying what it lacks."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from recortex.app.lock import alone

if TYPE_CHECKING:
    from recortex.app.store_services import StoreServices


def keep_vector_index(services: StoreServices, *, threads: int = 1) -> int:
    """Make or extend a store's approximate index, unless another process is at it.

    Returns how many vectors were put in.

    Where it cannot be made, because its package is missing or the folder cannot be written, every vector is
    compared as before, and `doctor` says so.
    """
    folder = services.location.place("locks")
    with suppress(ImportError, OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        with alone(folder / "vectors.lock") as held:
            return services.store.vectors.keep_index(threads=threads) if held else 0
    return 0


def index_notice(services: StoreServices, *, thorough: bool = False) -> tuple[str, str] | None:
    """Why the search of many vectors is slow, and what to do; None where it is not.

    Args:
        services: the store.
        thorough: look at all of the index's content.
    """
    index = services.store.vectors.index_state(thorough=thorough)
    if index is None or not index.problem:
        return None
    said = (
        f"The index of {index.vectors:,} vectors cannot be used: {index.problem}. Every vector is compared."
    )
    return said, index.todo
