"""What stays the same of a convention from run to run, while its numbers change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from blake3 import blake3

if TYPE_CHECKING:
    from recortex.domain.code_patterns import Convention

LONGEST = 120
"""Characters of an id."""
_CUT = 8
"""Digits of the hash that ends an id which was cut."""


def pattern_id(language: str, population: str, trait: str, value: str) -> str:
    """The id of one value of a convention: `python.fastapi-handlers-in-src-api.return.Result`."""
    slug = re.sub(r"[^a-z0-9]+", "-", population.lower()).strip("-")
    found = ".".join((language, slug, trait, "".join(value.split())))
    if len(found) <= LONGEST:
        return found
    return f"{found[: LONGEST - _CUT - 1]}-{blake3(found.encode()).hexdigest()[:_CUT]}"


def ids_of(one: Convention) -> tuple[str, ...]:
    """The ids that a memory may know a convention by: several values are told in one sentence at times."""
    each = (pattern_id(one.language, one.population, one.trait, value) for value in one.values)
    return tuple(dict.fromkeys((one.id, *each)))
