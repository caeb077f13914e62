"""Corrections: how the corrected text differs, of which category each is, and what it is related to."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.kinds import KINDS
from recortex.domain.memory import Relation
from recortex.domain.reports import Category, Change, Difference
from recortex.domain.vocabulary import Importance, RelationType
from recortex.engines.tables import Patterns
from recortex.errors import InvalidInputError
from recortex.text.words import LETTERS, STOP_WORDS, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.memory import Memory


MOST_CHARACTERS = 200_000
MOST_LINES = 4_000
"""Of each of two texts that are compared: matching takes quadratic time where little is alike."""
_TOKEN = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)*|[^\w\s]")
_NAME = re.compile(r"[^\W\d]\w+")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_NOTHING = re.compile(r"[\s;,'\"`]+")
_DENIES = re.compile(r"\b(?:not|never|no|cannot|without)\b|n['’]t\b|!(?=[\w(=])", re.IGNORECASE)
_DECLARES = "def|class|function|func|fn|const|let|var|type|interface|struct|enum|module|package"
_HUNK = re.compile(r"^@@ .*?@@")
_FILE = re.compile(r"^(?:\+\+\+|---) (?:[ab]/)?(?P<path>[^\t\n]+)")
_HEADER = re.compile(
    r"^(?:diff |index |new file|deleted file|similarity|rename |old mode|new mode|\\ No newline)"
)


def difference(original: str, corrected: str, *, files: Sequence[str] = ()) -> Difference:
    """Compare two texts.

    Args:
        original: what was written first.
        corrected: what it became.
        files: that the two are of, if known.

    Raises:
        InvalidInputError: one is too long to be compared.
    """
    old, new = _lines(original), _lines(corrected)
    added: list[str] = []
    removed: list[str] = []
    changed: list[Change] = []
    # The heuristic of difflib would ignore whatever is frequent in 200 lines or more: braces, `return`.
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            # Lines that stand for each other, in order; what is left over stands for nothing.
            for before, after in zip_longest(
                (line.rstrip() for line in old[a:b]), (line.rstrip() for line in new[c:d]), fillvalue=""
            ):
                if before and after:
                    changed.append(Change(before, after))
                elif before or after:
                    (removed if before else added).append(before or after)
    return Difference(
        additions=tuple(added),
        removals=tuple(removed),
        modifications=tuple(changed),
        renamed=tuple(one for one in _swapped(changed, _NAME) if _is_named(one.before, changed)),
        numbers=tuple(_swapped(changed, _NUMBER)),
        negated=_denials([*removed, *(one.before for one in changed)])
        != _denials([*added, *(one.after for one in changed)]),
        layout=bool(changed)
        and not (added or removed)
        and all(_bare(one.before) == _bare(one.after) for one in changed),
        files=tuple(files),
    )


def is_diff(text: str) -> bool:
    """Whether a text is a unified diff."""
    lines = text.splitlines()
    return any(_HUNK.match(line) for line in lines) and any(line.startswith(("+", "-")) for line in lines)


def of_diff(diff: str) -> Difference:
    """The difference that a unified diff tells; lines of context are left out.

    Raises:
        InvalidInputError: it is no diff, or too long.
    """
    old: list[str] = []
    new: list[str] = []
    files: dict[str, None] = {}
    for line in _lines(diff):
        if named := _FILE.match(line):
            files |= {named["path"].strip(): None} if named["path"] != "/dev/null" else {}
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
        elif not _HUNK.match(line) and not _HEADER.match(line) and old and old[-1]:
            old.append("")  # what stands apart is compared apart
            new.append("")
    found = difference("\n".join(old), "\n".join(new), files=tuple(files))
    if found.empty:
        raise InvalidInputError(
            "The diff changes nothing.", hint="Give a unified diff, as `git diff` prints it."
        )
    return found


def _lines(text: str) -> list[str]:
    lines = text.splitlines()
    if len(text) > MOST_CHARACTERS or len(lines) > MOST_LINES:
        raise InvalidInputError(
            f"A text to compare has at most {MOST_LINES:,} lines and {MOST_CHARACTERS:,} characters.",
            hint="Give the part that was corrected.",
        )
    return lines


def _swapped(changed: Sequence[Change], pattern: re.Pattern[str]) -> Iterator[Change]:
    """Words of a pattern that became others, and that stand nowhere in the corrected lines any more."""
    found: dict[str, set[str]] = {}
    for one in changed:
        for before, after in _tokens_swapped(one):
            if pattern.fullmatch(before) and pattern.fullmatch(after):
                found.setdefault(before, set()).add(after)
    for before, others in found.items():
        whole = re.compile(rf"(?<!\w){re.escape(before)}(?!\w)")
        # What became two different words, or still stands somewhere, was edited and not renamed.
        if len(others) == 1 and not any(whole.search(one.after) for one in changed):
            yield Change(before, next(iter(others)))


def _is_named(name: str, changed: Sequence[Change]) -> bool:
    """Whether a word is a name: declared, or in several of the lines."""
    whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    declared = re.compile(rf"\b(?:{_DECLARES})\s+{re.escape(name)}(?!\w)")
    return sum(bool(whole.search(one.before)) for one in changed) > 1 or any(
        declared.search(one.before) for one in changed
    )


def _tokens_swapped(one: Change) -> Iterator[tuple[str, str]]:
    old, new = _TOKEN.findall(one.before), _TOKEN.findall(one.after)
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        # Only where as many words come as go is it known which of them became which.
        if tag == "replace" and b - a == d - c:
            yield from zip(old[a:b], new[c:d], strict=True)


def _denials(lines: Iterable[str]) -> int:
    return sum(len(_DENIES.findall(line)) for line in lines)


def _bare(line: str) -> str:
    return _NOTHING.sub("", line).casefold()


# -- how a correction is related to what was known: what it was learned from, what led to it


MOST = 3
"""Memories of the same matter that are related: as many as ingestion relates by likeness."""
_WORDING = frozenset(("use", "write", "instead", "not", "no", "never", "always"))
_WHAT_HAPPENED = frozenset(("incident", "code_smell"))


def causes(
    new: Memory, known: Sequence[tuple[Relation, Memory]], replaced: Memory | None, now: datetime
) -> Iterator[Relation]:
    """The causal relations of a new correction.

    What it replaces had led to the mistake. What happened once, or is known to be bad, caused the correction;
    from anything else of the matter it was learned.

    Args:
        new: the correction.
        known: memories of the same matter, with the inferred relation to each.
        replaced: the memory that it supersedes.
        now: when the relations are made.
    """
    if replaced is not None:
        yield _inferred(
            new.id, replaced.id, RelationType.TRIGGERED_BY, 1.0, "what it corrects was known", now
        )
    words = _matter(new)
    near = [one for one in known if words & _matter(one[1])]
    for relation, other in sorted(near, key=lambda one: -one[0].strength)[:MOST]:
        if KINDS[other.kind].event or other.kind in _WHAT_HAPPENED:
            yield _inferred(
                other.id, new.id, RelationType.CAUSED, relation.strength, "what had happened", now
            )
        else:
            yield _inferred(
                new.id, other.id, RelationType.LEARNED_FROM, relation.strength, "of the same matter", now
            )


def _matter(memory: Memory) -> frozenset[str]:
    """The words that tell what a memory is about, without those of how a principle is worded."""
    return frozenset(tokens(memory.text, LETTERS)) - STOP_WORDS - _WORDING


def _inferred(
    source: str, target: str, type_: RelationType, strength: float, why: str, now: datetime
) -> Relation:
    return Relation(source, target, type_, now, round(strength, 3), (why,), inferred=True)


# -- ten categories of corrections by rules, and the kind of memory that each one makes


PATTERNS = Patterns(__file__, "corrections/categories")
SIGNS = PATTERNS.forms("sign_")
TAG = "correction"
"""A tag of every memory that a correction made, beside its category."""
SECOND = 1 / 3
"""What a second sign of one category adds, as a share of its weight."""
USUAL = 0.05
"""What speaks for the usual category: a little, so that any sign counts more."""
_READ = 4_000
_OF_DIFFERENCE = {"renamed": Category.NAMING_CONVENTION, "layout": Category.STYLE_PREFERENCE}


class Made(NamedTuple):
    """What is made of a correction of one category."""

    kind: str
    importance: Importance = Importance.NORMAL


MADE: Mapping[Category, Made] = {
    Category.PATTERN_VIOLATION: Made("pattern_rationale"),
    Category.TRIBAL_MISS: Made("tribal"),
    Category.CONSTRAINT_VIOLATION: Made("constraint_override", Importance.HIGH),
    Category.STYLE_PREFERENCE: Made("preference"),
    Category.NAMING_CONVENTION: Made("preference"),
    Category.ARCHITECTURE_MISMATCH: Made("architecture"),
    Category.SECURITY_ISSUE: Made("tribal", Importance.CRITICAL),
    Category.PERFORMANCE_ISSUE: Made("code_smell"),
    Category.API_MISUSE: Made("tribal"),
    Category.OTHER: Made("feedback"),
}


def categorised(
    text: str, *, difference: Difference | None = None, usual: Category = Category.OTHER
) -> Category:
    """The category of a correction.

    Args:
        text: the person's words; of two texts, what was added and changed.
        difference: between original and corrected text, if they are known.
        usual: what it is where no sign speaks for another one.
    """
    weights = _weighed(text[:_READ])
    weights[usual] = weights.get(usual, 0.0) + USUAL
    for name, category in _OF_DIFFERENCE.items():
        if difference is not None and getattr(difference, name):
            weights[category] = weights.get(category, 0.0) + 1.0
    return max(weights, key=lambda one: (weights[one], one is usual))


def changed_words(difference: Difference) -> str:
    """The words of a difference that tell its category: what was added, changed or taken out."""
    return "\n".join(_categories_lines(difference))


def _categories_lines(difference: Difference) -> Iterable[str]:
    yield from difference.additions
    yield from (one.after for one in difference.modifications)
    if not difference.additions:
        yield from difference.removals


def _weighed(text: str) -> dict[Category, float]:
    found: dict[Category, list[float]] = {}
    for sign in SIGNS:
        if sign.pattern.search(text):
            found.setdefault(Category(sign.kind), []).append(sign.confidence)
    return {
        category: max(weights) + SECOND * sum(sorted(weights)[:-1]) for category, weights in found.items()
    }
