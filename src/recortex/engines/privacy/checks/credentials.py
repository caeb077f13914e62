"""Checks of possible credentials: in URLs, headers, command-line options, key blocks and Base64."""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING

from recortex.engines.privacy.checks.assignments import entropy, is_random, is_uuid
from recortex.engines.privacy.table import compiled, is_placeholder

if TYPE_CHECKING:
    from recortex.engines.privacy.table import Place

_GENERIC = r"(?i)(?:user(?:name)?|login|me|foo|alice|bob):(?:pass(?:word|wd)?|pwd|secret|bar|token)"
_WORDS = frozenset({"pass", "password", "passwd", "pwd", "secret", "token", "pw"})
_BITS = 3.9
"""Bits of entropy per character: more than a hyphenated phrase has, less than twenty random letters."""

_REFERENCE = r"[A-Za-z_$][\w$]*(?:[.:>\-]{1,2}[A-Za-z_][\w$]*)*"
_ENCODED = (
    r"://[^\s/@:]{0,64}:[^\s@/]{3,128}@|-----BEGIN|\b(?:gh[pousr]_|glpat-|sk-|sk_live_|xox[abp]-|AKIA|AIza|"
    r"SG\.|npm_|pypi-|hf_)[\w\-]{12}"
    r"|(?i:password|passwd|secret|api_?key|token)[\"']?\s{0,3}[:=]\s{0,3}[\"']?[^\s\"'$<{]{6}"
)
"""A secret inside decoded Base64: a login, a private key, a common provider's token, a password. The rules in
`rules/` are not read here, since this runs on each long Base64 text."""
_PRINTABLE = r"[\x09\x0a\x0d\x20-\x7e]{12,}+\Z"
_KIND = r"kind[\"']?[ \t]{0,4}:[ \t]{0,4}[\"']?secret\b"
_ENTRY = (
    r"[\"']?[\w.\-]{1,80}[\"']?:[ \t]{0,4}(?:[|>][-+]?[ \t]{0,2}\r?\n[ \t]{1,16})?[\"']?"
    r"(?P<value>[A-Za-z0-9+/]{8,8192}+={0,3})(?=[\"'\s,}]|\Z)"
)
_WINDOW = 1000
"""Characters around the data of a manifest in which its `kind` is looked for."""


def is_no_variable(place: Place) -> bool:
    """Whether a value is literal, not a variable or placeholder like `${X}`, `<password>`, `%s` or `***`."""
    return _is_no_variable(place.value)


def _is_no_variable(value: str) -> bool:
    variable = compiled(r"[${}%<>]|\*{2}|\.{3}|x{3}|X{3}|your|changeme|redacted|^:").search(value)
    # `%40` is an encoded sign of a password, where `%s` is a placeholder.
    return variable is None or compiled(r"%[0-9A-Fa-f]{2}").search(value) is not None


def has_url_password(place: Place) -> bool:
    """Whether a URL has a literal password, not a variable or placeholder."""
    password = place.value.partition(":")[2]
    return bool(password) and _is_no_variable(password)


def is_web_password(place: Place) -> bool:
    """As `has_url_password`, without the `user:pass` of manuals."""
    password = place.value.partition(":")[2]
    return (
        has_url_password(place)
        and not compiled(_GENERIC).fullmatch(place.value)
        and not is_placeholder(password + "abcd")
    )


def has_digit(place: Place) -> bool:
    """Whether the value has a digit."""
    return _digits(place.value) > 0


def _digits(value: str) -> int:
    return sum(map(str.isdigit, value))


def has_three_digits(place: Place) -> bool:
    """Whether the value has at least three digits: user names seldom have."""
    return _digits(place.value) > 2  # noqa: PLR2004


def is_vault_token(place: Place) -> bool:
    """Whether what follows `s.` is random, not the name of a method."""
    value = place.value
    return _digits(value) > 1 and value[2:] != value[2:].lower() and not value.isupper()


def is_no_placeholder(place: Place) -> bool:
    """Whether a value, however short, is no placeholder."""
    return not is_placeholder(
        place.value + "abcd"
    )  # longer, so that a short value does not count as monotonous


def is_random_value(place: Place) -> bool:
    """Whether a value looks random."""
    return is_random(place.value)


def is_signed_token(place: Place) -> bool:
    """Whether a text of the form of a JWT has as many different characters as a real one."""
    return len(set(place.value)) > 12  # noqa: PLR2004


def is_bearer_token(place: Place) -> bool:
    """Whether the word after `bearer` is random beyond doubt."""
    return not is_placeholder(place.value) and is_random(place.value, 3)


def _refers(value: str) -> bool:
    return is_placeholder(value) or value.startswith(("$", "%", "{", "<", "`"))


def is_header_token(place: Place) -> bool:
    """Whether the value of a header is a token, not a reference such as `request.headers.authorization`."""
    value = place.value
    return not _refers(value) and (
        is_uuid(value)
        or is_random(value)
        or (
            entropy(value) >= _BITS
            # A reference to code seldom has more than three digits.
            and (compiled(_REFERENCE).fullmatch(value) is None or _digits(value) > 3)  # noqa: PLR2004
        )
    )


def is_api_key(place: Place) -> bool:
    """Whether the value of a header such as `X-Api-Key` is random."""
    value = place.value
    return is_uuid(value) or (is_random(value) and not _refers(value))


def is_login(place: Place) -> bool:
    """Whether `user:password` on a command line holds a real password on one of its sides."""
    user, _, password = place.value.partition(":")
    real = password or user
    return len(real) > 2 and is_no_placeholder(place) and real.lower() not in _WORDS  # noqa: PLR2004


def is_option_value(place: Place) -> bool:
    """Whether the value of an option or a variable is a secret, not a path or word."""
    value = place.value
    return not is_placeholder(value) and (is_random(value) or (has_digit(place) and "/" not in value[:2]))


def is_key_block(place: Place) -> bool:
    """Whether there is key material between the lines, even if cut short, and no manual's placeholder."""
    body = compiled(r"-----[^-\n]{0,60}-----|\\[nr]|[\s.]").sub("", place.value)
    start = body[:400]
    return len(body) >= 16 and entropy(start) >= 2.7 and not compiled(r"[${<]").search(start)  # noqa: PLR2004


def holds_encoded_secret(place: Place) -> bool:
    """Whether a Base64 text decodes to readable text with a secret in it."""
    value = place.value
    # Most Base64 is no text, as its beginning tells; decoding all of each would take long.
    head = _decoded(value[:16])
    if not head or not compiled(_PRINTABLE).match(head):
        return False
    return compiled(_ENCODED).search(_decoded(value + "=" * (-len(value) % 4))) is not None


def _decoded(value: str) -> str:
    try:
        return binascii.a2b_base64(value[: len(value) // 4 * 4]).decode("latin-1")
    except binascii.Error:
        return ""


def is_in_kubernetes_secret(place: Place) -> bool:
    """Whether a block of data belongs to a manifest of the kind `Secret` and holds an encoded value."""
    start, end = place.match.span()
    before = place.text[max(0, start - _WINDOW) : start].lower()
    after = place.text[end : end + _WINDOW].lower()
    # One file may hold several manifests.
    document = before[before.rfind("\n---") + 1 :] + "\n" + after.partition("\n---")[0]
    return compiled(_KIND).search(document) is not None and compiled(_ENTRY).search(place.value) is not None
