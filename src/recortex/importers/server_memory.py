"""The reference memory server of the Model Context Protocol: its graph of entities, in JSON lines.

It has no ids and no times. It lets several entities have one name, and relations lead to entities that are
not there.
"""

from __future__ import annotations

from collections import Counter
from itertools import filterfalse
from typing import TYPE_CHECKING, Any

from recortex.domain.kinds import KINDS
from recortex.domain.vocabulary import RelationType
from recortex.formats.importers import is_ours, of_details
from recortex.importers import Link, Row, Seen, Source, Where
from recortex.importers.reading import json_lines, listed, small, when, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_KINDS = {name: name for name in KINDS} | {
    "": "semantic",
    "entity": "entity",
    "relation": "semantic",
    "preference": "preference",
}
_RELATIONS = {one.value: one for one in RelationType} | {
    "depends_on": RelationType.DEPENDS_ON,
    "requires": RelationType.REQUIRES,
    "owns": RelationType.OWNS,
    "affects": RelationType.AFFECTS,
    "blocks": RelationType.BLOCKS,
    "references": RelationType.REFERENCES,
    "supports": RelationType.SUPPORTS,
}

_KEPT = "a relation between two memories, which it is kept with"


def _read(path: Path) -> Iterator[Row]:
    said = Counter[str]()
    entities: list[Mapping[str, Any]] = []
    relations: list[Mapping[str, Any]] = []
    for number, line in json_lines(path):
        if isinstance(line, dict) and line.get("type") == "entity" and words(line.get("name")):
            entities.append(line)
        elif isinstance(line, dict) and line.get("type") == "relation" and words(line.get("from")):
            relations.append(line)
        else:
            yield Row(id=f"line-{number}", refused="its line is no entity and no relation")
    links = _links(relations)
    yield from (_exported(one, links) for one in entities if is_ours(one))
    for number, _ in enumerate(filter(is_ours, relations)):
        yield Row(id=f"relation:{number}", kind="relation", refused=_KEPT)
    for entity in filterfalse(is_ours, entities):
        name, what = words(entity["name"]), words(entity.get("entityType"))
        # The server lets several entities have one name: the number tells them apart.
        said[name] += 1
        head = f"{name} ({what})" if what else name
        if said[name] == 1:
            yield Row(id=f"entity:{name}", kind="entity", text=head, links=tuple(links.get(name, ())))
        else:
            again = f"entity:{name}#{said[name]}"
            yield Row(id=again, kind="entity", refused="an entity of this name is there already")
        observations = entity.get("observations")
        for place, text in enumerate(observations if isinstance(observations, list) else ()):
            if not words(text):
                yield Row(id=f"observation:{name}#{said[name]}.{place}", refused="it has no text")
                continue
            # The server lets an entity have the same observation twice.
            said[f"{name}: {text}"] += 1
            copy = said[f"{name}: {text}"]
            yield Row(
                # By the text, as there are no ids: the same row is known again on the next run.
                id=f"observation:{name}: {words(text)}",
                text=f"{name}: {words(text)}",
                tags=listed([what]),
                links=(Link(f"entity:{name}", words="observed of"),),
                raw=small(entity=name, type=what),
                refused="it stands twice with its entity" if copy > 1 else "",
            )
    for relation in filterfalse(is_ours, relations):
        source, target = words(relation["from"]), words(relation.get("to"))
        word = words(relation.get("relationType")) or "related_to"
        yield Row(
            id=f"relation:{source}|{word}|{target}",
            kind="relation",
            text=f"{source} {word.replace('_', ' ')} {target}",
            links=(Link(f"entity:{source}", words="said of"), Link(f"entity:{target}", words="said of")),
        )


def _exported(entity: Mapping[str, Any], links: Mapping[str, list[Link]]) -> Row:
    """A memory that Recortex put there: its text, and what else is known of it, line by line."""
    name = words(entity["name"])
    text, *rest = (*listed(entity.get("observations")), "")
    about = {key: value for key, _, value in (one.partition(": ") for one in rest) if value}
    known = of_details(about)
    return Row(
        id=f"entity:{name}",
        text=text,
        kind=words(entity.get("entityType")),
        tags=listed(about.get("tags")),
        files=tuple(known.get("files", ())),
        created=when(known.get("recorded_at")),
        valid_from=when(known.get("valid_from")),
        valid_until=when(known.get("valid_until")),
        links=tuple(links.get(name, ())),
    )


def _links(relations: list[Mapping[str, Any]]) -> dict[str, list[Link]]:
    """What relations say of each entity, by its name."""
    found: dict[str, list[Link]] = {}
    for one in relations:
        word = words(one.get("relationType"))
        type_ = _RELATIONS.get(word.lower().replace(" ", "_"), RelationType.RELATED)
        link = Link(f"entity:{words(one.get('to'))}", type_, word)
        found.setdefault(words(one["from"]), []).append(link)
    return found


def _is_ours(seen: Seen) -> bool:
    first = seen.first
    if not isinstance(first, dict):
        return False
    entity = first.get("type") == "entity" and {"name", "entityType", "observations"} <= first.keys()
    return entity or (first.get("type") == "relation" and {"from", "to", "relationType"} <= first.keys())


def _places(where: Where) -> Iterator[Path]:
    yield from where.named("MEMORY_FILE_PATH")
    inside = "node_modules/@modelcontextprotocol/server-memory/dist"
    # `npx` keeps each version in a folder of its own, named by a hash.
    for folder in (where.home / ".npm" / "_npx").glob(f"*/{inside}"):
        yield folder / "memory.jsonl"
    for top in (where.project, where.home, where.home / ".npm-global" / "lib"):
        yield top / inside / "memory.jsonl"


SOURCES = (
    Source(
        name="server-memory",
        title="the MCP reference memory server",
        recognise=_is_ours,
        read=_read,
        kinds=_KINDS,
        discover=_places,
    ),
)
