"""Checks of values that are secrets by the name they are assigned to, for `rules/assignments.toml`."""

from __future__ import annotations

from functools import cache, lru_cache
from math import log2
from typing import TYPE_CHECKING

from recortex.engines.privacy.checks import listed
from recortex.engines.privacy.table import compiled, is_placeholder, is_technical

if TYPE_CHECKING:
    from recortex.engines.privacy.table import Place


# -- check digits of numbers, and whether a string looks random


_NUMBERS_TURN = r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]"
_CASE_TURN = r"(?<=[a-z])[A-Z]"
_HEX = r"[0-9a-fA-F]+"
_KIND_TURN = r"(?<=[a-z])[^a-z]|(?<=[A-Z])[^A-Z]|(?<=[0-9])[^0-9]|(?<=[^A-Za-z0-9])[A-Za-z0-9]"
_JUMBLED, _LONGEST_JUMBLE = 8, 128
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_VERHOEFF_STEP = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    (1, 2, 3, 4, 0, 6, 7, 8, 9, 5),
    (2, 3, 4, 0, 1, 7, 8, 9, 5, 6),
    (3, 4, 0, 1, 2, 8, 9, 5, 6, 7),
    (4, 0, 1, 2, 3, 9, 5, 6, 7, 8),
    (5, 9, 8, 7, 6, 0, 4, 3, 2, 1),
    (6, 5, 9, 8, 7, 1, 0, 4, 3, 2),
    (7, 6, 5, 9, 8, 2, 1, 0, 4, 3),
    (8, 7, 6, 5, 9, 3, 2, 1, 0, 4),
    (9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
)
_VERHOEFF_TURN = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def digits_of(text: str) -> str:
    """The ASCII digits of a text, in order."""
    return "".join(c for c in text if "0" <= c <= "9")


def luhn(text: str) -> bool:
    """Whether the digits of a text end in their Luhn check digit (ISO/IEC 7812-1)."""
    total = 0
    for place, digit in enumerate(reversed(digits_of(text))):
        value = int(digit) * (1 + place % 2)
        total += value // 10 + value % 10
    return total % 10 == 0


def mod97(text: str) -> bool:
    """Whether an IBAN's check digits fit (ISO 13616)."""
    compact = "".join(c for c in text.upper() if c.isalnum() and c.isascii())
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


def weighted(text: str, weights: tuple[int, ...], modulus: int) -> bool:
    """Whether the weighted sum of the digits is a multiple of the modulus, and their number is right."""
    numbers = digits_of(text)
    return (
        len(numbers) == len(weights)
        and sum(int(d) * w for d, w in zip(numbers, weights, strict=True)) % modulus == 0
    )


def verhoeff(text: str) -> bool:
    """Whether the digits end in their Verhoeff check digit (dihedral group D5)."""
    check = 0
    for place, digit in enumerate(reversed(digits_of(text))):
        value = int(digit)
        for _ in range(place % 8):
            value = _VERHOEFF_TURN[value]
        check = _VERHOEFF_STEP[check][value]
    return check == 0


def entropy(text: str) -> float:
    """Shannon entropy in bits for each character (0 for an empty text)."""
    size = len(text)
    shares = [text.count(character) / size for character in set(text)]
    return -sum(share * log2(share) for share in shares)


def is_hex(text: str) -> bool:
    """Whether a text consists of hexadecimal digits."""
    return compiled(_HEX).fullmatch(text) is not None


def is_uuid(text: str) -> bool:
    """Whether the text is a UUID in its usual form."""
    return compiled(_UUID).fullmatch(text) is not None


@lru_cache(maxsize=4096)
def is_random(text: str, turns: int = 2, bits: float = 3.0) -> bool:
    """Whether a string looks random: letters and digits alternate in it, at least `turns` times.

    Words, names, paths and versions hardly ever go from letter to digit and back; tokens often do. A long
    string without digits counts if its case changes as often.
    """
    head = text[:400]
    if len(compiled(_NUMBERS_TURN).findall(head)) >= turns:
        return entropy(head) >= bits
    humps = len(compiled(_CASE_TURN).findall(head))
    # An identifier changes its case less often.
    return len(head) >= 24 and humps >= 6 and entropy(head) >= 4.0  # noqa: PLR2004


