"""Letta: the agent file (`.af`) of its server, whose blocks of core memory hold what an agent knows.

Its messages are session text, not memories, and the archival passages are in no file that the server writes;
those of other writers are read.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from recortex.importers import Row, Source, pieces
from recortex.importers.reading import listed, loaded, mapping, small, when, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from recortex.importers import Seen

_KINDS = {"": "semantic", "human": "preference", "persona": "agent_spawn"}
_BLOCKS = ("core_memory", "blocks", "memory_blocks")
_PASSAGES = ("archival_memory", "passages")


def _read(path: Path) -> Iterator[Row]:
    whole = loaded(path)
    agents = [mapping(one) for one in whole.get("agents") or ()] or [whole]
    created = whole.get("created_at")
    # Beside several agents, the blocks that they share stand once, at the top.
    shared = [mapping(one) for one in (whole.get("blocks") or () if "agents" in whole else ())]
    of_agents = ((agent, name) for agent in agents for name in _BLOCKS)
    own = (mapping(one) for agent, name in of_agents for one in agent.get(name) or ())
    for number, block in enumerate(chain(shared, own)):
        yield from _block(block, number, created)
    for at, agent in enumerate(agents):
        for name in _PASSAGES:
            for number, one in enumerate(map(mapping, agent.get(name) or ())):
                yield Row(
                    id=words(one.get("id")) or f"{at}-passage-{number}",
                    text=words(one.get("text")),
                    kind="passage",
                    created=when(one.get("created_at")),
                    tags=listed(one.get("tags")),
                )
        for number, one in enumerate(map(mapping, agent.get("messages") or ())):
            id_ = words(one.get("id")) or f"message-{number}"
            yield Row(id=f"{at}-{id_}", kind="message", refused="a message: what was said, not remembered")


def _block(block: Mapping[str, Any], number: int, created: Any) -> Iterator[Row]:
    """A row for each statement of a block."""
    label, text = words(block.get("label")), words(block.get("value"))
    id_ = words(block.get("id")) or f"block-{number}"
    if not text:
        yield Row(id=id_, kind=label, refused="it is empty")
        return
    for key, said in pieces(text):
        yield Row(
            id=f"{label or id_}#{key}" if key else f"{label or id_}",
            text=said,
            kind=label,
            created=when(block.get("created_at")) or when(created),
            tags=(label,) if label else (),
            raw=small(block=id_, description=block.get("description")),
        )


def _recognise(seen: Seen) -> bool:
    whole = seen.json
    if not isinstance(whole, dict):
        return False
    agents = whole.get("agents")
    if isinstance(agents, list) and agents and isinstance(agents[0], dict):
        return "messages" in agents[0] or bool(set(_BLOCKS) & (agents[0].keys() | whole.keys()))
    return "core_memory" in whole and "messages" in whole


SOURCES = (Source(name="letta", title="Letta's agent files", recognise=_recognise, read=_read, kinds=_KINDS),)
