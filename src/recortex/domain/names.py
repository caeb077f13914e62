"""Whether an id, a path or a name may hold a secret: a guess for which hooks need not load the rules.

A provider whose tokens none of these expressions matches is added to `_ISSUED` when it gets a rule in
`engines/privacy/rules`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from recortex.domain.expressions import lazy

if TYPE_CHECKING:
    from collections.abc import Mapping


_WORDS = lazy(
    r"pass|pwd|pw[-_]|secret|token|key|auth|cred|bearer|login|sig|cookie|session[-_=]|[=:@%]|kennwort|mdp|"
    r"contrase"
    r"|senha|(?<![a-z])pin(?![a-z])|密码|密碼|口令|密钥|密鑰|令牌|パス|トークン|キー|暗証|認証|验证码|驗證碼|[账帐]号|凭[证据]"
    r"|合言葉|秘密|シークレット|schlüssel|geheim|jeton|clave|chave|segredo|用",
    re.IGNORECASE,
)
"""Words that often stand before a secret, and signs of connection strings."""
_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z])"
_UNIQUE = lazy(r"(?<![0-9A-Za-z])" + _UUID)
"""A UUID: what clients name sessions by. Behind a word it may be a key that a provider issued."""
# Prefixes of providers' tokens, a guess at those of `engines/privacy/rules`: test_names.py compares the two.
_ISSUED = lazy(
    r"(?<![A-Za-z])(?:gh[a-z][-_]|github[-_]pat|gl[a-z]{2,6}-|sk[-_]|pk[-_]|rk[-_]|ak[-_]|AKIA|ASIA|AIza|xox"
    r"|eyJ|SG\.|ya29|npm_|pypi-|hf_|dop_|whsec)|[A-Za-z]\d?[-.]" + _UUID
)
"""How tokens begin that providers issue: those of `engines/privacy/rules`, more broadly."""
_RUN = lazy(r"[A-Za-z0-9]{6,}")
_WORD = lazy(r"[A-Z]?[a-z]+\d*|[A-Z]+|\d+|[a-z0-9]{1,15}")
_HASH = lazy(r"[0-9a-f]+")
_LONG = 16  # letters and digits without a break that are suspicious where a digit is among them
LONGEST_ID = 512
"""Bytes of a session's id: clients' own have 36. PostgreSQL's indexes take at most 2,704 in all columns."""


def known_as(id_: str) -> str:
    """The id by which a session is known, in hooks and transcripts: one that is too long, by its hash."""
    data = id_.encode("utf-8", "replace")
    if len(data) <= LONGEST_ID:
        return id_
    from hashlib import sha256

    return f"sha256:{sha256(data).hexdigest()}"


@lru_cache(4_096)
def suspicious(name: str) -> bool:
    """Whether a name has to be redacted by the rules.

    A wrong yes costs a few milliseconds, a wrong no lets a secret pass. UUIDs, hashes that are a whole part
    of a path, words and words with a number are not suspicious.
    """
    if _ISSUED.search(name) or _WORDS.search(name):
        return True
    for part in re.split(r"[/\\]", _UNIQUE.sub("", name)):
        stem = part.partition(".")[0]
        for run in _RUN.findall(part):
            if _mixed(run) and not (run == stem and _HASH.fullmatch(run)):
                return True
    return False


def _mixed(run: str) -> bool:
    """Whether a run of letters and digits looks random: long with a digit, or both cases and a digit."""
    if len(run) >= _LONG and not run.isdigit():
        return not run.isalpha() or run.isupper() or len(run) > 2 * _LONG
    return not _WORD.fullmatch(run) and run != run.lower() and any(map(str.isdigit, run))


# -- where a memory's statement is written already: in which instruction files, and who loads those itself


RULE = "instruction_file"
"""The rule by which a memory was made of a statement in such a file."""
FILES, LOADED_BY = "written_in", "loaded_by"
UNNAMED = "claude-code"
"""The client that calls a hook without saying who it is: as our plug-in has it do."""


def places(metadata: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The files in which a statement stands, by name.

    Each with `hashes` (of the statements there that say it), `lines` and `clients` (that load the file).
    """
    found = metadata.get(FILES)
    if not isinstance(found, dict):
        return {}
    return {name: one for name, one in found.items() if isinstance(one, dict)}


def with_places(metadata: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The metadata with these files instead of those that it names."""
    rest = {key: value for key, value in metadata.items() if key not in {FILES, LOADED_BY}}
    if not files:
        return rest
    clients = sorted({client for one in files.values() for client in str(one.get("clients", "")).split()})
    return rest | {FILES: {name: dict(one) for name, one in files.items()}, LOADED_BY: " ".join(clients)}


def joined(known: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of a memory that says the same as another: the new values, and the files of both."""
    if not (places(known) or places(new)):
        return {**known, **new}
    files = places(known)
    for name, place in places(new).items():
        hashes = dict.fromkeys((*files.get(name, {}).get("hashes", ()), *place.get("hashes", ())))
        files[name] = place | {"hashes": list(hashes)}
    return with_places({**known, **new}, files)


def loads(client: str, loaded_by: str) -> bool:
    """Whether a client is among those that load the file themselves."""
    return (client or UNNAMED) in loaded_by.split()
