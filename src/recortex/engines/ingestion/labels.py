"""Redacts what a memory has besides its text: tags, links, source, metadata."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.codec import convert
from recortex.domain.memory import Source
from recortex.engines.privacy import redact, redact_json
from recortex.engines.privacy.names import without_secrets
from recortex.lean import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recortex.domain.memory import Memory
    from recortex.engines.ingestion.draft import Draft

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
    return attrgetter(*(field.name for field in fields(cls)))
