"""What redaction replaces, what it leaves alone, and how sure it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from privacy_rules import expand, rules
from recortex.engines.privacy import redact
from recortex.engines.privacy.table import THRESHOLD, RuleTable, built_in_rules

RULES = built_in_rules()


def test_all_patterns_compile():
    table = RuleTable(RULES)
    assert all(table.compiled(rule) is not None for rule in RULES)
    assert table.broken == {}


def test_there_are_enough_of_each_category():
    counts = {name: sum(rule.category == name for rule in RULES) for name in ("pii", "secret", "connection")}
    assert counts["pii"] >= 15
    assert counts["secret"] >= 35
    assert counts["connection"] >= 4
    assert len(RULES) >= 50


@pytest.mark.parametrize(
    ("text", "placeholder"),
    [
        ("write to grace.hopper@navy-archive.net", "[EMAIL]"),
        ("call (415) 867-5309 now", "[PHONE]"),
        ("her SSN is 123-45-6789.", "[SSN]"),
        ("card 4111 1111 1111 1111", "[CREDIT_CARD]"),
        ("IBAN DE89 3704 0044 0532 0130 00", "[IBAN]"),
        ("born on 1979-03-03", "[DATE_OF_BIRTH]"),
    ],
)
def test_known_personal_data_is_replaced(text, placeholder):
    assert placeholder in redact(text).text


@pytest.mark.parametrize(
    ("template", "placeholder"),
    [
        ("AKIA<<U16>>", "[AWS_ACCESS_KEY]"),
        ("eyJ<<A30>>.eyJ<<A50>>.<<w43>>", "[JWT]"),
        ("ghp_<<A36>>", "[GITHUB_TOKEN]"),
        ("postgresql://app:<<A16>>@db.internal/app", "[POSTGRESQL_CREDENTIALS]"),
        ("xoxb-<<d12>>-<<d12>>-<<A24>>", "[SLACK_TOKEN]"),
        ("sk_live_<<A24>>", "[STRIPE_KEY]"),
        ("glpat-<<A20>>", "[GITLAB_TOKEN]"),
        ("npm_<<A36>>", "[NPM_TOKEN]"),
        ("-----BEGIN PRIVATE KEY-----\n<<b64>>\n-----END PRIVATE KEY-----", "[PRIVATE_KEY]"),
    ],
)
def test_known_secrets_are_replaced(template, placeholder):
    secret = expand(template)
    done = redact(f"use {secret} here")
    assert placeholder in done.text
    assert secret not in done.text


def test_redaction_is_idempotent():
    for template in (text for rule in rules() for text in (*rule["positives"], *rule["negatives"])):
        once = redact(expand(template)).text
        again = redact(once)
        assert (again.text, again.findings) == (once, ())


APART = frozenset({"mailchimp_key", "facebook_token", "jwt", "encrypted_token"})
"""Kinds that do not begin by a word of their own, or of several parts: three of them are not told apart."""


def test_tokens_without_a_gap_between_them_all_go():
    secrets = [rule for rule in rules() if rule["category"] == "secret" and rule["name"] not in APART]
    distinct = [rule for rule in secrets if rule.get("anchored") and not rule.get("folded")]
    for template in (template for rule in distinct for template in rule["positives"]):
        token = expand(template)
        if any(sign in token for sign in " \n\"'`=:<") or redact(token).text == token:
            continue
        for text in (token * 2, token * 3, f"{token}{expand('AKIA<<U16>>')}", f"see {token * 2}."):
            left = redact(text).text
            assert not any(token[at : at + 10] in left for at in range(len(token) - 9)), left


@pytest.mark.parametrize(
    "template",
    [
        "commit <<h40>>", "id = '<<h8>>-<<h4>>-<<h4>>-<<h4>>-<<h12>>'", '"integrity": "sha512-<<b86>>=="',
        "resolved: sha256:<<h64>>", 'src="data:image/png;base64,iVBORw0KGgo<<b400>>"',
        "def load_token_from_config(path: Path) -> str | None:", "self.api_key = settings.api_key",
        "const secretKey = process.env.SECRET_KEY;", "password: Optional[str] = None",
        "token = tokens[index + 1]", "func (c *Client) RefreshToken(ctx context.Context) (string, error)",
        "max_tokens=4096, temperature=0.2", "version = 10.0.19041.3803", "http://localhost:8080/api?token=",
        "listen 192.168.10.4:9000 and 127.0.0.1", "noreply@anthropic.com, someone@example.com",
        "2026-11-21T23:15:24.123456789Z took 1700000000000 ns", "cacheKey = user.id + ':' + page",
        "<<h7>>..<<h7>> main -> main", "sessionId: toolu_01<<A22>>", "go.sum h1:<<b43>>=",
    ],
)  # fmt: skip
def test_code_is_left_alone(template):
    text = expand(template)
    assert redact(text).text == text


def test_context_changes_confidence():
    text = expand('db_password = "<<A14>>"')
    confidence = {
        path: redact(text, path=path).findings[0].confidence
        for path in ("tests/test_db.py", "app/db.py", ".env")
    }
    assert confidence["tests/test_db.py"] == pytest.approx(confidence["app/db.py"] - 0.20)
    assert confidence[".env"] == pytest.approx(confidence["app/db.py"] + 0.10)


def test_comment_lowers_and_sensitive_name_raises_confidence():
    token = expand("npm_<<A36>>")
    plain = redact(f"see {token}").findings[0].confidence
    assert redact(f"# see {token}").findings[0].confidence == pytest.approx(plain - 0.30)
    assert redact(f"x_token = {token}").findings[0].confidence == pytest.approx(min(1.0, plain + 0.10))


def test_weak_evidence_in_a_comment_of_a_test_is_let_through():
    text = expand('# db_password = "<<A14>>"')
    assert redact(text).findings
    assert redact(text, path="tests/test_db.py").findings == ()


def test_known_shapes_pass_even_in_a_comment_of_a_test_file():
    for rule in (rule for rule in rules() if rule["confidence"] >= 0.95):
        assert rule["confidence"] - 0.20 - 0.30 >= THRESHOLD
        text = "# " + expand(rule["positives"][0])
        assert redact(text, path="tests/test_it.py").text != text, rule["name"]


@pytest.mark.parametrize(
    "text",
    [
        'password = "<your-password>"', "api_key: xxxxxxxxxxxxxxxxxxxx", "AKIAIOSFODNN7EXAMPLE",
        "TOKEN=${CI_TOKEN}", "password=changeme1", "secret = '[SECRET]'", "contact [EMAIL] or [PHONE]",
        "token: {{ .Values.token }}", "API_KEY=your-api-key-here-123",
    ],
)  # fmt: skip
def test_placeholders_are_skipped(text):
    assert redact(text).text == text


def test_broken_pattern_is_skipped_and_the_others_run():
    email = next(rule for rule in RULES if rule.name == "email")
    broken = replace(email, name="broken", pattern="(unclosed")
    failing = replace(
        email, name="failing", pattern="love", check="personal.is_fiscal_code"
    )  # needs 9 letters
    table = RuleTable((broken, failing, email))
    done = redact("ask ada@lovelace.org", table=table)
    assert done.text == "ask [EMAIL]"
    assert done.skipped == ("broken", "failing")


def test_nothing_suspicious_gives_the_same_object():
    text = "The parser keeps a cursor, so a second import adds nothing."
    done = redact(text)
    assert done.text is text
    assert done.findings == done.skipped == ()


def test_findings_point_into_the_original_and_hold_no_value():
    key, mail = expand("AKIA<<U16>>"), "ada@lovelace.org"
    text = f"{mail} sent {key} twice: {key}"
    done = redact(text)
    assert [text[f.start : f.end] for f in done.findings] == [mail, key, key]
    assert all(value not in repr(done) for value in (key, mail))
    assert [f.category for f in done.findings] == ["pii", "secret", "secret"]


@pytest.mark.parametrize("template", ["sk_live_<<A24>>", "glc_<<A60>>", "shpat_<<h32>>", "vcp_<<A56>>"])
def test_tokens_directly_after_each_other_both_go(template):
    token = expand(template)
    prefix = template[: template.index("<<")]
    other = prefix + token[len(prefix) :][::-1]
    kept = redact(f"keys: {token}{other} end").text
    assert other[-8:] not in kept
    assert (token[len(prefix) :][:8] not in kept, kept.startswith("keys: ["), kept.endswith("] end")) == (
        True,
    ) * 3


@pytest.mark.parametrize(
    "text", ["bypass = 'enabled1'", "password: 'required|min:8'", 'password: "nullable|confirmed"']
)
def test_a_word_that_ends_like_a_name_and_a_form_s_rules_are_no_password(text):
    assert redact(text).text == text
