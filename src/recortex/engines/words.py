"""Words: what counts as one, which of them say nothing, and what is cut off them before they are compared.

Everything that compares texts by their words takes them from here. There are several patterns, endings and
lists because each use was measured with its own; which use is said beside each.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from recortex.domain.expressions import lazy

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator


def word_set(text: str) -> frozenset[str]:
    """The words of a written list."""
    return frozenset(text.split())


# -- words that say nothing

STOP_WORDS = word_set(
    """
    a about above after again all am an and any are as at be because been before being below between both
    but by can could did do does doing down during each few for from further had has have having he her here
    hers him his how i if in into is it its just me more most my myself no nor not of off on once only or
    other our out over own same she should so some such than that the their theirs them then there these
    they this those through to too under until up very was we were what when where which while who whom why
    will with would you your yours
    """
)
"""Function words of English: they say nothing about what is asked (keyword search, questions)."""

PADDING = (
    STOP_WORDS
    - word_set(
        """
    no nor not only before after above below against between during until without under over up down off out
    more most if while
    """
    )
) | word_set(
    "now please also just really simply currently already still remember note ok well future let's lets"
)
"""Words that a statement may have or lack and still say the same (near-duplicates)."""

EVERYDAY = word_set(
    """
    add agree all also always another answer anything apply ask back bad best better bit both bring broken
    bug build call can cannot change check clean close code come command commit complete continue could
    create current data day delete did different do document does doing done drop edit else end error every
    everything example explain fail failed failing fails file find fine first fix fixed follow found get
    give go going good got great happen hard have help here hide hidden how idea implement implementation
    improve instead issue item just keep kind know last later leave let lets like line list little look look
    lot main make many may maybe mean merge message missing more move much need never new next nice nothing
    now number ok okay old one open option order part person place plan please point possible problem
    project pull push put question quick quickly read ready real really refactor remove rename repo
    repository request rest result review right run running same save say see seem set should show simple
    since small some something sort start step still stop sure take talk task tell test tests thanks thank
    thing think three through ticket time today together todo too top try two turn update use used user
    using value version view want way well what when where which why will without wonder word work working
    works would write wrong yes yet
    """
)
"""What prompts are made of in any project: none of it says what a prompt is about (bench/prompts.py)."""

FAILURE_WORDS = word_set(
    """
    the and or of to in on at is are was were be by for with from that it its as an not but so this fix
    fixed failed error cause test tests which when into
    """
)
"""What any report of a failure is told with (bench/extraction.py)."""

FILLERS = word_set(
    """
    a an the our my your their this that these those we i you they it its us also so then just please always
    ever only now currently again still all any anymore here there be been being do does did will would
    shall should must may can have has had to of own everywhere afterwards directly
    """
)
"""Left out where what two statements are about is compared (bench/reversals.py)."""

PREPOSITIONS = word_set(
    """
    for as to per in on with at by from via through into when across during under before after until while
    on using against over above below
    """
)

CLAIM_WORDS = (
    FILLERS
    | PREPOSITIONS
    | word_set("use actually decision decided go let lets remember and or not never because so is are")
)
"""What claims of any matter are worded with (bench/reversals.py)."""


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
"""With what names and commands are joined by: `src/a.py`, `npm@9`, `don't`."""
QUOTABLE = lazy(r"[^\W_][\w./@:#-]{0,120}|_\w{1,120}")
"""As `TERM`, bounded in length, since transcripts hold anything."""
PRODUCT = lazy(r"[a-z][\w.+-]*[a-z0-9]")
"""What may be a product's name in lower case: `c++17`, `node.js`."""
IDENTIFIER = lazy(r"[A-Za-z_]\w*")

_POSSESSIVE = lazy(r"['’]s$")
_PUNCTUATION = lazy(r"[^\w\s]")
_CJK = lazy(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_PART = lazy(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def tokens(text: str, pattern: re.Pattern[str] = WORD, *, lower: bool = True) -> list[str]:
    """The words of a text in order, by one of the patterns above; in lower case unless `lower` is False."""
    return pattern.findall(text.lower() if lower else text)


def words(text: str) -> list[str]:
    """The words in order, in lower case, without possessive endings."""
    return [_POSSESSIVE.sub("", word) for word in tokens(text)]


def content_words(text: str) -> list[str]:
    """The different words that are not function words, in order."""
    return list(dict.fromkeys(word for word in words(text) if word not in STOP_WORDS))


def bag_of_words(text: str) -> frozenset[str]:
    """What stands between spaces, in lower case and without punctuation: what Jaccard similarity compares."""
    return frozenset(_PUNCTUATION.sub("", text.lower()).split())


# -- what is cut off before words are compared

INFLECTIONS = lazy(r"(?<=\w{3})(?:ing|ed|es|s|e)$")
"""Forms of one word (near-duplicates)."""
SUFFIXES = lazy(r"(?:ations?|ings?|ions?|ers?|ed|es|ly|s|e)$")
"""Also other words of the same root (prompts)."""
_SHORTEST = 3


@lru_cache(4_096)
def stem(word: str, endings: re.Pattern[str]) -> str:
    """A word without its ending, crudely: both sides are cut alike. What would be too short stays whole."""
    cut = endings.sub("", word)
    return cut if len(cut) >= _SHORTEST else word


def singular(word: str) -> str:
    """A noun in lower case without the ending of its plural, by its spelling alone."""
    if len(word) > _SHORTEST and word.isalpha():
        if word.endswith("ies"):
            return word[:-3] + "y"
        if word[-1] == "s" and word[-2] not in "sui":
            return word[:-1]
    return word


# -- names in code, and scripts without spaces


def identifier_parts(identifier: str) -> list[str]:
    """The parts of a name in lower case: `getUserName`, `get_user_name` and `get.user.name` alike."""
    return [part.lower() for part in _PART.findall(identifier)]


def compound_parts(text: str) -> Iterator[str]:
    """For each identifier of more than one part, its parts, as often as it occurs."""
    for identifier in IDENTIFIER.findall(text):
        parts = identifier_parts(identifier)
        if len(parts) > 1:
            yield from parts


def path_words(path: str) -> list[str]:
    """The names on a path and the words that they are made of."""
    names = IDENTIFIER.findall(path)
    return [*(name.lower() for name in names), *identifier_parts(path)]


def cjk_grams(text: str) -> Iterator[str]:
    """Characters and pairs of neighbours in runs of Chinese, Japanese and Korean, which write no spaces."""
    for run in _CJK.findall(text):
        yield from run
        yield from _pairs(run)


def query_grams(text: str) -> Iterator[str]:
    """The pairs of each CJK run of a question; a run of one character stands for itself."""
    for run in _CJK.findall(text):
        yield from _pairs(run) if len(run) > 1 else run


def is_cjk(word: str) -> bool:
    """Whether the word is one run of CJK characters."""
    return _CJK.fullmatch(word) is not None


def _pairs(run: str) -> Iterable[str]:
    return (run[place : place + 2] for place in range(len(run) - 1))
