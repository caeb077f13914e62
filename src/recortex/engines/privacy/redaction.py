"""Take what is private out of a text (A, crate 5): find by rule, score by context, replace by placeholder."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.privacy.context import THRESHOLD, path_adjustment, place_adjustment
from recortex.engines.privacy.finding import Finding, Redaction
from recortex.engines.privacy.origins import Edit, Origins
from recortex.engines.privacy.placeholders import is_filler, without_markers
from recortex.engines.privacy.rule import Place, Rule
from recortex.engines.privacy.table import Table, default_table

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_ROUNDS = 8
"""A replacement may bring to light what it hid (a token glued to another): look again until nothing is found."""

_SHORTEST = 4
"""What is left of a value beside our own placeholders must have this many characters to be looked at again."""


class _Candidate(NamedTuple):
    """A place that a rule claims."""

    start: int
    end: int
    confidence: float
    rule: Rule


def redact(text: str, *, path: str | None = None, table: Table | None = None) -> Redaction:
    """Replace personal data and secrets by placeholders.

    Args:
        text: anything.
        path: name of the file that the text comes from, if any; tests and `.env` files are judged differently.
        table: other rules than the built-in ones.

    Returns:
        The clean text, equal to itself when redacted again; the findings with offsets into `text`; skipped rules.
    """
    rules = table or default_table()
    change = path_adjustment(path)
    skipped: set[str] = set()
    origins = Origins([])
    clean = text
    for _ in range(MAX_ROUNDS):
        found = _merged(_candidates(clean, rules, change, skipped), origins)
        if not found:
            break
        clean, origins = _replaced(clean, found, origins)
    return Redaction(clean, tuple(edit.finding for edit in origins.edits), tuple(sorted(skipped)))


def fold(text: str) -> str:
    """Lower-case a text so that every offset stays the same."""
    folded = text.lower()
    return (
        folded if len(folded) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    )


def _candidates(text: str, table: Table, change: float, skipped: set[str]) -> list[_Candidate]:
    folded = fold(text)
    found: list[_Candidate] = []
    for rule in table.needed(folded):
        try:
            found.extend(_matches(rule, text, folded, table, change))
        except (ValueError, LookupError, TypeError, RecursionError, MemoryError):
            # A rule that cannot run is a gap in one kind of data, not a reason to stop (A, degradation matrix).
            skipped.add(rule.name)
    skipped.update(table.broken)
    return found


def _matches(rule: Rule, text: str, folded: str, table: Table, change: float) -> Iterator[_Candidate]:
    expression = table.compiled(rule)
    if expression is None:
        return
    group = "v" if "v" in expression.groupindex else 0
    check, personal = rule.check, rule.category == "pii"
    for match in expression.finditer(folded if rule.folded else text):
        start, end = match.span(group)
        value = without_markers(text[start:end])
        if len(value) < _SHORTEST or (not personal and is_filler(value)):
            continue
        if check is not None and not check(Place(value, match, text)):
            continue
        confidence = round(min(1.0, rule.confidence + change + place_adjustment(text, folded, start)), 2)
        if confidence >= THRESHOLD:
            yield _Candidate(start, end, confidence, rule)


def _merged(candidates: list[_Candidate], origins: Origins) -> list[_Candidate]:
    """Join overlapping places: the union is replaced, and the surest rule names it."""
    merged: list[_Candidate] = []
    for start, end, confidence, rule in candidates:
        wide = origins.widen(start, end)
        merged.append(_Candidate(*wide, confidence, rule))
    merged.sort(key=lambda c: c.start)
    apart: list[_Candidate] = []
    for candidate in merged:
        last = apart[-1] if apart else None
        if last is None or candidate.start >= last.end:
            apart.append(candidate)
        else:
            best = candidate if candidate.confidence > last.confidence else last
            apart[-1] = best._replace(start=last.start, end=max(last.end, candidate.end))
    return apart


def _replaced(text: str, found: list[_Candidate], origins: Origins) -> tuple[str, Origins]:
    """Put the placeholders in, and tell where every placeholder now stands."""
    steps: list[tuple[int, int, Finding, str]] = [
        (
            start,
            end,
            Finding(rule.name, rule.category, origins.original(start), origins.original(end), confidence),
            rule.placeholder,
        )
        for start, end, confidence, rule in found
    ]
    kept = origins.outside([(start, end) for start, end, _, _ in found])
    steps += [(edit.start, edit.end, edit.finding, text[edit.start : edit.end]) for edit in kept]
    steps.sort(key=lambda step: step[0])
    pieces: list[str] = []
    edits: list[Edit] = []
    read = written = 0
    for start, end, finding, placeholder in steps:
        pieces += (text[read:start], placeholder)
        written += start - read + len(placeholder)
        edits.append(Edit(written - len(placeholder), written, finding))
        read = end
    return "".join((*pieces, text[read:])), Origins(edits)
