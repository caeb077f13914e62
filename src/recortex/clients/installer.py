"""Writes our entries into a client's files and removes them: first all changes are planned, then written."""

from __future__ import annotations

import difflib
import json
import os
import stat
import tomllib
from collections.abc import Callable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import tomlkit

from recortex.clients import jsonc
from recortex.clients.hooks import places_of_ours
from recortex.errors import ConfigError, FormatError, PermissionsError, RecortexError, UntrustedFileError
from recortex.filesystem import read_own, replace_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime


# -- reads and writes a client's file: it is backed up, and never overwritten if it changed meanwhile


MARK = ".recortex-backup-"
KEPT = 3
"""How many backups of a file stay."""
LARGEST = 64_000_000
"""Bytes of a file; no client's settings are nearly as large."""


class ChangedMeanwhileError(RecortexError):
    """The file was changed by somebody else at the same time."""

    code = "changed_meanwhile"
    hint = "Nothing was written; close the program that uses it, or simply try again."


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A file as it was found.

    Attributes:
        path: where the client looks for it.
        target: where it really is.
        text: None where there is no file.
    """

    path: Path
    target: Path
    text: str | None

    def backups(self) -> list[Path]:
        """Those that were made of it, the newest first."""
        return sorted(self.target.parent.glob(f"{escape(self.target.name)}{MARK}*"), reverse=True)


def read(path: Path, root: Path) -> ClientFile:
    """Find a file and read it.

    Raises:
        ConfigError: a symbolic link leads out of `root`, or it is no ordinary file.
        FormatError: it is too large, or no UTF-8.
        PermissionsError: it cannot be read.
    """
    with _named(path):
        target = path.resolve()
        if not target.is_relative_to(root.resolve()):
            raise ConfigError(
                f"{path} leads to {target}, outside of {root}.",
                hint="Nothing was changed. If that is meant, edit the file yourself, or name the folder in "
                "the client's variable.",
            )
        if not target.exists():
            return ClientFile(path, target, None)
        status = target.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ConfigError(f"{path} is no ordinary file.", hint="Nothing was changed; look what it is.")
        if status.st_size > LARGEST:
            raise FormatError(f"{path} is larger than {LARGEST:,} bytes.", hint="Nothing was changed.")
        try:
            return ClientFile(path, target, target.read_bytes().decode("utf-8"))
        except UnicodeDecodeError as error:
            raise FormatError(
                f"{path} is no UTF-8: {error.reason} at byte {error.start}.", hint="Nothing was changed."
            ) from None


def back_up(file: ClientFile, now: datetime) -> Path:
    """Put a copy beside a file, as readable as the file itself, and let only the newest ones stay.

    Raises:
        PermissionsError: it cannot be written.
    """
    with _named(file.target):
        stem = f"{file.target.name}{MARK}{now:%Y%m%dT%H%M%SZ}"
        names = (stem if number == 0 else f"{stem}-{number}" for number in range(1000))
        place = next(p for p in (file.target.with_name(name) for name in names) if not p.exists())
        _create(place, (file.text or "").encode(), stat.S_IMODE(file.target.stat().st_mode))
        for old in file.backups()[KEPT:]:
            old.unlink(missing_ok=True)
    return place


def write(file: ClientFile, text: str | None) -> list[Path]:
    """Replace a file's text in one step; None removes the file.

    Returns the folders that were made for it.

    Raises:
        ChangedMeanwhileError: it is not as it was when it was read.
        PermissionsError: it cannot be written.
    """
    with _named(file.target):
        if read(file.target, file.target.parent).text != file.text:
            raise ChangedMeanwhileError(f"{file.path} was changed by another program just now.")
        if text is None:
            file.target.unlink(missing_ok=True)
            return []
        made = [folder for folder in file.target.parents if not folder.exists()]
        file.target.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(file.target.stat().st_mode) if file.text is not None else 0o600
        beside = file.target.with_name(f".{file.target.name}.recortex-{os.getpid()}")
        try:
            _create(beside, text.encode(), mode)
            beside.replace(file.target)
        finally:
            beside.unlink(missing_ok=True)
    return made


def _create(path: Path, data: bytes, mode: int) -> None:
    """Create a file with a mode from the beginning, so that it is never readable by more people."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(data)
        opened.flush()
        os.fsync(opened.fileno())
    path.chmod(mode)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Raise our error, with the file's name, for what the system refuses.

    Raises:
        PermissionsError: it refused.
    """
    try:
        yield
    except (OSError, RuntimeError) as error:  # a ring of links is a RuntimeError before Python 3.13
        reason = getattr(error, "strerror", None) or error
        raise PermissionsError(
            f"{path}: {reason}.", hint="Nothing was changed there; check the owner and the free space."
        ) from None


# -- writes our entries into a client's files and removes them: first all changes are planned, then written


Action = Literal["unchanged", "created", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done beside the change itself.

    Attributes:
        backup: the copy that was made before.
        folders: those that were made, the innermost first.
    """

    backup: Path | None = None
    folders: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file.

    Attributes:
        text: what it is to hold; None where it is to be gone.
    """

    file: ClientFile
    text: str | None

    @property
    def action(self) -> Action:
        """What is done to it."""
        if self.text == self.file.text:
            return "unchanged"
        if self.text is None:
            return "removed"
        return "created" if self.file.text is None else "changed"

    def diff(self) -> str:
        """The lines that are removed and added; no others, since they may hold secrets."""
        lines = difflib.unified_diff(
            (self.file.text or "").splitlines(keepends=True),
            (self.text or "").splitlines(keepends=True),
            str(self.file.path),
            str(self.file.path),
            n=0,
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def apply(self, now: datetime) -> Applied:
        """Do it.

        Raises:
            RecortexError: it cannot be done; the file is then as it was.
        """
        if self.action == "unchanged":
            return Applied()
        # No backup of a file that is removed, which only held our entries, or that was not there.
        keeps = self.file.text is not None and self.text is not None
        backup = back_up(self.file, now) if keeps else None
        return Applied(backup, tuple(write(self.file, self.text)))


def additions(parts: Sequence[Part]) -> list[Change]:
    """The changes that write our entries.

    Raises:
        RecortexError: one cannot be read; none was touched.
    """
    return [_addition(part, read(part.path, part.root)) for part in parts]


def wanting(parts: Sequence[Part]) -> bool:
    """Whether something of ours is missing in a client, as far as its files can be read."""
    try:
        return any(change.action != "unchanged" for change in additions(parts))
    except RecortexError:
        return True


def removals(parts: Sequence[Part]) -> list[Change]:
    """The changes that remove our entries.

    Raises:
        RecortexError: one cannot be read; none was touched.
    """
    return [_removal(part, read(part.path, part.root)) for part in parts]


def _addition(part: Part, file: ClientFile) -> Change:
    try:
        text = part.added(file.text or "")
    except FormatError as error:
        raise FormatError(
            f"{file.path}: {error.message}",
            hint="Nothing was changed. Mend the file and try again, or write this into it by hand: "
            f"{part.by_hand()}",
        ) from None
    return Change(file, text if text or file.text is not None else None)


def _removal(part: Part, file: ClientFile) -> Change:
    if file.text is None:
        return Change(file, None)
    try:
        text = part.removed(file.text)
        if text == file.text:
            return Change(file, text)
        return Change(file, _before(part, file, text))
    except FormatError as error:
        raise FormatError(
            f"{file.path}: {error.message}",
            hint="Nothing was changed. Mend the file and try again, or take what is named recortex out by "
            "hand.",
        ) from None


def _before(part: Part, file: ClientFile, without: str) -> str | None:
    """The file as it was before we came, to the byte, where nobody else has changed it since.

    Else without ours.

    What it was is known from the backups: ours added to one of them gives just what is there now.
    """
    for backup in file.backups():
        try:
            former = read(backup, backup.parent).text or ""
            if part.removed(former) == former and part.added(former) == file.text:
                return former
        except FormatError:
            continue  # what was broken then says nothing about now
    return None if part.added("") == file.text else without


# -- the folders that were made for a client's files, so that uninstalling removes those that are empty then


NOTE = "made-folders.json"
_LARGEST = 1_000_000


def note(home: Path, made: Iterable[Path]) -> None:
    """Add folders to those that we made."""
    noted = _noted(home)
    more = [str(folder) for folder in made if str(folder) not in noted]
    if more:
        _write(home, [*noted, *more])


def take_away(home: Path) -> None:
    """Remove those that we made and that are empty, the innermost first."""
    noted = _noted(home)
    for folder in sorted(noted, key=len, reverse=True):
        with suppress(OSError):  # it holds something, or is gone
            Path(folder).rmdir()
    left = [folder for folder in noted if Path(folder).is_dir()]
    if left != noted:
        _write(home, left)


def _noted(home: Path) -> list[str]:
    try:
        found = json.loads(read_own(home / NOTE, _LARGEST))
    except (OSError, ValueError, UntrustedFileError):
        return []
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _write(home: Path, folders: list[str]) -> None:
    place = home / NOTE
    if not folders:
        place.unlink(missing_ok=True)
        return
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_text(place, json.dumps(folders))


# -- our entries in one file of a client: adding them to its text and removing them again


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
    """Our entry with what a person set in it kept, such as options after `mcp`, and what they turned off."""
    if not isinstance(there, dict):
        raise FormatError(f"{NAME} is not an object.")
    chosen = {key: value for key, value in there.items() if isinstance(value, bool)}
    merged: dict[str, Any] = {**there, **wanted, **chosen}
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
    """A setting in our own file of settings: a key of a table, or of none where `table` is empty."""

    path: Path
    root: Path
    table: str
    key: str
    value: str

    def added(self, text: str) -> str:
        """As of a `JsonPart`."""
        before = _toml(text)
        there = self._table(before)
        if not isinstance(there, dict):
            raise FormatError(f"{self.table} is not a table.")
        if there.get(self.key) == self.value:
            return text
        return _checked(text, self._with(before, there | {self.key: self.value}), self._put)

    def removed(self, text: str) -> str:
        """As of a `JsonPart`; a person's other value stays."""
        before = _toml(text)
        there = self._table(before)
        if not isinstance(there, dict) or there.get(self.key) != self.value:
            return text
        left = {key: value for key, value in there.items() if key != self.key}
        return _checked(text, self._with(before, left), self._cut)

    def by_hand(self) -> str:
        """As of a `JsonPart`."""
        head = f"[{self.table}]\n" if self.table else ""
        return f"{head}{self.key} = {json.dumps(self.value)}"

    def _table(self, document: Any) -> Any:
        return document.get(self.table, {}) if self.table else document

    def _with(self, before: dict[str, Any], changed: dict[str, Any]) -> dict[str, Any]:
        return before | {self.table: changed} if self.table else changed

    def _put(self, document: Any) -> None:
        if self.table and self.table not in document:
            document[self.table] = tomlkit.table()
        self._table(document)[self.key] = self.value

    def _cut(self, document: Any) -> None:
        del self._table(document)[self.key]


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"It is no TOML: {error}.") from None


def _checked(text: str, wanted: dict[str, Any], change: Callable[[Any], None]) -> str:
    """The text after a change, if a parser then reads what is wanted: the library that edits may be wrong."""
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


class Part(Protocol):
    """Our share of one file, as a `JsonPart` is one."""

    @property
    def path(self) -> Path:
        """Of the file."""

    @property
    def root(self) -> Path:
        """The folder that no symbolic link on the way may lead out of."""

    def added(self, text: str) -> str:
        """The text with all of ours in it. Raises FormatError."""

    def removed(self, text: str) -> str:
        """The text without anything of ours. Raises FormatError."""

    def by_hand(self) -> str:
        """What a person would have to write into the file."""
