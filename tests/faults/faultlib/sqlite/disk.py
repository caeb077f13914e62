"""A disk that is full, fails, or may only be read; and power that is cut before the disk has everything."""

# ruff: noqa: S311  seeded random is wanted

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from faultlib.acts import WRITES
from faultlib.model import Fault, FaultClass, Record
from faultlib.verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from faultlib.workbench import Site, Workbench

FULL, ERROR, READ_ONLY, POWER = "disk full", "disk error", "read-only", "power cut"
NOBODY = 65534
EXCUSED = {"store_not_writable", "storage_error", "store_corrupt"}
"""What a caller may be told while the disk refuses."""


def _full(bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        act = chance.choice((*WRITES, "several"))
        way = chance.choice(["full", "short", "full", "file size", "small disk"])
        seed = chance.randrange(1 << 30)
        yield Fault(FULL, f"{way}: {act}, seed {seed}", partial(_filled, bench, act, way, seed))


def _filled(bench: Workbench, act: str, way: str, seed: int) -> Record:
    chance = Random(seed)
    if way == "small disk" and not _mounts():
        way = "file size"
    with bench.site() as site:
        if way == "small disk":
            return _on_a_small_disk(bench, site, act, seed)
        if way == "file size":
            how = {"file_size": site.database.stat().st_size + int(2 ** chance.uniform(0, 17))}
        else:
            how = {"disk": {"how": way, "at": int(2 ** chance.uniform(5, 19)), "seed": seed}}
        child = bench.run(site, act, "remember", **how)
        return verdict(site, FULL, f"{way}: {act}, {how}", child)


def _mounts() -> bool:
    return sys.platform == "linux" and os.geteuid() == 0 and shutil.which("mount") is not None


def _on_a_small_disk(bench: Workbench, site: Site, act: str, seed: int) -> Record:
    """A file system of its own that has room for little more than the store; afterwards some is made."""
    held = site.root / "held"
    site.folder.rename(held)
    site.folder.mkdir(mode=0o700)
    need = sum(path.stat().st_size for path in held.rglob("*") if path.is_file()) + 8 * 4096
    size = need + Random(seed).randrange(48 * 4096)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(site.folder)],
        check=False,
        capture_output=True,
    )
    if done.returncode:
        site.folder.rmdir()
        held.rename(site.folder)
        return _filled(bench, act, "file size", seed)
    try:
        shutil.copytree(held, site.folder, dirs_exist_ok=True)
        child = bench.run(site, act, "remember")
        subprocess.run(["mount", "-o", "remount,size=64m", str(site.folder)], check=True, capture_output=True)
        return verdict(site, FULL, f"small disk: {act}, {size} bytes", child)
    finally:
        subprocess.run(["umount", "-l", str(site.folder)], check=True, capture_output=True)


def _errors(bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        act = chance.choice((*WRITES, "several"))
        how = {
            "how": "error",
            "at": int(2 ** chance.uniform(0, 7)),
            "seed": 0,
            "lasting": chance.random() < 0.5,
        }
        yield Fault(ERROR, f"{act} {how}", partial(_failed, bench, act, how))


def _failed(bench: Workbench, act: str, how: dict[str, object]) -> Record:
    with bench.site() as site:
        return verdict(site, ERROR, f"{act} {how}", bench.run(site, act, "remember", disk=how))


PLACES = ("file", "folder", "both", "log", "backups", "refused")


def _read_only(bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        act, place = chance.choice((*WRITES, "several")), chance.choice(PLACES)
        yield Fault(READ_ONLY, f"{place}: {act}", partial(_may_only_be_read, bench, act, place))


def _may_only_be_read(bench: Workbench, act: str, place: str) -> Record:
    """Modes stop nobody who is root: the writer takes another user's place then."""
    with bench.site() as site:
        if place == "refused" or (os.geteuid() == 0 and not _reachable(site.root)):
            how: dict[str, object] = {"disk": {"how": "readonly", "at": 0, "seed": 0}}
            return verdict(site, READ_ONLY, f"refused: {act}", bench.run(site, act, "recall", **how))
        if place == "log":
            bench.run(site, "remember", statement=60)  # killed: its log stays
        how = {"when": "open"}
        if os.geteuid() == 0:
            how["user"] = NOBODY
            _give(site.root, NOBODY)
        modes = {path: path.stat().st_mode for path in _places(site, place) if path.exists()}
        for path in modes:
            path.chmod(0o500 if path.is_dir() else 0o400)
        child = bench.run(site, act, "recall", **how)
        for path, mode in modes.items():
            path.chmod(mode)
        if os.geteuid() == 0:
            _give(site.root, 0)
        return verdict(site, READ_ONLY, f"{place}: {act}", child)


def _reachable(path: Path) -> bool:
    return all(parent.stat().st_mode & 0o001 for parent in path.parents)


def _give(root: Path, user: int) -> None:
    for path in (root, *root.rglob("*")):
        os.chown(path, user, user)


def _places(site: Site, place: str) -> list[Path]:
    return {
        "file": [site.database], "folder": [site.folder], "both": [site.database, site.folder],
        "log": [site.side("-wal"), site.side("-shm")], "backups": [site.side(".backups")],
    }[place]  # fmt: skip


def _power(bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        act = chance.choice(["several", "stream", "purge", "backup", "merge", "open"])
        how = {"how": "cut", "at": int(2 ** chance.uniform(0, 8)), "seed": chance.randrange(1 << 30)}
        yield Fault(POWER, f"{act} {how}", partial(_cut, bench, act, how))


def _cut(bench: Workbench, act: str, how: dict[str, object]) -> Record:
    with bench.site() as site:
        return verdict(site, POWER, f"{act} {how}", bench.run(site, act, disk=how), prefix=True)


CLASSES = (
    FaultClass(FULL, some=_full, share=3, least=14),
    FaultClass(ERROR, some=_errors, share=2, least=8),
    FaultClass(READ_ONLY, some=_read_only, share=2, least=10),
    FaultClass(POWER, some=_power, share=3, least=12),
)
