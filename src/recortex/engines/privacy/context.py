"""How the place of a finding changes its confidence."""

from __future__ import annotations

from recortex.engines.privacy.expressions import compiled

IN_TEST = -0.20
IN_COMMENT = -0.30
IN_ENV = 0.10
SENSITIVE_NAME = 0.10
"""What each place adds to the confidence. A placeholder is not scored but skipped."""

THRESHOLD = 0.40
"""Below it nothing is replaced. A provider's token (0.95) passes it even in a comment of a test file
(0.45)."""

_TEST_PATH = (
    r"(?:^|[/\\])(?:tests?|__tests__|specs?|fixtures|testdata)[/\\]|(?:^|[/\\])(?:test_|conftest)|"
    r"[._-](?:test|spec)s?\.\w+$"
)
_ENV_PATH = r"(?:^|[/\\])\.env(?:rc|\.[\w.-]+)?$|\.env$"
_COMMENT = r"\s{0,40}(?:#|//|/\*|<!--|--\s|;)|.{0,200}\s(?:#|//)\s"
_NAME = (
    r"(?:passw|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|"
    r"auth)[\w\-]{0,24}[\"'\]]{0,3}\s{0,4}(?:[:=]|=>)[\s\"'`]{0,4}\Z"
)
_LINE = 240
"""How far back the start of a line is looked for, in characters: long lines are data, not comments."""


_ASSIGNING = frozenset("=:\"'` >")
"""What can stand before an assigned value."""


def path_adjustment(path: str | None) -> float:
    """What the file's name changes: test files are full of invented values, `.env` files of real ones."""
    if not path:
        return 0.0
    lowered = path.lower()
    if compiled(_ENV_PATH).search(lowered):
        return IN_ENV
    return IN_TEST if compiled(_TEST_PATH).search(lowered) else 0.0


def in_comment(text: str, start: int) -> bool:
    """Whether the place lies in a comment: its line begins with a comment sign or has one before it."""
    floor = max(0, start - _LINE)
    line = text.rfind("\n", floor, start) + 1
    if line == 0 and floor > 0:
        return False
    before = text[line:start]
    return ("#" in before or "//" in before or "--" in before or ";" in before or "/*" in before) and (
        compiled(_COMMENT).match(before) is not None
    )


def place_adjustment(text: str, folded: str, start: int) -> float:
    """What the surroundings of a match add: a comment before it, a sensitive name it is assigned to."""
    change = IN_COMMENT if in_comment(text, start) else 0.0
    if text[start - 1 : start] in _ASSIGNING and compiled(_NAME).search(folded, max(0, start - 64), start):
        change += SENSITIVE_NAME
    return change
