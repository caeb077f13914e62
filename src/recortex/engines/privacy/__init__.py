"""Privacy: replaces personal data and secrets in every text before it is stored and before it is output.

`redact` for a text, `redact_json` for typed contents, `output_redacted` for what is output: memories,
exchanges and chunks, whose rules may be newer than what is stored. The rules are in `rules/*.toml` with their
examples (`rules/README.md`), and are read from the generated `rules.json`. One pass over a text finds the
literals of all rules, and each rule is run only around its own.

Why not detect-secrets 1.5: it depends on requests and PyYAML, takes 136 ms of CPU to load (this package 4,
its table 10), works by line, and with its default plug-ins flagged 95 % of the harmless look-alikes of the
development set (these rules 6 %, with the same recall of 99 %). Why not google-re2: it has neither
look-behind nor possessive groups, and bounded repetition anchored at keywords already keeps `re` linear
(`bench/privacy.py` measures hostile text).
"""

from __future__ import annotations

from datetime import datetime
from functools import cache, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from recortex.codec import content_from_json, convert
from recortex.domain.kinds import Kind
from recortex.domain.memory import ConstraintLink, FileLink, FunctionLink, PatternLink, Source
from recortex.domain.vocabulary import Domain, Origin, Scope, Status
from recortex.engines.privacy.redaction import redact, redact_json, without_secrets
from recortex.engines.privacy.table import Redaction, RedactionFinding
from recortex.lean import NamedTuple, Value, field, msgspec, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recortex.domain.exchange import Exchange, ExchangeHit, SessionSummary
    from recortex.domain.memory import Memory
    from recortex.domain.search import Chunk, ChunkHit

__all__ = ["Redaction", "RedactionFinding", "redact", "redact_json"]


# -- redacts what a memory has besides its text: tags, links, source, metadata


REMEMBERED = 4_096
"""Texts whose check is cached, about a megabyte: the same memories are shown, and the same labels written,
often."""
_LINKS = ("files", "functions", "patterns", "constraints")
_LABELS = ("tags", *_LINKS, "source", "metadata")
_RULE = ("name",)
_NO_SOURCE = Source()


class Labels(NamedTuple):
    """The fields to replace (none where nothing was secret), and the rules that matched in them."""

    changes: dict[str, Any]
    redacted: tuple[str, ...]


@lru_cache(REMEMBERED)
def is_clean(text: str) -> bool:
    """Whether there is nothing secret in a text."""
    return not redact(text).findings


def clean(of: Memory | Draft) -> Labels:
    """The labels of a memory or draft without secrets.

    There is nearly never a secret, so all short texts are first checked as one. Metadata is always checked by
    its structure, since its keys may say that a value is secret.
    """
    names = _names(of)
    if names:
        # Looked at again with the new names: other labels may hold secrets as well.
        later = clean(replace(of, **names))
        return Labels(names | later.changes, (*_RULE, *later.redacted))
    if not of.metadata and is_clean("\n".join(label_texts(of))):
        return Labels({}, ())
    plain = msgspec.to_builtins({name: getattr(of, name) for name in _LABELS})
    found_labels, found = redact_json(plain)
    if not found:
        return Labels({}, ())
    changes: dict[str, Any] = {
        name: tuple(
            convert(item, type(link))
            for item, link in zip(found_labels[name], getattr(of, name), strict=True)
        )
        for name in _LINKS
    }
    changes |= {"tags": tuple(found_labels["tags"]), "metadata": found_labels["metadata"]}
    changes["source"] = convert(found_labels["source"], Source)
    return Labels(changes, tuple(finding.rule for finding in found))


def _names(of: Memory | Draft) -> dict[str, Any]:
    """The changes of names by which memories are looked up: each secret becomes a distinct pseudonym."""
    source = of.source
    if source is not _NO_SOURCE:
        source = replace(
            source, session=without_secrets(source.session), turn_id=without_secrets(source.turn_id),
            path=without_secrets(source.path), branch=without_secrets(source.branch),
        )  # fmt: skip
    found = {
        "files": tuple(replace(link, path=without_secrets(link.path)) for link in of.files),
        "functions": tuple(replace(link, file=without_secrets(link.file)) for link in of.functions),
        "source": source,
    }
    return {name: value for name, value in found.items() if value != getattr(of, name)}


