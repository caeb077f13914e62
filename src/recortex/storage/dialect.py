"""Turns a statement that is written for SQLite into PostgreSQL's.

Placeholders and the forms listed in `FORMS` are rewritten; any other form of SQLite's is refused. A query
that needs more gets a text of its own in `storage/sql/postgres/` (see `storage/database.py`).

Rows of PostgreSQL belong to a workspace. The shared text says where, in comments that SQLite does not see:

- `/*own m*/` in a condition: the workspace of `m` must be ours; `/*own*/` without an alias.
- `/*only own m*/` where there is no other condition.
- `/*own column*/` and `/*own value*/` in an INSERT and in the target of a conflict.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from recortex.domain.text import lazy
from recortex.lean import NamedTuple
from recortex.storage.database import folded, storable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.storage.database import Bindings


class Form(NamedTuple):
    """A form of SQLite's, and how PostgreSQL writes it."""

    pattern: re.Pattern[str]
    replacement: str


_LIST = r"IN \(SELECT value FROM json_each\((\?\d*)\)\)"
_AMONG = r"\1 = ANY(ARRAY(SELECT json_array_elements_text(\2::json))::%s[])"
FORMS = tuple(
    Form(lazy(pattern), replacement)
    for pattern, replacement in (
        (r"/\*own column\*/", "workspace,"),
        (r"/\*own value\*/", ":workspace,"),
        (r"/\*only own\*/", "WHERE workspace = :workspace"),
        (r"/\*only own (\w+)\*/", r"WHERE \1.workspace = :workspace"),
        (r"/\*own\*/", "workspace = :workspace AND"),
        (r"/\*own (\w+)\*/", r"\1.workspace = :workspace AND"),
        # Columns that end in "key" hold numbers, as does an embedding's model; elsewhere a model is a name.
        (rf"(?<![\w.])([\w.]*key|e\.model) {_LIST}", _AMONG % "bigint"),
        (rf"(?<![\w.])([\w.]+) {_LIST}", _AMONG % "text"),
        # No function of the server's folds case as `folded` does, whatever the database's locale.
        (
            r"\binstr\(folded\((coalesce\([\w.]+, ''\)|\w+)\), folded\((\?\d*)\)\) > 0",
            r"\1 ~ ALL(\2::text[])",
        ),
        (r"\binstr\(", "strpos("),
        (r"json_each\(([a-z_.]+)\) (\w+)", r"json_array_elements_text(\1::json) AS \2 (value)"),
    )
)
"""In the order in which they are applied."""
_UNKNOWN = lazy(
    r"/\*(?:own|only)|\b(?:folded|json_each|json_extract|ifnull|iif|unixepoch|strftime|group_concat|"
    r"vec_\w+)\(|"
    r"\bCROSS JOIN (?!LATERAL)|\bINSERT OR\b|\b(?:rowid|GLOB|LIKE|MATCH|INDEXED BY|PRAGMA|NOCASE)\b",
    re.IGNORECASE,
)
"""Forms that PostgreSQL does not have, or understands otherwise: the likely ones, not all that there are."""
_STRING = r"'(?:[^']|'')*'"
_VALUE = lazy(rf"{_STRING}|\?(\d*)|(?<![:\w]):([a-z_]\w*)")
_JSON = lazy(r"\$(\d+)(?:::| AS )json\b")
_SOUGHT = lazy(r"~ ALL\(\$(\d+)::text\[\]\)")
_NUL_ESCAPE = lazy(r"(?<!\\)((?:\\\\)*)\\u0000")
"""NUL as JSON writes it; a backslash that is itself escaped begins none."""
_WRITES = lazy(r"\s*(?:INSERT|UPDATE|DELETE|WITH \w+ AS \(\s*(?:INSERT|UPDATE|DELETE))\b")


