"""Whether a store is half a copy of another one.

Imported by hooks: nothing heavier than the driver may be imported here.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recortex.errors import CorruptStoreError

if TYPE_CHECKING:
    from recortex.storage.database import Database


def copied_from(database: Database) -> str | None:
    """The store that a copy into this one was begun from and not finished; None where none was.

    Raises:
        CorruptStoreError: what is noted of it cannot be read.
    """
    found = database.value(database.queries("transfer")["mark"])
    if found is None:
        return None
    try:
        source = json.loads(found)["source"]
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise CorruptStoreError("The note of a copy into this store is damaged.") from error
    if not isinstance(source, str):
        raise CorruptStoreError("The note of a copy into this store is damaged.")
    return source
