"""SQL as SQLite takes it, made into PostgreSQL's.

What only one of them knows (full text, vectors) is written for each; everything else is written once. Where a row of
PostgreSQL belongs to a workspace, the shared text says so in comments that SQLite does not see:

- `/*own m*/` in a condition: and the workspace of `m` is ours; `/*own*/` without an alias.
- `/*only own m*/` where there is no other condition.
- `/*own column*/` and `/*own value*/` in an INSERT and in a conflict's target.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.storage.database import Bindings

_OWN = re.compile(r"/\*(only )?own(?: (\w+))?\*/")
_LIST = re.compile(r"(?<![\w.])([\w.]+) IN \(SELECT value FROM json_each\((\?\d*)\)\)")
_KEYS = ("key", "e.model")
"""How the columns end that hold keys: an embedding's model is one, elsewhere it is a name."""
_ELEMENTS = re.compile(r"json_each\(([a-z_.]+)\) (\w+)")
_ORDERED_JOIN = re.compile(r"CROSS JOIN (\w+ \w+) ON")
_VALUE = re.compile(r"'(?:[^']|'')*'|\?(\d*)|(?<![:\w]):([a-z_]\w*)")
_JSON = re.compile(r"\$(\d+)(?:::| AS )json\b")
_NUL_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
"""NUL as JSON writes it; a backslash that is itself escaped begins none."""
_WRITES = re.compile(r"\s*(?:INSERT|UPDATE|DELETE|WITH \w+ AS \(\s*(?:INSERT|UPDATE|DELETE))\b")


class Statement(NamedTuple):
    """A statement of PostgreSQL.

    Attributes:
        text: with `$1`, `$2`, … for its values.
        names: of the values, where they have names.
        owned: whether `$1` is the workspace.
        writes: whether it changes something.
        read: the places of values that PostgreSQL reads as JSON.
    """

    text: str
    names: tuple[str, ...]
    owned: bool
    writes: bool
    read: frozenset[int] = frozenset()

    def values(self, bindings: Bindings, workspace: Any) -> list[Any]:
        """The values in their order."""
        own = [workspace] if self.owned else []
        given: Sequence[Any] = (
            [bindings[name] for name in self.names] if isinstance(bindings, Mapping) else bindings
        )
        values = [*own, *map(storable, given)]
        for place in self.read:
            values[place] = _NUL_ESCAPE.sub(r"\1\\ufffd", values[place])
        return values


@lru_cache(1024)
def postgres(sql: str) -> Statement:
    """The statement for PostgreSQL."""
    text = _OWN.sub(_owned, sql)
    text = _ORDERED_JOIN.sub(r"JOIN \1 ON", text)
    text = _LIST.sub(_among, text)
    text = _ELEMENTS.sub(r"json_array_elements_text(\1::json) AS \2 (value)", text)
    owned = ":workspace" in text
    names: list[str] = []
    count = 0

    def numbered(found: re.Match[str]) -> str:
        nonlocal count
        place, name = found[1], found[2]
        if name == "workspace":
            return "$1"
        if name:
            if name not in names:
                names.append(name)
            return f"${names.index(name) + 1 + owned}"
        if place is None:
            return found[0]
        number = int(place or count + 1)  # as SQLite has it: one more than the highest so far
        count = max(count, number)
        return f"${number + owned}"

    text = _VALUE.sub(numbered, text)
    read = frozenset(int(place) - 1 for place in _JSON.findall(text))
    return Statement(text, tuple(names), owned, bool(_WRITES.match(text)), read)


def _owned(found: re.Match[str]) -> str:
    only, name = found[1], found[2]
    if name == "column":
        return "workspace,"
    if name == "value":
        return ":workspace,"
    ours = f"{name}.workspace = :workspace" if name else "workspace = :workspace"
    return f"WHERE {ours}" if only else f"{ours} AND"


def _among(found: re.Match[str]) -> str:
    column, value = found[1], found[2]
    kind = "bigint" if column.endswith(_KEYS) else "text"
    return f"{column} = ANY(ARRAY(SELECT json_array_elements_text({value}::json))::{kind}[])"


def storable(value: Any) -> Any:
    """PostgreSQL has no NUL in texts, nor in what it reads from JSON; nothing of ours has one, but a question may."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value
