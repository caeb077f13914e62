"""Builds the text of the brief within its limit of tokens: introduction, headings and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.injection import END, START, wrap
from recortex.engines.brief.selection import MOST, NOTICE_TOKENS, Costs, by_group, choose
from recortex.engines.brief.wording import INTRODUCTION, REMINDER, heading

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.engines.brief.ranking import Ranked
    from recortex.engines.brief.selection import Passes

MOST_CHARACTERS = 9_000
"""Clients cut what a hook says at 10,000 characters, and the hook's answer adds some of its own."""


class BriefEntry(NamedTuple):
    """A memory on the page and what its line costs."""

    ranked: Ranked
    tokens: int


class Page(NamedTuple):
    """The brief: empty text where there is nothing to show."""

    text: str
    tokens: int
    entries: tuple[BriefEntry, ...]


def page(
    parted: Passes, line_of: Callable[[Ranked], str], count: Callable[[str], int], before: str = ""
) -> Page:
    """Choose and lay out.

    A line that ends with a line break costs the same alone as among others (cl100k_base joins nothing over a
    line's end to a visible character), so costs add up; the whole is counted again all the same, and the
    lowest ranks go while it is too much.

    Args:
        parted: what may be shown (`selection.passes`).
        line_of: the line of a memory, with its line break; empty where there is none.
        count: tokens of a text.
        before: lines that stand above all memories, each with its line break.
    """
    lines: dict[str, str] = {}

    def cost(one: Ranked) -> int:
        lines[one.id] = line_of(one)
        return count(lines[one.id]) or MOST  # what is gone meanwhile does not fit

    frame = count(f"{START}\n{INTRODUCTION}\n{REMINDER}\n{before}{END}")
    chosen = choose(parted, Costs(frame, lambda group: count(heading(group)), cost))
    while chosen or before:
        parts = [heading(name) + "".join(lines[one.id] for one in group) for name, group in by_group(chosen)]
        text = wrap(f"{INTRODUCTION}\n{REMINDER}\n{before}{''.join(parts)}".rstrip("\n"))
        tokens = count(text)
        if tokens <= MOST - NOTICE_TOKENS and len(text) <= MOST_CHARACTERS:
            return Page(text, tokens, tuple(BriefEntry(one, count(lines[one.id])) for one in chosen))
        if not chosen:
            break
        chosen.pop()
    return Page("", 0, ())
