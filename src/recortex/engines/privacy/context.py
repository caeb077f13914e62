"""How the context of a match changes its confidence: the file's name, a comment, a name before it."""

from __future__ import annotations

from functools import lru_cache

from recortex.engines.privacy.table import compiled

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


# -- placeholders: what documentation, templates and Recortex itself write instead of a secret


MARKER = r"\[[A-Z][A-Z0-9_]{1,40}\]"
"""What Recortex leaves in a text, such as `[EMAIL]`."""

_WORDS = (
    r"example|your[_\-. ]?|change[_-]?me|placeholder|redacted|insert[_-]|replace[_-]|dummy|<[a-z]|put[_-]|"
    r"todo|fixme"
    r"|foobar|s[ae]mple|not[_-]?a?[_-]?real|mock|xxxx|\*\*\*|\.\.\.|…|00000000|secret[_-]?here|key[_-]?here"
)
_TEMPLATE = r"\$\{|\$\(|\{\{|<%|#\{|%\(|^\$[A-Za-z_]\w*|^%\w+%$|^<[^<>]*>$|^\{[\w .:-]*\}?$|^\$\d|^@"
_VALIDATION = (
    r"(?:[a-z_]+(?::[\w.,/-]{1,40})?\|){0,9}"
    r"(?:required|nullable|sometimes|filled|confirmed|string|min:\d+|max:\d+)"
    r"(?:\|[a-z_]+(?::[\w.,/-]{1,40})?){0,9}"
)
"""Rules that a form checks a field by, as in `required|min:8`."""
_FILLER = r"([xX*.#_\-0~=?])\1{3}"
_TECHNICAL = (
    r"(?:aes|sha|md|base|utf|argon|bcrypt|scrypt|pbkdf|hs|rs|es|ed|oauth|oidc|http|https|v|ipv|s|k8s|x|h|p|"
    r"rfc|"
    r"iso|ssh|tls|ssl|ec|rsa|python|py|node|java|es|web|win|linux|redis|postgres|mysql|mongo|neo4j|auth|"
    r"i18n|l10n|"
    r"level|step|test|user|option|version|part|line|page|case|env|ntlmv|uuid|id|col|row|q|fido|web|pkcs|x)-?"
    r"\d[\dx.]{0,8}\w{0,3}(?:[-_]\w{1,12})*|\d+(?:[-+]|\.\d)?(?:\.\.\.?\d+)?(?:bits?|char\w*|digits?|"
    r"bytes?|symbols?|days?|"
    r"hours?|minutes?|min|sec\w*|times?|words?|letters?|zeichen|stellig\w*|mal|tage|x|px|ms|s|m|h|d|k|kb|"
    r"mb|gb|%|th|"
    r"st|nd|rd|°)?\+?|[\d.,:/-]+|.*\.(?:env|py|js|ts|tsx|go|rs|md|json|ya?ml|toml|txt|sh|local|com|org|net|"
    r"io|ini|cfg|"
    r"conf|html|java|rb|php|cs|pem|key|xml|sql|log|lock)(?:[:#]\d+)*"
)
"""Names of methods, sizes, counts, dates, files: they have digits or signs, and are no secrets."""

_SAYING_NOTHING = (
    r"[a-z]{1,3}|passw[a-z]*|passphrase|passcode|token|secret|login|credentials?|user(?:name)?|admin|root|"
    r"with|from|this|that|here|need(?:ed)?|will|should|please|always|remember|account|server|database|"
    r"passwort|kennwort|zugangsdaten|lautet|eine?|nicht|contrase.a|senha|passe"
)
"""Words, in lower case, that say nothing where the secret they are about was taken out."""
_TELLING_WORDS = 3
_STRICT = (
    r"example|[Xx]{6}|EXAMPLE|\.\.\.|…|\*{3}|#{4}|0{8}|<[a-z_ -]+>|\$\{|\{\{|[Rr]edacted|REDACTED|"
    r"[yY][oO][uU][rR]_"
)
_SPARSE = 5
"""A value with fewer different characters is no secret."""


@lru_cache(maxsize=4096)
def is_filler(value: str) -> bool:
    """Whether a token is a placeholder: `EXAMPLE`, `xxxxxx`, `...`, `${VAR}`, or hardly any variety.

    Sequences such as `abcdefgh` stay secrets here: the shape alone is proof enough.
    """
    return compiled(_STRICT).search(value) is not None or (
        compiled(_FILLER).search(value) is not None and len(set(value)) < 2 * _SPARSE
    )


@lru_cache(maxsize=4096)
def is_placeholder(value: str) -> bool:
    """Whether an assigned value is a placeholder, a variable, or too monotonous to be a secret."""
    return (
        compiled(_TEMPLATE).search(value) is not None
        or compiled(_WORDS).search(value.lower()) is not None
        or ("|" in value and compiled(_VALIDATION).fullmatch(value) is not None)
        or len(set(value)) < _SPARSE
        or (compiled(_FILLER).search(value) is not None and len(set(value)) < 2 * _SPARSE)
    )


@lru_cache(maxsize=4096)
def is_technical(value: str) -> bool:
    """Whether a value names a method, a size, a count, a date or a file."""
    return compiled(_TECHNICAL).fullmatch(value.lower()) is not None


def says_only_a_secret(text: str) -> bool:
    """Whether a text has a placeholder, and beside it hardly a word that says something."""
    rest, markers = compiled(MARKER).subn(" ", text) if "[" in text else (text, 0)
    if not markers:
        return False
    said = (word for word in compiled(r"[^\W\d_]{2,}").findall(rest.lower()))
    return sum(compiled(_SAYING_NOTHING).fullmatch(word) is None for word in said) < _TELLING_WORDS
