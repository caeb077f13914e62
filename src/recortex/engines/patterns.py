"""Regular expressions in text files: those of `NAME.py` are in `patterns/NAME.txt` beside it.

A file has a section for each expression: its name and flags in brackets (`[hedge i]`: i ignores case, m and s
are multi-line and dot-all), then the expression. One that recognises statements also has the kind of memory
that they make and their confidence (`[cue_limit i tribal 0.72]`). It may take several lines, which are joined
without the spaces around them. A section `[fragment NAME]` replaces `{NAME}` in later ones. Lines that begin
with `# ` are comments.
"""

from __future__ import annotations

import re
from pathlib import Path

from recortex.domain.text import lazy
from recortex.lean import NamedTuple

_SECTION = re.compile(r"^\[(fragment )?([a-z]\w*)(?: ([ims]+))?(?: ([a-z]\w+ [\d.]+))?\]\n", re.MULTILINE)
_FRAGMENT = re.compile(r"\{([a-z]\w*)\}")
_NUMBER = re.compile(r"_\d+$")


class Form(NamedTuple):
    """A form of statement, with the expression that recognises it.

    Attributes:
        name: that of its section, without the prefix of the table and the number of the variant.
        kind: the kind of memory that such a statement makes.
        confidence: 0 to 1, before adjustments.
    """

    name: str
    kind: str
    confidence: float
    pattern: re.Pattern[str]


class Patterns:
    """The expressions of a module as attributes; each is compiled when it is first used."""

    def __init__(self, module: str, file: str = "") -> None:
        """Read the file of a module, given its `__file__`; `file`: of another name."""
        path = Path(module)
        written = (path.parent / "patterns" / f"{file or path.stem}.txt").read_text(encoding="utf-8")
        fragments: dict[str, str] = {}
        self._rated: dict[str, list[str]] = {}
        sections = _SECTION.split(re.sub(r"(?m)^# .*\n", "", written))[1:]
        for fragment, name, flags, rated, lines in zip(*(sections[at::5] for at in range(5)), strict=True):
            text = "".join(line.strip() for line in lines.splitlines())
            text = _FRAGMENT.sub(lambda found: fragments[found[1]], text)
            if fragment:
                fragments[name] = text
            else:
                setattr(self, name, lazy(text, sum(re.RegexFlag[flag.upper()] for flag in flags or "")))
                self._rated |= {name: rated.split()} if rated else {}

    def starting(self, prefix: str) -> tuple[re.Pattern[str], ...]:
        """The expressions whose names begin so, in the order of the file."""
        return tuple(self.by_name(prefix).values())

    def by_name(self, prefix: str) -> dict[str, re.Pattern[str]]:
        """The expressions whose names begin so, by name, in the order of the file."""
        return {name: pattern for name, pattern in vars(self).items() if name.startswith(prefix)}

    def forms(self, prefix: str) -> tuple[Form, ...]:
        """The forms whose sections begin so, in the order of the file; the first that matches counts."""
        return tuple(
            Form(_NUMBER.sub("", name.removeprefix(prefix)), kind, float(confidence), getattr(self, name))
            for name, (kind, confidence) in self._rated.items()
            if name.startswith(prefix)
        )

    def __getattr__(self, name: str) -> re.Pattern[str]:
        """Say which expression is missing; for type checkers, that the others are expressions."""
        raise AttributeError(f"There is no expression {name} in the file.")
