"""Importers and exports: readers and writers of files that hold memories."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from recortex import plugins
from recortex.codec import convert, dumps, loads, memory_from_json, memory_to_json, plain, storable
from recortex.domain.exchange import Exchange
from recortex.domain.kinds import KINDS
from recortex.domain.memory import Memory, Relation, Version, shown
from recortex.domain.text import END, START, clean, shorten, wrap
from recortex.domain.vocabulary import Actor
from recortex.errors import FormatError, InvalidInputError, RecortexError
from recortex.filesystem import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path


# -- writes memories as a Markdown document, and reads notes from one


MAX_BYTES = 8 * 1024 * 1024
_HEADING = re.compile(r"#{1,6}\s+(.*)")
_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+(.*)")
_FENCE = re.compile(r"(?:```|~~~)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Note:
    """An item or paragraph, under its heading."""

    text: str
    heading: str = ""


def write_markdown(memories: Iterable[Memory]) -> Iterator[str]:
    """The lines of a document: a heading for each category, an item for each memory."""
    by_category: dict[str, list[Memory]] = defaultdict(list)
    for memory in memories:
        by_category[KINDS[memory.kind].category or "code"].append(memory)
    yield "# Memories\n"
    for category in sorted(by_category):
        yield f"\n## {category.replace('_', ' ').capitalize()}\n\n"
        yield from map(_item, by_category[category])


def _item(memory: Memory) -> str:
    about = [f"`{file.path}`" for file in memory.files] + [f"#{tag}" for tag in memory.tags]
    lines = memory.text.splitlines() or [""]
    text = "\n  ".join(lines)
    facts = (
        f"{memory.kind}, {memory.importance.value}, {memory.recorded_at:%Y-%m-%d}, "
        f"{memory.status.value}, {memory.id}"
    )
    return f"- {text}{' (' + ' '.join(about) + ')' if about else ''}\n  <!-- {facts} -->\n"


def read_markdown(path: Path) -> list[Note]:
    """The items and paragraphs of a document; headings, code blocks, tables and comments are left out.

    Raises:
        FormatError: the file cannot be read or is too large.
    """
    try:
        with open_regular(path) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error}.", hint="Check the path.") from error
    if len(data) > MAX_BYTES:
        raise FormatError(f"{path} is larger than {MAX_BYTES} bytes.", hint="Split it.")
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    return [note for note in _markdown_notes(_COMMENT.sub("", text)) if note.text]


def _markdown_notes(text: str) -> Iterator[Note]:
    heading, parts, fenced = "", list[str](), False
    for line in text.splitlines():
        bare = line.strip()
        if _FENCE.match(bare):
            fenced = not fenced
        item, title = _ITEM.match(bare), _HEADING.match(bare)
        if fenced or _FENCE.match(bare) or bare.startswith("|"):
            continue
        if item or title or not bare:
            yield Note(" ".join(parts), heading)
            parts = [item[1]] if item else []
        else:
            parts.append(bare)
        heading = title[1] if title else heading
    yield Note(" ".join(parts), heading)


# -- importers: readers of files that hold memories, each under the name that `recortex import` takes


Importer: TypeAlias = "Callable[[Path], Iterable[Mapping[str, Any]]]"
"""Gives the memories of a file, each as the arguments of `remember`."""


def _notes(path: Path) -> Iterable[Mapping[str, Any]]:
    return (
        {"text": note.text, "tags": [note.heading] if note.heading else []} for note in read_markdown(path)
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


# -- the lossless export: one JSON object per line


FORMAT = "recortex-jsonl"
VERSION = 1
_SIGNATURE = "signature"
_SIGNED = b'{"type":"signature"'


@dataclass(frozen=True, slots=True)
class Records:
    """What an export holds.

    Attributes:
        own: this installation signed it, and nothing was changed since.
    """

    memories: tuple[tuple[Memory, tuple[Version, ...]], ...]
    relations: tuple[Relation, ...]
    own: bool = False
    exchanges: tuple[Exchange, ...] = ()


class Signer(Protocol):
    """Signs what it is given in parts."""

    def update(self, part: bytes, /) -> None:
        """Take the next part."""

    def hexdigest(self) -> str:
        """The signature of all parts."""


def write_jsonlines(
    memories: Iterable[tuple[Memory, Sequence[Version]]],
    relations: Iterable[Relation],
    exchanges: Iterable[Exchange] = (),
) -> Iterator[str]:
    """The lines of an export."""
    yield _line({"type": "header", "format": FORMAT, "version": VERSION})
    for memory, versions in memories:
        former = [
            {**plain(version), "memory": memory_to_json(version.memory)}
            for version in versions
            if version.recorded_to is not None
        ]
        yield _line({"type": "memory", "memory": memory_to_json(memory), "versions": former})
    for relation in relations:
        yield _line({"type": "relation", "relation": plain(relation)})
    for exchange in exchanges:
        yield _line({"type": "exchange", "exchange": plain(exchange)})


def signed(lines: Iterable[str], signer: Signer) -> Iterator[str]:
    """The lines of an export, followed by a line with this installation's signature."""
    for line in lines:
        signer.update(line.encode())
        yield line
    yield _line({"type": _SIGNATURE, "hmac": signer.hexdigest()})


