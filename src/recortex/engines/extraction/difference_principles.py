"""What a corrected text teaches where nobody said it in words: an order made of the difference."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from recortex.domain.kinds.base import shorten
from recortex.engines.extraction.self_contained import MAX_LENGTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.correction import Change, Difference

LONGEST = 110
"""Characters of a line that a principle quotes."""
_MOST_FILES, _FEWEST_WORDS = 2, 2
_WORD = re.compile(r"\S+")
_CODE = re.compile(r"[(){}\[\];=<>_`$/\\]|\b[a-z]+[A-Z]|::|->")


def from_difference(difference: Difference) -> str:
    """One sentence that says what is written instead of what; empty where the two are the same.

    Of several changes the one that says most comes first: a name that was replaced, a line that changed, what
    was added or taken out.
    """
    if difference.empty:
        return ""
    where = _where(difference.files)
    said = next(filter(None, (rule(difference) for rule in (_renamed, _modified, _moved))))
    return shorten(f"{where}{said[0].lower() if where else said[0]}{said[1:]}.", MAX_LENGTH)


def _where(files: Sequence[str]) -> str:
    named = ", ".join(f"`{file}`" for file in files[:_MOST_FILES])
    return f"In {named}{' and others' if len(files) > _MOST_FILES else ''}, " if named else ""


def _renamed(difference: Difference) -> str:
    pairs = [f"`{one.after}` instead of `{one.before}`" for one in difference.renamed[:3]]
    return f"Use {' and '.join(pairs)}" if pairs else ""


def _modified(difference: Difference) -> str:
    return _instead(difference.modifications[0]) if difference.modifications else ""


def _moved(difference: Difference) -> str:
    added, removed = (_first(lines) for lines in (difference.additions, difference.removals))
    if added and removed:
        return f"Write {_quoted(added)} instead of {_quoted(removed)}"
    return f"Write {_quoted(added)} too" if added else f"Do not write {_quoted(removed)}"


def _instead(change: Change) -> str:
    """The smallest part of a line that says what changed."""
    before, after = _smallest(change.before, change.after)
    if not after:
        return f"Do not write {_quoted(before)} in {_quoted(change.before)}"
    if not before:
        return f"Write {_quoted(change.after)} instead of {_quoted(change.before)}"
    return f"Write {_quoted(after)} instead of {_quoted(before)}"


def _smallest(before: str, after: str) -> tuple[str, str]:
    """What differs between two lines, in whole words; both lines where nearly all of them differ."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    codes = [
        one for one in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if one[0] != "equal"
    ]
    if not codes:
        return before.strip(), after.strip()
    first, last = codes[0], codes[-1]
    if last[2] - first[1] < _FEWEST_WORDS > last[4] - first[3]:
        return before.strip(), after.strip()
    return " ".join(old[first[1] : last[2]]), " ".join(new[first[3] : last[4]])


def _first(lines: Sequence[str]) -> str:
    return next((line.strip() for line in lines if line.strip()), "")


def _quoted(text: str) -> str:
    """Code between code marks, prose between quotation marks; one line."""
    line = shorten(text.strip(), LONGEST).replace("`", "'")
    return f"`{line}`" if _CODE.search(line) else f'"{line}"'
