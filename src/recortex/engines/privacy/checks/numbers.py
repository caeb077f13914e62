"""Check digits of numbers, and whether a string looks random."""

from __future__ import annotations

from functools import lru_cache
from math import log2

from recortex.engines.privacy.expressions import compiled

_TURN = r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]"
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
    if len(compiled(_TURN).findall(head)) >= turns:
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
