"""Words: what counts as one, which are ignored, and what is cut off before words are compared.

All comparisons of texts by words use this module. It has several patterns, lists of endings and lists of
words since each use was measured with its own, which is named beside it.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.domain.text import lazy

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Mapping

    import Stemmer


# -- Chinese, Japanese and Korean, which write no spaces or join particles to words


_KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HANGUL = "\uac00-\ud7a3"
_SIGNS = f"{_KANA}{_HAN}{_HANGUL}"
_RUN = lazy(f"[{_SIGNS}]+")
_PAIR = lazy(f"[{_SIGNS}]{{2}}")
_PIECE = lazy(f"[{_SIGNS}]+|[^{_SIGNS}]+")
_OTHER_FORM = lazy("[\u1100-\u11ff\u3099\u309a\uff01-\uffdc]")
"""Characters of wide Latin, narrow kana, and of kana and Hangul in pieces, as some systems write them."""
_TOKEN = lazy(rf"[^\W_{_SIGNS}]+(?:['’][^\W_{_SIGNS}]+)?")
_MARKS = lazy("[\u3000-\u3004\u3008-\u3020\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]")
_KATAKANA = lazy("[\u30a1-\u30fa\u30fc-\u30ff]{2}")
KANA, HANGUL, _NO_SPACES = lazy(f"[{_KANA}]"), lazy(f"[{_HANGUL}]"), lazy(f"[{_KANA}{_HAN}]")


def composed(text: str) -> str:
    """The text with each character in its usual form (NFKC), where it has any of another form."""
    if text.isascii() or not _OTHER_FORM.search(text):
        return text
    return unicodedata.normalize("NFKC", text)


def runs(text: str) -> list[str]:
    """The runs of such characters."""
    return [] if text.isascii() else _RUN.findall(composed(text))


def is_cjk(word: str) -> bool:
    """Whether the word is one such run."""
    return not word.isascii() and _RUN.fullmatch(word) is not None


def has_cjk(text: str) -> bool:
    """Whether there is any such character."""
    return not text.isascii() and _RUN.search(composed(text)) is not None


def writes_no_spaces(text: str) -> bool:
    """Whether there is any Chinese or Japanese, which also has a full stop of its own."""
    return not text.isascii() and _NO_SPACES.search(text) is not None


def pairs(run: str) -> Iterable[str]:
    """The pairs of neighbours; a single character stands for itself."""
    return (run[place : place + 2] for place in range(len(run) - 1)) if len(run) > 1 else (run,)


def grams(text: str) -> Iterator[str]:
    """What such runs are indexed by: their characters and pairs, and the words that stand in them.

    `使用bcrypt` is one word to the keyword index, which would not be found by "bcrypt".
    """
    text = composed(text)
    found = list(_RUN.finditer(text))
    for match in found:
        run = match[0]
        yield from run
        if len(run) > 1:
            yield from pairs(run)
    if found:  # words that stand beside such characters, without a space
        starts, ends = {match.start() for match in found}, {match.end() for match in found}
        yield from (
            word[0].lower() for word in _TOKEN.finditer(text) if word.end() in starts or word.start() in ends
        )


def units(words: Iterable[str]) -> Iterator[str]:
    """Words as they are compared: each such run in one as its pairs, and what stands between as words."""
    for word in words:
        if word.isascii() or not _RUN.search(plain := composed(word)):
            yield word
            continue
        for run in _RUN.findall(plain):
            yield from pairs(run)
        yield from filter(None, _RUN.split(plain))


def characters(words: Iterable[str]) -> Iterator[str]:
    """As `units`, with the characters of each run in place of its pairs: their order tells as much."""
    for word in words:
        if word.isascii() or not _RUN.search(word):
            yield word
            continue
        for piece in _PIECE.findall(word):
            yield from piece if is_cjk(piece) else (piece,)


def spaced(text: str) -> str:
    """The text with a space for each punctuation mark of East Asian writing, which stands between words."""
    return text if text.isascii() else _MARKS.sub(" ", text)


def without_cjk(text: str) -> str:
    """The text without such runs, a space for each."""
    return text if text.isascii() else _RUN.sub(" ", composed(text))


def borders(counts: Mapping[str, int]) -> set[str]:
    """Pairs that nothing holds beside one that something holds: they stand across the border of two words.

    Args:
        counts: how many texts hold each word and pair of a question.
    """
    two = [
        word for word in counts if not word.isascii() and _PAIR.fullmatch(word) and not _KATAKANA.match(word)
    ]
    firsts, seconds = ({word[place] for word in two if counts[word]} for place in (0, 1))
    return {word for word in two if not counts[word] and (word[0] in seconds or word[1] in firsts)}


# -- words: what counts as one, which are ignored, and what is cut off before words are compared


def word_set(text: str) -> frozenset[str]:
    """The words of a written list."""
    return frozenset(text.split())


def sections(module: str, name: str = "") -> dict[str, str]:
    """The lists in the text file beside a module (given its `__file__`), by their names in brackets."""
    path = Path(module)
    parts = path.with_name(f"{name or path.stem}.txt").read_text(encoding="utf-8").split("\n[")[1:]
    named = (part.partition("]") for part in parts)
    return {name: listed for name, _, listed in named}


# -- words that say nothing

_LISTS = {name: word_set(listed) for name, listed in sections(__file__).items()}
STOP_WORDS = _LISTS["STOP_WORDS"]
"""English function words, which are ignored in questions and in keyword search."""
PADDING = (STOP_WORDS - _LISTS["MEANINGFUL_STOP_WORDS"]) | _LISTS["EXTRA_PADDING"]
"""Words that a statement may have or lack and still say the same (near-duplicates)."""
FILLERS = _LISTS["FILLERS"]
"""Left out when the subjects of two statements are compared (bench/reversals.py)."""
PREPOSITIONS = _LISTS["PREPOSITIONS"]
CLAIM_WORDS = FILLERS | PREPOSITIONS | _LISTS["CLAIM_EXTRA"]
"""Words of claims about any subject (bench/reversals.py)."""


# -- what counts as a word

WORD = lazy(r"[^\W_]+(?:['’][^\W_]+)?")
"""Letters and digits, with one apostrophe: questions, and the keyword index."""
LETTERS = lazy(r"[^\W_]+")
"""Letters and digits only."""
LONGER = lazy(r"\w{2,}")
"""With underscores, two characters at least."""
TYPED = lazy(r"[^\W_][\w'’-]*")
"""As a person typed it: with apostrophes and hyphens."""
TERM = lazy(r"[\w@][\w./@:+#-]*(?:['’]t)?")
"""With the characters inside names and commands: `src/a.py`, `npm@9`, `don't`."""
QUOTABLE = lazy(r"[^\W_][\w./@:#-]{0,120}|_\w{1,120}")
"""As `TERM`, of limited length, since transcripts may contain anything."""
PRODUCT = lazy(r"[a-z][\w.+-]*[a-z0-9]")
"""What may be a product's name in lower case: `c++17`, `node.js`."""
IDENTIFIER = lazy(r"[A-Za-z_]\w*")

