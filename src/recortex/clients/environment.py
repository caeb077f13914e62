"""What of the machine decides where clients' files are and how they start us; tests give another machine."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Program:
    """How Recortex is started.

    Attributes:
        words: with an absolute path; these work wherever the caller's PATH leads.
        on_path: `recortex` alone starts the same program in a plain terminal.
    """

    words: tuple[str, ...]
    on_path: bool = False


@dataclass(frozen=True, slots=True)
class Environment:
    """A person's machine.

    Attributes:
        platform: as `sys.platform` has it.
    """

    home: Path
    environ: Mapping[str, str]
    platform: str
    program: Program

    @property
    def windows(self) -> bool:
        """It is Windows."""
        return self.platform == "win32"

    def folder(self, variable: str, *default: str) -> tuple[Path, Path]:
        """A client's folder and the one that it must not lead out of.

        The variable's, else one below the home folder.
        """
        named = self.environ.get(variable, "")
        if named:
            return Path(named).expanduser().absolute(), Path(named).expanduser().absolute()
        return self.home.joinpath(*default), self.home

    def called(self, *, from_terminal: bool) -> tuple[str, ...]:
        """The words for a client: with a path, but on Windows the name alone where it will do.

        Many clients are started by an editor or a desktop, without the PATH of a terminal, and say nothing of
        a program that they do not find. On Windows each shell reads a line that begins with a quoted path
        differently.
        """
        plain = self.windows and from_terminal and self.program.on_path
        return ("recortex",) if plain else self.program.words

    def line(self, words: tuple[str, ...]) -> str:
        """The words as a line for a shell.

        On Windows with forward slashes, which every shell there takes unquoted.
        """
        if not self.windows:
            return shlex.join(words)
        forward = [word.replace("\\", "/") for word in words]
        return " ".join(f'"{word}"' if " " in word else word for word in forward)


def here() -> Environment:
    """The machine that this runs on."""
    return Environment(Path.home(), dict(os.environ), sys.platform, program(sys.executable, os.environ))


def program(python: str, environ: Mapping[str, str]) -> Program:
    """The program that belongs to an interpreter.

    What PATH leads to where it is the same, else the script beside it.

    What is found on PATH only because a virtual environment is active counts as not found: the next terminal
    lacks it.
    """
    beside = Path(python).parent / ("recortex.exe" if os.name == "nt" else "recortex")
    found = shutil.which("recortex", path=environ.get("PATH", ""))
    if not beside.is_file():
        return Program((python, "-m", "recortex"))
    if found and Path(found).resolve() == beside.resolve():
        in_environment = sys.prefix != sys.base_prefix and Path(found).parent == beside.parent
        return Program((str(Path(found).absolute()),), on_path=not in_environment)
    return Program((str(beside),))
