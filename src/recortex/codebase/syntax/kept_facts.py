"""Facts of single files as they are kept on disk, read without what reads code, which hooks do without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import msgspec
from blake3 import blake3

from recortex.codebase.syntax.grammars import grammar_of
from recortex.domain.code import FileFacts
from recortex.filesystem import require_own

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

VERSION = 8
"""Of the extractor: facts of another version are made anew. Raise it when facts of the same bytes change."""
FORMAT = 3
"""Of the tables; with the extractor's version it is the file's."""
FILE_VERSION = VERSION * 1000 + FORMAT
BUSY_MILLISECONDS = 5_000
decode = msgspec.msgpack.Decoder(FileFacts).decode


def key_of(path: str, data: bytes) -> bytes:
    """By what the facts of a file are kept: its bytes, and what reads them."""
    grammar = grammar_of(path, data)
    reader = grammar.name if grammar else path.rpartition("/")[2]
    return blake3(data, derive_key_context=f"recortex code {reader}").digest()


def kept(database: apsw.Connection, keys: Iterable[bytes]) -> Iterator[tuple[bytes, FileFacts]]:
    """Facts by their keys, one after the other; what another process deleted meanwhile is left out."""
    for key in keys:
        found = database.execute("SELECT facts FROM facts WHERE key = ?", (key,)).get
        if found is not None:
            yield key, decode(found)


class KeptFacts:
    """The facts that are in a file, to be read alone.

    Args:
        path: of the file.

    Raises:
        UntrustedFileError: the file is another user's or a link.
        apsw.Error: it is none of ours, or cannot be read.
    """

    def __init__(self, path: Path) -> None:
        require_own(path)
        self._database = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            self._database.set_busy_timeout(BUSY_MILLISECONDS)
            self._ours = self._database.execute("PRAGMA user_version").get == FILE_VERSION
        except BaseException:
            self._database.close(force=True)
            raise

    def facts(self, key: bytes) -> FileFacts | None:
        """The facts with a key; None where there are none."""
        found = kept(self._database, [key]) if self._ours and key else iter(())
        return next((facts for _, facts in found), None)

    def close(self) -> None:
        """Close the file."""
        self._database.close()