class Statement(NamedTuple):
    """A statement of PostgreSQL.

    Attributes:
        text: with `$1`, `$2`, … for its values.
        names: of the values, where they have names.
        owned: whether `$1` is the workspace.
        writes: whether it changes something.
        read: the positions of values that PostgreSQL reads as JSON.
        sought: the positions of texts that are sought in any case.
    """

    text: str
    names: tuple[str, ...]
    owned: bool
    writes: bool
    read: frozenset[int] = frozenset()
    sought: frozenset[int] = frozenset()

    def values(self, bindings: Bindings, workspace: Any) -> list[Any]:
        """The values in their order."""
        own = [workspace] if self.owned else []
        given: Sequence[Any] = (
            [bindings[name] for name in self.names] if isinstance(bindings, Mapping) else bindings
        )
        values = [*own, *map(storable, given)]
        for place in self.read:
            values[place] = _NUL_ESCAPE.sub(r"\1\\ufffd", values[place])
        for place in self.sought:
            values[place] = in_any_case(values[place])
        return values


@lru_cache(1024)
def postgres(sql: str) -> Statement:
    """The statement for PostgreSQL.

    Raises:
        ValueError: it has a form of SQLite's that is not known here.
    """
    text = sql
    for pattern, replacement in FORMS:
        text = pattern.sub(replacement, text)
    # Constants are taken out first: a word in a text is no form.
    if unknown := _UNKNOWN.search(re.sub(_STRING, "", text)):
        raise ValueError(f"{unknown[0]!r} needs a text of its own in storage/sql/postgres: {sql}")
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
    read, sought = (frozenset(int(place) - 1 for place in form.findall(text)) for form in (_JSON, _SOUGHT))
    return Statement(text, tuple(names), owned, bool(_WRITES.match(text)), read, sought)


# -- a text in any case, as PostgreSQL's regular expressions that match where its folded form is found


_FIRST, _RUN = 40, 8
"""Characters that are sought before the whole text, since a short expression is matched faster; and those
within which letters that fold to several may stand in any order, such as in "sssss"."""


def in_any_case(text: str) -> list[str]:
    """Expressions that all match a text exactly where `folded` of it holds `folded` of this one.

    They name each letter's forms themselves: the server's own folding depends on the database's locale, and
    knows no "ß" that is "SS".
    """
    wanted = folded(text)
    whole = _expression(wanted)
    return [whole] if len(wanted) <= _FIRST else [_expression(wanted[:_FIRST]), whole]


@lru_cache(1)
def _forms() -> dict[str, str]:
    """The letters that fold to something else, by what they fold to: one letter or up to three."""
    forms = dict[str, str]()
    # Surrogates are no letters, and nothing from 0x20000 on has a case.
    for letter in map(chr, (*range(0xD800), *range(0xE000, 0x20000))):
        if (form := folded(letter)) != letter:
            forms[form] = forms.get(form, "") + letter
    return forms


def _expression(wanted: str) -> str:
    forms, end = _forms(), len(wanted)
    several = {form: letters for form, letters in forms.items() if len(form) > 1}
    steps = [{1: one + forms.get(one, "")} for one in wanted]
    for start, ways in enumerate(steps):
        for size in (2, 3):
            if letters := several.get(wanted[start : start + size]):
                ways[min(size, end - start)] = letters
    for form, letters in several.items():  # at either end a letter may reach beyond the text
        for size in range(1, min(len(form), end + 1)):
            if wanted.startswith(form[-size:]):
                steps[0][size] = steps[0].get(size, "") + letters
            if wanted.endswith(form[:size]):
                steps[end - size][size] = steps[end - size].get(size, "") + letters
    parts, start = list[str](), 0
    while start < end:
        stop, place = start + 1, start
        while place < stop:
            stop = min(max(stop, *(place + size for size in steps[place])), start + _RUN)
            place += 1
        either = list(_ways(steps, start, stop))
        parts.append(either[0] if len(either) == 1 else f"(?:{'|'.join(either)})")
        start = stop
    return "".join(parts)


def _ways(steps: Sequence[Mapping[int, str]], start: int, stop: int) -> Iterator[str]:
    if start == stop:
        yield ""
        return
    for size, letters in steps[start].items():
        if start + size > stop:
            continue
        one = "[" + re.sub(r"[\[\]\\^-]", r"\\\g<0>", letters) + "]"
        yield from (one + rest for rest in _ways(steps, start + size, stop))
