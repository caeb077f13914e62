"""Which rows hold a text that is to be erased, and what a file would still show of it."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from recortex.storage.records.values import json
from recortex.storage.tables import EXCHANGES, MEMORIES, owned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recortex.domain.exchange import Exchange
    from recortex.storage.database import Rows
    from recortex.storage.records.filters import Clause
    from recortex.storage.tables import Table

    Has = Callable[[str, str], bool]

WINDOW = 40
"""Bytes of a text that are looked for at a time: short enough to lie within a page, long enough to be no
accident."""
LEAST_SAID = 16
"""Characters of a memory's text that takes the exchanges with it that hold it; a shorter one is no proof."""
_VALUES = {"text": "?1", "json": "?2"}
"""The text as it is, and as it stands inside JSON."""


def holding(database: Rows, text: str, has: Has = lambda *_: True) -> list[str]:
    """Ids of the memories that hold a text in any case, now or formerly, in any column that may hold it.

    Args:
        database: where to look.
        text: to look for.
        has: whether a table has a column: a backup may be of an older schema.
    """
    conditions = [*_conditions(MEMORIES, "m", has)]
    conditions += [
        f"EXISTS (SELECT 1 FROM {table.name} o"
        f" WHERE /*own o*/ o.{table.owners[0]} = m.key AND ({' OR '.join(found)}))"
        for table in owned()
        if (found := [*_conditions(table, "o", has)])
    ]
    sql = f"SELECT m.id FROM memories m WHERE /*own m*/ ({' OR '.join(conditions)}) ORDER BY m.key"
    return [row[0] for row in database.rows(sql, (text, json(text)[1:-1]))]


def text_condition(text: str, has: Has = lambda *_: True, table: Table = EXCHANGES) -> Clause:
    """The condition that a row `x` of a table holds a text, with its values; `has` as in `holding`."""
    return " OR ".join(_conditions(table, "x", has)), (text, json(text)[1:-1])


def unsaid(texts: Sequence[str], text: str = "") -> list[str]:
    """Those of the texts that take the exchanges with them that hold them; `text` does in any case."""
    return [one for one in texts if len(one) >= LEAST_SAID or one == text]


def _conditions(table: Table, alias: str, has: Has) -> Iterator[str]:
    for column in table.searched:
        if has(table.name, column.name):
            value = _VALUES[column.holds]
            yield f"instr(folded(coalesce({alias}.{column.name}, '')), folded({value})) > 0"


def grave(exchange: str) -> int:
    """The key of an exchange's tombstone: below 0, where no memory has one, and the same for the same id."""
    return -1 - int(sha256(exchange.encode()).hexdigest()[:15], 16)


def among(exchanges: Sequence[str]) -> Clause:
    """The condition that a row `x` is one of these exchanges, with its values."""
    return "x.id IN (SELECT value FROM json_each(?))", (json(list(exchanges)),)


def texts_of(exchanges: Sequence[Exchange]) -> Iterator[str]:
    """What exchanges say, a text each."""
    for one in exchanges:
        yield from filter(None, (one.asked, one.message, one.opening, one.conclusion, *one.failed))


def windows(text: str) -> Iterator[bytes]:
    """The parts of a text that are looked for in files, as it is and as it stands inside JSON."""
    for shape in (text, text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")):
        data = shape.encode()
        yield data[:WINDOW]
        yield from (data[start : start + WINDOW] for start in range(WINDOW, len(data) - WINDOW + 1, WINDOW))
