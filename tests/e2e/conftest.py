"""Sessions with the real clients, which are installed once from npm; without npm each test says so.

RECORTEX_TEST_CLIENTS=none leaves these tests out, =required makes it a failure that npm is not there, =all
adds the clients that take longest to install.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from agents.install import CHOICE, CLAUDE, NEWEST, OLDEST, program, wanted
from agents.patience import endured, waited_for
from agents.person import Person

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CHOSEN = wanted()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if CHOSEN == "none":
        left_out = [item for item in items if HERE in item.path.parents]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session")
def client() -> Callable[[str], Path]:
    """The program of a version of Claude Code."""
    if not shutil.which("npm"):
        reason = (
            f"npm is not on PATH: sessions with the real clients were not tested "
            f"({CHOICE}=none leaves them out)"
        )
        (pytest.fail if CHOSEN else pytest.skip)(reason)
    return lambda version: program("claude", CLAUDE, version)


@pytest.fixture(params=[NEWEST, OLDEST])
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def someone(tmp_path: Path, client: Callable[[str], Path]) -> Callable[..., Person]:
    """Make a person with a version of the client, a patient plug-in, a home and a project under git."""

    def made(version: str, plugins: tuple[Path, ...] = (), **extra: str) -> Person:
        plugins = plugins or (waited_for(ROOT / "plugin", tmp_path / "patient" / "plugin"),)
        extra = endured(tmp_path / "patient" / "bin") | extra
        one = Person(client(version), tmp_path / "home", tmp_path / "project", plugins, extra)
        subprocess.run(["git", "init", "-q", "-b", "main"], cwd=one.project, check=True)
        return one

    return made


@pytest.fixture
def marketplace(tmp_path: Path) -> Path:
    """The plug-in where it can be installed from, as this repository is; nobody is in a hurry."""
    folder = tmp_path / "marketplace"
    shutil.copytree(ROOT / ".claude-plugin", folder / ".claude-plugin")
    waited_for(ROOT / "plugin", folder / "plugin")
    return folder


@pytest.fixture
def person(someone: Callable[..., Person], version: str) -> Person:
    return someone(version)


@pytest.fixture
def newest(someone: Callable[..., Person]) -> Person:
    """A person with the newest client alone, where the version makes no difference to what is tested."""
    return someone(NEWEST)


@pytest.fixture
def tools(newest: Person) -> Person:
    """The same person in their other project."""
    other = replace(newest, project=newest.project.parent / "tools")
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=other.project, check=True)
    other.memory("init")
    return other


@pytest.fixture
def small_window(version: str) -> tuple[str, ...]:
    """The words that make 195,000 tokens more than the window of a version; the oldest has no others."""
    return ("--autocompact", "100000") if version == NEWEST else ()


@pytest.fixture
def write_plugin(tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
    """Writes a plug-in with these hooks."""

    def written(hooks: dict[str, Any]) -> Path:
        plugin = tmp_path / "toy"
        for folder in (".claude-plugin", "hooks"):
            (plugin / folder).mkdir(parents=True)
        manifest = {"name": "toy", "version": "0.0.1", "description": "A toy."}
        (plugin / ".claude-plugin/plugin.json").write_text(json.dumps(manifest))
        (plugin / "hooks/hooks.json").write_text(json.dumps({"hooks": hooks}))
        return plugin

    return written