def label_texts(of: Memory | Draft) -> Iterator[str]:
    """The texts of all labels except the metadata."""
    yield from of.tags
    for name in _LINKS:
        for link in getattr(of, name):
            yield from _texts(link)
    if of.source is not _NO_SOURCE:
        yield from _texts(of.source)


def _texts(value: Any) -> Iterator[str]:
    return (text for text in _fields_of(value.__class__)(value) if isinstance(text, str) and text)


@cache
def _fields_of(cls: Any) -> Callable[[Any], tuple[Any, ...]]:
    """Reads all fields of a class's instance."""
    return attrgetter(*cls.__struct_fields__)


# -- redacts what is output, memories, exchanges and chunks: rules may be newer than what is stored


Record = TypeVar("Record", "Exchange", "ExchangeHit", "SessionSummary", "Chunk", "ChunkHit")


def all_output_redacted(memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Each memory without secrets."""
    return tuple(map(output_redacted, memories))


def output_redacted(memory: Memory) -> Memory:
    """The memory itself where nothing in it is secret, else a redacted copy."""
    labels_text = "\n".join(label_texts(memory))
    if not memory.metadata and is_clean(memory.text) and is_clean(memory.summary) and is_clean(labels_text):
        return memory
    text = redact(memory.text)
    summary = text if memory.summary == memory.text else redact(memory.summary)
    labels = clean(memory)
    if not (text.findings or summary.findings or labels.changes):
        return memory
    content, _ = redact_json(msgspec.to_builtins(memory.content))
    return replace(
        memory,
        text=text.text,
        summary=summary.text,
        content=content_from_json(memory.kind, content),
        **labels.changes,
    )


_SAID = (
    "asked",
    "message",
    "outcome",
    "opening",
    "conclusion",
    "concluded",
    "files",
    "failed",
    "passed",
    "branch",
    "folder",
    "headings",
    "text",
)
"""What is told of an exchange or a chunk in words: a text each, or several."""


def record_redacted(record: Record) -> Record:
    """What was said or written: itself where nothing in it is secret, else a redacted copy."""
    told = {name: getattr(record, name) for name in record.__struct_fields__ if name in _SAID}
    if is_clean("\n".join(map(_joined, told.values()))):
        return record
    return replace(record, **{name: _redacted(value) for name, value in told.items()})


def _joined(value: Any) -> str:
    return value if isinstance(value, str) else "\n".join(value)


def _redacted(value: Any) -> Any:
    """A text, or each of several, without secrets."""
    return redact(value).text if isinstance(value, str) else tuple(map(_redacted, value))


# -- what a caller wants to be remembered, before it is cleaned and completed


class Draft(Value, frozen=True, kw_only=True):
    """A memory to be made. Either `text` or `content` is needed; the rest is optional.

    Attributes:
        content: the kind's typed fields, as plain values.
        status: None means that the origin decides: untrusted text is quarantined, the rest is active.
        recorded_at: only for imports; None means now.
        supersedes: the id of the memory that this one replaces.
    """

    kind: Kind
    text: str = ""
    content: dict[str, Any] = field(default_factory=dict)
    summary: str = ""
    priority: int = 5
    confidence: float = 1.0
    pinned: bool = False
    tags: tuple[str, ...] = ()
    domain: Domain = Domain.GENERAL
    files: tuple[FileLink, ...] = ()
    functions: tuple[FunctionLink, ...] = ()
    patterns: tuple[PatternLink, ...] = ()
    constraints: tuple[ConstraintLink, ...] = ()
    source: Source = field(default_factory=Source)
    origin: Origin = Origin.USER
    status: Status | None = None
    scope: Scope = Scope.PROJECT
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    recorded_at: datetime | None = None
    supersedes: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
