"""What a record considered: the option that was chosen, and the others with what spoke against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.decisions.wording import cut, items, joined, plain
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.engines.decisions.outline import Line, Section

PATTERNS = Patterns(__file__)
MOST_OUTCOME = 4_000
"""Characters of an outcome in which the chosen option is looked for."""
MOST_TITLE, SHORT = 200, 80
"""Characters of an option, and of one that stands before its reason on a line."""


class Option(NamedTuple):
    """An option that was not taken, and why; the reason may be empty."""

    option: str
    against: str = ""


def chosen(lines: Sequence[Line]) -> tuple[str, str]:
    """The option that a MADR outcome names, and its reason; both empty where it names none."""
    found = PATTERNS.chosen.search(joined(lines, MOST_OUTCOME))
    return (found["option"].strip(), (found["why"] or "").strip()) if found else ("", "")


def options(
    listed: Sequence[Section], weighed: Sequence[Section], taken: str, most: int
) -> tuple[Option, ...]:
    """The options that were not chosen, each once.

    Args:
        listed: sections that name them, as items or as headings of their own.
        weighed: sections with the pros and cons of each.
        taken: the one that was chosen.
        most: characters of a reason.
    """
    against = {_key(section.title): _cons(section, most) for section in weighed if section.title}
    found: dict[str, Option] = {}
    for option in _listed(listed, most):
        key = _key(option.option)
        if key and not _same(key, _key(taken)) and key not in found:
            found[key] = option if option.against else Option(option.option, against.get(key, ""))
    if not found:  # only weighed
        for section in weighed[1:]:
            key = _key(section.title)
            if key and not _same(key, _key(taken)) and not PATTERNS.taken.search(section.title):
                found[key] = Option(_named(section.title), against[key])
    return tuple(found.values())


def _listed(sections: Sequence[Section], most: int) -> Iterator[Option]:
    if not sections:
        return
    top = min(section.level for section in sections)
    inner = [one for one in sections if one.level == top + 1]
    for section in inner:
        if not PATTERNS.taken.search(section.title):
            yield Option(_named(section.title), cut(joined(section.lines, most), most))
    for section in () if inner else sections:
        for item in items(section.lines):
            if not PATTERNS.taken.search(item):
                yield _item(item, most)


def _item(text: str, most: int) -> Option:
    """An item as option and reason: `**Option**: reason`, `Option: reason`, `Option - reason`."""
    if bold := PATTERNS.bold.match(text.strip()):
        return Option(_named(bold["option"]), cut(plain(bold["why"]), most))
    said = plain(text)
    parts = PATTERNS.reason.split(said, maxsplit=1)
    short = len(parts) > 1 and len(parts[0]) <= SHORT and "://" not in said[: len(parts[0]) + 4]
    return Option(_named(parts[0]), cut(parts[1], most)) if short else Option(_named(said))


def _named(title: str) -> str:
    said = plain(title).strip(" *_`\"'“”")
    found = PATTERNS.numbered.match(said)
    return cut(said[found.end() :] if found and said[found.end() :] else said, MOST_TITLE).rstrip(" :.")


def _cons(section: Section, most: int) -> str:
    """What spoke against an option."""
    said = [plain(one) for one in items(section.lines)]
    found = [
        one[match.end() :]
        for one in said
        if (match := PATTERNS.against.match(one)) and match.end() < len(one)
    ]
    return cut("; ".join(found), most)


def _key(title: str) -> str:
    return " ".join(PATTERNS.words.findall(_named(title).lower()))


def _same(key: str, taken: str) -> bool:
    """Whether a listed option is the chosen one, where one of the names is the beginning of the other."""
    return bool(taken) and (key.startswith(taken) or taken.startswith(key))