_POSSESSIVE = lazy(r"['’]s$")
_PUNCTUATION = lazy(r"[^\w\s]")
_ASCII_PUNCTUATION = bytes(
    code for code in range(128) if not (chr(code).isalnum() or chr(code).isspace() or chr(code) == "_")
)
"""The same of ASCII alone, for a `bytes.translate` that takes a tenth of the time."""
_SMALL = r"[^\W\d_A-Z]"
_PART = lazy(rf"[A-Z]+(?=[A-Z]{_SMALL})|[A-Z]?{_SMALL}+|[A-Z]+|\d+")


def _apart(kept: str) -> bytes:
    """A table that puts a space for all ASCII but letters, digits and what is kept."""
    return bytes(code if chr(code).isalnum() or chr(code) in kept else 0x20 for code in range(128)) + bytes(
        128
    )


_LETTERS_APART, _LONGER_APART = _apart(""), _apart("_")


def tokens(text: str, pattern: re.Pattern[str] = WORD, *, lower: bool = True) -> list[str]:
    """The words of a text in order, by one of the patterns above; in lower case unless `lower` is False."""
    text = text.lower() if lower else text
    if text.isascii():  # a table takes a quarter of the time of these expressions
        if pattern is LETTERS or (pattern is WORD and "'" not in text):
            return text.encode().translate(_LETTERS_APART).decode().split()
        if pattern is LONGER:
            return [word for word in runs_of_ascii(text) if len(word) > 1]
    return pattern.findall(text)


