"""A map of a project: the files and definitions that matter most, within a budget of tokens."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.code_facts import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.engines.code.project import Project
    from recortex.engines.code.ranking import Ranking

MOST_OF_A_FILE = 4
"""Definitions of one file in a map: another file tells more than a fifth does (bench/code_map.py)."""
LONGEST_LINE = 100
FEWEST_TOKENS, MOST_TOKENS = 100, 20_000


class Outline(NamedTuple):
    """A map.

    Attributes:
        text: a line for each file, with lines for its definitions.
        tokens: of the text.
        files: that are in it, the most important first.
    """

    text: str
    tokens: int
    files: tuple[str, ...]


def outline(project: Project, ranking: Ranking, budget: int, count: Callable[[str], int]) -> Outline:
    """The map that fits a budget.

    Args:
        project: its facts.
        ranking: what matters most.
        budget: tokens of the text.
        count: tokens of a text.
    """
    order = _order(ranking)
    low, high, best = 0, len(order), Outline("", 0, ())
    while low < high:
        middle = (low + high + 1) // 2
        made = _made(project, order[:middle], count)
        if made.tokens <= budget:
            low, best = middle, made
        else:
            high = middle - 1
    return best


class _Entry(NamedTuple):
    """A file, or a definition of one that is listed already."""

    path: str
    number: int = NOWHERE


def _order(ranking: Ranking) -> list[_Entry]:
    """Files by their share, each followed by its definitions where those outweigh the next files."""
    share = dict(ranking.files)
    taken: dict[str, int] = defaultdict(int)
    weighted: list[tuple[float, _Entry]] = [(value, _Entry(path)) for path, value in ranking.files]
    for address, value in ranking.symbols:
        taken[address.path] += 1
        if taken[address.path] <= MOST_OF_A_FILE:
            least = min(value, share[address.path])
            weighted.append((least / (2 + 2 * taken[address.path]), _Entry(*address)))
    listed = sorted(weighted, key=lambda one: (-one[0], one[1]))
    return [entry for _, entry in listed]


def _made(project: Project, entries: Sequence[_Entry], count: Callable[[str], int]) -> Outline:
    shown: dict[str, set[int]] = {}
    for one in entries:
        numbers = shown.setdefault(one.path, set())
        if one.number != NOWHERE:
            numbers.add(one.number)
    text = "\n".join(line for path, numbers in shown.items() for line in _lines(project, path, numbers))
    return Outline(text, count(text), tuple(shown))


def _lines(project: Project, path: str, numbers: set[int]) -> list[str]:
    symbols = project.files[path].symbols
    with_parents = set(numbers)
    for number in numbers:
        parent = symbols[number].parent
        if parent != NOWHERE:
            with_parents.add(parent)
    lines = [path]
    for number in sorted(with_parents):
        one = symbols[number]
        indent = "    " if one.parent in with_parents else "  "
        lines.append(f"{indent}{one.line}: {one.signature or one.plain}"[:LONGEST_LINE])
    return lines
