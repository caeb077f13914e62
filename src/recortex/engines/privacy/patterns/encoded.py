"""Secrets inside Base64: Kubernetes secrets, and encoded texts that hold a login or a provider's token."""

from __future__ import annotations

import binascii

from recortex.engines.privacy.expressions import compiled
from recortex.engines.privacy.rule import Place, Rule

_TELLING = (
    r"://[^\s/@:]{0,64}:[^\s@/]{3,128}@|-----BEGIN|\b(?:gh[pousr]_|glpat-|sk-|sk_live_|xox[abp]-|AKIA|AIza|"
    r"SG\.|npm_|pypi-|hf_)[\w\-]{12}"
    r"|(?i:password|passwd|secret|api_?key|token)[\"']?\s{0,3}[:=]\s{0,3}[\"']?[^\s\"'$<{]{6}"
)
_PRINTABLE = r"[\x09\x0a\x0d\x20-\x7e]{12,}+\Z"
_KIND = r"kind[\"']?[ \t]{0,4}:[ \t]{0,4}[\"']?secret\b"
_ENTRY = (
    r"[\"']?[\w.\-]{1,80}[\"']?:[ \t]{0,4}(?:[|>][-+]?[ \t]{0,2}\r?\n[ "
    r"\t]{1,16})?[\"']?(?P<value>[A-Za-z0-9+/]{8,8192}+={0,3})(?=[\"'\s,}]|\Z)"
)
_WINDOW = 1000
"""How far from its data the kind of a manifest may stand, in characters."""


def _decoded(value: str) -> str:
    try:
        return binascii.a2b_base64(value[: len(value) // 4 * 4]).decode("latin-1")
    except binascii.Error:
        return ""


def holds_secret(place: Place) -> bool:
    """Whether a Base64 text decodes to readable characters with a secret in them."""
    value = place.value
    head = _decoded(value[:16])
    if not head or not compiled(_PRINTABLE).match(head):
        return False
    plain = _decoded(value + "=" * (-len(value) % 4))
    return compiled(_TELLING).search(plain) is not None


def _in_kubernetes_secret(place: Place) -> bool:
    """Whether a block of data belongs to a manifest of the kind `Secret` and holds an encoded value."""
    start, end = place.match.span()
    before = place.text[max(0, start - _WINDOW) : start].lower()
    after = place.text[end : end + _WINDOW].lower()
    document = before[before.rfind("\n---") + 1 :] + "\n" + after.partition("\n---")[0]
    return compiled(_KIND).search(document) is not None and compiled(_ENTRY).search(place.value) is not None


ENCODED = (
    Rule(
        name="encoded_secret",
        category="secret",
        pattern=r"(?<![A-Za-z0-9+/=_\-])[A-Za-z0-9+/]{24,8192}+={0,2}",
        keywords=(),
        confidence=0.8,
        positives=(
            "cG9zdGdyZXM6Ly9hcHA6czNjcjN0cHdAZGI6NTQzMi9hcHA=",
            "value: cGFzc3dvcmQ9aHVudGVyMmh1bnRlcjI=",
        ),
        negatives=("SGVsbG8gd29ybGQsIHRoaXMgaXMganVzdCB0ZXh0Lg==", "/usr/local/share/documentation/index"),
        check=holds_secret,
    ),
    Rule(
        name="kubernetes_secret",
        category="secret",
        pattern=(
            r"(?m:^)[ \t]{0,16}(?:stringData|data):[ \t]{0,8}\r?\n(?P<indent>[ \t]{1,16})(?P<v>[^\s{][^\n]*"
            r"(?:\n(?P=indent)[^\n]*)*+)"
        ),
        keywords=("data:",),
        confidence=0.85,
        positives=(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: <<b22>>==\n",
            "apiVersion: v1\ndata:\n  user: <<b14>>==\nkind: Secret\n",
        ),
        negatives=(
            "kind: ConfigMap\ndata:\n  colour: ultramarine\n",
            "kind: Secret\nmetadata:\n  name: databasecredentials\n",
            'kind: Secret\ndata:\n  password: ""\n',
        ),
        check=_in_kubernetes_secret,
    ),
    Rule(
        name="kubernetes_secret_json",
        category="secret",
        pattern=r"\"(?:stringData|data)\"\s{0,4}:\s{0,4}\{(?P<v>[^{}]{8,20000})\}",
        keywords=('"data"', '"stringdata"'),
        anchored=True,
        confidence=0.85,
        positives=(
            '{"kind": "Secret", "data": {"password": "<<b22>>=="}}',
            '{"data": {"a": "<<b18>>=="}, "kind": "Secret"}',
        ),
        negatives=(
            '{"kind": "ConfigMap", "data": {"colour": "ultramarine"}}',
            '{"kind": "Secret", "data": {"a": ""}}',
        ),
        check=_in_kubernetes_secret,
    ),
)