@lru_cache(maxsize=4096)
def is_jumble(text: str) -> bool:
    """Whether small letters, capitals, digits and signs alternate as in no word, name or code."""
    if len(text) > _LONGEST_JUMBLE or compiled(r"[\"'`<>\x00]|[a-z]{5}|\$\{|\{\{").search(text):
        return False
    kinds = (r"[a-z]", r"[A-Z]", r"[0-9]", r"[^A-Za-z0-9_./-]")
    turns = len(compiled(_KIND_TURN).findall(text))
    return turns >= _JUMBLED and 2 * turns >= len(text) and all(compiled(k).search(text) for k in kinds)


# -- checks of values that are secrets by the name they are assigned to, for `rules/assignments.toml`


_KEY_OF = (
    r"(?:api|app|access|auth|private|secret|signing|encryption|master|account|license|service|subscription|"
    r"shared|admin|session|webhook|client|consumer|storage|write|ingest|deploy|personal|rest|server|"
    r"application)[_\-. ]?\Z"
)
"""Words before `key` that make it a secret, as in `api_key`."""

_NAME_BACKWARDS = r"[\w.\-]{0,48}"
_HARMLESS_NAME = (
    r"public|pub_?key|csrf|xsrf|authenticity|cache|primary|foreign|partition|sort|cursor|continu|keyboard|"
    r"commit|hash|sha\d|digest|checksum|integrity|etag|fingerprint|nonce|idempoten|author|registry|i18n|"
    r"(?<![a-z])(?:by|com|sur|tres|over|under)pass\b|"
    r"locale|translation|object|dedup|group|lookup|index|_id\b|sitekey|placeholder|mask|label|_message|error"
)
_SHORT_PROVIDER = r"fly|ico|lob|oc|do|ezak|ezat|bot|dnkey|jwt|vault|age"
_REFERENCE = r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.|/)[\w$\-]+)*"
_TURN = r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]"
_SYMBOL = r"[!@#$%^&*+~?]"
_HASH_SIZES = (32, 40, 56, 64, 96, 128)
_SURE_TURNS = 4


def _turns(value: str) -> int:
    return len(compiled(_TURN).findall(value[:200]))


def _is_code(place: Place) -> bool:
    """Whether a bare value is an expression: a call, an index, or a path of names."""
    if place.match["q"]:
        return False
    end = place.match.end("v")
    return place.text[end : end + 1] in ("(", "[", "{") or (
        # Fewer than two turns from letter to digit or back: `sha256` has one.
        compiled(_REFERENCE).fullmatch(place.value) is not None and _turns(place.value) < 2  # noqa: PLR2004
    )


@lru_cache(maxsize=2048)
def is_harmless(name: str) -> bool:
    """Whether a name in lower case tells that its value is a hash, an id or a label, and no secret."""
    return compiled(_HARMLESS_NAME).search(name) is not None


@cache
def _providers() -> str:
    return "|".join(listed("provider_names.txt"))


@lru_cache(maxsize=2048)
def names_provider(name: str) -> bool:
    """Whether a name in lower case names a provider of services."""
    return compiled(_providers()).search(name) is not None


def _names_secret(place: Place) -> str:
    """The name that a value is assigned to; empty if it is a harmless one, or the value is no literal."""
    # The whole identifier of which the rule matched the sensitive last word, in lower case.
    # Read backwards from the word, so that it takes time proportional to the name alone.
    start, string = place.match.start(), place.match.string
    left = compiled(_NAME_BACKWARDS).match(string[max(0, start - 48) : start][::-1])
    name = (left[0][::-1] if left else "") + string[start : place.match.start("op")]
    unsure = is_harmless(name) or is_placeholder(place.value) or _is_code(place) or "://" in place.value
    return "" if unsure or is_argument(place) else name


