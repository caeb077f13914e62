"""The memories that hold a text in any column that may hold what was said: what a purge removes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.storage.tables import MEMORIES, owned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recortex.storage.tables import Table

    Has = Callable[[str, str], bool]

_VALUES = {"text": "?1", "json": "?2"}
"""The text as it is, and as it stands inside JSON."""


def holding_statement(contains: str, has: Has = lambda *_: True) -> str:
    """The statement that finds them; `?1` is the text, `?2` the text as it stands inside JSON.

    Args:
        contains: the engine's condition that `{column}` holds `{value}`.
        has: whether a table has a column: a backup may be of an older schema.
    """
    conditions = [*_conditions(MEMORIES, "m", contains, has)]
    conditions += [
        f"EXISTS (SELECT 1 FROM {table.name} o"
        f" WHERE /*own o*/ o.{table.owners[0]} = m.key AND ({' OR '.join(found)}))"
        for table in owned()
        if (found := [*_conditions(table, "o", contains, has)])
    ]
    return f"SELECT m.id FROM memories m WHERE /*own m*/ ({' OR '.join(conditions)}) ORDER BY m.key"


def _conditions(table: Table, alias: str, contains: str, has: Has) -> Iterator[str]:
    for column in table.searched:
        if has(table.name, column.name):
            place = f"coalesce({alias}.{column.name}, '')"
            yield contains.format(column=place, value=_VALUES[column.holds])
