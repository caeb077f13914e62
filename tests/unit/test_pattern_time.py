"""Every regular expression of the package takes time in proportion to its text, whoever wrote the text.

All compiled patterns are collected from the modules, and each is set against texts made of its own parts:
what comes before a repetition, then the repeated piece many times over, then a character that fits nothing.
A pattern in proportion needs about a millisecond of the processor for the longest of them, a bounded one a
fifth of a second, a quadratic one more than a second: the limit lies far from both.
"""

import importlib
import pkgutil
import random
import re
import time
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from re import _constants as op
from re import _parser as parser

import pytest

import recortex
from recortex.domain.text import _Lazy
from recortex.engines.privacy.table import default_table
from recortex.engines.tables import Patterns

pytestmark = pytest.mark.full

ROWS = "recortex.engines.privacy.table."
"""Not names of a module: the rules of the table."""
SENTENCES = ("recortex.engines.extraction", "recortex.engines.supersession")
"""These read sentences and passages, which are cut before: 2,000 characters are more than any has."""
PARTS = (
    "recortex.code", "recortex.engines.code", "recortex.engines.commits", "recortex.decisions",
    "recortex.text.outline",
)  # fmt: skip
"""These read names of code, and lines, paragraphs and parts of a record or message, which are cut before."""
LENGTHS = (500, 1_000, 2_000, 30_000)
MOST_SECONDS = 0.6
"""Of the processor, not of the clock."""
ATTACKS = 8

KINDS = {op.CATEGORY_SPACE: " ", op.CATEGORY_DIGIT: "1", op.CATEGORY_NOT_WORD: "-"}
MEMBERS = {op.CATEGORY_SPACE: " \t\n", op.CATEGORY_DIGIT: "0123456789", op.CATEGORY_WORD: "abAB01_"}


@cache
def patterns():
    """Each pattern once, with its name."""
    found = {}
    for info in pkgutil.walk_packages(recortex.__path__, "recortex."):
        if not info.name.endswith("__main__"):
            module = importlib.import_module(info.name)
            for name, value in list(vars(module).items()):
                named = vars(value) if isinstance(value, Patterns) else {"": value}
                for own, one in named.items():
                    for pattern in held(one, module.__name__):
                        place = ".".join(filter(None, (info.name, name, own)))
                        found.setdefault((pattern.pattern, pattern.flags), (place, pattern))
    table = default_table()
    rules = [(f"{ROWS}{rule.name}", table.compiled(rule)) for rule in table.rules]
    rules += [(f"{ROWS}near {near}", re.compile(near)) for near in table.literals.near]
    return sorted([*found.values(), *rules], key=lambda one: one[0])


def held(value, module, depth=0):
    """The patterns in a value of a module."""
    if isinstance(value, (re.Pattern, _Lazy)):
        yield value if isinstance(value, re.Pattern) else re.compile(*value._source)
    elif depth < 4:
        for part in parts(value, module):
            yield from held(part, module, depth + 1)


def parts(value, module):
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, (tuple, list, set, frozenset)):
        return value
    if isinstance(value, type):
        return list(vars(value).values()) if value.__module__ == module else ()
    return [getattr(value, one.name, None) for one in fields(value)] if is_dataclass(value) else ()


@cache
def sources():
    """The text of each module."""
    root = Path(recortex.__path__[0])
    return {
        ".".join(("recortex", *path.relative_to(root).with_suffix("").parts)).removesuffix(
            ".__init__"
        ): path.read_text()
        for path in root.rglob("*.py")
    }


@cache
def everything():
    """The text of all modules."""
    return "\n".join(sources().values())


def looks_everywhere(name):
    """Whether a pattern is tried at each place of a text: `match` tries the first one alone."""
    if name.startswith(ROWS):
        return True
    module, own = name.rsplit(".", 1)
    table = module.rpartition(".")[2]
    if table.endswith("PATTERNS"):
        module, own = module.removesuffix(f".{table}"), f"{table}.{own}"
    text = sources().get(module, "") if own.startswith(("_", f"{table}.")) else everything()
    how = set(
        re.findall(
            rf"\b{re.escape(own)}(?:\[\w+\])?\.(search|match|fullmatch|subn?|findall|finditer|split)\b", text
        )
    )
    return not how or not how <= {"match", "fullmatch"}


