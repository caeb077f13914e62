"""Stores to break, and processes to break them with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faultlib import acts
from faultlib.identity import seeded
from faultlib.told import Expected, Told, expected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NURSERY = Path(__file__).with_name("nursery.py")
PROJECT = "project"
"""Each project has this name: it is embedded with what is remembered."""
LONGEST_SECONDS = 300
"""A process that is not so far by then hangs, however busy the machine."""


@dataclass(frozen=True)
class Site:
    """A project's folder with a store in it, and beside the store what its writers were told."""

    root: Path

    @property
    def folder(self) -> Path:
        """The store's own folder."""
        return self.root / "store"

    @property
    def database(self) -> Path:
        """The store's file."""
        return self.folder / "cortex.db"

    @property
    def url(self) -> str:
        """Names the store."""
        return f"sqlite:///{self.database}"

    def side(self, suffix: str) -> Path:
        """A file that SQLite keeps beside the store's."""
        return self.folder / f"cortex.db{suffix}"

    def expected(self) -> Expected:
        """What was acknowledged."""
        return expected(self.root / "told.jsonl")

    def open(self, **more: Any) -> Any:
        """The store, through the public interface."""
        from recortex import Cortex

        return Cortex.open(self.root, url=self.url, **more)


@dataclass(frozen=True)
class Ended:
    """How a child ended: its exit code, what it wrote down, what it complained of."""

    code: int
    out: dict[str, Any]
    stderr: str

    def problems(self) -> list[str]:
        """What no fault excuses: an exception that is none of ours, or a child that had to be stopped."""
        if self.code in {0, -9}:
            return []
        return [f"the writer ended with {self.code}: {self.stderr.strip()[-300:]}"]


class Workbench:
    """Templates, copies of them, and children."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.at_close: list[Callable[[], None]] = []
        self._numbers = count(1)
        self._templates: dict[str, Site] = {}
        self._children: Counter[Path] = Counter()
        own = {
            "OPENBLAS_NUM_THREADS": "1",
            "RECORTEX_HOME": str(folder / "home"),
            "RECORTEX_EMBEDDER": "hashed",
        }
        environment = {  # without tracing, which would be half of a child's time
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("RECORTEX_", "COVERAGE_"))
        } | own
        self._nursery = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(NURSERY)],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def close(self) -> None:
        """End the nursery, and what else belongs to the bench."""
        self._nursery.communicate()
        for end in self.at_close:
            end()

    def _ask(self, request: dict[str, Any]) -> int:
        assert self._nursery.stdin
        assert self._nursery.stdout
        self._nursery.stdin.write(json.dumps(request) + "\n")
        self._nursery.stdin.flush()
        return int(self._nursery.stdout.readline())

    def start(self, site: Site, *do: str, **more: Any) -> int:
        """A child that does these acts; its process id."""
        self._children[site.root] += 1
        ids = f"child {self._children[site.root]}"
        return self._ask({"folder": str(site.root), "url": site.url, "do": do, "ids": ids, **more})

    def ended(self, site: Site, child: int, out: str = "out.json") -> Ended:
        """How a child ended, once it has."""
        code = self._ask({"wait": child})
        report, complaint = site.root / out, site.root / "stderr"
        told = json.loads(report.read_text()) if report.exists() and report.stat().st_size else {}
        report.unlink(missing_ok=True)
        return Ended(code, told, complaint.read_text() if complaint.exists() else "")

    def run(self, site: Site, *do: str, **more: Any) -> Ended:
        """Let a child do these acts to its end."""
        return self.ended(site, self.start(site, *do, **more))

    @contextmanager
    def site(self, template: str = "small") -> Iterator[Site]:
        """A copy of a template, gone afterwards."""
        number = self.folder / f"site{next(self._numbers)}"
        site = Site(number / PROJECT)
        shutil.copytree(self.template(template).root, site.root)
        try:
            yield site
        finally:
            shutil.rmtree(number, ignore_errors=True)

    def template(self, name: str) -> Site:
        """A store to copy.

        `empty`, `small`, `large`, or `schema-N`, which is the small one as of an older schema.
        """
        if name not in self._templates:
            site = Site(self.folder / f"template-{name}" / PROJECT)
            site.folder.mkdir(parents=True, mode=0o700)
            (site.root / "transcript.jsonl").write_text(acts.transcript())
            with seeded(name):
                self._fill(site, name)
            self._templates[name] = site
        return self._templates[name]

    def _fill(self, site: Site, name: str) -> None:
        if name == "empty":
            return
        if name.startswith("schema-"):
            from faultlib.sqlite.versions import downgraded

            downgraded(self.template("small"), site, int(name.removeprefix("schema-")))
            return
        with site.open() as cortex:
            acts.furnish(
                cortex, Told(site.root / "told.jsonl"), site.root, many={"small": 20, "large": 150}[name]
            )
        elsewhere = Site(self.folder / f"elsewhere-{name}" / PROJECT)
        elsewhere.folder.mkdir(parents=True, mode=0o700)
        with elsewhere.open() as cortex:
            cortex.remember_many([{"text": f"The moon {n} of Jupiter is called {n * 31}."} for n in range(3)])
            cortex.export(str(site.root / "import.jsonl"))


@contextmanager
def ground() -> Iterator[Path]:
    """A folder for a workbench, in memory where the system has such a place.

    What a kill leaves does not depend on the disk.
    """
    memory = Path("/dev/shm")  # noqa: S108
    with tempfile.TemporaryDirectory(
        prefix="recortex-faults-", dir=memory if memory.is_dir() else None
    ) as folder:
        Path(folder).chmod(0o755)  # a writer that takes another user's place must reach it
        yield Path(folder)


def wait_for(*paths: Path) -> None:
    """Until one of some files is there."""
    deadline = time.monotonic() + LONGEST_SECONDS
    while not any(path.exists() for path in paths):
        if time.monotonic() > deadline:
            raise TimeoutError(", ".join(map(str, paths)))
        time.sleep(0.002)
