"""Prompts that clients make of a command file, told from what somebody typed by the file's own words.

Some clients write the whole text of a command into the session as if the person had typed it. What a file
holds between its placeholders is the file's word; only what stands in their place may be typed. A hostile
repository writes such files too, so few words never take a prompt away from the person, and a text is only
searched forwards.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.text import lazy, read_toml, strip_injected

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LEAST_WITH_HOLES, LEAST_WHOLE = 24, 12
"""Characters that a file must have in one stretch between placeholders, or without any, to be recognised."""
_MOST_HOLES = 100
_MOST_FRONT_LINES = 400

_TYPED = (
    r"\$ARGUMENTS(?:\[\d{1,3}\])?|\$\d{1,2}|\$@|\$\{(?:@|\d|ARGUMENTS|input:)[^}\n]{0,200}\}"
    r"|\$[A-Z][A-Z0-9_]{0,40}|\{\{\s{0,3}args\s{0,3}\}\}"
)
# What a program prints, what a file holds, what an editor shows.
_MADE = r"!`[^`\n]{1,500}`|!\{[^}\n]{1,500}\}|@\{[^}\n]{1,300}\}|\$\{[A-Za-z_][^}\n]{0,200}\}"
_HOLE = lazy(rf"({_TYPED})|(?:{_MADE})")
_APPENDED = lazy(r"(?:ARGUMENTS: |/[\w:.-]{1,80}(?:\s+|$))")

_ENDS, _BEGINS = ".!?:>", "<#*-"
"""Signs before and behind a placeholder that is no part of a sentence."""


class Template(NamedTuple):
    """A command's text.

    Attributes:
        literals: what stands before, between and behind its placeholders.
        holes: the placeholders; empty for one that something other than the person fills.
    """

    literals: tuple[str, ...]
    holes: tuple[str, ...]


class Typed(NamedTuple):
    """What the person typed of a prompt that a command made.

    Attributes:
        within: it stands in a sentence of the command's, such as "Do not $ARGUMENTS.".
    """

    words: str
    within: bool = False


def bodies(name: str, text: str) -> Iterator[str]:
    """The texts that a command file gives to the agent: that of Markdown, or `prompt` of TOML.

    Args:
        name: of the file.
        text: what it holds.
    """
    if not name.endswith(".toml"):
        yield _without_front_matter(text)
        return
    try:
        prompt = read_toml(text).get("prompt")
    except (ValueError, RecursionError):
        return
    if isinstance(prompt, str):
        yield prompt


def _without_front_matter(text: str) -> str:
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    if not lines or lines[0].rstrip() != "---":
        return text
    ends = (place for place, line in enumerate(lines[1:_MOST_FRONT_LINES], 1) if line.rstrip() == "---")
    return "".join(lines[next(ends, -1) + 1 :])


def template(body: str) -> Template | None:
    """A command's text; None where it says too little of its own to be recognised."""
    text = _plain(strip_injected(_plain(body))[0])
    literals, holes, end = list[str](), list[str](), 0
    for hole in _HOLE.finditer(text):
        literals.append(text[end : hole.start()])
        holes.append(hole[1] or "")
        end = hole.end()
    literals.append(text[end:])
    literals[0], literals[-1] = literals[0].lstrip(), literals[-1].rstrip()
    if holes and not literals[-1]:
        literals[-2] = literals[-2].rstrip()  # the client trims what an empty placeholder leaves
    if holes and not literals[0]:
        literals[1] = literals[1].lstrip()
    least = LEAST_WITH_HOLES if holes else LEAST_WHOLE
    longest = max(len(literal.strip()) for literal in literals)
    return Template(tuple(literals), tuple(holes)) if longest >= least and len(holes) <= _MOST_HOLES else None


def typed_beside(text: str, templates: Iterable[Template]) -> Typed | None:
    """What the person typed of a prompt that one of some commands made; None where none made it.

    Where several may have, it is the one that leaves the least for the person; where a program filled a
    placeholder, nothing is left, since its output may look like an argument.
    """
    text = _plain(text)
    found = [words for one in templates if (words := _typed(text, one)) is not None]
    return min(found, key=lambda one: len(one.words), default=None)


def _typed(text: str, made: Template) -> Typed | None:
    literals, holes = made
    if not text.startswith(literals[0]):
        return None
    place, filled = len(literals[0]), list[str]()
    last = len(text) - len(literals[-1])
    for literal in literals[1:-1]:
        at = text.find(literal, place, last)
        if at < 0:
            return None
        filled.append(text[place:at])
        place = at + len(literal)
    if holes:
        if last < place or not text.endswith(literals[-1]):
            return None
        filled.append(text[place:last])
    if "" in holes:
        return Typed("")
    behind = "" if holes else text[place:]
    if behind and not behind.startswith("\n"):
        return None
    words = dict.fromkeys(word.strip() for word, hole in zip(filled, holes, strict=True) if word != hole)
    appended = behind.strip()
    if found := _APPENDED.match(appended):
        appended = appended[found.end() :]
    within = not all(_apart(before, after) for before, after in pairwise(literals))
    return Typed("\n\n".join(filter(None, (*words, appended.strip()))), within)


def _apart(before: str, after: str) -> bool:
    """Whether a placeholder between two texts is no part of a sentence of theirs."""
    ended, begun = before.rstrip(), after.lstrip()
    opens = not ended or ended[-1] in _ENDS or "\n" in before[len(ended) :]
    closes = not begun or begun[0] in _BEGINS or begun[0].isupper()
    return opens and (closes or "\n" in after[: len(after) - len(begun)])


def _plain(text: str) -> str:
    return re.sub(r"\r\n?", "\n", text).strip()