def read_jsonlines(
    path: Path, verify: Callable[[Iterable[bytes], str], bool] = lambda *_: False
) -> tuple[Records, tuple[str, ...]]:
    """Read a file: its records, and a sentence for each line that could not be used.

    Args:
        path: the file.
        verify: whether a signature is this installation's, of these lines.

    Raises:
        FormatError: the file cannot be read, or holds no such export.
    """
    memories: list[tuple[Memory, tuple[Version, ...]]] = []
    relations: list[Relation] = []
    exchanges: list[Exchange] = []
    problems: list[str] = []
    signature, before = "", 0
    for number, line in _lines(path):
        signature, before = _signature(line), number - 1
        try:
            _take(loads(line), memories, relations, exchanges)
        except InvalidInputError as error:
            problems.append(f"line {number}: {error}")
    if problems and not (memories or exchanges):
        raise FormatError(
            f"{path} is no export of Recortex: {problems[0]}", hint="`recortex export FILE` writes one."
        )
    own = bool(signature) and verify((line for number, line in _lines(path) if number <= before), signature)
    return Records(tuple(memories), tuple(relations), own, tuple(exchanges)), tuple(problems)


def _signature(line: bytes) -> str:
    """The signature in a line, or an empty text. Only that of the last line counts."""
    if not line.startswith(_SIGNED):
        return ""
    try:
        found = loads(line)
    except InvalidInputError:
        return ""
    value = found.get("hmac") if isinstance(found, dict) else None
    return value if isinstance(value, str) else ""


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with open_regular(path) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error}.", hint="Check the path.") from error


def _take(
    record: Any,
    memories: list[tuple[Memory, tuple[Version, ...]]],
    relations: list[Relation],
    exchanges: list[Exchange],
) -> None:
    kind = record.get("type") if isinstance(record, dict) else None
    if kind == "memory":
        former = tuple(_former(one) for one in record.get("versions") or ())
        memories.append((memory_from_json(record.get("memory")), former))
    elif kind == "relation":
        relations.append(convert(record.get("relation"), Relation))
    elif kind == "exchange":
        exchanges.append(convert(storable(record.get("exchange")), Exchange))
    elif kind not in {"header", _SIGNATURE}:
        raise InvalidInputError("it is neither a memory nor a relation nor an exchange")


def _former(data: Any) -> Version:
    if not isinstance(data, dict):
        raise InvalidInputError("a version must be an object")
    memory = memory_from_json(data.get("memory"))
    rest = convert({**data, "memory": None}, _Former)
    fields = {name: getattr(rest, name) for name in _Former.__dataclass_fields__}
    return Version(memory=memory, recorded_from=memory.updated_at, **fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Former:
    version: int
    recorded_to: datetime
    changed_by: Actor
    reason: str = ""


def _line(record: dict[str, Any]) -> str:
    return dumps(record).decode() + "\n"


# -- memories as other tools keep them: a section of an instruction file, notes, and a graph of entities
#
# Each of them marks what is ours, so that the next export replaces that alone and a reader of such files
# knows it again. What comes out depends on the memories alone: with nothing new, no byte changes.


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
        lines += [_section_line(memory) for memory in grouped[category]]
    if len(first) > MOST_LINES:
        lines += ["", f"{len(first) - MOST_LINES:,} more: `recortex recall` finds them."]
    return wrap("\n".join(lines))


def _category(memory: Memory) -> str:
    return KINDS[memory.kind].category or "code"


def _section_line(memory: Memory) -> str:
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
