"""Replaces secrets in names that are looked up exactly: ids of sessions, paths, branches, folders.

A plain placeholder would make all of them equal. Each part of a path that holds a secret is replaced by a
pseudonym with a hash of it: equal names stay equal, different ones stay different, and a pseudonym stays as
it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from recortex.domain.expressions import lazy
from recortex.domain.names import suspicious
from recortex.engines.privacy.redaction import redact

if TYPE_CHECKING:
    from recortex.domain.code_facts import FileFacts


_SEPARATORS = lazy(r"([/\\])")
_SECRET = frozenset({"secret", "connection"})
_SETTING = lazy(r"(pass(?:word|wd)?|pwd|secret|token|key)-", re.IGNORECASE)
_CUE = lazy(
    r"(?<![a-z])(?:(?P<password>pass(?:word|wd|phrase|code|wort)?|pwd|pw|kennwort|contrase[nñ]a|senha|mdp|"
    r"mot[_ -]de[_ -]passe)"
    r"|(?P<key>(?:api[_-]?)?key|secret|token)|(?P<pin>pin))[-_ =.]{1,3}(?:(?:is|ist|est|"
    r"es)[-_ =.]{1,3})?(?P<v>[^\s/\\]+)",
    re.IGNORECASE,
)
"""A word that says what the rest of a name may be, as in `vpn-password-….txt`."""
_END = lazy(r"(?:\.[A-Za-z][A-Za-z0-9]{0,5}){1,2}\Z")
_WRITTEN_BY = lazy(
    r"\.(?:py|pyi|[cm]?[jt]sx?|go|rs|java|kt|rb|php|cs|cpp|cc|c|h|hpp|swift|vue|svelte|scala|dart|ex|exs|"
    r"sql|css|html)\Z"
)
_LONGEST_RULE = 30
_DIGITS = 8


def without_secrets(name: str) -> str:
    """The name with a stand-in such as `[GITHUB_TOKEN_1A2B3C4D]` for each part that holds a secret."""
    if not suspicious(name):
        return name
    if "://" in name and (rule := _rule(name)):
        return _pseudonym(rule, name)
    return "".join(
        _pseudonym(rule, part) if (rule := _rule_of_part(part)) else part for part in _SEPARATORS.split(name)
    )


def _rule_of_part(part: str) -> str:
    """The name of the rule that finds a secret in a part of a path; empty if none does.

    Clients name the folder for the transcripts of /a/b_c `-a-b-c`, so `-` may have been `_` or `=`.
    """
    found = _rule(part) or _rule(_END.sub("", part))
    if found or "-" not in part:
        return found or _rule_of_words(part)
    return (
        _rule(part.replace("-", "_"))
        or (_rule(_SETTING.sub(r"\1=", part)) if part[0] == "-" else "")
        or _rule_of_words(part)
    )


def _rule_of_words(part: str) -> str:
    """The name of a rule if a word in a name says that the rest of it is a secret; empty if not.

    Names of code are made of words and say what they do: there only what is evidently random counts.
    """
    from recortex.engines.privacy.finders.judging import is_clear, is_key, is_unknown, is_word

    found = _CUE.search(part)
    if found is None:
        return ""
    value = _END.sub("", found["v"])
    if found["pin"]:
        return "pin_spoken" if value.isdigit() and 4 <= len(value) <= 8 else ""  # noqa: PLR2004
    if found["key"]:
        return "key_spoken" if is_key(value) else ""
    pieces = [piece for piece in re.split(r"[-_. ]", value) if piece]
    if _WRITTEN_BY.search(part) or len(pieces) == 0 or (len(pieces) > 1 and any(map(is_word, pieces[:1]))):
        return "password_spoken" if is_clear(value) and any(map(str.isdigit, pieces[0])) else ""
    return "password_spoken" if is_unknown(value) or is_clear(pieces[0]) else ""


def _rule(text: str) -> str:
    return next((one.rule for one in redact(text).findings if one.category in _SECRET), "")


def _pseudonym(rule: str, secret: str) -> str:
    from blake3 import blake3

    mark = blake3(secret.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS].upper()
    return f"[{rule.upper()[:_LONGEST_RULE]}_{mark}]"


# -- takes secrets out of facts of code: of documentation, heads of definitions and arguments


def code_facts_without_secrets(facts: FileFacts) -> FileFacts:
    """The facts as they may be kept.

    An argument is read as a value of what it is given to: `login("…")` may be a password by its name alone.
    All texts are looked at together first, since most files have nothing.
    """
    if not redact("\n".join(_texts(facts))).findings:
        return facts
    return facts._replace(
        symbols=tuple(
            one._replace(doc=redact(one.doc).text, signature=redact(one.signature).text)
            for one in facts.symbols
        ),
        calls=tuple(_given(one, redact(one.receiver).text) for one in facts.calls),
        marks=tuple(_given(one, None) for one in facts.marks),
    )


def _texts(facts: FileFacts) -> list[str]:
    texts = [text for one in facts.symbols for text in (one.doc, one.signature) if text]
    texts += [text for one in facts.calls if one.argument for text in (_assigned(one), one.argument)]
    texts += [one.receiver for one in facts.calls if '"' in one.receiver or "'" in one.receiver]
    return texts + [text for one in facts.marks if one.argument for text in (_assigned(one), one.argument)]


def _assigned(one: Any) -> str:
    return f'{one.name} = "{one.argument}"'


def _given(one: Any, receiver: str | None) -> Any:
    """A call or mark whose argument is no secret."""
    changed = {} if receiver is None else {"receiver": receiver}
    if not one.argument:
        return one._replace(**changed) if changed else one
    found = redact(_assigned(one))
    alone = redact(one.argument).text
    if found.findings and alone == one.argument:
        alone = found.text.partition(" = ")[2].strip('"')
    return one._replace(argument=alone, **changed)
