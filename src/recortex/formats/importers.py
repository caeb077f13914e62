"""Importers: readers of files that hold memories, each under the name that `recortex import` takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from recortex import plugins
from recortex.errors import FormatError, RecortexError
from recortex.formats import markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

Importer: TypeAlias = "Callable[[Path], Iterable[Mapping[str, Any]]]"
"""Gives the memories of a file, each as the arguments of `remember`."""


def _notes(path: Path) -> Iterable[Mapping[str, Any]]:
    return (
        {"text": note.text, "tags": [note.heading] if note.heading else []} for note in markdown.read(path)
    )


IMPORTERS: dict[str, Importer] = {"markdown": _notes}


def importers() -> tuple[str, ...]:
    """The names of all importers, the built-in ones first."""
    return tuple(dict.fromkeys((*IMPORTERS, *plugins.names(plugins.IMPORTERS))))


def read_rows(name: str, path: Path) -> list[Mapping[str, Any]]:
    """The memories of a file, each as the arguments of `remember`.

    Raises:
        FormatError: the importer does not work, or cannot read the file.
    """
    read = IMPORTERS.get(name) or plugins.plugin(plugins.IMPORTERS, name)
    if read is None:
        raise FormatError(f"The importer {name} cannot be loaded.", hint="Update or remove its package.")
    try:
        return list(read(path))
    except RecortexError:
        raise
    except Exception as error:
        raise FormatError(
            f"The importer {name} cannot read {path}: {error!r}.", hint="Check the file."
        ) from error
