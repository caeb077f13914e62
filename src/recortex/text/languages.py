"""The languages whose function words are known beside English, and which one a sentence is in.

There is no detector: a sentence is in the language that its script tells, or whose words it has most of. What
counts as English does so before all others, so that nothing changes for English text. The lists were written
from knowledge of the languages; bench/retrieval.py --dataset languages measures them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from recortex.domain.search import ANY_ENDING
from recortex.domain.text import lazy
from recortex.text.words import (
    HANGUL,
    KANA,
    PADDING,
    STOP_WORDS,
    TERM,
    bag_of_words,
    composed,
    compound_parts,
    has_cjk,
    pairs,
    runs,
    sections,
    stem,
    tokens,
    without_cjk,
    word_set,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

ENGLISH = "en"
ENGLISH_MODEL = "all-minilm-l6-v2"
MULTILINGUAL_MODEL = "multilingual-e5-small.int8"
"""The name of the model that is built on the user's machine; its cosines mean the same in any language."""
_LATIN = ("de", "es", "fr", "pt")
_EASTERN = ("zh", "ja", "ko")
_SENTENCE = lazy(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_ASCII_SENTENCE = lazy(r"\s(?:(?<=[.!?]\s)\s*|(?<=\n)\n*)")
"""The same of ASCII: it looks at spaces alone, which takes a fifth of the time."""
_ELISION = lazy(r"(?<!\w)(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)['’](?=\w)", re.IGNORECASE)
"""Of a French word: the article or pronoun that is written together with it."""
_PIECE = lazy("[\u3041-\u3096\u309d-\u309f]+|[\u30a1-\u30fa\u30fc-\u30ff]+|[^\u3041-\u30ff]+")
"""In a Japanese run: hiragana, which holds particles and endings; katakana; the rest."""
_HIRAGANA = lazy("[\u3041-\u309f]+")
_VERB = lazy(r"\w[다지]")
"""A short Korean verb, which is written otherwise where it is denied."""
_LEAST = 2
"""Words of a list that tell a language; fewer may be a name in an English question."""
_LONG, _ROOT = 8, 5
"""Letters of a German word from which it is looked up with any ending (shorter ones begin too many: Tag,
Tagung), and of what is left of a French, Spanish or Portuguese one."""
_READ = 2_000
"""Characters in which languages are told."""


@cache
def _lists() -> dict[str, str]:
    return {name: re.sub(r"(?m)^# .*$", "", listed) for name, listed in sections(__file__).items()}


@cache
def _listed(name: str) -> frozenset[str]:
    return word_set(_lists()[name])


def sentences(text: str) -> list[str]:
    """The sentences of a text, roughly; only its first characters are read."""
    read = text[:_READ]
    return [one for one in (_ASCII_SENTENCE if read.isascii() else _SENTENCE).split(read) if one.strip()]


def language_of(sentence: str) -> str:
    """`zh`, `ja` or `ko` by its script, `de`, `es`, `fr` or `pt` by its words; else `en`."""
    if has_cjk(sentence):
        return "ja" if KANA.search(sentence) else "ko" if HANGUL.search(sentence) else "zh"
    return _latin(sentence)


_ENGLISH_ALONE = (ENGLISH,)


@lru_cache(1_024)
def _latin(sentence: str) -> str:
    """The language of the words of a sentence that are in no eastern script."""
    known, telling = _known_words(), _listed("TELLING")
    said = [(word, known[word]) for word in tokens(without_cjk(sentence)) if word in known]
    if 2 * sum(told == _ENGLISH_ALONE for _, told in said) >= len(said):  # no other language has more
        return ENGLISH
    counts = {language: sum(language in told for _, told in said) for language in _LATIN}
    best = max(counts, key=counts.__getitem__)
    if counts[best] <= sum(ENGLISH in told for _, told in said):
        return ENGLISH
    # A word with an accent, or one that hardly any other language has, is enough by itself.
    told = any(best in told and (not word.isascii() or word in telling) for word, told in said)
    return best if told or counts[best] >= _LEAST else ENGLISH


@cache
def _known_words() -> dict[str, tuple[str, ...]]:
    """The languages that each function word, and each frequent verb, is of."""
    found: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    lists = {name: _listed(name) | _listed(f"FILLERS {name}") | _listed(f"PADDING {name}") for name in _LATIN}
    for language, listed in ({ENGLISH: STOP_WORDS} | lists).items():
        for word in listed:
            found[word] += (language,)
    return dict(found)


def reads(model: str, text: str) -> bool:
    """Whether vectors by an embedder tell what a text is about: the shipped one's do not of CJK text.

    Of a hundred Chinese notes it finds two unrelated ones alike by 0.58 at the median and 0.99 at most, of
    English ones by 0.09 and 0.51; with its vectors, 68 % of what is asked for in a Chinese project is among
    the first five places, without them 84 % (bench/exchanges.py). Of other embedders nothing is known.

    Args:
        model: the name that its vectors are stored under.
        text: a question or a memory; English with a few such characters is English.
    """
    return (
        not model.startswith(ENGLISH_MODEL)
        or not has_cjk(text)
        or sum(word in STOP_WORDS for word in tokens(without_cjk(text))) >= _LEAST
    )


def tells_likeness(model: str, text: str) -> bool:
    """Whether a cosine by itself tells how like a question something is.

    What was fitted on cosines of English holds for it alone: of unrelated notes the median is 0.09 with the
    shipped model in English, 0.41 in Spanish, and above 0.7 in any language with multilingual-e5-small as it
    is published. The one that is built here has the scale of English in every language.

    Args:
        model: the name that its vectors are stored under.
        text: a question.
    """
    return model == MULTILINGUAL_MODEL or all(language_of(one) == ENGLISH for one in sentences(text))


def function_words(text: str) -> frozenset[str]:
    """The words that say nothing in a text: English ones, and those of its sentences' languages."""
    found = _languages(text) - {ENGLISH}
    return STOP_WORDS.union(*map(_listed, found)) if found else STOP_WORDS


def is_german(text: str) -> bool:
    """Whether a question is German, which writes nouns with capitals and compounds as one word."""
    return "de" in _languages(text)


@lru_cache(64)  # what is asked is looked at by everything that answers
def _languages(text: str) -> frozenset[str]:
    return frozenset(_latin(one) for one in sentences(text))


def looked_up(text: str, asked: Sequence[str], names: Collection[str] = ()) -> list[str]:
    """The words of a question as the index is asked for them: those of other languages with any ending.

    German writes compounds as one word, so its long words also find what begins with them: `Datenbank` what
    only says `Datenbankverbindung`. French, Spanish and Portuguese words lose what inflects them first:
    `ejecutar` finds `ejecutan`. The endings of English words are cut off by the index.

    Args:
        text: the question.
        asked: its words.
        names: those of them that stay as they are.
    """
    # Of several languages always the same one.
    language = min(_languages(text) - {ENGLISH}, default=ENGLISH)
    if language == ENGLISH:
        return list(asked)
    return [word if word in names else _with_any_ending(word, language) for word in asked]


def _with_any_ending(word: str, language: str) -> str:
    if not word.isalpha():
        return word
    if language == "de":
        return f"{word}{ANY_ENDING}" if len(word) >= _LONG else word
    shorter = word[: len(stem(word, language))]  # the stem may lack accents
    return f"{shorter}{ANY_ENDING}" if _ROOT <= len(shorter) < len(word) else word


def question_words(text: str) -> list[str]:
    """What a question is looked up by: its words but function words, parts of identifiers, pairs of CJK."""
    plain = without_cjk(text)
    if "fr" in _languages(plain):
        plain = _ELISION.sub(" ", plain)
    nothing = function_words(plain)
    found = dict.fromkeys([*words(plain), *compound_parts(plain)])
    told = [word for word in found if word not in nothing]
    return [*told, *dict.fromkeys(question_pairs(text, alone=not told))]


def question_pairs(text: str, *, alone: bool = True) -> Iterator[str]:
    """The pairs of a question's CJK runs, without what only asks or joins.

    Args:
        text: any text.
        alone: give all pairs where nothing else is left of the question.
    """
    if not has_cjk(text):
        return
    pieces = [
        piece for one in sentences(text) for run in runs(one) for piece in _pieces(run, language_of(one))
    ]
    if not pieces and alone:
        pieces = runs(text)
    for piece in pieces:
        yield from pairs(piece)


def _pieces(run: str, language: str) -> Iterator[str]:
    """The parts of a run that are looked up."""
    if language == "ko" and HANGUL.search(run):
        yield from _korean(run)
    elif language == "ja":
        found = (one for one in _PIECE.findall(run) if not _HIRAGANA.fullmatch(one))
        yield from (one for one in found if one not in _listed("ja"))
    else:
        yield from (one for one in _phrases().split(run) if len(one) > 1)


def _korean(run: str) -> Iterator[str]:
    for _ in range(2):  # a verb's ending after a particle
        shorter = _korean_endings().sub("", run)
        run = shorter if len(shorter) > 1 else run
    if run not in _listed("ko") | _listed("ENDINGS ko") and (
        len(run) > 1 or not _listed("ko").isdisjoint(run)
    ):
        yield run


@cache
def _phrases() -> re.Pattern[str]:
    return _any_of(_listed("zh"))


@cache
def _korean_endings() -> re.Pattern[str]:
    return re.compile(f"(?:{_any_of(_listed('ENDINGS ko')).pattern})$")


def padding(text: str) -> frozenset[str]:
    """The words that a statement may have or lack and still say the same, in its languages."""
    found = _languages(text) - {ENGLISH}
    return PADDING.union(*map(_padding, found)) if found else PADDING


@cache
def _padding(language: str) -> frozenset[str]:
    return (_listed(language) | _listed(f"PADDING {language}")) - _listed(f"MEANINGFUL {language}")


def without_padding(text: str) -> str:
    """CJK text with a space for each such phrase; any other text as it is."""
    return _cutting("PADDING", language_of(text)).sub(" ", text) if has_cjk(text) else text


@lru_cache(1_024)
def negations(text: str) -> frozenset[str]:
    """The words and phrases of a text that deny something."""
    language = language_of(text)
    if language not in _EASTERN:
        return bag_of_words(text) & _listed(f"NEGATION {language}")
    plain = _cutting("NOT_DENYING", language).sub(" ", text)
    return frozenset(_cutting("NEGATION", language).findall(plain))


def opposites(language: str) -> list[tuple[str, str]]:
    """Pairs of words of a language that say the opposite; none for English, whose pairs its user has."""
    one_and_other = (pair.partition("/") for pair in _lists().get(f"OPPOSITES {language}", "").split())
    return [(one, other) for one, _, other in one_and_other]


def statement_units(text: str, language: str) -> frozenset[str]:
    """What a statement is about, to be compared: roots of its words, numbers and names, pairs of CJK runs.

    Args:
        text: a statement, in any case.
        language: not English.
    """
    plain = without_padding(composed(text.lower()))
    nothing = PADDING | _listed(f"FILLERS {language}") | _listed(f"NEGATION {language}")
    nothing |= _padding(language) if language in _LATIN else set()
    said = (word.strip("./:-#") for word in tokens(without_cjk(plain), TERM))
    found = {
        (word if language in _EASTERN else stem(word, language))
        for word in said
        if word and word not in nothing
    }
    pieces = (piece for run in runs(plain) for piece in _informative_parts(run, language))
    return frozenset(found.union(*map(pairs, pieces)))


def _informative_parts(run: str, language: str) -> Iterator[str]:
    """The parts of a run that a statement is about."""
    if language == "zh":
        return filter(None, _cutting("FILLERS", "zh").split(run))
    if language == "ko" and (_cutting("NEGATION", "ko").search(run) or _VERB.fullmatch(run)):
        return iter(())
    fillers = _listed(f"FILLERS {language}")
    return (piece for piece in _pieces(run, language) if piece not in fillers)


@cache
def _cutting(name: str, language: str) -> re.Pattern[str]:
    return _any_of(_listed(f"{name} {language}"))


def _any_of(listed: frozenset[str]) -> re.Pattern[str]:
    # The longest first: of two that begin alike, the shorter one would always match.
    return re.compile("|".join(sorted(map(re.escape, listed), key=len, reverse=True)))
