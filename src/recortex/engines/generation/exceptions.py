"""Where an approved exception to a constraint holds, and which statements it excuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.kinds.code import ConstraintOverride
from recortex.engines.words import topic_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.memory import Memory

LEAST_WORDS = 2
"""Words of a constraint's name by which a statement is recognised as that constraint."""


def holds_for(exception: Memory, path: str) -> bool:
    """Whether an exception names a file, a folder that it lies in, or files of the folder that is named."""
    content = exception.content
    if not isinstance(content, ConstraintOverride) or not content.scope_target:
        return False
    target = content.scope_target.removeprefix("./")
    if content.scope_type == "file":
        return path == target or (path.endswith("/") and target.startswith(path))
    if content.scope_type != "directory":
        return False
    folder = f"{target.rstrip('/')}/"
    return path.startswith(folder) or (path.endswith("/") and folder.startswith(path))


def excused(memory: Memory, exceptions: Sequence[Memory], code: str, files: Sequence[str]) -> bool:
    """Whether an approved exception lets code go against a memory.

    It does so everywhere, in its files, or in its function.

    Args:
        memory: that forbids something.
        exceptions: those that hold.
        code: that is checked.
        files: that it is for.
    """
    return any(_excepts(one.content, memory) and _covers(one, code, files) for one in exceptions)


def _excepts(content: object, memory: Memory) -> bool:
    if not isinstance(content, ConstraintOverride):
        return False
    known = {memory.id} | {text for link in memory.constraints for text in (link.id, link.name)}
    if ({content.constraint_id, content.constraint_name} - {""}) & known:
        return True
    named = topic_stems(content.constraint_name)
    return len(named) >= LEAST_WORDS and named <= topic_stems(memory.text)


def _covers(exception: Memory, code: str, files: Sequence[str]) -> bool:
    content = exception.content
    assert isinstance(content, ConstraintOverride)  # noqa: S101  only those are asked
    match content.scope_type:
        case "global":
            return True
        case "function":
            return bool(content.scope_target) and content.scope_target in code
        case "pattern":
            return False
        case _:
            return bool(files) and all(holds_for(exception, path) for path in files)
