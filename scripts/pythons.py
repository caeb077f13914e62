"""Runs the quick tests on the other supported Pythons of this machine."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUICK = (
    "tests/unit/cli",
    "tests/unit/domain",
    "tests/unit/mcp/test_tool_descriptions.py",
    "tests/unit/operations/test_docstrings.py",
    "tests/unit/storage/test_failed_opening.py",
)
"""What reads its own source, parses, and opens a store: the places in which versions of Python have
differed."""

# pip takes twice as long as the tests.
_UV = (sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python")
_PYENV = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"


def others() -> dict[str, Path]:
    """One interpreter for each supported minor version but the running one.

    Name, such as 3.12, and program.
    """
    folders = [*map(Path, os.get_exec_path()), *sorted(_PYENV.glob("*/bin"))]
    found: dict[str, Path] = {}
    for program in (one for folder in folders for one in sorted(folder.glob("python3.*"))):
        name = program.name.removeprefix("python")
        if re.fullmatch(r"3\.\d+", name) and _supported(name) and name not in found and _runs(program):
            found[name] = program
    return found


def check(name: str, program: Path, environment: dict[str, str]) -> int:
    """Run the quick part; its exit code.

    What cannot be installed without a network is told and passed over.
    """
    began = time.monotonic()
    print(f"== quick part on Python {name}", flush=True)
    python = _environment(name, program)
    if python is None:
        print(f"-- not checked on Python {name}: its packages cannot be installed here", flush=True)
        return 0
    command = [str(python), "-m", "pytest", "-n", "2", "-p", "no:cacheprovider", *QUICK]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    print(f"-- {time.monotonic() - began:.0f} s", flush=True)
    return done.returncode


def _environment(name: str, program: Path) -> Path | None:
    """The interpreter of a virtual environment with the project; made again when its requirements change."""
    place = ROOT / "build" / f"python-{name}"
    python, stamp = place / "bin" / "python", place / "needs"
    needs = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == needs and _runs(python):
        return python
    for step in (
        [str(program), "-m", "venv", "--clear", "--without-pip", str(place)],
        [*_UV, str(python), "--editable", str(ROOT), *_test_tools()],
    ):
        if subprocess.run(step, cwd=ROOT, check=False).returncode:
            return None
    stamp.write_text(needs, encoding="utf-8")
    return python


def _test_tools() -> list[str]:
    """What the quick part needs of the `dev` extra: a third of the time that installing all of it takes."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        dev = tomllib.load(file)["project"]["optional-dependencies"]["dev"]
    return [one for one in dev if one.startswith(("hypothesis", "jsonschema", "pytest"))]


def _supported(name: str) -> bool:
    minor = int(name.partition(".")[2])
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "requires-python"
    ]
    return minor != sys.version_info.minor and minor >= int(needed.rpartition(".")[2])


def _runs(program: Path) -> bool:
    """Whether it is there and starts.

    A shim of a version manager may stand for a version that is not switched on.
    """
    try:
        return subprocess.run([str(program), "-c", ""], capture_output=True, check=False).returncode == 0
    except OSError:
        return False
