"""Checks of values in the place of a password, where any word may be one; `rules/passwords.toml`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.privacy.checks.assignments import is_argument
from recortex.engines.privacy.checks.plain_words import is_plain_word
from recortex.engines.privacy.expressions import compiled
from recortex.engines.privacy.placeholders import is_placeholder

if TYPE_CHECKING:
    from recortex.engines.privacy.rule import Place

_TYPES = (
    r"(?:str|string|text|bool(?:ean)?|int(?:eger)?|number|bytes?|char|any|object|unknown|never|void|none|"
    r"null|nil|undefined|true|false|yes|no|on|off|self|this|varchar|nvarchar|binary|hidden|input|field|"
    r"optional|required|secretstr|password|passwd|pwd|pass|passphrase|passcode|secret|\*+|-+|_+)(?:[?!\[(.].*)?"
)
_NAMING = r"(?:[\w.\-]*(?:pass(?:word|wd|phrase)?|pwd|secret|credential|token|_key|_file|_env|_hash))\Z"
_REFERRING = (
    r"[$%@&<{\[(*]|[\w.]+\(|(?:self|this|args|opts|options|config|cfg|env|process|os|settings|user|request|"
    r"req|params|props|data|form|values?|vault|secrets?|var|local)[.\[>-]|.*(?:\$\{|\{\{|\(\))"
)

_ENDS = r"[\"'`*_»”]{0,3}(?:[.,;:!?)]*(?:\s|\Z)(?:\Z|\n|[A-Z])|[.,;:!?)]|\Z|\s*\n)"
"""What comes after a value at the end of a clause."""

_GOES_ON = (
    r"[\"'`»”]?\s+(?:on|for|at|as|to|and|in|yesterday|today|now|again|but|an|ein|auf|für|am|im|bei|und|als|"
    r"pour|sur|et|dans|comme|para|por|en|y|e|em|no|na|como|per|su|nel|sul|come)\b"
)
_SHORTEST = 4


def _refers(value: str) -> bool:
    """Whether a value is a variable, a type, a stand-in, or the name of a field."""
    folded = value.lower()
    return (
        is_placeholder(f"{value}abcd")
        or compiled(_TYPES).fullmatch(folded) is not None
        or compiled(_NAMING).fullmatch(folded) is not None
        or compiled(_REFERRING).match(folded) is not None
        or "://" in value
        or len(set(value)) < 3  # noqa: PLR2004  signs in a row
    )


def _after(place: Place) -> str:
    end = place.match.end("v")
    return place.text[end : end + 40]


def _is_marked(value: str) -> bool:
    """Whether a value is clearly no word: it has a digit, a sign inside, or capitals after small letters."""
    bare = value.strip(".,;:!?*_\"'`")
    return compiled(r"\d|[@#$%^&+=~!?*]|[a-z][A-Z]|[A-Za-z]-[A-Za-z]+-").search(bare) is not None


def _is_no_word(value: str) -> bool:
    return _is_marked(value) or not is_plain_word(value)


def stands(place: Place) -> bool:
    """On a command line or in a statement whose form says that a password follows."""
    value = place.value
    return not _refers(value) and not value.startswith(("/", "./", "~/", "-"))


def is_after_slash(place: Place) -> bool:
    """As `stands`, after `user/`: no file."""
    return stands(place) and "." not in place.value


def is_option(place: Place) -> bool:
    """The value of an option such as `--password`: quoted, or no word of a sentence about that option."""
    return stands(place) and (bool(place.match["q"]) or _is_no_word(place.value))


def on_command_line(place: Place) -> bool:
    """The value of a short option, which may also be a port (`-p 8080:80`) or an address."""
    return stands(place) and not compiled(r"\d{1,5}(?::\d{1,5})?|[\w.]+@[\w.]+").fullmatch(place.value)


def is_literal(place: Place) -> bool:
    """A quoted value beside a password's name."""
    value = place.value
    return not (is_argument(place) or _refers(value) or value[:1] in "/.~-") and _is_no_word(value)


def is_setting(place: Place) -> bool:
    """A bare value: after `NAME=` or `name: ` to the end of the line or of the field, and no expression."""
    value, after, start = place.value, _after(place), place.match.start()
    if _refers(value) or value[:1] in "/.~-" or not _is_no_word(value):
        return False
    if place.text[max(0, start - 3) : start].endswith((".get", "def ", "?.")):
        return False
    if ":" in place.match["op"]:
        return compiled(r"[ \t]*(?:#|\r?\n|\Z|,|\.|/|$)").match(after) is not None and (
            _is_marked(value)
            or compiled(r"[A-Z]\w*[;,]?").fullmatch(value) is None
            or after[:1] in ("", "\n", "\r")
        )
    return (
        compiled(r"[\s;&\"'#]|\Z").match(after) is not None
        and compiled(r"[\w.]+\.[\w.]+").fullmatch(value) is None
    )


def is_said(place: Place) -> bool:
    """A value in a sentence: marked, quoted, or a word at a clause's end that continues no sentence."""
    value = place.value.strip("*_").rstrip(".!?:,;")
    if len(value) < _SHORTEST or _refers(value) or value.lower().startswith(("http", "/", "./", "~", "--")):
        return False
    if _is_marked(value) or is_plain_word(value):
        return _is_marked(value)
    after = _after(place)
    return (
        bool(place.match["q"])
        or place.value[-1:] in ".!?,;"
        or compiled(_ENDS).match(after) is not None
        or compiled(_GOES_ON).match(after) is not None
    )


def is_login(place: Place) -> bool:
    """A value after `log in as admin with`, and no way of logging in."""
    way = r"sso|mfa|2fa|oauth|ldap|saml|kerberos|oidc|passkeys?"
    return is_said(place) and not compiled(way).fullmatch(place.value.lower().rstrip("."))


def is_pair(place: Place) -> bool:
    """A value after a user's name and `/` or `:`, and no path."""
    return is_said(place) and "/" not in place.value


def is_named_after(place: Place) -> bool:
    """A value before `as the password`, as in `use X as the password`."""
    end = place.match.end("v")
    return (
        not _refers(place.value)
        and _is_no_word(place.value)
        and " for " not in place.match.string[end : end + 5]
    )


def is_cookie(place: Place) -> bool:
    """The value of a cookie that looks like a session's."""
    value = place.value
    return len(value) >= 8 and not _refers(value) and (_is_marked(value) or len(value) >= 16)  # noqa: PLR2004


def in_url(place: Place) -> bool:
    """A password before the host, be there another `@` in it, and no port."""
    user, _, password = place.value.partition(":")
    harmless = _refers(password) or _refers(f"{user}x") or password.isdigit() or len(password) < _SHORTEST
    return not (
        harmless
        or compiled(r"\d{1,5}[/?#].*").match(password)
        or password.lower() in ("bar", "secret", "token")
    )
