"""Secrets in what is looked up word for word: ids of sessions, paths, branches, names of folders.

A placeholder alone would make all of them equal. Each part of a path that holds a secret is replaced whole by
a stand-in that follows from it: what was equal stays equal, what differed differs, and a stand-in is its own.
"""

from __future__ import annotations

import re

from recortex.domain.expressions import lazy
from recortex.domain.names import suspicious
from recortex.engines.privacy.redaction import redact

_SEPARATORS = lazy(r"([/\\])")
_SECRET = frozenset({"secret", "connection"})
_SETTING = lazy(r"(pass(?:word|wd)?|pwd|secret|token|key)-", re.IGNORECASE)
_LONGEST_RULE = 30
_DIGITS = 8


def without_secrets(name: str) -> str:
    """The name with a stand-in such as `[GITHUB_TOKEN_1A2B3C4D]` for each part that holds a secret."""
    if not suspicious(name):
        return name
    if "://" in name and (rule := _rule(name)):
        return _stand_in(rule, name)
    return "".join(
        _stand_in(rule, part) if (rule := _rule_of_part(part)) else part for part in _SEPARATORS.split(name)
    )


def _rule_of_part(part: str) -> str:
    """The rule that finds a secret in a part of a path; in one made of a whole path, also as it was before.

    Clients keep the transcripts of /a/b_c in a folder -a-b-c: what stood between the words is not known any
    more.
    """
    found = _rule(part)
    if found or "-" not in part:
        return found
    return _rule(part.replace("-", "_")) or (_rule(_SETTING.sub(r"\1=", part)) if part[0] == "-" else "")


def _rule(text: str) -> str:
    return next((one.rule for one in redact(text).findings if one.category in _SECRET), "")


def _stand_in(rule: str, said: str) -> str:
    from blake3 import blake3

    mark = blake3(said.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS].upper()
    return f"[{rule.upper()[:_LONGEST_RULE]}_{mark}]"
