"""The group that an operation belongs to, without importing the others: a verb starts in the time that it needs."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.operations.registry import operations_of

if TYPE_CHECKING:
    from recortex.operations.base import Operations

_FOLDER = Path(__file__).parent


def group_of(verb: str) -> type[Operations] | None:
    """The class that declares an operation; None where there is no such operation.

    The modules' source says which one may declare it; where the source is not there, nothing is found.
    """
    for path in sorted(_FOLDER.glob("*.py")):
        if _declares(path, verb):
            module = import_module(f"{__package__}.{path.stem}")
            for group in vars(module).values():
                if (
                    isinstance(group, type)
                    and group.__module__ == module.__name__
                    and verb in operations_of(group)
                ):
                    return group
    return None


def _declares(path: Path, verb: str) -> bool:
    text = path.read_text(encoding="utf-8")
    return any(f"\n    def {name}(" in text for name in (verb, f"{verb}_"))
