"""What matters most in a project, and for a task: PageRank over references, after aider's repository map.

A reference weighs more where its name is long and made of words (times 10) or asked for (times 10), less
where it is private or defined in more than five places (times 0.1 each), more out of files in play (times
50); it counts with the root of how often it is there. The walk returns to files in play and to those that the
words of the task name. All of these factors are aider's (`aider/repomap.py`, Apache-2.0), but for the words,
which weigh by how few files have them.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.code import NOWHERE, Symbol, innermost
from recortex.engines.code.project import Address, Project
from recortex.text.words import stem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from recortex.engines.code.resolution import Reference


DAMPING = 0.85
ASKED = 0.5
"""The part of a file's share that is what was asked for, and not the walk (bench/code_map.py, on sphinx)."""
ROUNDS = 60
"""Of the power iteration; the remaining change is below 0.85^60 = 6e-5."""
LONG_NAME = 8
MANY_DEFINERS = 5
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SHORTEST = 3
_MADE_OF_WORDS = re.compile(r"[a-z0-9]_[a-z0-9]|[a-z][A-Z]", re.IGNORECASE)


class Ranking(NamedTuple):
    """What matters most.

    Attributes:
        files: with their shares, of the walk and of what was asked for, highest first.
        symbols: with theirs, highest first.
    """

    files: list[tuple[str, float]]
    symbols: list[tuple[Address, float]]


def words_of(text: str) -> frozenset[str]:
    """The stems of the words of a text or a name, also those within `snake_case` and `camelCase`."""
    found = (one.lower() for one in _WORD.findall(text))
    return frozenset(stem(one) for one in found if len(one) >= _SHORTEST)


def rank(
    project: Project, found: Sequence[Reference], in_play: Collection[str] = (), task: str = ""
) -> Ranking:
    """Order the files and symbols of a project.

    Args:
        project: its facts.
        found: the references between its files.
        in_play: files that are being worked on.
        task: what is to be done, in words; names in it count.
    """
    paths = sorted(project.files)
    wanted = _wanted(project, paths, in_play, words_of(task))
    named = frozenset(re.findall(r"\w+", task))
    weights = [_weight(one, in_play, named) for one in found]
    walked, asked = _walk(paths, found, weights, wanted), sum(wanted)
    shares = [
        (1 - ASKED) * share + ASKED * pull / asked if asked else share
        for share, pull in zip(walked, wanted, strict=True)
    ]
    files = sorted(zip(paths, shares, strict=True), key=lambda one: (-one[1], one[0]))
    return Ranking(files, _symbols(project, dict(files), found, weights, words_of(task)))


def _weight(one: Reference, in_play: Collection[str], named: frozenset[str]) -> float:
    weight = math.sqrt(one.times)
    # Names in the task count whole here; single words of it pull on the files instead (`_wanted`).
    if one.name in named:
        weight *= 10
    if len(one.name) >= LONG_NAME and _MADE_OF_WORDS.search(one.name):
        weight *= 10
    if one.name.startswith("_"):
        weight *= 0.1
    if one.definers > MANY_DEFINERS:
        weight *= 0.1
    return weight * 50 if one.source in in_play else weight


def _wanted(
    project: Project, paths: Sequence[str], in_play: Collection[str], words: frozenset[str]
) -> list[float]:
    """How much the walk returns to each file: half to those in play, half to those that words name."""
    wanted = [0.0] * len(paths)
    known = [path for path in paths if path in in_play]
    for number, path in enumerate(paths):
        if path in known:
            wanted[number] += 1 / len(known)
    if words:
        # How much the words of a task speak of each file: by its path, and by what it defines.
        in_path = [words_of(path) & words for path in paths]
        defined: list[Counter[str]] = []
        for path in paths:
            plain = Counter(
                word for one in project.files[path].symbols for word in words_of(one.plain) & words
            )
            defined.append(plain)
        spread = Counter(
            word for have, plain in zip(in_path, defined, strict=True) for word in have | plain.keys()
        )
        # How telling a word is: inverse document frequency over the project's files.
        rare = {word: math.log(1 + len(paths) / many) for word, many in spread.items()}
        # Squared, so that a file that has several of the words stands out from many that have one.
        named = [
            (
                sum(3 * rare[word] for word in have)
                + sum(rare[word] * (1 + math.log(many)) for word, many in plain.items())
            )
            ** 2
            for have, plain in zip(in_path, defined, strict=True)
        ]
        total = sum(named)
        wanted = [one + (share / total if total else 0) for one, share in zip(wanted, named, strict=True)]
    return wanted


