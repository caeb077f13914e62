"""How likely a value is a secret, by its shape and by whether it is an ordinary word."""

from __future__ import annotations

from functools import cache, lru_cache

from recortex.engines.privacy.credentials import (
    is_hex,
    is_jumble,
    is_plain_word,
    is_random,
    is_uuid,
    listed,
    refers,
)
from recortex.engines.privacy.table import compiled

_VOCABULARY = f"{__file__.partition('engines')[0]}embeddings/model/vocabulary.txt"
"""The words of the embedding model: the nearest there is to a dictionary, 20,000 English words."""

_ABOUT = (
    r"passw|passphrase|passcode|(?<![a-z])pwd|pwd(?![a-z\d])|secret|credential|kennwort|contrase|"
    r"senha|mot[_-]?de[_-]?passe|token|login|"
    r"user_?name|required|invalid|missing|incorrect"
)
"""What a value says that speaks of secrets instead of being one: a label, a name, a message."""
_CODE = (
    r"[\w.$>?!:-]*[(\[{].*|[A-Za-z_$]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_$][A-Za-z_$]*)+|@[\w/.-]+|#[\w-]+|&\w+|"
    r"--?[a-z][\w-]*"
)
_PATH = r"[\w.@-]+(?:[/\\][\w.@-]+)+\.\w{1,5}|(?:[a-z][a-z_-]{2,}/){1,6}[a-z][\w.-]*"
_PARTS = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+"
_LONGEST = 128


@cache
def vocabulary() -> frozenset[str]:
    """Ordinary words in lower case; empty where the model is not installed."""
    try:
        with open(_VOCABULARY, encoding="utf-8") as words:  # noqa: PTH123
            return frozenset(word for word in words.read().split() if word.isalpha() and word[2:])
    except OSError:
        return frozenset()


@lru_cache(maxsize=4096)
def is_word(value: str) -> bool:
    """Whether a value is an ordinary word of English, or continues a sentence in another language."""
    word = value.strip("\"'`*_.,;:!?").lower()
    if is_plain_word(word) or word in vocabulary():
        return True
    return word.endswith("s") and word[:-1] in vocabulary()


@lru_cache(maxsize=4096)
def is_name(value: str) -> bool:
    """Whether a value is an identifier: words joined by capitals or signs, perhaps with digits."""
    parts = [part for part in compiled(_PARTS).findall(value) if not part.isdigit()]
    short = [part for part in parts if len(part) <= 2]  # noqa: PLR2004
    if not parts or len(short) * 2 > len(parts) or any(sign in value for sign in "!@#$%^&*+=~?"):
        return False
    return all(is_word(part) for part in parts if len(part) > 2)  # noqa: PLR2004


@lru_cache(maxsize=4096)
def refuses(value: str) -> bool:
    """Whether a value cannot be a secret: a variable, a name, a path, a label, a size, a placeholder."""
    if is_jumble(value):
        return False
    folded = value.lower()
    return (
        not 3 < len(value) <= _LONGEST * 4  # noqa: PLR2004
        or refers(value)
        or compiled(r"![a-z]+").fullmatch(value) is not None
        or value[:1] in "/.~,;:)]}=\\"
        or compiled(_ABOUT).search(folded) is not None
        or compiled(_PATH).fullmatch(value) is not None
        or compiled(_CODE).fullmatch(value) is not None
        or folded.startswith(("http", "www.", "src/", "./"))
    )


@lru_cache(maxsize=4096)
def is_clear(value: str) -> bool:
    """Whether a value is no word and no name: with a digit, a sign, or odd capitals."""
    if refuses(value):
        return False
    if is_jumble(value):
        return True
    digits = sum(map(str.isdigit, value))
    signs = compiled(r"[!@#$%^&*+=~?,;:|<>](?=.)|[!#$%^&*+=~?]$").search(value) is not None
    if digits and (signs or not is_name(value) or is_random(value)):
        return True
    if signs:
        return value[-1:] != "?" or any(map(str.isdigit, value))
    if digits:  # a word with a number: `falcon77` may be one, `chapter2` may not
        return compiled(r"[A-Za-z]{4,}[-_.]?\d{2,}").fullmatch(value) is not None
    return not is_name(value) and (
        compiled(r"[a-z][A-Z]").search(value) is not None
        or compiled(r"\w+-\w+-\w+").fullmatch(value) is not None
    )


@lru_cache(maxsize=4096)
def is_unknown(value: str) -> bool:
    """Whether a value is no ordinary word, though it may have letters only."""
    return not refuses(value) and (
        is_clear(value)
        or not (is_word(value) or is_name(value))
        or is_phrase(value, quoted=True)
        or compiled(r"[A-Za-z]{3,}[._][A-Za-z]{3,}\d{1,4}").fullmatch(value) is not None
    )


def is_key(value: str) -> bool:
    """Whether a value looks like a token that a program made, and not like a hash or an id."""
    if refuses(value) or is_uuid(value) or len(value) < 14:  # noqa: PLR2004
        return False
    if is_hex(value):
        # As long as SHA-1, SHA-256 or SHA-512: hashes of commits and files stand everywhere.
        return len(value) not in (40, 64, 128) and is_random(value)
    return is_random(value) and compiled(r"[\w+/=.~-]+").fullmatch(value) is not None


def is_issued(value: str) -> bool:
    """As `is_key`, and what may be a hash elsewhere: here it is said to be a token."""
    return is_key(value) or (len(value) in (40, 64) and is_hex(value) and is_random(value))


def is_phrase(value: str, *, quoted: bool) -> bool:
    """Whether a value is a passphrase: several words that make no sentence."""
    words = value.replace("-", " ").split()
    # Quotation marks say that the words belong together; without them it takes more of them.
    least = 3 if quoted else 4
    if not least <= len(words) <= 12 or not all(word.isalpha() for word in words):  # noqa: PLR2004
        return False
    folded = [word.lower() for word in words]
    if len(set(folded)) < len(folded) or any(compiled(_ABOUT).search(word) for word in folded):
        return False
    joining = sum(len(word) < 4 or word in _function_words() for word in folded)  # noqa: PLR2004
    return joining <= (1 if quoted else 0)


@cache
def _function_words() -> frozenset[str]:
    return frozenset(listed("plain_words.txt"))
