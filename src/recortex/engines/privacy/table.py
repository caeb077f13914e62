"""The table of all rules; an expression is compiled when its keyword first occurs in a text."""

from __future__ import annotations

import json
import re
from functools import cache, cached_property, lru_cache
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Literal

from recortex.lean import NamedTuple, Value, field, lazy_module

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import blake3
else:
    blake3 = lazy_module("blake3")


# -- A privacy rule: the pattern of personal data or of a secret, and the confidence of a match


Category = Literal["pii", "secret", "connection"]


class Place(NamedTuple):
    """What a check gets: the value without Recortex's placeholders, the match, and the original text."""

    value: str
    match: re.Match[str]
    text: str


class Rule(Value, frozen=True):
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
        literals: in lower case: each match has one of them, at most `before` characters after its beginning.
            With each, how it may be written; empty: in any way.
        implied: where there is one of the literals, there is one of the keywords.
        before: see `literals`.
        reach: so far behind a literal, or what `near` finds, a match and what it depends on may end; 0 if
            that is not known: then the pattern is tried at each place where a match may begin.
        line: a match begins a line.
        near: expressions that are found fast in the text as it is. Each match overlaps with what one finds.
        run: each match begins with so many letters, digits, `+` and `/`, and nothing of that kind before.
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
    literals: dict[str, list[str]] = field(default_factory=dict)
    implied: bool = False
    before: int = 0
    reach: int = 0
    line: bool = False
    near: tuple[str, ...] = ()
    run: int = 0

    def __hash__(self) -> int:
        return hash((self.name, self.pattern))

    @property
    def placeholder(self) -> str:
        """What replaces a match, such as `[EMAIL]`."""
        return f"[{self.name.upper()}]"


# -- the table of all rules; an expression is compiled when its keyword first occurs in a text


_FILE = f"{__file__.rpartition('table')[0]}rules.json"
"""`scripts/build_docs.py` writes it from the TOML files of `rules/`; a test fails when it is stale."""

GATES = {
    "digits": (r"\d(?:[ .\-()/]{0,2}\d){6}",),
    "mixed": (r"\d(?:[a-z]|(?<=[a-z]\d)|\d{14})", r"[^\s\"'`(){}<>,;\[\]]{24}"),
}
"""Cheap expressions over the lower-cased text, for rules whose keywords are too common to rule anything
out: one of a gate's must match. Each begins with what is rare, which is searched for many times faster."""


CROWDING = (
    "passw",
    "passphrase",
    "passcode",
    "pwd",
    "kennwort",
    "contrase",
    "mot de passe",
    "senha",
    "密码",
    "密碼",
    "パスワード",
)
"""Words that stand for passwords in texts that hardly say anything else: see `redaction`."""


READ_PLAINLY = 4_000
"""Characters in all for which each literal is searched for: less work than to load and build an automaton."""
_SURROGATE = r"[\ud800-\udfff]"


class Literals:
    """The literals of a table of rules, which are found in one pass.

    An automaton finds 900 literals in 1 MB in 15 ms, where searching for each takes 390. It is there in 2 ms:
    a hook that reads a prompt does without it, and so does a machine for which nobody builds the package.

    Attributes:
        numbers: the number of each literal.
        users: by literal, the places of the rules that have it, with how it must be written.
        near: the places of the rules by the expressions of `Rule.near`.
        runs: the places of the rules by `Rule.run`.
        always: the places of the rules that are tried everywhere.
    """

    def __init__(self, rules: Iterable[Rule], others: Iterable[str]) -> None:
        self.numbers: dict[str, int] = {}
        self.users: list[list[tuple[int, frozenset[str]]]] = []
        self.near: dict[str, list[int]] = {}
        self.runs: dict[int, list[int]] = {}
        self.always: list[int] = []
        for place, rule in enumerate(rules):
            for literal, written in rule.literals.items():
                self.users[self._number(literal)].append((place, frozenset(written)))
            for near in rule.near:
                self.near.setdefault(near, []).append(place)
            if rule.run:
                self.runs.setdefault(rule.run, []).append(place)
            elif not (rule.literals or rule.near):
                self.always.append(place)
        for literal in others:
            self._number(literal)
        self._read = 0

    def _number(self, literal: str) -> int:
        number = self.numbers.setdefault(literal, len(self.numbers))
        if number == len(self.users):
            self.users.append([])
        return number

    def hits(self, part: str, offset: int) -> dict[int, list[int]]:
        """Where each literal stands in a part of a lower-cased text that begins at an offset of it."""
        self._read += len(part)
        find = self._find if self._read > READ_PLAINLY else None
        hits: dict[int, list[int]] = {}
        if find is None:
            for literal, number in self.numbers.items():
                at = part.find(literal)
                while at >= 0:
                    hits.setdefault(number, []).append(at + offset)
                    at = part.find(literal, at + 1)
            return hits
        try:
            found = find(part, overlapping=True)
        except UnicodeEncodeError:
            found = find(compiled(_SURROGATE).sub("\0", part), overlapping=True)
        for number, start, _ in found:
            if number in hits:
                hits[number].append(start + offset)
            else:
                hits[number] = [start + offset]
        return hits

    @cached_property
    def _find(self) -> Callable[..., list[tuple[int, int, int]]] | None:
        try:
            from ahocorasick_rs import AhoCorasick, MatchKind
        except ImportError:
            return None
        automaton = AhoCorasick(self.numbers, matchkind=MatchKind.Standard, store_patterns=False)
        return automaton.find_matches_as_indexes


