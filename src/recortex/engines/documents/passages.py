"""What is shown of a chunk: the lines that answer best, as they stand in the file."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from recortex.engines.words import STOP_WORDS, SUFFIXES, stem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.domain.document import Chunk

_WORD = re.compile(r"\w+")


def passage(
    chunk: Chunk, words: Sequence[str], budget: int, count: Callable[[str], int]
) -> tuple[str, int, int]:
    """The run of lines that holds most of a question within a budget, and the numbers of its lines.

    A chunk that is hardly longer is shown whole. Of a notebook the numbers are those of its cells.

    Args:
        chunk: what is shown.
        words: of the question.
        budget: tokens.
        count: tokens of a text.
    """
    if chunk.tokens <= budget:
        return chunk.text, chunk.first_line, chunk.last_line
    lines = chunk.text.split("\n")
    first, end = _best_run(_weights(lines, words), [count(line) + 1 for line in lines], budget)
    text = "\n".join(lines[first:end]).strip("\n")
    if chunk.path.lower().endswith(".ipynb"):
        return text, chunk.first_line, chunk.last_line
    if not text:  # one line is longer than the budget
        first, end = max(range(len(lines)), key=lambda at: len(lines[at])), 0
        text = lines[first][: 3 * budget] + " …"
    return text, chunk.first_line + first, chunk.first_line + max(end - 1, first)


def _weights(lines: Sequence[str], words: Sequence[str]) -> list[float]:
    """What each line holds of a question: a word counts less the more lines hold it."""
    wanted = {stem(word.lower(), SUFFIXES) for word in words} - STOP_WORDS
    held = [{stem(word, SUFFIXES) for word in _WORD.findall(line.lower())} & wanted for line in lines]
    holding = Counter(word for some in held for word in some)
    return [sum(1.0 / holding[word] for word in some) for some in held]


def _best_run(weights: Sequence[float], tokens: Sequence[int], budget: int) -> tuple[int, int]:
    """The first and the end of the run of lines with the greatest weight; of equals the longest first one."""
    best, found = (-1.0, 0), (0, 0)
    start, spent, weight = 0, 0, 0.0
    for end, (own, cost) in enumerate(zip(weights, tokens, strict=True), 1):
        spent, weight = spent + cost, weight + own
        while spent > budget:
            spent, weight = spent - tokens[start], weight - weights[start]
            start += 1
        if end > start and (round(weight, 6), spent) > best:
            best, found = (round(weight, 6), spent), (start, end)
    return found
