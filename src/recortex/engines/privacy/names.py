"""Replaces secrets in names that are looked up exactly: ids of sessions, paths, branches, folders.

A plain placeholder would make all of them equal. Each part of a path that holds a secret is replaced by a
pseudonym with a hash of it: equal names stay equal, different ones stay different, and a pseudonym stays as
it is.
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
        return _pseudonym(rule, name)
    return "".join(
        _pseudonym(rule, part) if (rule := _rule_of_part(part)) else part for part in _SEPARATORS.split(name)
    )


def _rule_of_part(part: str) -> str:
    """The name of the rule that finds a secret in a part of a path; empty if none does.

    Clients name the folder for the transcripts of /a/b_c `-a-b-c`, so `-` may have been `_` or `=`.
    """
    found = _rule(part)
    if found or "-" not in part:
        return found
    return _rule(part.replace("-", "_")) or (_rule(_SETTING.sub(r"\1=", part)) if part[0] == "-" else "")


def _rule(text: str) -> str:
    return next((one.rule for one in redact(text).findings if one.category in _SECRET), "")


def _pseudonym(rule: str, secret: str) -> str:
    from blake3 import blake3

    mark = blake3(secret.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS].upper()
    return f"[{rule.upper()[:_LONGEST_RULE]}_{mark}]"
