"""Graphiti, and Zep's graphs: facts with the time in which they were true, from a dump of its models as JSON.

There is no export of its own. What is read is one object with lists of `nodes` (or `entities`), `edges` (or
`facts`) and `episodes`, each item as `model_dump_json` writes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.importers import Row, Source
from recortex.importers.reading import listed, loaded, mapping, small, when, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from recortex.importers import Seen

_KINDS = {"": "semantic", "entity": "entity", "edge": "semantic"}
_EDGES, _NODES, _EPISODES = ("edges", "facts"), ("nodes", "entities"), ("episodes",)


def _items(whole: Mapping[str, Any], names: tuple[str, ...]) -> list[Mapping[str, Any]]:
    return [mapping(one) for name in names for one in whole.get(name) or ()]


def _read(path: Path) -> Iterator[Row]:
    whole = loaded(path)
    nodes, episodes = _items(whole, _NODES), _items(whole, _EPISODES)
    named = {words(one.get("uuid")): words(one.get("name")) for one in nodes}
    sources = {words(one.get("uuid")): one for one in episodes}
    for number, one in enumerate(_items(whole, _EDGES)):
        yield _fact(one, f"edge-{number}", named, sources)
    for number, one in enumerate(nodes):
        id_, summary = words(one.get("uuid")) or f"node-{number}", words(one.get("summary"))
        # Every node has that one.
        labels = [label for label in listed(one.get("labels")) if label != "Entity"]
        yield Row(
            id=id_,
            text=f"{named.get(id_, '')}: {summary}",
            kind="entity",
            created=when(one.get("created_at")),
            tags=tuple(labels),
            raw=small(group=one.get("group_id"), attributes=dict(mapping(one.get("attributes")))),
            refused="" if summary else "an entity of which nothing is said",
        )
    for number, one in enumerate(episodes):
        id_ = words(one.get("uuid")) or f"episode-{number}"
        yield Row(id=id_, kind="episode", refused="what was said, of which the facts are imported")


def _fact(
    one: Mapping[str, Any], usual: str, named: Mapping[str, str], sources: Mapping[str, Mapping[str, Any]]
) -> Row:
    """A fact, with its times as they are: without a zone they are UTC."""
    ends = [named.get(words(one.get(f"{end}_node_uuid")), "") for end in ("source", "target")]
    said = sources.get(next(iter(listed(one.get("episodes"))), ""), {})
    created, since = when(one.get("created_at")), when(one.get("valid_at"))
    # One that was found to be wrong has no end in the world, only the time at which that was found.
    until = when(one.get("invalid_at")) or when(one.get("expired_at"))
    wrong = since is not None and until is not None and until < since
    return Row(
        id=words(one.get("uuid")) or usual,
        text=words(one.get("fact")),
        kind="edge",
        created=created,
        valid_from=since,
        valid_until=until,
        tags=tuple(filter(None, ends)),
        session=words(said.get("name")),
        raw=small(
            relation=one.get("name"),
            group=one.get("group_id"),
            quote=said.get("content") or said.get("episode_body"),
            attributes=dict(mapping(one.get("attributes"))),
        ),
        refused="it ended before it began" if wrong else "",
    )


def _recognise(seen: Seen) -> bool:
    whole = seen.json
    if not isinstance(whole, dict):
        return False
    edges = _items(whole, tuple(name for name in _EDGES if isinstance(whole.get(name), list)))
    return bool(edges) and {"uuid", "fact", "source_node_uuid", "target_node_uuid"} <= edges[0].keys()


SOURCES = (Source(name="graphiti", title="Graphiti", recognise=_recognise, read=_read, kinds=_KINDS),)
