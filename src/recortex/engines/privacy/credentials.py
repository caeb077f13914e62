"""Checks of possible credentials: passwords, which may be any word, what is assigned to a name, and tokens.

The names of the functions stand in the rules: `assignments.toml`, `passwords.toml`, `credentials.toml` and
others.
"""

from __future__ import annotations

import binascii
from functools import cache, lru_cache
from math import log2
from typing import TYPE_CHECKING

from recortex.engines.privacy.table import compiled, is_placeholder, is_technical

if TYPE_CHECKING:
    from recortex.engines.privacy.table import Place


def listed(file: str) -> list[str]:
    """The words of a text file beside this module."""
    with open(f"{__file__.rpartition('credentials')[0]}{file}", encoding="utf-8") as words:  # noqa: PTH123
        return words.read().split()


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


# -- recognises ordinary words after "password" in six languages, as in "the password is wrong"


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


# -- checks of possible passwords, which may be any word, for `rules/passwords.toml`


_TYPES = (
    r"(?:str|string|text|bool(?:ean)?|int(?:eger)?|number|bytes?|char|any|object|unknown|never|void|none|"
    r"null|nil|undefined|true|false|yes|no|on|off|self|this|varchar|nvarchar|binary|hidden|input|field|"
    r"optional|required|username|email|confirm|secretstr|password|passwd|pwd|pass|passphrase|passcode|"
    r"secret|\*+|-+|_+)"
    r"(?:[?!\[(.|].*)?"
)
_NAMING = (
    r"(?:.*(?:contrase[nñ]a|passwort|kennwort|mot[ _-]de[ _-]passe|senha|contrasinal|パスワード|密码)|"
    r"[\w.\-]*(?:pass(?:word|wd|phrase)?|pwd|secret|credential|token|_key|_file|_env|_hash))\Z"
)
_REFERRING = (
    r"[$%@&<{\[(*]|[\w.]+[(\[]|(?:self|this|args|opts|options|config|cfg|env|process|os|settings|user|"
    r"request|"
    r"req|params|props|data|form|values?|vault|secrets?|var|local)[.\[>-]|.*(?:\$\{|\{\{|\(\))"
)
_SHORTEST = 4
_FIELDS = frozenset({"user", "username", "name", "email", "login", "key", "password", "id"})


def refers(value: str) -> bool:
    """Whether a value is a variable, a type, a placeholder, or the name of a field."""
    if is_jumble(value):
        return False
    folded = value.lower()
    return (
        # Made longer, since a short value would pass for a placeholder by its few different characters.
        is_placeholder(f"{value}abcd")
        or is_technical(value)
        or compiled(_TYPES).fullmatch(folded) is not None
        or compiled(_NAMING).fullmatch(folded) is not None
        or compiled(_REFERRING).match(folded) is not None
        or "://" in value
        or len(set(value)) < 3  # noqa: PLR2004  the same character repeated
    )


def _is_clearly_no_word(value: str) -> bool:
    """Whether a value has a digit, a symbol inside, or a capital after a small letter."""
    bare = value.strip(".,;:!?*_\"'`")
    return compiled(r"\d|[@#$%^&+=~!?*]|[a-z][A-Z]|[A-Za-z]-[A-Za-z]+-").search(bare) is not None


def _is_no_word(value: str) -> bool:
    return _is_clearly_no_word(value) or not is_plain_word(value)


def is_value(place: Place) -> bool:
    """Whether a value is a password, where the command or statement says that one follows."""
    value = place.value
    return not refers(value) and not value.startswith(("/", "./", "~/", "-"))


def is_after_slash(place: Place) -> bool:
    """As `is_value`, after `user/`, and not the name of a file."""
    return is_value(place) and "." not in place.value


def is_option(place: Place) -> bool:
    """Whether the value of `--password` or the like is quoted, or no word of a sentence about the option."""
    return is_value(place) and (bool(place.match["q"]) or _is_no_word(place.value))


def is_short_option(place: Place) -> bool:
    """Whether the value of a short option is a password, not a port (`-p 8080:80`) or an address."""
    return is_value(place) and not compiled(r"\d{1,5}(?::\d{1,5})?|[\w.]+@[\w.]+").fullmatch(place.value)


def is_literal(place: Place) -> bool:
    """Whether a quoted value after a name such as `password` is one."""
    value = place.value
    return not (is_argument(place) or refers(value) or value[:1] in "/.~-") and _is_no_word(value)


def is_setting(place: Place) -> bool:
    """Whether a bare value after `NAME=` or `name: ` is one: it ends its line or field, and is no code."""
    end = place.match.end("v")
    value, after, start = place.value, place.text[end : end + 40], place.match.start()
    if refers(value) or value[:1] in "/.~-" or not _is_no_word(value):
        return False
    if compiled(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){2,6}[,;]?").fullmatch(value):
        return False
    if place.text[max(0, start - 3) : start].endswith((".get", "def ", "?.")):
        return False
    if ":" in place.match["op"]:
        return compiled(r"[ \t]*(?:#|\r?\n|\Z|,|\.|/|$)").match(after) is not None and (
            _is_clearly_no_word(value)
            or compiled(r"[A-Z]\w*[;,]?").fullmatch(value) is None
            or after[:1] in ("", "\n", "\r")
        )
    return (
        compiled(r"[\s;&\"'#]|\Z").match(after) is not None
        and compiled(r"[\w.]+\.[\w.]+").fullmatch(value) is None
    )


def is_positional(place: Place) -> bool:
    """Whether the text after a user's name is a password, not the name of a field."""
    user = place.match["user"]
    return is_value(place) and _is_no_word(place.value) and user not in _FIELDS


def is_cookie(place: Place) -> bool:
    """Whether the value of a cookie looks like a session's id."""
    value, least = place.value, 8 if _is_clearly_no_word(place.value) else 16
    return len(value) >= least and not refers(value)


def is_url_password(place: Place) -> bool:
    """Whether a URL has a password before its host, not a port; it may have another `@` in it."""
    user, _, password = place.value.partition(":")
    harmless = refers(password) or refers(f"{user}x") or password.isdigit() or len(password) < _SHORTEST
    return not (
        harmless
        or compiled(r"\d{1,5}[/?#].*").match(password)
        or password.lower() in ("bar", "secret", "token")
    )


_GENERIC = r"(?i)(?:user(?:name)?|login|me|foo|alice|bob):(?:pass(?:word|wd)?|pwd|secret|bar|token)"
_WORDS = frozenset({"pass", "password", "passwd", "pwd", "secret", "token", "pw"})
_BITS = 3.9
"""Bits of entropy per character: more than a hyphenated phrase has, less than twenty random letters."""

_VARIABLE = r"[A-Za-z_$][\w$]*(?:[.:>\-]{1,2}[A-Za-z_][\w$]*)*"
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
            and (compiled(_VARIABLE).fullmatch(value) is None or _digits(value) > 3)  # noqa: PLR2004
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
