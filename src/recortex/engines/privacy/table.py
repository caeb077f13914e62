"""The table of all rules, compiled late: a row's expression is built when its keyword first occurs in a text."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from recortex.engines.privacy.patterns.ai import AI
from recortex.engines.privacy.patterns.cloud import CLOUD
from recortex.engines.privacy.patterns.code_hosts import CODE_HOSTS
from recortex.engines.privacy.patterns.connections import CONNECTIONS
from recortex.engines.privacy.patterns.credentials import CREDENTIALS
from recortex.engines.privacy.patterns.messaging import MESSAGING
from recortex.engines.privacy.patterns.national_ids import NATIONAL_IDS
from recortex.engines.privacy.patterns.payments import PAYMENTS
from recortex.engines.privacy.patterns.personal import PERSONAL
from recortex.engines.privacy.patterns.services import SERVICES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.engines.privacy.rule import Rule

RULES: tuple[Rule, ...] = (
    *CONNECTIONS,
    *CLOUD,
    *CODE_HOSTS,
    *AI,
    *PAYMENTS,
    *MESSAGING,
    *SERVICES,
    *CREDENTIALS,
    *PERSONAL,
    *NATIONAL_IDS,
)
"""Every row, the more specific first: of two rows that match the same place with the same confidence the first names it."""


class Table:
    """A set of rules with their compiled expressions and the literals that decide which of them a text needs."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.broken: dict[str, str] = {}
        self._compiled: dict[str, re.Pattern[str] | None] = {}
        self._by_keyword: dict[str, tuple[int, ...]] = {}
        for place, rule in enumerate(self.rules):
            for keyword in rule.keywords:
                self._by_keyword[keyword] = (*self._by_keyword.get(keyword, ()), place)
        self._always = tuple(place for place, rule in enumerate(self.rules) if not rule.keywords)

    def needed(self, folded: str) -> list[Rule]:
        """The rules that may match a lower-cased text, in the order of the table."""
        places = set(self._always)
        for keyword, rows in self._by_keyword.items():
            if keyword in folded:
                places.update(rows)
        return [self.rules[place] for place in sorted(places)]

    def compiled(self, rule: Rule) -> re.Pattern[str] | None:
        """The rule's expression, or None when it cannot be compiled: then it is skipped and named in `broken`."""
        if rule.name not in self._compiled:
            try:
                self._compiled[rule.name] = re.compile(rule.pattern)
            except (re.error, OverflowError, RecursionError) as error:
                self._compiled[rule.name] = None
                self.broken[rule.name] = str(error)
        return self._compiled[rule.name]


@cache
def default_table() -> Table:
    """The built-in rules."""
    return Table(RULES)
