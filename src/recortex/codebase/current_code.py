"""Symbols of a working tree as it is now, a few files at a time: facts are taken by the bytes of each file.

Nothing here reads the whole tree. What a file says is read anew each time; in which other files a symbol may
be, the facts say that were read last (`FactStore.refresh`).
"""

from __future__ import annotations

import os
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from blake3 import blake3

from recortex.codebase.git import read
from recortex.codebase.grammars import GrammarError, KeptFacts, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from recortex.codebase.fact_store import FactStore, Place
    from recortex.domain.code import FileFacts, Symbol

MOST_FOUND = 60
"""Places that are looked at for one name or hash."""


class Keyed(NamedTuple):
    """The facts of a file as it is, and their key; None where there are no facts."""

    key: bytes
    facts: FileFacts | None


class CurrentCode:
    """The code of a working tree.

    Args:
        root: of the tree.
        path: of the file of facts.
        parse: whether a file without facts is read; hooks have no time for that.
        hidden: says of the name of a file or folder that it may not be kept.
    """

    def __init__(
        self,
        root: Path,
        path: Path,
        *,
        parse: bool = True,
        hidden: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._hidden = hidden
        self.root, self._real, self._parse = root, os.path.realpath(root), parse
        self._path = path
        self._kept = None if parse else KeptFacts(path)
        self._files: dict[str, Keyed] = {}

    @cached_property
    def _store(self) -> FactStore:
        from recortex.codebase.fact_store import FactStore, kept_on_disk

        try:
            with kept_on_disk():
                return FactStore(self._path, self._hidden)
        except OSError:  # the disk is full, or may only be read: what is read is not kept
            return FactStore(None, self._hidden)

    def close(self) -> None:
        """Close the file of facts."""
        if self._kept is not None:
            self._kept.close()
        if "_store" in self.__dict__:
            self._store.close()

    def key(self, path: str) -> bytes:
        """The key of a file as it is, for which no facts are looked up; empty where it is not there."""
        if path in self._files:
            return self._files[path].key
        data = read(self.root, path, self._real)
        return b"" if data is None else key_of(path, data)

    def read(self, path: str) -> Keyed | None:
        """A file as it is; None where it is not there, or no code."""
        if path not in self._files:
            data = read(self.root, path, self._real)
            if data is None:
                return None
            key = key_of(path, data)
            facts = self.before(key)
            if facts is None and self._parse:
                from recortex.codebase.extraction import LARGEST, read_facts

                try:
                    facts = read_facts(path, data) if len(data) <= LARGEST else None
                except GrammarError:
                    facts = None
            self._files[path] = Keyed(key, facts if facts and not facts.skipped else None)
        return self._files[path]

    def facts(self, path: str) -> FileFacts | None:
        """The facts of a file as it is; None where there are none."""
        found = self.read(path)
        return found.facts if found else None

    def before(self, key: bytes) -> FileFacts | None:
        """The facts that a file had when its key was this one, where they are still known."""
        if self._kept is not None:
            return self._kept.facts(key)
        return next((facts for _, facts in self._store.facts([key])), None) if key else None

    @cached_property
    def paths(self) -> dict[str, bytes]:
        """The files of the tree with the keys of their facts, as they were read last."""
        return self._store.files(self.root)

    @cached_property
    def _by_key(self) -> dict[bytes, list[str]]:
        found: dict[bytes, list[str]] = defaultdict(list)
        for path, key in self.paths.items():
            found[key].append(path)
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            found[path.rpartition("/")[2]].append(path)
        return found

    def path(self, written: str) -> str:
        """The file that a text means by a path, an end of one, or a name; empty where it is not one."""
        written = written.removeprefix(f"{self._real}/").removeprefix("./")
        likely = [
            one
            for one in self._by_name.get(written.rpartition("/")[2], ())
            if one == written or one.endswith(f"/{written}") or written.endswith(f"/{one}")
        ]
        return likely[0] if len(likely) == 1 else written if written in likely else ""

    def defining(self, name: str) -> Iterator[tuple[str, FileFacts, Symbol]]:
        """The symbols with a plain name, with their files."""
        for path, facts in self._holding(self._store.defining([name])):
            yield from ((path, facts, one) for one in facts.symbols if one.plain == name)

    def alike(self, hash_: str) -> Iterator[tuple[str, FileFacts, Symbol]]:
        """The symbols with a hash, with their files."""
        for path, facts in self._holding(self._store.alike([hash_])):
            yield from ((path, facts, one) for one in facts.symbols if one.hash == hash_)

    def copies(self, hash_: str, path: str) -> int:
        """How many symbols of other files have a hash."""
        others = (self._by_key.get(one.key, ()) for one in self._store.alike([hash_]))
        return sum(one != path for paths in others for one in paths)

    def _holding(self, places: Iterable[Place]) -> Iterator[tuple[str, FileFacts]]:
        """The files of the tree that have these facts, as they are now."""
        keys = dict.fromkeys(one.key for one in places)
        paths = dict.fromkeys(path for key in keys for path in self._by_key.get(key, ()))
        for path in list(paths)[:MOST_FOUND]:
            if facts := self.facts(path):
                yield path, facts

    def all_facts(self) -> dict[str, FileFacts]:
        """The facts of every file, as they were read last, by path."""
        known = dict(self._store.facts(set(self.paths.values())))
        return {path: known[key] for path, key in self.paths.items() if key in known}

    def refresh(self) -> dict[str, str]:
        """Read what changed in the whole tree; gives what was left out since it took too long, and why."""
        tree = self._store.refresh(self.root)
        self._store.collect()
        self._files.clear()
        # Cached properties, which are made anew when they are asked for.
        for name in ("paths", "_by_key", "_by_name"):
            self.__dict__.pop(name, None)
        return tree.slow

    @property
    def state(self) -> int:
        """A number of 60 bits for all files as they were read last."""
        told = b"".join(path.encode() + key for path, key in sorted(self.paths.items()))
        return int.from_bytes(blake3(told).digest(length=8), "big") >> 4
