"""Finds what a statement is about: its subject area, files, commands and tags."""

from __future__ import annotations

import re

from recortex.domain.vocabulary import Domain
from recortex.engines.extraction.self_contained import identifiers
from recortex.engines.patterns import Patterns

PATTERNS = Patterns(__file__)

_DOMAINS = (
    (Domain.AUTH, PATTERNS.area_auth),
    (Domain.DB, PATTERNS.area_db),
    (Domain.TEST, PATTERNS.area_test),
    (Domain.UI, PATTERNS.area_ui),
    (Domain.API, PATTERNS.area_api),
    (Domain.DEV, PATTERNS.area_dev),
)
_MAX_TAGS = 6
_MIN_TAG, _MAX_TAG = 3, 40
_MAX_FILES = 8


def domain_of(text: str) -> Domain:
    """The subject area whose words occur most; of equals the first in the table."""
    counts = [(len(words.findall(text)), -rank, area) for rank, (area, words) in enumerate(_DOMAINS)]
    best = max(counts)
    return best[2] if best[0] else Domain.GENERAL


def files_in(text: str) -> tuple[str, ...]:
    """The paths in a text, each once."""
    names = (PATTERNS.place.sub("", name) for name in identifiers(text))
    found = (name for name in names if PATTERNS.file.match(name) and not PATTERNS.not_a_file.search(name))
    return tuple(dict.fromkeys(found))[:_MAX_FILES]


def short_path(path: str, cwd: str) -> str:
    """A path relative to the working directory; outside of it, its last two parts."""
    path, cwd = path.replace("\\", "/"), cwd.replace("\\", "/").rstrip("/")
    if cwd and path.startswith(cwd + "/"):
        return path[len(cwd) + 1 :]
    return "/".join(part for part in path.split("/")[-2:] if part)


def commands_in(text: str) -> tuple[str, ...]:
    """Shell commands between code marks."""
    marked = re.findall(r"`([^`]{3,200})`", text)
    return tuple(dict.fromkeys(code for code in marked if PATTERNS.programs.match(code)))


def tags_of(text: str, domain: Domain) -> tuple[str, ...]:
    """The subject area and the names in a text, in lower case, at most six."""
    names = (re.sub(r"^\W+|\W+$", "", name.split("/")[-1]).lower() for name in identifiers(text))
    short = [name for name in names if _MIN_TAG <= len(name) <= _MAX_TAG and " " not in name]
    own = [domain.value.lower()] if domain is not Domain.GENERAL else []
    return tuple(dict.fromkeys(own + short))[:_MAX_TAGS]
