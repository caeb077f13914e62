"""Derives from a privacy rule's expression where in a text it can match, so that nothing else is searched.

Each match of an expression has one of a few literals at a known distance from its beginning: those are
found in one pass over a text. What is derived here is written into `rules.json` by `build_docs.py`.
"""

from __future__ import annotations

import re
import re._constants as op  # type: ignore[import-not-found]  # not public, and stable since 3.11
import re._parser as parser  # type: ignore[import-not-found]
from math import prod
from typing import Any, NamedTuple

MOST_LITERALS, LARGEST_SET, LONGEST_REPEAT = 64, 4, 24
UNBOUNDED = 20_000
"""A match that may be longer is not searched for in a window."""

_FREQUENT = {" ": 0.15} | dict.fromkeys("etaoinsr", 0.06) | dict.fromkeys("lhdcumpf", 0.03)
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)

Literals = frozenset[str]


class Required(NamedTuple):
    """Each match has one of the literals, at most so many characters after its beginning."""

    literals: Literals
    before: int

    def cost(self, width: int) -> float:
        """Microseconds per MB of text, roughly: what must be tried where one of the literals stands."""
        each = 0.5 if self.before == 0 else 1 + min(2 * self.before * 0.15, (self.before + width) * 0.03)
        return 1e6 * each * sum(map(_frequency, self.literals)) + len(self.literals)


def where(rule: dict[str, Any]) -> dict[str, Any]:
    """What tells where a rule's expression can match: keys of `table.Rule`."""
    tree = parser.parse(rule["pattern"])
    width = min(tree.getwidth()[1] + _looks_ahead(tree), UNBOUNDED)
    cased = not rule.get("folded") and "(?i" not in rule["pattern"].replace("(?=(?i:", "")
    if rule.get("anchored"):
        begins = [one.literals for one in _required(tree) if one.before == 0]
        kept = min(begins, key=len) if begins and cased else frozenset()
        return {
            "implied": True,
            "literals": {keyword: _variants(keyword, kept) for keyword in rule["keywords"]},
        }
    if rule.get("run"):
        return {}
    if near := rule.get("near"):
        if wrong := [one for one in near if not re.match(r"\\d|\\?[^\w\s(\[]|_|[a-z]+\Z", one)]:
            raise SystemExit(f"{rule['name']}: let {wrong[0]} begin with a sign, or with \\d.")
        plain = [one for one in near if re.escape(one) == one]
        found_fast = [one for one in near if one not in plain]
        return {"near": found_fast, "literals": {one: [] for one in plain}, "before": width, "reach": width}
    found = min(_required(tree), key=lambda one: one.cost(width), default=None)
    if found is None:
        raise SystemExit(f"{rule['name']}: no literal is in each of its matches. Give it `near`.")
    literals: dict[str, list[str]] = {}
    for literal in _shortest(found.literals):
        literals.setdefault(literal.lower(), []).extend([literal] if cased else [])
    implied = all(any(word in one for word in rule["keywords"]) for one in literals)
    made: dict[str, Any] = {"literals": literals, "implied": implied}
    if found.before:
        made["before"] = found.before
        if rule["pattern"].startswith("(?m:^"):
            made["line"] = True
        elif width < UNBOUNDED:
            made["reach"] = width
    return made


def _variants(keyword: str, begins: Literals) -> list[str]:
    """How a keyword may be written where a match begins; empty: in any way."""
    fitting = {one[: len(keyword)] for one in begins if one.lower().startswith(keyword)}
    short = any(keyword.startswith(one.lower()) and len(one) < len(keyword) for one in begins)
    return [] if short else sorted(fitting)


def _shortest(literals: Literals) -> list[str]:
    """Those that do not begin with another one."""
    return sorted(
        one for one in literals if not any(one != other and one.startswith(other) for other in literals)
    )


def _frequency(literal: str) -> float:
    return prod(_FREQUENT.get(sign, 0.015) for sign in literal.lower())


