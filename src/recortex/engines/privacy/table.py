"""The table of all rules; an expression is compiled when its keyword first occurs in a text."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from blake3 import blake3

if TYPE_CHECKING:
    from collections.abc import Iterable


# -- A privacy rule: the pattern of personal data or of a secret, and the confidence of a match


Category = Literal["pii", "secret", "connection"]


class Place(NamedTuple):
    """What a check gets: the value without Recortex's placeholders, the match, and the original text."""

    value: str
    match: re.Match[str]
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One shape of personal data or of a secret. `rules/README.md` says how rules are written.

    Attributes:
        name: lower case with underscores; gives the placeholder.
        pattern: regular expression without unbounded nested repetition. The group `v`, if there is one, is
            what gets replaced, otherwise the whole match.
        keywords: lower-case literals; unless one of them occurs in the text the pattern is not run. Empty:
            always run.
        confidence: before context scoring, 0 to 1.
        check: name of a function of `checks` that confirms a match (True) or rejects it. Empty: none.
        finder: name of a function of `finders`, for a pattern that is a mere word: it says where the secret
            is. Empty: the match is the secret.
        folded: run the pattern over the lower-cased text (offsets are the same).
        gate: name of a cheap expression of `table.GATES` that must also match somewhere in the lower-cased
            text.
        anchored: every match begins with one of the keywords, so the pattern is tried only where they occur.
    """

    name: str
    category: Category
    pattern: str
    keywords: tuple[str, ...]
    confidence: float
    check: str = ""
    finder: str = ""
    folded: bool = False
    gate: str = ""
    anchored: bool = False

    @property
    def placeholder(self) -> str:
        """What replaces a match, such as `[EMAIL]`."""
        return f"[{self.name.upper()}]"


# -- the table of all rules; an expression is compiled when its keyword first occurs in a text


_FILE = f"{__file__.rpartition('table')[0]}rules.json"
"""`scripts/build_docs.py` writes it from the TOML files of `rules/`; a test fails when it is stale."""

GATES = {
    "digits": (r"\d(?:[ .\-()/]{0,2}\d){6}",),
    "dotted": (r"\d\.\d{1,3}\.\d",),
    "paired": (r"[0-9a-f]{2}:[0-9a-f]{0,4}:",),
    "long": (r"[a-z0-9_\-+/]{20}",),
    "mixed": (r"\d(?:[a-z]|(?<=[a-z]\d)|\d{14})", r"[^\s\"'`(){}<>,;\[\]]{24}"),
}
"""Cheap expressions over the lower-cased text, for rules whose keywords are too common to rule anything
out: one of a gate's must match. Each begins with what is rare, which is searched for many times faster."""

_FORMATS: dict[int, Literal["B", "H", "I"]] = {1: "B", 2: "H", 4: "I"}
"""Sizes of the grams (short parts of keywords) that are looked for first, with the letter by which
`memoryview` reads them as numbers. In 1 MB this takes 60 ms, searching for each of 600 keywords 300 ms
(`bench/privacy.py`).
"""


class ApplicableRule(NamedTuple):
    """A rule that may match a text, with those of its keywords that occur."""

    rule: Rule
    keywords: tuple[str, ...]