class RuleTable:
    """Rules with their compiled expressions and their literals.

    Attributes:
        broken: why a rule could not be compiled, by its name.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.broken: dict[str, str] = {}
        self._compiled: dict[str, re.Pattern[str] | None] = {}

    @cached_property
    def literals(self) -> Literals:
        """The literals of all rules."""
        return Literals(self.rules, CROWDING)

    def compiled(self, rule: Rule) -> re.Pattern[str] | None:
        """The rule's expression; None if it cannot be compiled: then it is skipped and named in `broken`."""
        if rule.name not in self._compiled:
            try:
                self._compiled[rule.name] = re.compile(rule.pattern)
            except (re.error, OverflowError, RecursionError) as error:
                self._compiled[rule.name] = None
                self.broken[rule.name] = str(error)
        return self._compiled[rule.name]


def built_in_rules() -> tuple[Rule, ...]:
    """Every rule, the more specific first: of two with equal confidence, the first names the match."""
    # Not with pathlib: importing it takes longer than all of this.
    with open(_FILE, encoding="utf-8") as file:  # noqa: PTH123
        return tuple(
            Rule(**row | {"keywords": tuple(row.get("keywords", ())), "near": tuple(row.get("near", ()))})
            for row in json.load(file)
        )


@cache
def default_table() -> RuleTable:
    """The built-in rules."""
    return RuleTable(built_in_rules())


@cache
def check_named(name: str) -> Callable[[Place], bool]:
    """The check that a rule names as `module.function`; its module is imported for the first match."""
    module, _, function = name.partition(".")
    check: Callable[[Place], bool] = getattr(import_module(f"recortex.engines.privacy.{module}"), function)
    return check


@cache
def rules_in_use() -> str:
    """What tells the built-in rules of this program from those of another version: 16 hexadecimal digits."""
    with open(_FILE, "rb") as file:  # noqa: PTH123
        return str(blake3.blake3(file.read()).hexdigest(8))


# -- where in a text the rules can match, so that an expression is tried there and nowhere else


Span = tuple[int, int]

_IN_RUN, _BETWEEN = b"a", b" "
_RUNS = bytes(
    ord(_IN_RUN if code < 128 and (chr(code).isalnum() or chr(code) in "+/") else _BETWEEN)  # noqa: PLR2004
    for code in range(256)
)


class Area(NamedTuple):
    """A part of a text that is searched."""

    start: int
    end: int


