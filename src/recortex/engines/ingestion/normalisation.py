"""Makes a memory of a draft: replaces secrets, types the content, adds summary, hash and token count."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.codec import content_from_json, dumps, loads, without_nul
from recortex.domain.kinds import KINDS, Content, Kind
from recortex.domain.memory import Memory, check
from recortex.domain.time import as_utc, parse_instant
from recortex.domain.vocabulary import TRUST_OF_ORIGIN, Status, Trust
from recortex.engines.ingestion.labels import clean as clean_labels
from recortex.engines.privacy import redact, redact_json
from recortex.engines.similarity.jaccard import content_hash
from recortex.errors import InvalidInputError
from recortex.lean import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from recortex.domain.memory import ConstraintLink, PatternLink
    from recortex.engines.ingestion.draft import Draft

MAX_TEXT = 100_000
"""The most characters of a memory: more is a document, not something learned."""
MAX_LABELS = 64
"""The most tags, or links of one type, of a memory."""
MAX_LABEL = 2_000
"""The most bytes of a tag, path or name: no file has a longer one, and PostgreSQL's indexes take little
more."""


class Normalised(NamedTuple):
    """A memory, the names of the privacy rules that matched in it, and of those that could not be run."""

    memory: Memory
    redacted: tuple[str, ...]
    skipped: tuple[str, ...] = ()


def normalise(draft: Draft, *, id_: str, now: datetime, count: Callable[[str], int]) -> Normalised:
    """The memory that a draft asks for.

    Args:
        draft: what is to be remembered.
        id_: the new memory's id.
        now: when it is recorded, unless the draft has a time.
        count: counts the tokens of a text.

    Raises:
        InvalidInputError: the draft is empty, or a value does not fit.
    """
    _check_draft(draft)
    clean, found, skipped = _redacted(without_nul(draft))
    content = _content(clean)
    text = content.text()
    recorded = as_utc(clean.recorded_at or now)
    ends = None if clean.valid_until else expiry(content)
    # An approved exception may have ended before it was recorded: then its validity is that one moment.
    since = as_utc(clean.valid_from) if clean.valid_from else min(recorded, ends or recorded)
    memory = Memory(
        id=id_,
        kind=clean.kind,
        text=text,
        summary=clean.summary or content.summary(),
        content=content,
        recorded_at=recorded,
        updated_at=recorded,
        valid_from=since,
        valid_until=as_utc(clean.valid_until) if clean.valid_until else ends,
        status=clean.status
        or (Status.QUARANTINED if TRUST_OF_ORIGIN[clean.origin] is Trust.UNTRUSTED else Status.ACTIVE),
        trust=TRUST_OF_ORIGIN[clean.origin],
        content_hash=content_hash(clean.kind, text),
        tokens=count(text),
        **{name: getattr(clean, name) for name in _AS_DRAFTED},
    )
    return Normalised(_bounded(check(memory)), found, skipped)


def expiry(content: Content) -> datetime | None:
    """When a content says that it stops being valid, as an approved exception does; None if it does not.

    Raises:
        InvalidInputError: its `expires_at` is no date.
    """
    expires = getattr(content, "expires_at", "")
    return parse_instant(expires) if expires and not getattr(content, "permanent", False) else None


_AS_DRAFTED = (
    "scope", "confidence", "priority", "pinned", "tags", "domain", "files",
    "functions", "patterns", "constraints", "source", "origin", "supersedes", "metadata",
)  # fmt: skip


def normalise_again(memory: Memory, *, count: Callable[[str], int]) -> Normalised:
    """The same memory without secrets, with everything recomputed that follows from its content."""
    memory = without_nul(memory)
    clean, found = redact_json(msgspec.to_builtins(memory.content))
    content = content_from_json(memory.kind, clean)
    text = content.text()
    labels = clean_labels(memory)
    changed = replace(
        memory,
        content=content,
        text=text,
        summary=content.summary()
        if memory.summary in ("", memory.content.summary())
        else redact(memory.summary).text,
        content_hash=content_hash(memory.kind, text),
        tokens=count(text),
        **labels.changes,
    )
    changed = replace(changed, **_tidied(changed))
    return Normalised(_bounded(check(changed)), (*(finding.rule for finding in found), *labels.redacted))


def _check_draft(draft: Draft) -> None:
    if not draft.text.strip() and not draft.content:
        raise InvalidInputError(
            "There is nothing to remember: the text is empty.", hint="Give a text or a content."
        )
    _check_length(draft.text)
    _check_length(draft.summary)
    for value in draft.content.values():
        _check_length(value if isinstance(value, str) else "")


def _bounded(memory: Memory) -> Memory:
    """The memory itself.

    Raises:
        InvalidInputError: it is larger than a memory may be.
    """
    _check_length(memory.text)
    _check_length(memory.summary)
    labels = (memory.tags, memory.files, memory.functions, memory.patterns, memory.constraints)
    if max(map(len, labels)) > MAX_LABELS:
        raise InvalidInputError(f"A memory has at most {MAX_LABELS} tags or links of a kind.")
    long = next((name for name in _names(memory) if len(name.encode("utf-8", "replace")) > MAX_LABEL), None)
    if long is not None:
        raise InvalidInputError(
            f"{long[:40]!r}… is too long: a tag, a path or a name has at most {MAX_LABEL:,} bytes.",
            hint="Give a shorter one; long text belongs in the memory's text.",
        )
    if memory.metadata and len(dumps(memory.metadata)) > MAX_TEXT:
        raise InvalidInputError(
            f"The metadata is larger than {MAX_TEXT:,} bytes.", hint="Keep a reference to it."
        )
    return memory


def _names(memory: Memory) -> Iterator[str]:
    """The values by which memories are looked up exactly."""
    yield from memory.tags
    yield from (link.path for link in memory.files)
    yield from (link.name for link in memory.functions)
    yield from (link.id for link in memory.patterns)
    yield from (link.id for link in memory.constraints)
    yield from (memory.source.session, memory.source.speaker)


def _check_length(text: str) -> None:
    if len(text) > MAX_TEXT:
        raise InvalidInputError(
            f"The text has {len(text):,} characters; a memory has at most {MAX_TEXT:,}.",
            hint="Remember its conclusions, or import it as a document.",
        )


def _redacted(draft: Draft) -> tuple[Draft, tuple[str, ...], tuple[str, ...]]:
    path = draft.files[0].path if draft.files else None
    # A text as every store and output can hold it: without lone surrogates and NUL.
    text = redact(draft.text.encode("utf-8", "replace").decode("utf-8").replace("\0", ""), path=path)
    content, in_content = redact_json(draft.content, path=path) if draft.content else ({}, ())
    if draft.metadata:
        draft = replace(draft, metadata=loads(dumps(draft.metadata)))  # as every output will show it
    labels = clean_labels(draft)
    summary = redact(draft.summary).text if draft.summary else ""
    clean = replace(draft, text=text.text.strip(), content=content, summary=summary, **labels.changes)
    clean = replace(clean, **_tidied(clean))
    found = (*(finding.rule for finding in (*text.findings, *in_content)), *labels.redacted)
    return clean, found, text.skipped


def _tidied(of: Memory | Draft) -> dict[str, Any]:
    """Tags trimmed, none empty, each once; patterns and constraints in the order of their ids, each once."""
    return {
        "tags": tuple(dict.fromkeys(tag.strip() for tag in of.tags if tag.strip())),
        "patterns": tuple(sorted({link.id: link for link in of.patterns}.values(), key=_id)),
        "constraints": tuple(sorted({link.id: link for link in of.constraints}.values(), key=_id)),
    }


def _id(link: PatternLink | ConstraintLink) -> bytes:
    return link.id.encode("utf-8", "replace")


def _content(draft: Draft) -> Content:
    kind = KINDS[draft.kind]
    if not draft.content:
        return _not_empty(kind.from_text(draft.text), draft.kind)
    fields_ = dict(draft.content)
    if draft.text:
        fields_.setdefault(kind.main, draft.text)
    return _not_empty(content_from_json(draft.kind, fields_), draft.kind)


def _not_empty(content: Content, kind: Kind) -> Content:
    if not content.text().strip():
        names = ", ".join(field.name for field in fields(content))
        raise InvalidInputError(f"The {kind} is empty.", hint=f"Give a text, or one of its fields: {names}.")
    return content
