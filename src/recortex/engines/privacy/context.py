"""How the context of a match changes its confidence: the file's name, a comment, a name before it."""

from __future__ import annotations

from recortex.engines.privacy.expressions import compiled

IN_TEST = -0.20
IN_COMMENT = -0.30
IN_ENV = 0.10
SENSITIVE_NAME = 0.10
"""What each context adds to the confidence."""

THRESHOLD = 0.40
"""Below this confidence nothing is replaced. A provider's token (0.95) passes even in a comment of a test
file (0.45)."""

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
"""Characters before a match in which the start of its line is looked for: long lines are data, not
comments."""

_ASSIGNING = frozenset("=:\"'` >")
"""Characters that may precede an assigned value."""


def path_adjustment(path: str | None) -> float:
    """The change by the file's name: test files are full of invented values, `.env` files of real ones."""
    if not path:
        return 0.0
    lowered = path.lower()
    if compiled(_ENV_PATH).search(lowered):
        return IN_ENV
    return IN_TEST if compiled(_TEST_PATH).search(lowered) else 0.0


def in_comment(text: str, start: int) -> bool:
    """Whether a match is in a comment: its line begins with a comment sign or has one before it."""
    floor = max(0, start - _LINE)
    line = text.rfind("\n", floor, start) + 1
    if line == 0 and floor > 0:
        return False
    before = text[line:start]
    return ("#" in before or "//" in before or "--" in before or ";" in before or "/*" in before) and (
        compiled(_COMMENT).match(before) is not None
    )


def place_adjustment(text: str, folded: str, start: int) -> float:
    """The change by the text before a match: in a comment, or assigned to a sensitive name."""
    change = IN_COMMENT if in_comment(text, start) else 0.0
    if text[start - 1 : start] in _ASSIGNING and compiled(_NAME).search(folded, max(0, start - 64), start):
        change += SENSITIVE_NAME
    return change
