"""What a writer was told.

A line is on the disk before the writer goes on, so that a kill cannot take it back.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

VOLATILE = {"access_count", "last_accessed_at", "updated_at", "version", "known"}
"""What a later read or change may count up, and what a state that is put back has anew."""


def stored(cortex: Any, id_: str) -> Any:
    """A memory as it is stored: `get` gives the confidence that is left now, which time changes."""
    return cortex._app.locate(id_)[1]


def state(memory: Any) -> dict[str, str]:
    """Every field that must stay as it was acknowledged."""
    return {one.name: repr(getattr(memory, one.name)) for one in fields(memory) if one.name not in VOLATILE}


def relations(cortex: Any) -> dict[tuple[str, ...], dict[str, Any]]:
    """Every relation, whole, by its ends and its type."""
    lines = [json.loads(line) for line in cortex.export().text.splitlines()]
    found = [line["relation"] for line in lines if line.get("type") == "relation"]
    return {(one["source_id"], one["target_id"], one["type"]): one for one in found}


class Told:
    """Writes what begins and what was acknowledged."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o666)

    @contextmanager
    def act(self, name: str, *ids: str):
        """While inside, these memories may be in the old or in the new state."""
        self._line({"begins": name, "ids": ids})
        facts: dict[str, Any] = {}
        try:
            yield facts
        except Exception as error:
            self._line({"failed": f"{type(error).__name__}: {error}"})
            raise
        self._line({"done": name, **facts})

    def _line(self, value: dict[str, Any]) -> None:
        os.write(self._file, (json.dumps(value) + "\n").encode())
        os.fsync(self._file)


@dataclass
class Fact:
    """Something acknowledged: what a memory is, or that a relation, a backup or the end of a memory is there.

    Attributes:
        at: the number of the act that told it.
        former: what was acknowledged of the same thing before.
    """

    at: int
    value: Any
    former: list[Any] = field(default_factory=list)


Key = tuple[str, ...]


@dataclass
class Expected:
    """What must be there, from the lines: each thing's last acknowledged state."""

    facts: dict[Key, Fact] = field(default_factory=dict)
    doubtful: set[str] = field(default_factory=set)
    acts: int = 0

    def of(self, sort: str) -> dict[Key, Fact]:
        """The facts of one sort: state, text, relation, purged, backup."""
        return {key: fact for key, fact in self.facts.items() if key[0] == sort}

    def take(self, line: dict[str, Any]) -> None:
        """What an act acknowledged."""
        self.acts += 1
        for id_, kept in line.get("states", {}).items():
            self.facts.pop(("text", id_), None)
            self._tell(("state", id_), kept)
        for id_, text in line.get("texts", {}).items():
            self._tell(("text", id_), text)
        for relation in line.get("relations", ()):
            self._tell(("relation", relation["source_id"], relation["target_id"], relation["type"]), relation)
        for relation in line.get("unrelated", ()):
            self.facts.pop(("relation", *relation), None)
        for path, memories in line.get("backups", {}).items():
            self._tell(("backup", path), memories)
        for id_ in line.get("purged", ()):
            self.facts = {key: fact for key, fact in self.facts.items() if id_ not in key}
            self._tell(("purged", id_), True)  # noqa: FBT003

    def _tell(self, key: Key, value: Any) -> None:
        last = self.facts.get(key)
        self.facts[key] = Fact(self.acts, value, [*last.former, last.value] if last else [])


def expected(path: Path) -> Expected:
    """What the lines of a writer promise."""
    found = Expected()
    under_way: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        one = json.loads(line)
        if "begins" in one or "failed" in one:
            found.doubtful |= set(under_way)
            under_way = one.get("ids", [])
        else:
            found.take(one)
            found.doubtful -= set(under_way) & set(one.get("states", {}))
            under_way = []
    found.doubtful |= set(under_way)
    return found
