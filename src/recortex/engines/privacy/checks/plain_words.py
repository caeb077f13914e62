"""Recognises ordinary words after "password" in six languages, as in "the password is wrong".

By their endings where a language has some (participles, adjectives, adverbs), else by `plain_words.txt`.
"""

from __future__ import annotations

from functools import cache, lru_cache

from recortex.engines.privacy.checks import listed
from recortex.engines.privacy.expressions import compiled

_ENDINGS = (
    r".{2,}(?:ed|ing|able|ible|less|ful|ly|tion|ment|ness|ive|ous|ized|ised)"
    r"|(?:hinter|über|wieder|unter).{2,}(?:t|en)|ge.{2,}(?:t|en)|(?:ver|be|ent|er|zer|ab|an|auf|aus|ein|zu|"
    r"un).{1,}(?:t|en)|.{3,}(?:bar|lich|iert|"
    r"ungen|ung|los|haft)|.{3,}(?:ig|isch)(?:e[rsnm]?)?"
    r"|.{2,}(?:onal|onnel|ic[oa]s?|ico|tori[oa]s?)|.{3,}(?:é|ée|és|ées|ique|aire|eux|euse)"
    r"|.{2,}(?:[aiu]d[oa]s?|ble|bles|oso|osa|ct[oa]s?|mente|ción|ções|ção)"
    r"|.{2,}(?:[aiu]t[oa]|[aiu]ti|bile|bili|zione|ária|ário|ória|ório|iva|ivo)"
)


@cache
def _listed() -> frozenset[str]:
    return frozenset(listed("plain_words.txt"))


@lru_cache(maxsize=4096)
def is_plain_word(value: str) -> bool:
    """Whether a value is a word that continues a sentence about passwords, and no likely password."""
    word = value.strip("\"'`*_.,;:!?").lower()
    return word in _listed() or (word.isalpha() and compiled(_ENDINGS).fullmatch(word) is not None)