def members(items):
    """A few characters of a set."""
    if items[0][0] is op.NEGATE:
        no = set()
        for code, value in items[1:]:
            no |= (
                {chr(value)}
                if code is op.LITERAL
                else set(MEMBERS.get(value, ""))
                if code is op.CATEGORY
                else set()
            )
        return [char for char in "a .-1A_/:" if char not in no][:3] or ["\u00e9"]
    known = {
        op.LITERAL: chr,
        op.RANGE: lambda ends: chr(ends[0]),
        op.CATEGORY: lambda kind: KINDS.get(kind, "a"),
    }
    return [known[code](value) for code, value in items]


def sample(tree, draw):
    """A text that the tree fits, about."""
    return "".join(one_sample(code, value, draw) for code, value in tree)


def one_sample(code, value, draw):  # noqa: PLR0911  a line for each kind of part
    if code is op.LITERAL:
        return chr(value)
    if code is op.IN:
        return draw.choice(members(value))
    if code in (op.ANY, op.NOT_LITERAL):
        return "a"
    if code is op.BRANCH:
        return sample(draw.choice(value[1]), draw)
    if code is op.SUBPATTERN:
        return sample(value[3], draw)
    if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return "".join(sample(value[2], draw) for _ in range(min(max(value[0], 1), value[1], 30)))
    return sample(value, draw) if code is op.ATOMIC_GROUP else ""


def repeated(tree, before, draw):
    """What stands before each repetition, and a piece that it repeats."""
    for place, (code, value) in enumerate(tree):
        start = before + sample(tree[:place], draw)
        inner = []
        if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            inner = [value[2]]
            if value[1] > 9:
                yield start[-40:], sample(value[2], draw)
                if value[2][0][0] is op.IN:
                    yield from ((start[-40:], char) for char in members(value[2][0][1])[-3:])
        elif code in (op.SUBPATTERN, op.ASSERT, op.ASSERT_NOT):
            inner = [value[-1]]
        elif code is op.BRANCH:
            inner = value[1]
        for part in inner:
            yield from repeated(part, start, draw)


def attacks(pattern, draw):
    text = pattern.pattern
    tree = parser.parse(text, pattern.flags & ~re.UNICODE if isinstance(text, bytes) else pattern.flags)
    found = {pair for pair in repeated(tree, "", draw) if pair[1]}
    found |= {("", piece) for _, piece in found} | {("", start + piece) for start, piece in found}
    # The shortest pieces overlap most.
    return [
        ("", " "),
        ("", "a"),
        *sorted(found, key=lambda pair: (len(pair[1]), pair, draw.random()))[:ATTACKS],
    ]


def took(pattern, at_start, start, piece, length):
    text = start + piece * (length // len(piece)) + "\x00"
    text = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    begun = time.process_time()
    if at_start:
        pattern.match(text)
    else:
        for _ in pattern.finditer(text):
            pass
    return time.process_time() - begun


def slow(name, pattern):
    """The attack under which a pattern takes too long and its length; nothing where there is none."""
    at_start = not looks_everywhere(name)
    lengths = LENGTHS[:-1] if name.startswith((*SENTENCES, *PARTS)) else LENGTHS
    lengths += (4_000,) if name.startswith(PARTS) else ()
    for attack in attacks(pattern, random.Random(repr(pattern.pattern)))[:ATTACKS]:  # noqa: S311
        for length in lengths:
            if (seconds := took(pattern, at_start, *attack, length)) > MOST_SECONDS:
                return [(attack, length, round(seconds, 2))]
    return []


def test_the_fuzzer_finds_what_is_quadratic_and_cubic():
    assert slow("some.X", re.compile(r"\s+x"))
    assert slow(f"{SENTENCES[0]}.X", re.compile(r"\w*[a-z]\w*[A-Z]\w*"))
    assert not slow("some.X", re.compile(r"(?<!\s)\s+x|[a-z]{1,9}:\d+"))
    assert len(patterns()) > 400


@pytest.mark.parametrize("package", sorted({".".join(name.split(".")[:3]) for name, _ in patterns()}))
def test_every_pattern_takes_time_in_proportion_to_its_text(package):
    ours = ((name, pattern) for name, pattern in patterns() if f"{name}.".startswith(f"{package}."))
    assert [(name, attack) for name, pattern in ours for attack in slow(name, pattern)] == []
