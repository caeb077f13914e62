"""Errors that Recortex raises on purpose: a code for programs, a message for people, and a hint."""

from __future__ import annotations


class RecortexError(Exception):
    """Something went wrong in Recortex."""

    code = "error"
    hint = "Run `recortex doctor`: it names what is wrong and what to do."

    def __init__(self, message: str | None = None, *, hint: str | None = None) -> None:
        super().__init__(message or (self.__doc__ or "").strip())
        if hint is not None:
            self.hint = hint

    @property
    def message(self) -> str:
        """The sentence for people."""
        return str(self)


class InvalidInputError(RecortexError):
    """What was given does not fit."""

    code = "invalid_input"
    hint = "See `recortex VERB --help` for what is accepted."


class InvalidKindError(InvalidInputError):
    """There is no such kind of memory."""

    code = "invalid_kind"


class CausalCycleError(InvalidInputError):
    """A memory would be a cause of itself."""

    code = "causal_cycle"
    hint = "Remove the relation of these that is wrong with `recortex unlink`, or choose another one."


class MemoryNotFoundError(RecortexError):
    """There is no memory with that id."""

    code = "memory_not_found"
    hint = "`recortex list` shows the ids; the first characters of an id are enough when they are unique."


class ExchangeNotFoundError(RecortexError):
    """There is no exchange with that id."""

    code = "exchange_not_found"
    hint = "`recortex recall` and `recortex sessions --session ID` show the ids of exchanges."


class ChunkNotFoundError(RecortexError):
    """There is no part of a document with that id."""

    code = "chunk_not_found"
    hint = "`recortex recall` shows the ids; a part has another one when its document was edited."


class SessionNotFoundError(RecortexError):
    """Nothing of that session is kept."""

    code = "session_not_found"
    hint = "`recortex sessions` lists those that are kept; the first characters of an id are enough."


class AmbiguousIdError(InvalidInputError):
    """More than one memory has an id that begins like that."""

    code = "ambiguous_id"
    hint = "Give more characters of the id."


class NothingToUndoError(RecortexError):
    """There is no change left to undo."""

    code = "nothing_to_undo"
    hint = "`recortex history ID` shows the versions that are kept."


class ConfigError(RecortexError):
    """A setting cannot be used."""

    code = "config_error"
    hint = "`recortex doctor` prints each setting with the place it came from."


class StorageError(RecortexError):
    """The store could not do what was asked."""

    code = "storage_error"


class StoreBusyError(StorageError):
    """Another process holds the store's write lock for too long."""

    code = "store_busy"
    hint = "Try again; if it stays, look for a stuck `recortex` process."


class StoreUnavailableError(StorageError):
    """The database server cannot be reached, or the connection to it was lost."""

    code = "store_unavailable"
    hint = "Check that the server runs and that the URL is right, then try again."


class CorruptStoreError(StorageError):
    """The store's file is damaged."""

    code = "store_corrupt"
    hint = (
        "Run `recortex recover`: it tries the write-ahead log, then the newest backup, "
        "and keeps the damaged file."
    )


class BackupError(StorageError):
    """A backup could not be made whole."""

    code = "backup_failed"
    hint = "Look at the free space; `recortex doctor` checks the store itself, `recortex recover` mends it."


class MigrationError(StorageError):
    """The store's schema could not be brought up to date."""

    code = "migration_failed"
    hint = (
        "Nothing was changed; the backup made before the migration is in the `backups` folder of the store."
    )


class NewerSchemaError(MigrationError):
    """The store was written by a newer Recortex."""

    code = "schema_newer"
    hint = "Upgrade with `pip install --upgrade recortex`; nothing was changed."


class UntrustedFileError(StorageError):
    """A file or folder is not what it must be: a regular one that belongs to you."""

    code = "untrusted_file"
    hint = "Look at it with `ls -l`; remove it or take it over if it is yours, then try again."


class PermissionsError(StorageError):
    """The store's folder cannot be written."""

    code = "store_not_writable"
    hint = "Check the owner and the free space of the folder."


class PersonNeededError(RecortexError):
    """An agent asks for what only the person may do."""

    code = "person_needed"
    hint = (
        "Ask the person to do it on the command line; `agents.trusted` in their own settings "
        "allows it to agents."
    )


class EmbeddingError(RecortexError):
    """No vector could be made."""

    code = "embedding_failed"
    hint = "Recall goes on by keywords; `recortex status` shows why the model is not used."


class TextRefusedError(EmbeddingError):
    """No vector could be made of these texts; of others one may be."""

    code = "text_refused"


class RateLimitedError(EmbeddingError):
    """As many requests as are set were sent in this minute; nothing of this one was."""

    code = "rate_limited"


class DimensionMismatchError(EmbeddingError):
    """A vector has another length than the store's."""

    code = "dimension_mismatch"


class FormatError(RecortexError):
    """A file is not in a format that Recortex reads."""

    code = "unknown_format"
    hint = "`recortex import --help` lists the formats."
