"""What every test uses: its own user folder, no settings from outside, a clock that moves when told."""

import gc
import os
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count, groupby
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from recortex import Cortex
from recortex.app.jobs.running import run
from recortex.app.jobs.table import CHANGES
from recortex.domain.vocabulary import Scope

HERE = Path(__file__).parent
CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
# The checks draw the same examples each time, so that what fails is the change. The thorough one draws new
# ones.
for name, examples in (("quick", 10), ("full", 25)):
    settings.register_profile(
        name, max_examples=examples, deadline=None, suppress_health_check=CALM, derandomize=True
    )
settings.register_profile("thorough", max_examples=500, deadline=None, suppress_health_check=CALM)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    # Compiling every module anew would take most of the time of each program that a test starts; workers
    # inherit this. A place of its own for the bytecode would have to be filled with that of all packages.
    sys.dont_write_bytecode = False

# What runs outside a test, such as a fixture of the whole session, may not write to the developer's own home.
_OUTSIDE = tempfile.TemporaryDirectory(prefix="recortex-test-home-")
os.environ["RECORTEX_HOME"] = _OUTSIDE.name
# Nor does a test ask the machine's keyring, or leave anything in it.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

# A shell that runs the tests in the background lets them ignore an interrupt, and with them each program
# that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

UNMEASURED = ("e2e", "faults", "properties", "unit/privacy", "unit/test_pattern_time.py")
"""Tests that try many inputs or work in other processes: their coverage costs minutes and adds nothing."""

WAITING = ("e2e", "faults")
"""Tests that mostly wait for other programs: all of them are `full`."""
_ALL_FULL = re.compile(r"^pytestmark = (?:(?!\n\n).)*\bmark\.full\b", re.MULTILINE | re.DOTALL)
"""What a file says whose tests are all `full`."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out unread what is `full` as a whole: each worker would take seconds to load and then drop it."""
    if config.option.markexpr != "not full":
        return None
    if collection_path in {HERE / folder for folder in WAITING}:
        return True
    tests = collection_path.match("test_*.py")
    return True if tests and _ALL_FULL.search(collection_path.read_text("utf-8")) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage meanwhile: thousands of tests are found, of which none goes before the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a worker report one thing of a test that passes: five more messages take longer than most tests."""
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, nextitem=nextitem, log=False):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark whole folders, leave the coverage of some unmeasured, and spread those that wait."""
    items[:] = spread(items)
    for item in items:
        path = place(item)
        if path.startswith(WAITING):
            item.add_marker("full")
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("examples")
        if path.startswith(UNMEASURED) and config.pluginmanager.hasplugin("pytest_cov"):
            item.add_marker("no_cover")


def place(item: pytest.Item) -> str:
    """The file of a test, from this folder."""
    return _from_here(item.path)


@cache
def _from_here(path: Path) -> str:
    return path.relative_to(HERE).as_posix()


def spread(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests with the files that wait evenly among the others.

    Each worker begins with a run of neighbours: with all that wait in one run, minutes would end in which the
    other workers have nothing left to do.
    """
    files = [list(tests) for _, tests in groupby(items, key=place)]
    waiting = [tests for tests in files if place(tests[0]).startswith(WAITING)]
    others = [tests for tests in files if not place(tests[0]).startswith(WAITING)]
    count, found = sum(map(len, others)), list[pytest.Item]()
    for number, tests in enumerate(waiting):
        while others and len(found) < number * count // len(waiting):
            found += others.pop(0)
        found += tests
    return [*found, *(item for tests in others for item in tests)]


START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Clock:
    """The current time of a test."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **span: float) -> datetime:
        """Let time go by; returns the new time."""
        self.now += timedelta(**span)
        return self.now


@pytest.fixture(scope="session")
def _folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """New folders, one after the other: pytest's own way of making one reads the names of all before it."""
    base = tmp_path_factory.mktemp("homes")
    return (base / str(number) for number in count())


@pytest.fixture(autouse=True)
def _own_home(_folders: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        name for name in os.environ if name.startswith("RECORTEX_") and name != "RECORTEX_BENCH_DATA"
    ]:
        monkeypatch.delenv(name)
    home, claude = (next(_folders) for _ in range(2))
    for folder in (home, claude):
        folder.mkdir(mode=0o700)  # as pytest's own
    monkeypatch.setenv("RECORTEX_HOME", str(home))
    # What the developer's own CLAUDE.md says is no part of any test.
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(claude))


@pytest.fixture
def home() -> Path:
    """The folder of the user's data in this test."""
    return Path(os.environ["RECORTEX_HOME"])


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still until it is told to move."""
    return Clock()


@pytest.fixture
def without_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors are switched off, where they are not what is tested."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The root of a project under git."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    return root


@pytest.fixture
def reading(project: Path, clock: Clock) -> Iterator[Cortex]:
    """The memory of a project with its models: what ends what is found by reading."""
    with Cortex.open(project, clock=clock) as opened:
        yield opened


@pytest.fixture
def settle() -> Callable[[Cortex], Mapping[str, int]]:
    """Reads what was kept together with what is known, as after a session; gives what became of it."""

    def settled(cortex: Cortex) -> Mapping[str, int]:
        services = cortex._app.services(Scope.PROJECT)
        (done,) = run(services, cortex._app.clock, services.settings, [CHANGES])
        return done.counts

    return settled


@pytest.fixture
def cortex(project: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cortex]:
    """The memory of a project, without vectors."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    with Cortex.open(project, clock=clock) as opened:
        yield opened


@pytest.fixture(scope="session")
def fresh_cortex() -> Callable[..., AbstractContextManager[Cortex]]:
    """Opens an empty store for one example of a property; give it a clock."""

    @contextmanager
    def opened(clock: Clock | None = None) -> Iterator[Cortex]:
        with (
            tempfile.TemporaryDirectory(prefix="recortex-test-") as folder,
            pytest.MonkeyPatch.context() as patch,
        ):
            patch.setenv("RECORTEX_EMBEDDER", "none")
            with Cortex.open(folder, url=f"sqlite:///{folder}/cortex.db", clock=clock or Clock()) as cortex:
                yield cortex

    return opened


@pytest.fixture(scope="session")
def new_clock() -> type[Clock]:
    """Makes a clock, for each example of a property its own."""
    return Clock
