"""The table of all rules, read and compiled late: a row's expression is built when its keyword first occurs in a text."""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.engines.privacy.rule import Rule

GATES = {
    "digits": r"\d(?:[ .\-()/]{0,2}\d){6}",
    "dotted": r"\d\.\d{1,3}\.\d",
    "paired": r"[0-9a-f]{2}:[0-9a-f]{0,4}:",
    "long": r"[a-z0-9_\-+/]{20}",
    "mixed": r"[a-z]\d|\d[a-z]|\d{15}|[^\s\"'`(){}<>,;\[\]]{24}",
}
"""Cheap expressions over the lower-cased text, shared by rows whose keywords are too common to decide anything."""


class Step(NamedTuple):
    """A rule that may match a text, and which of its keywords are there."""

    rule: Rule
    keywords: tuple[str, ...]


class Table:
    """A set of rules with their compiled expressions and the literals that decide which of them a text needs."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.broken: dict[str, str] = {}
        self._compiled: dict[str, re.Pattern[str] | None] = {}
        self._keywords: dict[str, list[int]] = {}
        for place, rule in enumerate(self.rules):
            for keyword in rule.keywords:
                self._keywords.setdefault(keyword, []).append(place)
        self._by_pair: dict[int, list[str]] = {}
        self._alone = [keyword for keyword in self._keywords if len(keyword.encode()) < 2]  # noqa: PLR2004  no pair
        for keyword in self._keywords.keys() - set(self._alone):
            self._by_pair.setdefault(_rarest_pair(keyword), []).append(keyword)
        self._always = tuple(place for place, rule in enumerate(self.rules) if not rule.keywords)

    def steps(self, folded: str) -> list[Step]:
        """The rules that may match a lower-cased text, in the order of the table, with the keywords found."""
        present: dict[int, tuple[str, ...]] = dict.fromkeys(self._always, ())
        for keyword in self._present(folded):
            for place in self._keywords[keyword]:
                present[place] = (*present.get(place, ()), keyword)
        open_gates = {"": True}
        steps = []
        for place in sorted(present):
            rule = self.rules[place]
            if rule.gate not in open_gates:
                open_gates[rule.gate] = re.search(GATES[rule.gate], folded) is not None
            if open_gates[rule.gate]:
                steps.append(Step(rule, present[place]))
        return steps

    def _present(self, folded: str) -> list[str]:
        likely = [*self._alone]
        for pair in self._by_pair.keys() & _pairs(folded):
            likely += self._by_pair[pair]
        return [keyword for keyword in likely if keyword in folded]

    def compiled(self, rule: Rule) -> re.Pattern[str] | None:
        """The rule's expression, or None when it cannot be compiled: then it is skipped and named in `broken`."""
        if rule.name not in self._compiled:
            try:
                self._compiled[rule.name] = re.compile(rule.pattern)
            except (re.error, OverflowError, RecursionError) as error:
                self._compiled[rule.name] = None
                self.broken[rule.name] = str(error)
        return self._compiled[rule.name]


def _pairs(text: str) -> set[int]:
    """Every two neighbouring bytes of a text as a number: ten times cheaper than looking for each keyword."""
    view = memoryview(text.encode("utf-8", "surrogatepass"))
    size = len(view)
    return (
        set(view[: size & ~1].cast("H")).union(view[1 : 1 + (size - 1 & ~1)].cast("H")) if size > 1 else set()
    )


def _rarest_pair(keyword: str) -> int:
    """The pair of a keyword that ordinary text holds least: one with a sign or a digit, or the last."""
    data = keyword.encode()
    best = max(range(len(data) - 1), key=lambda at: (_rarity(data[at]) + _rarity(data[at + 1]), at))
    return int.from_bytes(data[best : best + 2], sys.byteorder)


def _rarity(byte: int) -> int:
    character = chr(byte)
    return 0 if character in "etaoinsrhl /" else 1 if character.isalpha() else 2 if character in "-._:" else 3


def built_in_rules() -> tuple[Rule, ...]:
    """Every row, the more specific first: of two rows that match a place with equal confidence the first names it."""
    from recortex.engines.privacy.patterns import (
        ai,
        cloud,
        code_hosts,
        connections,
        credentials,
        messaging,
        national_ids,
        payments,
        personal,
        services,
    )

    return (
        *connections.CONNECTIONS,
        *cloud.CLOUD,
        *code_hosts.CODE_HOSTS,
        *ai.AI,
        *payments.PAYMENTS,
        *messaging.MESSAGING,
        *services.SERVICES,
        *credentials.CREDENTIALS,
        *personal.PERSONAL,
        *national_ids.NATIONAL_IDS,
    )


@cache
def default_table() -> Table:
    """The built-in rules."""
    return Table(built_in_rules())
