"""Secrets inside Base64: Kubernetes secrets, and encoded texts that hold a login or a provider's token."""

from __future__ import annotations

import binascii
import re

from recortex.engines.privacy.rule import Place, Rule

_TELLING = re.compile(
    rb"://[^\s/@:]{0,64}:[^\s@/]{3,128}@|-----BEGIN|\b(?:gh[pousr]_|glpat-|sk-|sk_live_|xox[abp]-|AKIA|AIza|SG\.|npm_|pypi-|hf_)[\w\-]{12}"
    rb"|(?i:password|passwd|secret|api_?key|token)[\"']?\s{0,3}[:=]\s{0,3}[\"']?[^\s\"'$<{]{6}",
)
_PRINTABLE = re.compile(rb"[\x09\x0a\x0d\x20-\x7e]{12,}+\Z")
_KIND = re.compile(r"kind[\"']?[ \t]{0,4}:[ \t]{0,4}[\"']?secret\b")
_WINDOW = 4000


def _decoded(value: str) -> bytes:
    try:
        return binascii.a2b_base64(value[: len(value) // 4 * 4])
    except binascii.Error:
        return b""


def holds_secret(place: Place) -> bool:
    """Whether a Base64 text decodes to readable characters with a secret in them."""
    value = place.value
    head = _decoded(value[:16])
    if not head or not _PRINTABLE.match(head):
        return False
    plain = _decoded(value + "=" * (-len(value) % 4))
    return _TELLING.search(plain) is not None


def _in_kubernetes_secret(place: Place) -> bool:
    """Whether the place is an entry under `data:` of a manifest whose kind is `Secret`."""
    start = place.match.start()
    folded_before = place.match.string[max(0, start - _WINDOW) : start].lower()
    after = place.match.string[start : start + _WINDOW].lower()
    begin = max(folded_before.rfind("\n---"), 0)
    stop = after.find("\n---")
    document = folded_before[begin:] + (after if stop < 0 else after[:stop])
    if not _KIND.search(document):
        return False
    section = re.findall(
        r"(?:^|\n|[{,])[ \t]{0,4}[\"']?([a-z]{1,20})[\"']?:(?=[ \t]{0,4}(?:\{|\||\n|$))",
        folded_before[begin:],
    )
    return bool(section) and section[-1] in ("data", "stringdata") and place.value.lower() not in _FIELDS


_FIELDS = {"opaque", "secret", "default", "true", "false"}

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
        pattern=r"(?m:^)[ \t]{1,12}[\"']?[\w.\-]{1,80}[\"']?:[ \t]{1,4}(?:[|>]-?[ \t]{0,2}\r?\n[ \t]{1,16})?[\"']?(?P<v>[A-Za-z0-9+/]{8,8192}+={0,2})[\"']?,?[ \t]{0,4}(?=\r?$|\r?\n)",
        keywords=("secret",),
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
)
