"""Tells apart the projects that share one store, for memories that follow a project's own files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.app.store_services import StoreServices

OF = "of"
"""Where the metadata of such a memory names its project, in a store that several may share."""
_LENGTH = 16


def mark_of(services: StoreServices) -> Mapping[str, str]:
    """What marks this project's memories; empty where the store is its own."""
    if services.scope is not None or services.location.remote:
        return {}
    from blake3 import blake3

    return {OF: blake3(str(services.root).encode("utf-8", "replace")).hexdigest()[:_LENGTH]}


def is_own(noted: Mapping[str, Any], mark: Mapping[str, str]) -> bool:
    """Whether what is noted of a file or commit is of the project with this mark."""
    return bool(noted.get(OF, "") == mark.get(OF, ""))
