"""Regular expressions that are kept in text files: those of `NAME.py` in `patterns/NAME.txt` beside it.

A file has a section for each expression: its name and flags in brackets (`[hedge i]`: i ignores case, m and s
are multi-line and dot-all), then the expression. It may take several lines, which are joined without the
spaces around them. A section `[fragment NAME]` is put in where another one says `{NAME}`. Lines that begin
with `# ` are comments.
"""

from __future__ import annotations

import re
from pathlib import Path

from recortex.domain.expressions import lazy

_SECTION = re.compile(r"^\[(fragment )?([a-z]\w*)(?: ([ims]+))?\]\n", re.MULTILINE)
_FRAGMENT = re.compile(r"\{([a-z]\w*)\}")


class Patterns:
    """The expressions of a module as attributes; each is compiled when it is first used."""

    def __init__(self, module: str) -> None:
        """Read the file of a module, given its `__file__`."""
        path = Path(module)
        written = (path.parent / "patterns" / f"{path.stem}.txt").read_text(encoding="utf-8")
        fragments: dict[str, str] = {}
        sections = _SECTION.split(re.sub(r"(?m)^# .*\n", "", written))[1:]
        for fragment, name, flags, lines in zip(*(sections[at::4] for at in range(4)), strict=True):
            text = "".join(line.strip() for line in lines.splitlines())
            text = _FRAGMENT.sub(lambda found: fragments[found[1]], text)
            if fragment:
                fragments[name] = text
            else:
                setattr(self, name, lazy(text, sum(re.RegexFlag[flag.upper()] for flag in flags or "")))

    def starting(self, prefix: str) -> tuple[re.Pattern[str], ...]:
        """The expressions whose names begin so, in the order of the file."""
        return tuple(pattern for name, pattern in vars(self).items() if name.startswith(prefix))

    def __getattr__(self, name: str) -> re.Pattern[str]:
        """Say which expression is missing; for type checkers, that the others are expressions."""
        raise AttributeError(f"There is no expression {name} in the file.")