def _walk(
    paths: Sequence[str], found: Sequence[Reference], weights: Sequence[float], wanted: Sequence[float]
) -> list[float]:
    """PageRank: the share of a walk that each file has."""
    if not paths:
        return []
    import numpy as np

    number = {path: index for index, path in enumerate(paths)}
    source = np.array([number[one.source] for one in found], dtype=np.int64)
    target = np.array([number[one.target] for one in found], dtype=np.int64)
    weight = np.array(weights, dtype=np.float64)
    out = np.bincount(source, weights=weight, minlength=len(paths))
    pull = np.array(wanted, dtype=np.float64)
    # Without anything asked for, every file is as good a place to begin: plain PageRank.
    pull = pull / pull.sum() if pull.sum() else np.full(len(paths), 1 / len(paths))
    share = pull.copy()  # it begins where it returns to, and so needs fewer rounds
    # The weights of a file's references are shares of what it passes on.
    part = weight / out[source] if len(found) else weight
    for _ in range(ROUNDS):
        flow = np.bincount(target, weights=share[source] * part, minlength=len(paths))
        # What ends in a file that refers to nothing would leak away otherwise.
        lost = share[out == 0].sum()
        share = DAMPING * (flow + lost * pull) + (1 - DAMPING) * pull
    return [float(one) for one in share]


def _symbols(
    project: Project,
    shares: Mapping[str, float],
    found: Sequence[Reference],
    weights: Sequence[float],
    words: frozenset[str],
) -> list[tuple[Address, float]]:
    """The share of a file goes on to what it refers to; what the task names gets its file's as well."""
    out: dict[str, float] = defaultdict(float)
    for one, weight in zip(found, weights, strict=True):
        out[one.source] += weight
    score: dict[tuple[str, str], float] = defaultdict(float)
    for one, weight in zip(found, weights, strict=True):
        # A name gets the share of those who use it, so that the definition that is used most stands first.
        score[one.target, one.name] += shares[one.source] * weight / out[one.source]
    ranked: list[tuple[Address, float]] = []
    for path, facts in project.files.items():
        for index, symbol in enumerate(facts.symbols):
            common = len(words_of(symbol.plain) & words)
            value = score.get((path, symbol.plain), 0.0) + shares[path] * common
            if value:
                ranked.append((Address(path, index), value))
    return sorted(ranked, key=lambda one: (-one[1], one[0]))


# -- which files belong to a file: what it names of others, and what others name of it


MOST = 6
"""Neighbours of a file, and of several together (bench/neighbours.py)."""


def neighbours(found: Iterable[Reference]) -> dict[str, list[str]]:
    """The neighbours of each file, the nearest first.

    A reference counts with the root of how often it is there, shared among the files that define its name.
    Each file's references have the weight one together, and so have those to a file: what names much, or is
    named everywhere, is nobody's neighbour for that.

    Args:
        found: the references between the files of a project.
    """
    weighed = [(one, math.sqrt(one.times) / one.definers) for one in found if one.source != one.target]
    out, into = defaultdict[str, float](float), defaultdict[str, float](float)
    for one, weight in weighed:
        out[one.source] += weight
        into[one.target] += weight
    near = defaultdict[str, defaultdict[str, float]](lambda: defaultdict(float))
    for one, weight in weighed:
        near[one.source][one.target] += weight / out[one.source]
        near[one.target][one.source] += weight / into[one.target]
    return {path: nearest(shares) for path, shares in near.items()}


def nearest(shares: Mapping[str, float]) -> list[str]:
    """The paths with the largest shares, those first."""
    return sorted(shares, key=lambda path: (-shares[path], path))[:MOST]


def together(files: Sequence[str], near: Mapping[str, Sequence[str]]) -> list[str]:
    """The neighbours of some files, without these; those of several files, and near ones, first."""
    shares = defaultdict[str, float](float)
    for file in files:
        for place, path in enumerate(near.get(file, ())):
            shares[path] += 1 / (place + 1)
    return nearest({path: share for path, share in shares.items() if path not in files})


# -- A map of a project: the files and definitions that matter most, within a budget of tokens


MOST_OF_A_FILE = 4
"""Definitions of one file in a map: another file tells more than a fifth does (bench/code_map.py)."""
LONGEST_LINE = 100
FEWEST_TOKENS, MOST_TOKENS = 100, 20_000


class Outline(NamedTuple):
    """A map.

    Attributes:
        text: a line for each file, with lines for its definitions.
        tokens: of the text.
        files: that are in it, the most important first.
    """

    text: str
    tokens: int
    files: tuple[str, ...]


