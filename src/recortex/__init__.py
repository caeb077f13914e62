"""Recortex: long-term memory for coding agents.

What stands in `__all__` is public: the facade, what its methods take and give, and the errors they raise.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from recortex.version import __version__

if TYPE_CHECKING:
    from recortex.cortex import Cortex
    from recortex.domain.exchange import Exchange, ExchangeHit
    from recortex.domain.kinds import Kind
    from recortex.domain.memory import FileLink, Memory, Relation, Source
    from recortex.domain.search import ChunkHit, Hit, Proposal, Recall
    from recortex.domain.vocabulary import (
        Actor,
        Domain,
        Importance,
        Origin,
        RelationType,
        Scope,
        Status,
        Trust,
    )
    from recortex.errors import (
        AmbiguousIdError,
        BackupError,
        CausalCycleError,
        ChunkNotFoundError,
        ConfigError,
        CorruptStoreError,
        DimensionMismatchError,
        EmbeddingError,
        ExchangeNotFoundError,
        FormatError,
        InvalidInputError,
        InvalidKindError,
        MemoryNotFoundError,
        MigrationError,
        NewerSchemaError,
        NothingToUndoError,
        PermissionsError,
        PersonNeededError,
        RateLimitedError,
        RecortexError,
        SessionNotFoundError,
        StorageError,
        StoreBusyError,
        StoreUnavailableError,
        TextRefusedError,
        UntrustedFileError,
    )

__all__ = [
    "Actor",
    "AmbiguousIdError",
    "BackupError",
    "CausalCycleError",
    "ChunkHit",
    "ChunkNotFoundError",
    "ConfigError",
    "CorruptStoreError",
    "Cortex",
    "DimensionMismatchError",
    "Domain",
    "EmbeddingError",
    "Exchange",
    "ExchangeHit",
    "ExchangeNotFoundError",
    "FileLink",
    "FormatError",
    "Hit",
    "Importance",
    "InvalidInputError",
    "InvalidKindError",
    "Kind",
    "Memory",
    "MemoryNotFoundError",
    "MigrationError",
    "NewerSchemaError",
    "NothingToUndoError",
    "Origin",
    "PermissionsError",
    "PersonNeededError",
    "Proposal",
    "RateLimitedError",
    "Recall",
    "RecortexError",
    "Relation",
    "RelationType",
    "Scope",
    "SessionNotFoundError",
    "Source",
    "Status",
    "StorageError",
    "StoreBusyError",
    "StoreUnavailableError",
    "TextRefusedError",
    "Trust",
    "UntrustedFileError",
    "__version__",
]

_NAMES = {
    "recortex.cortex": ("Cortex",),
    "recortex.domain.search": ("ChunkHit", "Hit", "Proposal", "Recall"),
    "recortex.domain.exchange": ("Exchange", "ExchangeHit"),
    "recortex.domain.kinds": ("Kind",),
    "recortex.domain.memory": ("FileLink", "Memory", "Relation", "Source"),
    "recortex.domain.vocabulary": (
        "Actor",
        "Domain",
        "Importance",
        "Origin",
        "RelationType",
        "Scope",
        "Status",
        "Trust",
    ),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    """A public name is imported when it is asked for, so that `recortex --help` does not wait for it."""
    if name not in __all__:
        raise AttributeError(f"module 'recortex' has no attribute {name!r}")
    return getattr(import_module(_MODULES.get(name, "recortex.errors")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
