"""Memories as other tools keep them: a section of an instruction file, notes, and a graph of entities.

Each of them marks what is ours, so that the next export replaces that alone and a reader of such files knows
it again. What comes out depends on the memories alone: with nothing new, no byte changes.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from recortex.codec import dumps, loads
from recortex.domain.injection import END, START, wrap
from recortex.domain.kinds import KINDS
from recortex.domain.kinds.base import shorten
from recortex.domain.memory import shown
from recortex.domain.text import clean
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from recortex.domain.memory import Memory
    from recortex.domain.relation import Relation

MOST_LINES = 120
"""Memories in an instruction file, which a client sends to its model with every session."""
LONGEST_LINE = 400
NOTES = "recortex"
"""The folder of our notes within another tool's."""
OWN = "recortex:"
"""Before the id in the name of an entity of ours."""
_PASSING = frozenset(("progress", "code", "code_description"))
_NOT_OURS = "It begins or ends where it should not: put the two marks back, or delete them both."


# -- a section of CLAUDE.md or AGENTS.md


def section(memories: Iterable[Memory], refresh: str) -> str:
    """The memories that last, by category, as the section of an instruction file.

    Args:
        memories: of this project, active ones.
        refresh: the command that brings the section up to date.
    """
    lasting = [one for one in memories if _category(one) not in _PASSING]
    first = sorted(lasting, key=lambda one: (-one.priority, -one.recorded_at.timestamp(), one.id))
    grouped: dict[str, list[Memory]] = defaultdict(list)
    for memory in sorted(first[:MOST_LINES], key=lambda one: (one.recorded_at, one.id)):
        grouped[_category(memory)].append(memory)
    lines = [f"What was learned in this project. `{refresh}` keeps this section up to date; change it there."]
    for category in sorted(grouped):
        lines += ["", f"## {category.replace('_', ' ').capitalize()}", ""]
        lines += [_line(memory) for memory in grouped[category]]
    if len(first) > MOST_LINES:
        lines += ["", f"{len(first) - MOST_LINES:,} more: `recortex recall` finds them."]
    return wrap("\n".join(lines))


def _category(memory: Memory) -> str:
    return KINDS[memory.kind].category or "code"


def _line(memory: Memory) -> str:
    files = " ".join(f"`{shown(one.path, one.line_start, one.line_end)}`" for one in memory.files)
    text = shorten(clean(" ".join(memory.text.split())), LONGEST_LINE)
    return f"- {text}{f' ({files})' if files else ''}"


def put_section(data: bytes, block: str) -> bytes:
    """The file with the section in place of the former one, or at its end; every other byte as it was.

    Raises:
        InvalidInputError: the marks of the former section are not a pair.
    """
    begin, end = START.encode(), END.encode()
    marks = data.count(begin), data.count(end)
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    inside = block.encode().replace(b"\n", newline)
    if marks == (0, 0):
        between = b"" if not data else newline if data.endswith(b"\n") else newline * 2
        return data + between + inside + newline
    first, last = data.find(begin), data.find(end)
    if marks != (1, 1) or last < first:
        raise InvalidInputError("The section of Recortex in that file is not whole.", hint=_NOT_OURS)
    return data[:first] + inside + data[last + len(end) :]


# -- notes of basic-memory, one a memory


def note(memory: Memory, relations: Iterable[Relation]) -> str:
    """A note with the whole text, its kind as an observation, and its relations as links."""
    title = clean(" ".join(memory.summary.split()))
    front: dict[str, Any] = {
        "title": title,
        "type": memory.kind,
        "permalink": f"{NOTES}/{memory.id}",
        "tags": list(memory.tags),
        "recortex": memory.id,
        **details(memory),
    }
    head = "".join(f"{name}: {dumps(value).decode()}\n" for name, value in front.items() if value)
    # What stands in parentheses at the end of an observation is taken out of it as its context.
    said = f"{title}." if title.endswith(")") else title
    text = f"---\n{head}---\n\n{clean(memory.text)}\n\n## Observations\n\n- [{memory.kind}] {said}\n"
    links = [
        f"- {one.type.value} [[{NOTES}/{one.target_id}]]\n"
        for one in sorted(relations, key=lambda one: (one.type.value, one.target_id))
    ]
    return text + ("\n## Relations\n\n" + "".join(links) if links else "")


_DETAILS = ("files", "domain", "priority", "confidence", "recorded_at", "valid_from", "valid_until")


def details(memory: Memory) -> dict[str, str]:
    """What else is known of a memory, in words, by the names of `remember`."""
    values = {
        "files": ", ".join(shown(one.path, one.line_start, one.line_end) for one in memory.files),
        "domain": memory.domain.value,
        "priority": str(memory.priority),
        "confidence": f"{memory.confidence:g}",
        "recorded_at": memory.recorded_at.isoformat(),
        "valid_from": memory.valid_from.isoformat(),
        "valid_until": memory.valid_until.isoformat() if memory.valid_until else "",
    }
    return {name: value for name, value in values.items() if value}


def of_details(values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `remember` that `details` wrote; what cannot be read as such is left out."""
    found: dict[str, Any] = {name: str(values[name]) for name in _DETAILS if values.get(name)}
    if "files" in found:
        found["files"] = [one.strip() for one in found["files"].split(",") if one.strip()]
    for name, make in (("priority", int), ("confidence", float)):
        try:
            found |= {name: make(found[name])} if name in found else {}
        except ValueError:
            del found[name]
    return found


# -- the graph of entities that the protocol's reference server keeps, one JSON object a line


def put_graph(data: bytes, memories: Sequence[Memory], relations: Iterable[Relation]) -> bytes:
    """The file with our entities, and the relations between them, at its end; other lines as they were.

    Raises:
        InvalidInputError: a line is no JSON.
    """
    lines = [line for line in data.splitlines(keepends=True) if line.strip()]
    records = [loads(line) for line in lines]
    wanted = list(_records(memories, relations))
    # The server writes all lines anew, in its own order, whenever something is added.
    if sorted(map(dumps, filter(is_ours, records))) == sorted(map(dumps, wanted)):
        return data
    kept = [line for line, record in zip(lines, records, strict=True) if not is_ours(record)]
    if kept and not kept[-1].endswith(b"\n"):
        kept[-1] += b"\n"
    whole = b"".join((*kept, *(dumps(record) + b"\n" for record in wanted)))
    return whole.removesuffix(b"\n") if data and not data.endswith(b"\n") else whole


def is_ours(record: Any) -> bool:
    """Whether it is an entity of ours or a relation between two; one to another's entity is the person's."""
    if not isinstance(record, dict):
        return False
    names = [record.get(name) for name in ("name", "from", "to") if name in record]
    return bool(names) and all(isinstance(name, str) and name.startswith(OWN) for name in names)


def _records(memories: Sequence[Memory], relations: Iterable[Relation]) -> Iterator[dict[str, Any]]:
    for memory in sorted(memories, key=lambda one: (one.recorded_at, one.id)):
        about = {"tags": ", ".join(memory.tags), **details(memory)}
        observations = [clean(memory.text), *(f"{name}: {value}" for name, value in about.items() if value)]
        yield {
            "type": "entity",
            "name": f"{OWN}{memory.id}",
            "entityType": memory.kind,
            "observations": observations,
        }
    for one in sorted(relations, key=lambda one: (one.source_id, one.type.value, one.target_id)):
        yield {
            "type": "relation",
            "from": f"{OWN}{one.source_id}",
            "to": f"{OWN}{one.target_id}",
            "relationType": one.type.value,
        }
