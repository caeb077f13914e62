"""Checks of possible passwords, which may be any word, for `rules/passwords.toml`."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from recortex.engines.privacy.checks import listed
from recortex.engines.privacy.checks.assignments import is_argument, is_jumble
from recortex.engines.privacy.table import compiled, is_placeholder, is_technical

if TYPE_CHECKING:
    from recortex.engines.privacy.table import Place


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
