"""Named SQL.

Every query that does not depend on a filter stands in a `.sql` file under `sql/`, with its name; those with
a filter are put together in `records/`.

What both engines take stands in `sql/TOPIC.sql`; what only one takes, in the engine's folder there. A query
of the same name there wins over the shared one. A query that is only in the engines' folders must be in both
where shared code asks for it, else that fails with a `KeyError`. Lines before the first query are comments.
Lists of a table's columns come from its declaration (`storage/tables.py`): `{memories:
columns}` and `{memories: values}` of an INSERT, `{memories: changes}` of an UPDATE, `{memories: excluded}`
of a conflict, `{memories: all}` of a SELECT.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal

from recortex.domain.text import lazy
from recortex.storage.tables import BY_NAME

_FOLDER = Path(__file__).parent / "sql"
_LIST = lazy(r"\{(\w+): (\w+)\}")
_NAME = lazy(r"^-- name: (\w+)$", re.MULTILINE)

Engine = Literal["sqlite", "postgres"]


@cache
def queries(topic: str, engine: Engine) -> dict[str, str]:
    """The queries of a topic by name."""
    return {
        **_read(_FOLDER / f"{topic}.sql"),
        **_read(_FOLDER / engine / f"{topic}.sql"),
    }


def _read(path: Path) -> dict[str, str]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:  # an engine that needs nothing of its own for a topic
        return {}
    parts = _NAME.split(_LIST.sub(_listed, text))
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def _listed(found: re.Match[str]) -> str:
    table = BY_NAME[found[1]]
    match found[2]:
        case "columns":
            return ", ".join(table.written)
        case "values":
            return ", ".join(f":{name}" for name in table.written)
        case "changes":
            return ", ".join(f"{name} = :{name}" for name in table.updated)
        case "excluded":
            return ", ".join(f"{name} = excluded.{name}" for name in table.updated)
        case _:
            return ", ".join(table.names)
