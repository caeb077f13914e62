"""Words: what counts as one, which are ignored, what is cut off before words are compared, and languages.

All comparisons of texts by words use this module. It has several patterns, lists of endings and lists of
words since each use was measured with its own, which is named beside it.

There is no detector of languages: a sentence is in the language that its script tells, or whose words it has
most of. What counts as English does so before all others, so that nothing changes for English text. The lists
of other languages were written from knowledge of them; bench/retrieval.py --dataset languages measures them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.domain.text import lazy

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

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


# -- words of a search


ANY_ENDING = "*"
"""At the end of a word that is searched: the words that begin so are found as if they were that word. Only
letters may stand before it."""


def begins(word: str) -> bool:
    """Whether a word that is searched stands for all that begin so."""
    return word.endswith(ANY_ENDING) and word.removesuffix(ANY_ENDING).isalpha()


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


# -- the words of a statement that carry its meaning


_NEGATIONS = dict.fromkeys(("don't", "doesn't", "won't", "isn't", "aren't", "never"), "not") | {
    "can't": "cannot"
}


@lru_cache(2_048)
def meaning(text: str) -> tuple[str, ...]:
    """The words of a statement that carry its meaning, in order, without inflections; of CJK characters."""
    told = characters(tokens(without_padding(composed(text)), TERM))
    nothing = padding(text)
    return tuple(root for word, root in map(_plain, told) if word and word not in nothing)


@lru_cache(8_192)
def _plain(word: str) -> tuple[str, str]:
    """A word without marks at its ends, and without its inflection."""
    bare = word.strip(".:-/+#").replace("’", "'")
    plain = _NEGATIONS.get(bare, bare)
    return plain, stem(plain)


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
_KANA_PIECE = lazy("[\u3041-\u3096\u309d-\u309f]+|[\u30a1-\u30fa\u30fc-\u30ff]+|[^\u3041-\u30ff]+")
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
    return {
        name: re.sub(r"(?m)^# .*$", "", listed) for name, listed in sections(__file__, "languages").items()
    }


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
        found = (one for one in _KANA_PIECE.findall(run) if not _HIRAGANA.fullmatch(one))
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