def _required(tree: Any) -> list[Required]:
    """The sets of literals one of which must be in what a sequence matches."""
    found: list[Required] = []
    before = begun = 0
    texts = frozenset({""})

    def end() -> None:
        if "" not in texts:
            found.append(Required(texts, begun))

    for kind, value in tree:
        exact = _exact(kind, value)
        width = _width(kind, value, tree)
        if exact is not None and len(exact) * len(texts) <= MOST_LITERALS:
            texts = _joined(texts, exact)
        else:
            end()
            if exact is None:
                found += [Required(one.literals, one.before + before) for one in _inside(kind, value)]
                texts, begun = frozenset({""}), before + width
            else:
                texts, begun = exact, before
        before += width
        if texts == {""}:
            begun = before
    end()
    return found


def _inside(kind: Any, value: Any) -> list[Required]:  # noqa: PLR0911  one for each kind of part
    """What a part of an expression requires that may match many texts."""
    if kind is op.SUBPATTERN:
        return _required(value[3])
    if kind is op.ATOMIC_GROUP:
        return _required(value)
    if kind is op.ASSERT and value[0] > 0:
        return _required(value[1])
    if kind in _REPEATS and value[0] > 0:
        one = _exact_sequence(value[2])
        if one and len(one) == 1:
            return [Required(frozenset({next(iter(one)) * min(value[0], LONGEST_REPEAT)}), 0)]
        return _required(value[2])
    if kind is op.BRANCH:
        parts = [_required(part) for part in value[1]]
        if all(parts):
            best = [min(part, key=lambda one: one.cost(1_000)) for part in parts]
            literals = frozenset().union(*(one.literals for one in best))
            return [Required(literals, max(one.before for one in best))]
    return []


def _exact(kind: Any, value: Any) -> Literals | None:  # noqa: PLR0911  one for each kind of part
    """All texts that a part of an expression can match, where they are few."""
    if kind is op.LITERAL:
        return frozenset({chr(value)})
    if kind is op.IN:
        return _members(value)
    if kind in (op.AT, op.ASSERT_NOT) or (kind is op.ASSERT and value[0] < 0):
        return frozenset({""})
    if kind is op.SUBPATTERN:
        return _exact_sequence(value[3])
    if kind is op.BRANCH:
        parts = [_exact_sequence(part) for part in value[1]]
        whole = frozenset().union(*(part for part in parts if part is not None))
        return whole if None not in parts and len(whole) <= MOST_LITERALS else None
    if kind in _REPEATS and value[1] <= 3:  # noqa: PLR2004
        one = _exact_sequence(value[2])
        if one is None or len(one) ** value[1] > MOST_LITERALS:
            return None
        times, every = frozenset({""}), set[str]()
        for count in range(value[1] + 1):
            every |= times if count >= value[0] else set()
            times = _joined(times, one)
        return frozenset(every)
    return None


def _exact_sequence(tree: Any) -> Literals | None:
    texts = frozenset({""})
    for kind, value in tree:
        exact = _exact(kind, value)
        if exact is None or len(exact) * len(texts) > MOST_LITERALS:
            return None
        texts = _joined(texts, exact)
    return texts


def _members(items: Any) -> Literals | None:
    signs: set[str] = set()
    for kind, value in items:
        if kind is op.LITERAL:
            signs.add(chr(value))
        elif kind is op.RANGE and value[1] - value[0] < LARGEST_SET:
            signs |= set(map(chr, range(value[0], value[1] + 1)))
        else:
            return None
    return frozenset(signs) if len(signs) <= LARGEST_SET else None


def _joined(first: Literals, second: Literals) -> Literals:
    return frozenset(one + other for one in first for other in second)


def _width(kind: Any, value: Any, tree: Any) -> int:
    return min(int(parser.SubPattern(tree.state, [(kind, value)]).getwidth()[1]), UNBOUNDED)


def _looks_ahead(tree: Any) -> int:
    """How many characters behind a match its conditions may read."""
    most = 0
    for kind, value in tree:
        inner: list[Any] = []
        if kind in (op.ASSERT, op.ASSERT_NOT):
            most = max(most, min(int(value[1].getwidth()[1]), UNBOUNDED))
            inner = [value[1]]
        elif kind is op.AT:
            most = max(most, 1)
        elif kind is op.SUBPATTERN:
            inner = [value[3]]
        elif kind is op.BRANCH:
            inner = value[1]
        elif kind in _REPEATS:
            inner = [value[2]]
        elif kind is op.GROUPREF_EXISTS:
            inner = [part for part in value[1:] if part]
        most = max([most, *(_looks_ahead(part) for part in inner)])
    return most
