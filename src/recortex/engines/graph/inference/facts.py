"""What the strategies compare of two memories."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.expressions import lazy
from recortex.engines.words import bag_of_words

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from recortex.domain.memory import Memory

COMMON, COMMON_COUNT = 0.05, 3
_QUOTES = "(the agent had "
"""How a correction quotes what it corrects."""
_NAME = lazy(
    r"`([^`\s]{2,80})`|(?<![\w/\\])((?:[\w.@-]{0,80}[/\\]){1,20}[\w.-]{1,80}"
    r"|\w{1,80}\.(?:py|ts|tsx|js|go|rs|java|md|json|ya?ml|toml|sh|css|html|sql)"
    r"|[A-Za-z]\w{0,80}_\w+|[a-z]{1,80}[A-Z]\w*|[A-Z][a-z]{1,80}[A-Z]\w*|[A-Z]{2,80}\d*)(?!\w)"
)
"""What stands as code, paths, names in snake and camel case, abbreviations."""


class Facts(NamedTuple):
    """A memory with its words and the names that it mentions or is linked to, in small letters.

    Attributes:
        text: what was said, without what a correction quotes of the agent.
        quoted: the words of that.
    """

    memory: Memory
    text: str
    words: frozenset[str]
    names: frozenset[str]
    quoted: frozenset[str]

    @property
    def at(self) -> tuple[datetime, int]:
        """When it was said."""
        return self.memory.valid_from, self.memory.source.turn or 0


class Pair(NamedTuple):
    """A memory, one that was said later, and the cosine of their vectors where both have one."""

    cause: Facts
    effect: Facts
    cosine: float | None = None

    @property
    def turns(self) -> int | None:
        """How many turns later the second was said; None where they are of two sessions."""
        first, then = self.cause.memory.source, self.effect.memory.source
        if not first.session or first.session != then.session or first.turn is None or then.turn is None:
            return None
        return then.turn - first.turn

    @property
    def shared(self) -> frozenset[str]:
        """The names in both."""
        return self.cause.names & self.effect.names

    @property
    def shared_words(self) -> frozenset[str]:
        """The words in both."""
        return self.cause.words & self.effect.words


def all_facts(memories: Sequence[Memory], common: Collection[str] = ()) -> list[Facts]:
    """What is compared of some memories, in the order in which they were said.

    Args:
        memories: of one project.
        common: names that tell nothing, since much of the project is about them (`common_names`).
    """
    found = [_facts(one, frozenset(common)) for one in memories]
    return sorted(found, key=lambda one: (one.at, one.memory.id))


def _facts(memory: Memory, common: frozenset[str]) -> Facts:
    text, _, quoted = memory.text.partition(_QUOTES)
    return Facts(
        memory, text, bag_of_words(text) - common, names_of(memory) - common, bag_of_words(quoted) - common
    )


def common_names(memories: Sequence[Memory]) -> frozenset[str]:
    """The names that more than a twentieth of a project's memories mention, and more than three."""
    counts = Counter(name for one in memories for name in names_of(one))
    return frozenset(
        name for name, count in counts.items() if count > max(COMMON_COUNT, len(memories) * COMMON)
    )


def names_of(memory: Memory) -> frozenset[str]:
    """The names that a memory mentions or is linked to, in small letters; files without their folders."""
    text = memory.text.partition(_QUOTES)[0]
    said = (found[1] or found[2] for found in _NAME.finditer(text))
    linked = (one.path for one in memory.files)
    functions = (one.name for one in memory.functions)
    named = (re.split(r"[/\\]", name.lower().strip(".()@"))[-1] for name in (*said, *linked, *functions))
    return frozenset(name for name in named if len(name) > 1)
