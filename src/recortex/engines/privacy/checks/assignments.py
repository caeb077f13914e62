"""Checks of values that are secrets by the name they are assigned to, for `rules/assignments.toml`."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from recortex.engines.privacy.checks import listed
from recortex.engines.privacy.checks.numbers import entropy, is_hex, is_random, is_uuid
from recortex.engines.privacy.expressions import compiled
from recortex.engines.privacy.placeholders import is_placeholder, is_technical

if TYPE_CHECKING:
    from recortex.engines.privacy.rule import Place

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


def _name_before(place: Place) -> str:
    """The whole identifier of which the rule matched the sensitive last word, in lower case."""
    start, string = place.match.start(), place.match.string
    left = compiled(_NAME_BACKWARDS).match(string[max(0, start - 48) : start][::-1])
    return (left[0][::-1] if left else "") + string[start : place.match.start("op")]


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
    name = _name_before(place)
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


def _is_token(place: Place) -> bool:
    """Whether the value of a name such as `api_token` or `client_secret` is a token."""
    name, value = _names_secret(place), place.value
    if not name or len(value) < 10 or _is_wordy(value):  # noqa: PLR2004  shorter ones are numbers and words
        return False
    if is_uuid(value):
        return compiled(r"secret|token|key|pass").search(name) is not None
    if value.isdigit():
        return len(value) >= 24 or (len(value) >= 15 and names_provider(name))  # noqa: PLR2004
    return is_random(value) or (len(value) >= 24 and " " not in value and _unreadable(value))  # noqa: PLR2004


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
    return _is_token(place)
