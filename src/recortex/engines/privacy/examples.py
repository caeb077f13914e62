"""The rules' examples as templates, so that no string here looks like a live secret to a scanner."""

from __future__ import annotations

import random
import re
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits

_ALPHABETS = {
    "h": digits + "abcdef",
    "H": digits + "ABCDEF",
    "d": digits,
    "l": ascii_lowercase,
    "m": ascii_letters,
    "a": ascii_lowercase + digits,
    "U": ascii_uppercase + digits,
    "A": ascii_letters + digits,
    "w": ascii_letters + digits + "_-",
    "b": ascii_letters + digits + "+/",
    "x": "x",
    "X": "X",
}
_FIELD = re.compile(r"<<([hHdlmaUAwbxX])(\d{1,4})>>")


def expand(template: str) -> str:
    """Replace each `<<h32>>` by that many characters of its alphabet; the same template gives the same text.

    Letters: h/H hexadecimal, d digits, l lower case, m letters, a lower case and digits, U capitals and
    digits, A letters and digits, w those with `_-`, b Base64, x and X themselves.
    """
    source = random.Random(template)  # noqa: S311  examples must repeat, not be unguessable

    def fill(field: re.Match[str]) -> str:
        alphabet = _ALPHABETS[field[1]]
        size = int(field[2])
        first = source.choice([c for c in alphabet if c.isalnum()])
        return first + "".join(source.choice(alphabet) for _ in range(size - 2)) + (first if size > 1 else "")

    return _FIELD.sub(fill, template)
