"""What is in resources and prompts.

It is read by the operations that tools are made of, so that the same is redacted, cleaned, bounded and kept
as a receipt. It stands between our markers, so that no session learns it as the person's words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex import codec
from recortex.domain.cleaning import cleaned
from recortex.domain.injection import sealed, wrap
from recortex.engines.retrieval.question import question
from recortex.errors import InvalidInputError
from recortex.mcp.bounds import bounded
from recortex.mcp.offers import BRIEF, MEMORY, WORDS
from recortex.mcp.projection import lean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.mcp.dispatcher import ToolAnswer, ToolDispatcher

READING = ("surface", "get", "recall", "context")
"""The operations that these are read by; none changes what is remembered."""
_ASKED = {"recall": ("question", "query"), "context": ("task", "task")}
"""The main argument of each prompt, and that of the operation of its name."""
_NOTHING = "Nothing is known yet."
_MORE = tuple(f"word{number}" for number in range(2, WORDS + 1))


def resource(desk: ToolDispatcher, uri: str) -> ToolAnswer:
    """The text of a resource, as `text`."""
    return desk.answered("resource", lambda: {"text": _resource(desk, uri)})


def prompt(desk: ToolDispatcher, name: str, arguments: Mapping[str, str]) -> ToolAnswer:
    """The text of a prompt, as `text`: what the person asks, and what memory knows of it."""
    return desk.answered("prompt", lambda: {"text": _prompt(desk, name, arguments)})


def _resource(desk: ToolDispatcher, uri: str) -> str:
    if uri == BRIEF:
        return sealed(desk.read("surface", {}).text) or wrap(_NOTHING)
    if uri.startswith(MEMORY):
        return _whole(desk.read("get", {"id": uri.removeprefix(MEMORY)}))
    raise InvalidInputError(
        f"There is no resource {uri[:80]!r}.", hint=f"There are {BRIEF} and {MEMORY}ID of a memory."
    )


def _prompt(desk: ToolDispatcher, name: str, arguments: Mapping[str, str]) -> str:
    wanted, taken = _ASKED.get(name, ("", ""))
    asked = " ".join(arguments.get(one, "").strip() for one in (wanted, *_MORE)).strip()
    if not asked:
        needs = f"The prompt `{name}` needs `{wanted}`." if wanted else f"There is no prompt {name[:40]!r}."
        raise InvalidInputError(needs, hint="There are `recall` with a question and `context` with a task.")
    files = question(asked).paths if name == "context" else ()
    found = desk.read(name, {taken: asked} | ({"files": list(files)} if files else {}))
    return f"{asked}\n\n{_whole(found)}"


def _whole(found: Any) -> str:
    """What a tool would answer, between our markers."""
    return wrap(codec.dumps(bounded(cleaned(lean(found)), copies=1)).decode())
