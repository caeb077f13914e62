"""The clients, at pinned versions, from npm: installed once into the user's cache, by one process at a time.

RECORTEX_TEST_CLIENTS=none leaves them out, =required makes it a failure that npm is not there, =all also
runs the clients that take longest to install.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

if TYPE_CHECKING:
    from collections.abc import Iterator

CLAUDE = "@anthropic-ai/claude-code"
NEWEST, OLDEST = "2.1.332", "2.1.100"
PACKAGES = {
    "codex": ("@openai/codex", "0.171.0"),
    "gemini": ("@google/gemini-cli", "0.61.0"),
    "qwen": ("@qwen-code/qwen-code", "0.24.4"),
    "opencode": ("opencode-ai", "1.18.33"),
    "kilo": ("@kilocode/cli", "7.7.7"),
    "pi": ("@earendil-works/pi-coding-agent", "1.6.0"),
    "copilot": ("@github/copilot", "1.0.102"),
    "cline": ("cline", "3.0.65"),
    "continue": ("@continuedev/cli", "1.5.47"),
    "pyright": ("pyright", "1.1.414"),
    "node": ("node", "24"),  # Gemini and Qwen need a newer one than many systems have
}
CHOICE = "RECORTEX_TEST_CLIENTS"
MINUTES = 8


def wanted() -> str:
    """`none`, `required`, `all`, or empty: run what npm can install, where it is there.

    Raises:
        ValueError: the variable says something else.
    """
    choice = os.environ.get(CHOICE, "")
    if choice not in {"", "none", "required", "all"}:
        raise ValueError(f"{CHOICE} is none, required or all, not {choice}")
    return choice


def program(name: str, package: str, version: str) -> Path:
    """The program `name` of a package, installed when it is not there yet.

    Raises:
        RuntimeError: npm could not install it; says what npm said.
    """
    folder = _cache() / f"{package.strip('@').replace('/', '-')}-{version}"
    found = folder / "node_modules" / ".bin" / name
    with _locked(folder):
        if not found.exists():
            _install(folder, f"{package}@{version}")
    return found


def package(name: str, version: str) -> Path:
    """The folder of a package that is no program."""
    folder = _cache() / f"{name.strip('@').replace('/', '-')}-{version}"
    with _locked(folder):
        if not folder.exists():
            _install(folder, f"{name}@{version}")
    return folder / "node_modules" / name


def browser() -> str:
    """A browser of this machine; where root runs the tests on Debian, the package is installed.

    Raises:
        RuntimeError: there is none, and it could not be installed.
    """
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), "")
    if found or wanted() != "required":
        return found
    with _locked(_cache() / "chromium"):
        for words in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
            done = subprocess.run(["apt-get", "-qq", *words], capture_output=True, text=True, check=False)
    if not (found := shutil.which("chromium") or ""):
        raise RuntimeError(f"Chromium could not be installed: {done.stderr[-800:]}")
    return found


def _cache() -> Path:
    folder = user_cache_path("recortex-test-clients")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with Path(f"{folder}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _install(folder: Path, package: str) -> None:
    # Made beside its place and renamed, so that an installation that was cut short is never taken for one.
    fresh = Path(tempfile.mkdtemp(dir=folder.parent))
    words = [
        "npm", "install", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix", str(fresh), package,
    ]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, timeout=MINUTES * 60, check=False)
    if done.returncode:
        shutil.rmtree(fresh)
        hint = f"{CHOICE}=none runs the tests without real clients"
        raise RuntimeError(f"npm could not install {package}: {done.stderr[-800:]}\n{hint}")
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
