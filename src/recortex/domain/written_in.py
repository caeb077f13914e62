"""Where a memory's statement is written already: in which instruction files, and who loads those itself.

Instruction files are those in which a project tells agents how to work on it, such as CLAUDE.md. A memory
notes them in its metadata.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

RULE = "instruction_file"
"""The rule by which a memory was made of a statement in such a file."""
FILES, LOADED_BY = "written_in", "loaded_by"
UNNAMED = "claude-code"
"""The client that calls a hook without saying who it is: as our plug-in has it do."""


def places(metadata: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The files in which a statement stands, by name.

    Each with `hashes` (of the statements there that say it), `lines` and `clients` (that load the file).
    """
    found = metadata.get(FILES)
    if not isinstance(found, dict):
        return {}
    return {name: one for name, one in found.items() if isinstance(one, dict)}


def with_places(metadata: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The metadata with these files instead of those that it names."""
    rest = {key: value for key, value in metadata.items() if key not in {FILES, LOADED_BY}}
    if not files:
        return rest
    clients = sorted({client for one in files.values() for client in str(one.get("clients", "")).split()})
    return rest | {FILES: {name: dict(one) for name, one in files.items()}, LOADED_BY: " ".join(clients)}


def joined(known: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of a memory that says the same as another: the new values, and the files of both."""
    if not (places(known) or places(new)):
        return {**known, **new}
    files = places(known)
    for name, place in places(new).items():
        hashes = dict.fromkeys((*files.get(name, {}).get("hashes", ()), *place.get("hashes", ())))
        files[name] = place | {"hashes": list(hashes)}
    return with_places({**known, **new}, files)


def loads(client: str, loaded_by: str) -> bool:
    """Whether a client is among those that load the file themselves."""
    return (client or UNNAMED) in loaded_by.split()