def is_argument(place: Place) -> bool:
    """Whether name and value are two arguments, as in `join(pwd, "file")`; a quoted name may have a comma."""
    operator = place.match.groupdict().get("op") or ""
    return "," in operator and place.text[place.match.start("op") - 1] not in "\"'`"


def _is_wordy(value: str) -> bool:
    """Whether a value is a path, a version or a label: several separators, few turns from letter to digit."""
    parts = value.count("/") + value.count(".") + value.count("_") + value.count(":")
    return parts > 1 and _turns(value) < _SURE_TURNS


def _unreadable(value: str) -> bool:
    """Whether a long run of lower-case letters cannot be words: hardly a vowel, many different letters."""
    vowels = sum(value.count(v) for v in "aeiou")
    # English has two vowels in five.
    return value.isalnum() and vowels * 5 < len(value) and entropy(value) >= 3.5  # noqa: PLR2004


def _is_key(place: Place) -> bool:
    """Whether the value of any other `...Key` is a secret: with a provider's name, or random and no hash."""
    name, value = _names_secret(place), place.value
    if len(name) <= 4 or len(value) < 14 or _is_wordy(value) or not _ends_word(place):  # noqa: PLR2004
        return False
    if names_provider(name) or compiled(_SHORT_PROVIDER).match(name):
        return is_random(value) or is_uuid(value) or (value.isdigit() and len(value) >= 15)  # noqa: PLR2004
    # As long as MD5, SHA-1, SHA-224, SHA-256, SHA-384 or SHA-512 in hexadecimal digits.
    if is_uuid(value) or (is_hex(value) and len(value) in _HASH_SIZES):
        return False
    long = len(value) >= 24  # noqa: PLR2004
    return is_random(value, _SURE_TURNS, 3.5) or (long and is_random(value, 2, 4.0))


def _ends_word(place: Place) -> bool:
    """Whether `key` is a word of its own in the name (`fooKey`, `foo_key`), not the end of `monkey`."""
    start = place.match.start()
    before = place.text[start - 1 : start]
    return not before.isalpha() or place.text[start].isupper()


def is_password(place: Place) -> bool:
    """Whether the value of a password's name is one: no label, no variable, and with a digit or a symbol."""
    value = place.value.rstrip(".,")
    if not _names_secret(place) or len(value) < 5:  # noqa: PLR2004
        return False
    digit = compiled(r"\d").search(value) is not None
    symbol = compiled(_SYMBOL).search(value) is not None
    if not (digit or symbol) or compiled(r"[^\W\d_]").search(value) is None:
        return len(value) >= 8 and value.isdigit() and bool(place.match["q"])  # noqa: PLR2004
    if place.match["q"]:
        return True
    if is_technical(value) or compiled(r"![a-z]+").fullmatch(value):
        return False
    if "==" in place.match["op"]:
        return False
    return (symbol and digit) or compiled(_REFERENCE).fullmatch(value) is None or _is_plain_line(place)


def _is_plain_line(place: Place) -> bool:
    """Whether a bare value is text, not a variable: it ends its line or word after `=`, `: ` or `is`."""
    end, operator = place.match.end("v"), place.match["op"]
    after = place.text[end : end + 1]
    return after in ("", "\n", "\r", " ") and (operator == "=" or operator.strip() in (":", "is"))


def is_secret(place: Place) -> bool:
    """Whether an assigned value is a token, or a key where the name says only `key`."""
    start, string = place.match.start(), place.match.string
    if place.match["key"] and not compiled(_KEY_OF).search(string, max(0, start - 14), start):
        return _is_key(place)
    # Whether the value of a name such as `api_token` or `client_secret` is a token
    name, value = _names_secret(place), place.value
    if not name or len(value) < 10 or _is_wordy(value):  # noqa: PLR2004  shorter ones are numbers and words
        return False
    if is_uuid(value):
        return compiled(r"secret|token|key|pass").search(name) is not None
    if value.isdigit():
        return len(value) >= 24 or (len(value) >= 15 and names_provider(name))  # noqa: PLR2004
    return is_random(value) or (len(value) >= 24 and " " not in value and _unreadable(value))  # noqa: PLR2004