class RuleTable:
    """Rules with their compiled expressions, and an index of their keywords.

    Attributes:
        broken: why a rule could not be compiled, by its name.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.broken: dict[str, str] = {}
        self._compiled: dict[str, re.Pattern[str] | None] = {}
        self._keywords: dict[str, list[int]] = {}
        for place, rule in enumerate(self.rules):
            for keyword in rule.keywords:
                self._keywords.setdefault(keyword, []).append(place)
        self._by_gram: dict[int, dict[int, list[str]]] = {size: {} for size in _FORMATS}
        for keyword in self._keywords:
            size = max(each for each in _FORMATS if each <= len(keyword.encode()))
            # The gram of a keyword that is rarest in ordinary text, as a number.
            data = keyword.encode()
            rarity = data.translate(_RARITY)
            best = max(range(len(data) - size + 1), key=lambda at: (sum(rarity[at : at + size]), at))
            self._by_gram[size].setdefault(
                int.from_bytes(data[best : best + size], sys.byteorder), []
            ).append(keyword)
        self._grams = {size: frozenset(grams) for size, grams in self._by_gram.items()}
        self._always = tuple(place for place, rule in enumerate(self.rules) if not rule.keywords)

    def applicable(self, folded: str) -> list[ApplicableRule]:
        """The rules that may match a lower-cased text, in the order of the table, with the keywords found."""
        present: dict[int, tuple[str, ...]] = dict.fromkeys(self._always, ())
        # The keywords that occur: found by one gram of each in a single pass, then checked.
        view = memoryview(folded.encode("utf-8", "surrogatepass"))
        likely: list[str] = []
        for size, letter in _FORMATS.items():
            wanted = self._by_gram[size]
            seen: set[int] = set()
            for offset in range(min(size, len(view))):
                whole = (len(view) - offset) // size * size
                seen.update(self._grams[size].intersection(view[offset : offset + whole].cast(letter)))
            for gram in seen:
                likely += wanted[gram]
        for keyword in [keyword for keyword in likely if keyword in folded]:
            for place in self._keywords[keyword]:
                present[place] = (*present.get(place, ()), keyword)
        open_gates = {"": True}
        found = []
        for place in sorted(present):
            rule = self.rules[place]
            if rule.gate not in open_gates:
                open_gates[rule.gate] = any(re.search(gate, folded) for gate in GATES[rule.gate])
            if open_gates[rule.gate]:
                found.append(ApplicableRule(rule, present[place]))
        return found

    def compiled(self, rule: Rule) -> re.Pattern[str] | None:
        """The rule's expression; None if it cannot be compiled: then it is skipped and named in `broken`."""
        if rule.name not in self._compiled:
            try:
                self._compiled[rule.name] = re.compile(rule.pattern)
            except (re.error, OverflowError, RecursionError) as error:
                self._compiled[rule.name] = None
                self.broken[rule.name] = str(error)
        return self._compiled[rule.name]


_RARITY = bytes(
    0 if sign in "etaoinsrhl /" else 1 if sign.isalpha() else 2 if sign in "-._:" else 3
    for sign in map(chr, range(256))
)
"""How rare each byte is in ordinary text."""


def built_in_rules() -> tuple[Rule, ...]:
    """Every rule, the more specific first: of two with equal confidence, the first names the match."""
    # Not with pathlib: importing it takes longer than all of this.
    with open(_FILE, encoding="utf-8") as file:  # noqa: PTH123
        return tuple(Rule(**row | {"keywords": tuple(row.get("keywords", ()))}) for row in json.load(file))


@cache
def default_table() -> RuleTable:
    """The built-in rules."""
    return RuleTable(built_in_rules())


@cache
def rules_in_use() -> str:
    """What tells the built-in rules of this program from those of another version: 16 hexadecimal digits."""
    with open(_FILE, "rb") as file:  # noqa: PTH123
        return str(blake3(file.read()).hexdigest(8))


# -- the result of a redaction: the clean text, and where something was replaced, but never what it was


class RedactionFinding(NamedTuple):
    """One place of the original text that was replaced.

    Attributes:
        rule: name of the rule that matched; the placeholder is that name in capitals and brackets.
        category: `pii`, `secret` or `connection`.
        start: offset in the original text, in characters.
        end: offset just past the last replaced character.
        confidence: 0 to 1, after context scoring.
    """

    rule: str
    category: str
    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text that is safe to store, with what was found in it.

    Attributes:
        text: the text with each finding replaced by its placeholder; the same object when nothing was found.
        findings: in the order of their places.
        skipped: rules that could not be compiled or run; the caller logs them.
    """

    text: str
    findings: tuple[RedactionFinding, ...] = ()
    skipped: tuple[str, ...] = ()


# -- regular expressions that are compiled when they are first used, so that importing them costs nothing


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The compiled expression of a pattern that is known to be valid."""
    return re.compile(pattern)


def fold(text: str) -> str:
    """Lower-case a text so that every offset stays the same."""
    folded = text.lower()
    return (
        folded if len(folded) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    )


# -- how the context of a match changes its confidence: the file's name, a comment, a name before it


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
