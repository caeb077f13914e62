"""Invariants of A's Layer 1 for privacy: clean text stays as it is, and no raw secret is left."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from generated import drawn
from privacy_rules import examples, expand
from recortex.engines.privacy import redact, redact_json
from recortex.engines.privacy.table import RuleTable, built_in_rules

RULES = built_in_rules()
EVERYWHERE = RuleTable(
    rule if rule.anchored else replace(rule, literals={}, near=(), run=0, implied=False) for rule in RULES
)
"""The rules without what tells where they can match: each is tried at every place."""
EXAMPLES = [text for _, text in examples("positives")]
SECRETS = [
    expand(template)
    for template in (
        "AKIA<<U16>>",
        "ghp_<<A36>>",
        "glpat-<<A20>>",
        "sk_live_<<A24>>",
        "npm_<<A36>>",
        "xoxb-<<d12>>-<<d12>>-<<A24>>",
        "SG.<<A22>>.<<A43>>",
        "hvs.<<A95>>",
        "dop_v1_<<h64>>",
        "eyJ<<A30>>.eyJ<<A50>>.<<A43>>",
    )
]
PROSE = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=60)
MARKERS = st.sampled_from(
    [
        "[EMAIL]",
        "[SECRET]",
        "[PASSWORD]",
        "[",
        "]",
        "password=",
        "token: ",
        '"',
        "\n",
        "# ",
        " = ",
        "@",
        "://",
    ]
)
PIECES = st.lists(st.one_of(PROSE, MARKERS, st.sampled_from(EXAMPLES)), max_size=8).map("".join)
SPACED = st.lists(st.one_of(PROSE, MARKERS), max_size=4).map("".join)


@given(st.text())
def test_any_text_is_redacted_once(text):
    once = redact(text).text
    assert redact(once).text == once


@settings(max_examples=drawn(250), deadline=None)
@given(PIECES)
def test_composed_text_is_redacted_once(text):
    once = redact(text).text
    assert redact(once).text == once


@settings(max_examples=drawn(100), deadline=None)
@given(PIECES, st.sampled_from(["", "\n", "token = ", "日本 "]))
def test_rules_are_tried_wherever_they_match(text, before):
    text = f"{before * 300}{text}{before}{text}"
    assert redact(text) == redact(text, table=EVERYWHERE)


@settings(deadline=None)
@given(
    SPACED, st.sampled_from(SECRETS), SPACED, st.sampled_from(["", "src/app.py", "tests/test_app.py", ".env"])
)
def test_raw_secret_never_stays(before, secret, after, path):
    assert secret not in redact(f"{before} {secret} {after}", path=path or None).text


@settings(deadline=None)
@given(PIECES)
def test_findings_are_ordered_apart_and_explain_the_text(text):
    done = redact(text)
    place, rebuilt = 0, []
    placeholders = {rule.name: rule.placeholder for rule in RULES}
    for finding in done.findings:
        assert place <= finding.start < finding.end <= len(text)
        assert 0.0 <= finding.confidence <= 1.0
        rebuilt += (text[place : finding.start], placeholders[finding.rule])
        place = finding.end
    assert "".join((*rebuilt, text[place:])) == done.text


@settings(deadline=None)
@given(
    st.recursive(
        st.one_of(st.none(), st.integers(), PIECES),
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(PROSE, inner, max_size=3)),
        max_leaves=6,
    )
)
def test_json_is_redacted_once(value):
    once, _ = redact_json(value)
    assert redact_json(once)[0] == once