def runs_of_ascii(text: str) -> list[str]:
    r"""What `\w+` matches in a text of ASCII."""
    return text.encode().translate(_LONGER_APART).decode().split()


def words(text: str) -> list[str]:
    """The words in order, in lower case, without possessive endings."""
    return [_POSSESSIVE.sub("", word) for word in tokens(text)]


def content_words(text: str) -> list[str]:
    """The different words that are not function words, in order; of CJK text its pairs."""
    return list(dict.fromkeys(word for word in units(words(text)) if word not in STOP_WORDS))


@lru_cache(1_024)
def bag_of_words(text: str) -> frozenset[str]:
    """The words between spaces, in lower case and without punctuation, for Jaccard similarity.

    Of Chinese, Japanese and Korean the pairs of characters.
    """
    if text.isascii():
        return frozenset(text.encode().lower().translate(None, _ASCII_PUNCTUATION).decode().split())
    return frozenset(units(_PUNCTUATION.sub("", spaced(text.lower())).split()))


# -- stems


_SHORTEST = 3
"""Letters of a word that is never taken for a plural."""


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    import Stemmer

    return Stemmer.Stemmer(language)


@lru_cache(8_192)
def stem(word: str, language: str = "en") -> str:
    """The root of a word in lower case by the Snowball algorithm of its language (ISO 639-1).

    Forms of a word have one root, and so have most words that are made of it: "deployed" and "deployments".
    What has other characters than letters stays whole: a name, a path, a number.
    """
    return _stemmer(language).stemWord(word) if word.isalpha() else word


def singular(word: str) -> str:
    """A noun in lower case without the ending of its plural, by its spelling alone.

    For statements that may end one another, where a stem makes too many of them alike (bench/changes.py).
    """
    if len(word) > _SHORTEST and word.isalpha():
        if word.endswith("ies"):
            return word[:-3] + "y"
        if word[-1] == "s" and word[-2] not in "sui":
            return word[:-1]
    return word


def topic_stems(text: str, most: int = 2_000) -> frozenset[str]:
    """The stems of the words of a text that are not function words; of its first characters alone."""
    return frozenset(stem(word) for word in content_words(text[:most]))


# -- names in code


def identifier_parts(identifier: str) -> list[str]:
    """The parts of a name in lower case: `getUserName`, `get_user_name` and `get.user.name` alike."""
    return [part.lower() for part in _PART.findall(identifier)]


def compound_parts(text: str) -> Iterator[str]:
    """For each identifier of more than one part, its parts, as often as it occurs."""
    for identifier in IDENTIFIER.findall(without_cjk(text)):
        if not (identifier.isalpha() and identifier[1:].islower()):  # a plain word has one part
            yield from _parts_of_compound(identifier)


@lru_cache(8_192)
def _parts_of_compound(identifier: str) -> tuple[str, ...]:
    parts = identifier_parts(identifier)
    return tuple(parts) if len(parts) > 1 else ()


def path_words(path: str) -> list[str]:
    """The names on a path and the words that they are made of."""
    names = IDENTIFIER.findall(path)
    return [*(name.lower() for name in names), *identifier_parts(path)]


# -- synonyms


@cache
def _synonyms() -> dict[str, str]:
    return {name: listed.partition("\n#")[0] for name, listed in sections(__file__, "synonyms").items()}


@cache
def _examples() -> dict[str, tuple[str, ...]]:
    rows = (row.split(" = ") for row in _synonyms()["EXAMPLES"].strip().splitlines())
    return {stem(word): tuple(examples.split()) for asked, examples in rows for word in asked.split()}


def synonyms_of(word: str) -> tuple[str, ...]:
    """What memories may name where a question has this word: of "database" PostgreSQL and others."""
    return _examples().get(stem(word), ())


@cache
def aliases() -> dict[str, str]:
    """Other names of things, and the usual one of each: `pg` is `postgresql`."""
    return dict(pair.split("=") for pair in _synonyms()["ALIASES"].split())


@cache
def groups_of_synonyms() -> tuple[tuple[str, ...], ...]:
    """Groups of words that say the same in a wish; the first stands for all."""
    return tuple(tuple(line.split()) for line in _synonyms()["GROUPS"].strip().splitlines())
