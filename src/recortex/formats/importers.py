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
from recortex.domain.memory import Memory
from recortex.domain.relation import Relation, Version
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
