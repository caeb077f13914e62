"""The verbs with their summaries, read from the operations' source text without running it.

Importing the operations costs more than the whole of `recortex --help` may take. Their names, topics and first
docstring lines stand in plain sight in the source, so they are read from there; a test proves that this finds what
the facade has. Where the source is not shipped, the operations are imported after all.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKAGE = Path(__file__).resolve().parent.parent
_FACADE, _FOLDER = "cortex.py", "operations"


class Topic(NamedTuple):
    """Verbs that belong together.

    Attributes:
        title: the first line of the module that groups them, without a list of the verbs after a colon.
        verbs: name and summary of each.
    """

    title: str
    verbs: tuple[tuple[str, str], ...]


def topics(package: Path = _PACKAGE) -> tuple[Topic, ...]:
    """The topics in the order of the facade's bases, its own verbs first."""
    try:
        bases = _bases(package / _FACADE)
        groups = {name: group for path in _modules(package) for name, group in _groups(path)}
    except (OSError, KeyError):
        return _imported()
    found = (groups[name] for name in bases if name in groups)
    return tuple(topic for topic in found if topic.verbs)


def _bases(path: Path) -> list[str]:
    """The names of the facade's bases, itself first."""
    tree = ast.parse(path.read_bytes())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    return ["Cortex", *(base.id for base in classes["Cortex"].bases if isinstance(base, ast.Name))]


def _modules(package: Path) -> list[Path]:
    return [package / _FACADE, *sorted((package / _FOLDER).glob("*.py"))]


def _groups(path: Path) -> Iterator[tuple[str, Topic]]:
    """The classes of a module with their verbs, under the first line of the module's docstring."""
    tree = ast.parse(path.read_bytes())
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name, Topic(_first_line(tree).partition(":")[0].rstrip("."), tuple(_verbs(node)))


def _verbs(group: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for node in group.body:
        if isinstance(node, ast.FunctionDef) and any(map(_marks, node.decorator_list)):
            yield node.name.rstrip("_").replace("_", "-"), _first_line(node)


def _marks(decorator: ast.expr) -> bool:
    return (
        isinstance(decorator, ast.Call)
        and isinstance(decorator.func, ast.Name)
        and decorator.func.id == "operation"
    )


def _first_line(node: ast.Module | ast.FunctionDef) -> str:
    # Not cleaned: that would import `inspect`, and a first line has no indent.
    return (ast.get_docstring(node, clean=False) or "").partition("\n")[0].strip()


def _imported() -> tuple[Topic, ...]:
    from recortex.cortex import Cortex
    from recortex.operations.registry import operations_of

    verbs = tuple((one.verb, one.summary) for one in operations_of(Cortex).values())
    return (Topic("Operations", verbs),)
