"""The functions that an edit touches, and what is known of them and of what calls them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recortex.codebase.files import read
from recortex.domain.hit import ANSWERING
from recortex.domain.time import to_micros
from recortex.engines.decay.present import faded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.app.hooks.context import HookContext
    from recortex.domain.code_facts import FileFacts
    from recortex.domain.hook_event import HookEvent
    from recortex.domain.memory import Memory
    from recortex.domain.session import Session

MOST = 5
"""Functions of one file that one call of a tool touches."""


class Known(NamedTuple):
    """A memory that hangs on a function; `called`: the function that is touched, if it is about a caller."""

    memory: Memory
    called: str = ""


def tree_of(context: HookContext, session: Session) -> Path:
    """The working tree that a session works in."""
    return context.project.tree(Path(session.cwd)) if session.cwd else context.root


def touched(context: HookContext, session: Session, event: HookEvent, path: str) -> list[str]:
    """The plain names of the functions of a file that an edit touches, as the file is before it.

    Facts of the file say so where they are known as it is; else its indentation does.
    """
    data = read(tree_of(context, session), path) if event.replaced else None
    if data is None:
        return []
    numbers = sorted({number for text in event.replaced for number in _lines(data, text)})
    facts = _facts(context, session, path) if numbers else None
    names = _by_facts(facts, numbers) if facts else _by_layout(data, numbers)
    return list(dict.fromkeys(names))[:MOST]


def _lines(data: bytes, text: str) -> Iterator[int]:
    """The first and the last line of a text in a file, from 1; none where it is not in it."""
    inner = text.strip().encode()
    at = data.find(inner) if inner else -1
    if at >= 0:
        first = data.count(b"\n", 0, at) + 1
        yield from (first, first + inner.count(b"\n"))


def _facts(context: HookContext, session: Session, path: str) -> FileFacts | None:
    from recortex.app.symbols import open_code

    code = open_code(context.project.facts, tree_of(context, session), parse=False)
    if code is None:
        return None
    with closing(code):
        return code.facts(path)


def _by_facts(facts: FileFacts, numbers: list[int]) -> Iterator[str]:
    for number in numbers:
        around = sorted(
            (one.last - one.first, one.plain) for one in facts.symbols if one.first <= number <= one.last
        )
        yield from (name for _, name in around)


def _by_layout(data: bytes, numbers: list[int]) -> Iterator[str]:
    from recortex.engines.reasons.definitions import enclosing

    lines = data.decode("utf-8", "replace").split("\n")
    for number in numbers:
        if found := enclosing(lines, number):
            yield found.name


def hanging(context: HookContext, path: str, names: Sequence[str]) -> list[Known]:
    """The memories that hang on functions of a file, those about a function itself first."""
    now = context.clock()
    found: dict[str, Known] = {}
    for services in context.app.readable_services():
        rows = services.store.symbols.hanging(path, names) if services.facts else ()
        kept = services.store.memories.get([id_ for id_, _, _ in rows])
        memories = {one.id: one for one in faded(kept, services.store, to_micros(now))}
        for id_, role, name in rows:
            memory = memories[id_]
            if memory.kind in ANSWERING and memory.was_valid_at(now):
                found.setdefault(id_, Known(memory, name if role == "caller" else ""))
    return list(found.values())
