"""Redacts parsed JSON, such as contents and metadata, where a key may say that its value is a secret."""

from __future__ import annotations

from functools import cache
from typing import Any

from recortex.engines.privacy.checks import check_named
from recortex.engines.privacy.finding import RedactionFinding
from recortex.engines.privacy.redaction import redact
from recortex.engines.privacy.rule import Place, Rule
from recortex.engines.privacy.table import default_table

MAX_DEPTH = 64
"""Deeper than any typed content; what is below is replaced as a whole instead of being kept unchecked."""

_TOO_DEEP = "[TOO_DEEP]"
_ASSIGNMENTS = frozenset({"password", "secret", "password_value"})
"""Rules that recognise a secret by the name before it."""


def redact_json(value: Any, *, path: str | None = None) -> tuple[Any, tuple[RedactionFinding, ...]]:
    """Redact every string of a value made of dict, list, tuple and scalars, keys included.

    Args:
        value: parsed JSON; other objects are returned as they are.
        path: as for `redact`.

    Returns:
        A new value of the same shape (two keys that become equal are kept apart by a number), and the
            findings, each with offsets into its own string.
    """
    findings: list[RedactionFinding] = []
    return _walk(value, "", path, findings, 0), tuple(findings)


def _walk(value: Any, name: str, path: str | None, findings: list[RedactionFinding], depth: int) -> Any:
    if isinstance(value, str):
        return _string(value, name, path, findings)
    if depth >= MAX_DEPTH and isinstance(value, dict | list | tuple):
        return _TOO_DEEP
    if isinstance(value, dict):
        return _mapping(value, path, findings, depth)
    if isinstance(value, list | tuple):
        return [_walk(item, name, path, findings, depth + 1) for item in value]
    return value


def _mapping(
    value: dict[Any, Any], path: str | None, findings: list[RedactionFinding], depth: int
) -> dict[Any, Any]:
    clean: dict[Any, Any] = {}
    seen: dict[Any, int] = {}
    for key, item in value.items():
        name = _string(key, "", path, findings) if isinstance(key, str) else key
        while name in clean:
            seen[name] = seen.get(name, 1) + 1
            name = f"{name} {seen[name]}"
        clean[name] = _walk(item, key if isinstance(key, str) else "", path, findings, depth + 1)
    return clean


def _string(text: str, name: str, path: str | None, findings: list[RedactionFinding]) -> str:
    done = redact(text, path=path)
    findings.extend(done.findings)
    rule = _assigned_rule(name, done.text) if name else None
    if rule is None:
        return done.text
    findings.append(RedactionFinding(rule.name, rule.category, 0, len(text), rule.confidence))
    return rule.placeholder


def _assigned_rule(name: str, value: str) -> Rule | None:
    """The rule by which a value is a secret because of its key, or None."""
    text = f'{name}: "{value}"'
    folded = text.lower()
    if len(folded) != len(text):  # offsets of matches would not fit
        return None
    for rule in _assignment_rules():
        expression = default_table().compiled(rule)
        match = expression and expression.search(folded)
        if match and match["v"] == value.lower() and check_named(rule.check)(Place(value, match, text)):
            return rule
    return None


@cache
def _assignment_rules() -> tuple[Rule, ...]:
    return tuple(rule for rule in default_table().rules if rule.name in _ASSIGNMENTS)