def outline(project: Project, ranking: Ranking, budget: int, count: Callable[[str], int]) -> Outline:
    """The map that fits a budget.

    Args:
        project: its facts.
        ranking: what matters most.
        budget: tokens of the text.
        count: tokens of a text.
    """
    # A file stands before its definitions, each of which tells less than the one before it.
    share = dict(ranking.files)
    taken: dict[str, int] = defaultdict(int)
    weighted: list[tuple[float, _Entry]] = [(value, _Entry(path)) for path, value in ranking.files]
    for address, value in ranking.symbols:
        taken[address.path] += 1
        if taken[address.path] <= MOST_OF_A_FILE:
            # A definition is never listed without its file, and so does not stand before it.
            least = min(value, share[address.path])
            weighted.append((least / (2 + 2 * taken[address.path]), _Entry(*address)))
    listed = sorted(weighted, key=lambda one: (-one[0], one[1]))
    order = [entry for _, entry in listed]
    # More entries are more tokens, so the most that fit are found by halving.
    low, high, best = 0, len(order), Outline("", 0, ())
    while low < high:
        middle = (low + high + 1) // 2
        made = _made(project, order[:middle], count)
        if made.tokens <= budget:
            low, best = middle, made
        else:
            high = middle - 1
    return best


class _Entry(NamedTuple):
    """A file, or a definition of one that is listed already."""

    path: str
    number: int = NOWHERE


def _made(project: Project, entries: Sequence[_Entry], count: Callable[[str], int]) -> Outline:
    shown: dict[str, set[int]] = {}
    for one in entries:
        numbers = shown.setdefault(one.path, set())
        if one.number != NOWHERE:
            numbers.add(one.number)
    text = "\n".join(line for path, numbers in shown.items() for line in _lines(project, path, numbers))
    return Outline(text, count(text), tuple(shown))


def _lines(project: Project, path: str, numbers: set[int]) -> list[str]:
    symbols = project.files[path].symbols
    with_parents = set(numbers)
    for number in numbers:
        parent = symbols[number].parent
        if parent != NOWHERE:
            with_parents.add(parent)
    lines = [path]
    for number in sorted(with_parents):
        one = symbols[number]
        indent = "    " if one.parent in with_parents else "  "
        lines.append(f"{indent}{one.line}: {one.signature or one.plain}"[:LONGEST_LINE])
    return lines


# -- symbols by what a person or an agent calls them: a name, a path with a name, or a place


_PLACE = re.compile(r"(?P<path>[^\s:]+):(?P<line>\d{1,9})")
_IN_FILE = re.compile(r"(?P<path>[^\s:]{0,400}[./][^\s:]{0,400}):(?P<name>[^\d:].*)")
_JOINTS = re.compile(r"::|->|#|\\")
_CLOSING = re.compile(r"\(.*\)$")


def symbol_at(project: Project, path: str, line: int) -> Address | None:
    """The innermost symbol at a line of a file; None where there is none."""
    facts = project.files.get(path)
    found = innermost(facts, line) if facts else None
    return Address(path, facts.symbols.index(found)) if facts and found else None


def addressed(project: Project, text: str) -> list[Address]:
    """The symbols that a text names.

    Args:
        project: its facts.
        text: `NAME`, `Class.method`, `Class::method`, `PATH:NAME` or `PATH:LINE`.
    """
    text = text.strip()
    if place := _PLACE.fullmatch(text):
        found = symbol_at(project, place["path"], int(place["line"]))
        return [found] if found else []
    path = ""
    if within := _IN_FILE.fullmatch(text):
        path, text = within["path"], within["name"]
    name = dotted(text)
    exact = [
        address
        for address, one in project.symbols()
        if is_named(one, name) and (not path or address.path == path)
    ]
    # A declaration stands only for what is defined elsewhere.
    real = [one for one in exact if project.symbol(one).kind != "declaration"]
    return real or exact


def dotted(text: str) -> str:
    """A name as facts have it: `Class::method()` with a dot, and without brackets."""
    return _CLOSING.sub("", _JOINTS.sub(".", text)).strip(".")


def is_named(one: Symbol, name: str) -> bool:
    """Whether a symbol has a name, or one that ends with it."""
    return one.name == name or one.name.endswith(f".{name}")


def search(project: Project, text: str, limit: int) -> list[Address]:
    """The symbols whose names resemble a text, the nearest first: the same, its beginning, a part."""
    wanted = dotted(text.strip()).lower()
    found = [
        # A definition before its declarations, and what lies near the top before what lies deep.
        (likeness, one.kind == "declaration", address.path.count("/"), address)
        for address, one in project.symbols()
        if (likeness := _likeness(one, wanted)) is not None
    ]
    return [address for *_, address in sorted(found)[:limit]]


def _likeness(one: Symbol, wanted: str) -> int | None:
    name, plain = one.name.lower(), one.plain.lower()
    if wanted in {plain, name}:
        return 0
    if name.endswith(f".{wanted}"):
        return 1
    if plain.startswith(wanted):
        return 2
    if wanted in name:
        return 3
    squeezed = wanted.replace("_", "").replace(" ", "")
    return 4 if squeezed and squeezed in plain.replace("_", "") else None
