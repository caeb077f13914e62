"""Our entries in one file of a client: adding them to its text and removing them again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recortex.clients import jsonc
from recortex.clients.hooks import places_of_ours
from recortex.errors import FormatError

NAME = "recortex"
"""Our key in every client's list of servers."""


@dataclass(frozen=True, slots=True)
class JsonPart:
    """Our share of a file in JSON, with or without comments.

    Attributes:
        path: of the file.
        root: the folder that no symbolic link on the way may lead out of.
        servers: the path of keys to the list of MCP servers; empty where the file has none.
        server: our entry; None where there must be none.
        hooks: our group under each event.
    """

    path: Path
    root: Path
    servers: tuple[str, ...] = ()
    server: Mapping[str, Any] | None = None
    hooks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def added(self, text: str) -> str:
        """The text with all of ours in it, as it is wanted now; the same text where it is there already.

        Raises:
            FormatError: the text cannot be read, or something else is where ours belongs.
        """
        text = self._with_hooks(text)
        if self.servers and self.server is None:
            return _without_server(text, self.servers)
        return self._with_server(text) if self.server else text

    def removed(self, text: str) -> str:
        """The text without anything of ours.

        Raises:
            FormatError: the text cannot be read.
        """
        text = _without_hooks(text)
        return _without_server(text, self.servers) if self.servers else text

    def by_hand(self) -> str:
        """What a person would have to write into the file."""
        wanted: Any = {NAME: self.server} if self.server else {}
        for key in reversed(self.servers if self.server else ()):
            wanted = {key: wanted}
        if self.hooks:
            wanted["hooks"] = {event: [group] for event, group in self.hooks.items()}
        return json.dumps(wanted, ensure_ascii=False)

    def _with_server(self, text: str) -> str:
        here = (*self.servers, NAME)
        node = jsonc.at(jsonc.parse(text), here) if text.strip() else None
        if node is None:
            return jsonc.put(text, here, self.server)
        merged = _merged(node.plain(), self.server or {})
        return text if merged == node.plain() else jsonc.put(text, here, merged)

    def _with_hooks(self, text: str) -> str:
        # Our groups with their events; a hook of ours in a group of others stands for itself.
        hooks = _hooks_of(text)
        present = []
        for place in places_of_ours(hooks):
            value = hooks
            for key in place:
                value = value[key]
            present.append((str(place[0]), value))
        wanted = [(event, dict(group)) for event, group in self.hooks.items()]
        if len(present) == len(wanted) and all(one in present for one in wanted):
            return text
        text = _without_hooks(text)
        for event, group in reversed(wanted):
            text = jsonc.prepend(text, ("hooks", event), group)
        return text