class Scan:
    """Where the rules of a table can match in a text.

    Attributes:
        text: the text.
        folded: it in lower case, with equal offsets.
        areas: the parts of it that are searched.
    """

    def __init__(self, table: RuleTable, text: str, folded: str, near: list[Area]) -> None:
        self.text, self.folded = text, folded
        self.areas = near or [Area(0, len(text))]
        self._read = "\n".join(folded[slice(*area)] for area in near) if near else folded
        self._table = table
        self._hits = [table.literals.hits(folded[slice(*area)], area.start) for area in self.areas]
        self._gates = {"": True}

    def count(self, words: Iterable[str]) -> int:
        """How often these literals occur."""
        numbers = [self._table.literals.numbers[word] for word in words]
        return sum(len(hits.get(number, ())) for hits in self._hits for number in numbers)

    def has(self, word: str) -> bool:
        """Whether a word occurs."""
        number = self._table.literals.numbers.get(word)
        return word in self._read if number is None else any(number in hits for hits in self._hits)

    @cached_property
    def openings(self) -> tuple[str, ...]:
        """With what another token may begin."""
        rules = [rule for rule in self._table.rules if rule.anchored]
        words = {word for rule in rules for word in rule.keywords if self.has(word) and self._is_open(rule)}
        return tuple(words)

    def matches(self) -> Iterator[tuple[Rule, Area, list[re.Match[str]]]]:
        """What each rule's expression finds in each area, in the order of the rules.

        That is what `finditer` finds; where a rule is anchored, what it finds from each keyword.
        """
        where = [self._places(area, hits) for area, hits in zip(self.areas, self._hits, strict=True)]
        for place in sorted(set().union(*where)):
            rule = self._table.rules[place]
            expression = self._table.compiled(rule) if self._is_open(rule) else None
            if expression is None:
                continue
            for area, places in zip(self.areas, where, strict=True):
                if place in places and (found := self._found(rule, expression, area, places[place])):
                    yield rule, area, found

    def _is_open(self, rule: Rule) -> bool:
        """Whether what a rule needs occurs somewhere in the text."""
        if not rule.implied and rule.keywords and not any(map(self.has, rule.keywords)):
            return False
        if rule.gate not in self._gates:
            self._gates[rule.gate] = any(compiled(gate).search(self._read) for gate in GATES[rule.gate])
        return self._gates[rule.gate]

    def _places(self, area: Area, hits: dict[int, list[int]]) -> dict[int, list[list[Span]]]:
        """What matches of the rules begin with or contain, by rule: for each literal or expression apart."""
        literals = self._table.literals
        found: dict[int, list[list[Span]]] = {place: [] for place in literals.always}
        for number, starts in hits.items():
            for place, written in literals.users[number]:
                rule = self._table.rules[place]
                kept = starts
                if written:
                    size = len(next(iter(written)))
                    subject = self.folded if rule.folded else self.text
                    kept = [start for start in starts if subject[start : start + size] in written]
                if kept:
                    found.setdefault(place, []).append([(start, start) for start in kept])
        for near, rules in literals.near.items():
            sign = near.removeprefix("\\")[0]  # with which it begins, or the `d` of a digit
            if sign != "d" and sign not in self.text:
                continue
            spans = [match.span() for match in compiled(near).finditer(self.text, *area)]
            for place in rules if spans else ():
                found.setdefault(place, []).append(spans)
        for run, rules in literals.runs.items():
            spans = self._runs(_IN_RUN * run, area)
            for place in rules if spans else ():
                found.setdefault(place, []).append(spans)
        return found

    def _found(
        self, rule: Rule, expression: re.Pattern[str], area: Area, places: list[list[Span]]
    ) -> list[re.Match[str]]:
        subject = self.folded if rule.folded else self.text
        if rule.anchored:
            return [match for spans in places for match in _at(spans, expression, subject, area)]
        spans = places[0] if len(places) == 1 else sorted(chain.from_iterable(places))
        if rule.reach or not spans:
            windows = _windows(rule, spans, area) if spans else [area]
            return [match for window in windows for match in expression.finditer(subject, *window)]
        if rule.before:
            starts = {at for end, _ in spans for at in range(max(area.start, end - rule.before), end + 1)}
            if rule.line:
                starts = {at for at in starts if at == 0 or subject[at - 1] == "\n"}
            spans = [(at, at) for at in sorted(starts)]
        return list(_at(spans, expression, subject, area))

    def _runs(self, run: bytes, area: Area) -> list[Span]:
        """Where so many letters, digits, `+` and `/` begin."""
        image = self.text[area.start : area.end].encode("latin-1", "replace").translate(_RUNS)
        starts: list[Span] = []
        at = image.find(run)
        while at >= 0:
            starts.append((area.start + at, area.start + at))
            end = image.find(_BETWEEN, at)
            at = image.find(run, end) if end >= 0 else -1
        return starts


def _windows(rule: Rule, spans: list[Span], area: Area) -> list[Area]:
    """The parts of an area in which each match lies, with what its conditions read behind it."""
    windows: list[Area] = []
    for start, end in spans:
        first, last = max(area.start, start - rule.before), min(area.end, end + rule.reach)
        if windows and first <= windows[-1].end:
            first, last = windows[-1].start, max(windows.pop().end, last)
        windows.append(Area(first, last))
    return windows


def _at(spans: list[Span], expression: re.Pattern[str], subject: str, area: Area) -> Iterator[re.Match[str]]:
    """The matches that begin at one of these places (sorted), none within another."""
    free = 0
    for start, _ in spans:
        if start >= free:
            match = expression.match(subject, start, area.end)
            if match is not None:
                yield match
                free = max(match.end(), start + 1)


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


class Redaction(Value, frozen=True):
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
    # The line begins before what is looked at, so that nothing is known of how.
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