def _merged(there: Any, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Our entry with what a person set in it kept, such as options after `mcp`."""
    if not isinstance(there, dict):
        raise FormatError(f"{NAME} is not an object.")
    merged: dict[str, Any] = {**there, **wanted}
    for key in ("args", "command"):
        mine, theirs = wanted.get(key), there.get(key)
        if isinstance(mine, list) and isinstance(theirs, list) and theirs[: len(mine)] == mine:
            merged[key] = theirs
    return merged


def _hooks_of(text: str) -> Any:
    node = jsonc.at(jsonc.parse(text), ("hooks",)) if text.strip() else None
    return node.plain() if node else None


def _without_hooks(text: str) -> str:
    for place in places_of_ours(_hooks_of(text)):
        text = jsonc.remove(text, ("hooks", *place))
    return text


def _without_server(text: str, servers: tuple[str, ...]) -> str:
    return jsonc.remove(text, (*servers, NAME)) if text.strip() else text


@dataclass(frozen=True, slots=True)
class TomlPart:
    """Our share of a file in TOML: a table in the list of MCP servers; no table where `server` is None."""

    path: Path
    root: Path
    servers: str
    server: Mapping[str, Any] | None

    def added(self, text: str) -> str:
        """As of a `JsonPart`."""
        before = _toml(text)
        there = before.get(self.servers, {})
        if not isinstance(there, dict):
            raise FormatError(f"{self.servers} is not a table.")
        if self.server is None:
            return self.removed(text)
        merged = _merged(there.get(NAME, {}), self.server)
        if there.get(NAME) == merged:
            return text
        return _checked(text, before | {self.servers: there | {NAME: merged}}, self._put)

    def removed(self, text: str) -> str:
        """As of a `JsonPart`."""
        before = _toml(text)
        there = before.get(self.servers)
        if not isinstance(there, dict) or NAME not in there:
            return text
        left = {name: value for name, value in there.items() if name != NAME}
        rest = {name: value for name, value in before.items() if name != self.servers}
        return _checked(text, rest | ({self.servers: left} if left else {}), self._cut)

    def by_hand(self) -> str:
        """As of a `JsonPart`."""
        lines = (f"{key} = {json.dumps(value)}" for key, value in (self.server or {}).items())
        return f"[{self.servers}.{NAME}]\n" + "\n".join(lines)

    def _put(self, document: Any) -> None:
        import tomlkit

        if self.servers not in document:
            document[self.servers] = tomlkit.table(is_super_table=True)
        servers = document[self.servers]
        if NAME not in servers:
            inline = isinstance(servers, tomlkit.items.InlineTable)
            servers[NAME] = tomlkit.inline_table() if inline else tomlkit.table()
        for key, value in _merged(servers[NAME].unwrap(), self.server or {}).items():
            if servers[NAME].get(key) != value:
                servers[NAME][key] = value

    def _cut(self, document: Any) -> None:
        del document[self.servers][NAME]
        if not document[self.servers]:
            del document[self.servers]


@dataclass(frozen=True, slots=True)
class SettingPart:
    """A setting in our own file of settings: a key of a table."""

    path: Path
    root: Path
    table: str
    key: str
    value: str

    def added(self, text: str) -> str:
        """As of a `JsonPart`."""
        before = _toml(text)
        there = before.get(self.table, {})
        if not isinstance(there, dict):
            raise FormatError(f"{self.table} is not a table.")
        if there.get(self.key) == self.value:
            return text
        return _checked(text, before | {self.table: there | {self.key: self.value}}, self._put)

    def removed(self, text: str) -> str:
        """As of a `JsonPart`; a person's other value stays."""
        before = _toml(text)
        there = before.get(self.table)
        if not isinstance(there, dict) or there.get(self.key) != self.value:
            return text
        left = {key: value for key, value in there.items() if key != self.key}
        return _checked(text, before | {self.table: left}, self._cut)

    def by_hand(self) -> str:
        """As of a `JsonPart`."""
        return f"[{self.table}]\n{self.key} = {json.dumps(self.value)}"

    def _put(self, document: Any) -> None:
        import tomlkit

        if self.table not in document:
            document[self.table] = tomlkit.table()
        document[self.table][self.key] = self.value

    def _cut(self, document: Any) -> None:
        del document[self.table][self.key]


def _toml(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"It is no TOML: {error}.") from None


def _checked(text: str, wanted: dict[str, Any], change: Callable[[Any], None]) -> str:
    """The text after a change, if a parser then reads what is wanted: the library that edits may be wrong."""
    import tomlkit

    windows = 0 < text.count("\n") == text.count("\r\n")
    try:
        document = tomlkit.parse(text.replace("\r\n", "\n") if windows else text)
        change(document)
        done = tomlkit.dumps(document)
    except (tomlkit.exceptions.TOMLKitError, ValueError, TypeError):
        done = ""
    if _toml(done) != wanted:
        raise FormatError("It cannot be changed without changing something else in it.")
    return done.replace("\n", "\r\n") if windows else done


Part = JsonPart | TomlPart | SettingPart
"""Our share of one file."""
