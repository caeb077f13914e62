"""What redaction replaces, what it leaves alone, and how sure it is."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from privacy_rules import examples, expand, rules
from recortex.app.projects import shown
from recortex.engines.privacy import redact, redact_json
from recortex.engines.privacy.credentials import is_jumble
from recortex.engines.privacy.table import (
    GATES,
    READ_PLAINLY,
    THRESHOLD,
    RuleTable,
    Scan,
    built_in_rules,
    check_named,
    default_table,
    fold,
)

# -- What redaction replaces, what it leaves alone, and how sure it is.
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
        ("AKIA<<U16>>", "[AWS_ACCESS_KEY]"), ("eyJ<<A30>>.eyJ<<A50>>.<<w43>>", "[JWT]"),
        ("ghp_<<A36>>", "[GITHUB_TOKEN]"),
        ("postgresql://app:<<A16>>@db.internal/app", "[POSTGRESQL_CREDENTIALS]"),
        ("xoxb-<<d12>>-<<d12>>-<<A24>>", "[SLACK_TOKEN]"), ("sk_live_<<A24>>", "[STRIPE_KEY]"),
        ("glpat-<<A20>>", "[GITLAB_TOKEN]"), ("npm_<<A36>>", "[NPM_TOKEN]"),
        ("-----BEGIN PRIVATE KEY-----\n<<b64>>\n-----END PRIVATE KEY-----", "[PRIVATE_KEY]"),
    ],
)  # fmt: skip
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


# -- A secret is known by a word and what stands around it: in code, configuration, file names and speech.
VALUES = ("gulhix7dorf", "Kettle!48", "nW4(tQz9;Lr#2Kd", "movkepzid", "lantern-walnut-otter")
KEY = expand("<<A32>>")
CODE = [
    'password := []byte("{}")', 'let password = String::from("{}");', 'password: Optional[str] = "{}"',
    'pw = os.getenv("DB_PASSWORD", "{}")', "password = ENV['DB_PASSWORD'] || '{}'",
    "{{ :password => '{}' }}", 'connect(user, password="{}")', '[{{"key": "DB_PASSWORD", "value": "{}"}}]',
    'std::string password{{"{}"}};', 'strcpy(password, "{}");',
]  # fmt: skip
CONFIGURATION = [
    "password: |-\n    {}\n", "passphrase: >  # ours\n  {}\nuser: app\n",
    "db:\n  password:\n    {}\nport: 1\n", 'password = """\n{}"""\n', "password = <<~END\n  {}\nEND\n",
    "db.password=\\\n    {}\n", "- value: {}\n  name: DB_PASSWORD\n",
    "| user | password |\n|---|---|\n| app | {} |\n",
]  # fmt: skip
SPEECH = [
    "the password of the old box would be {}", "{} is the password", "use {} as password for it",
    "the password might be {}", "le mot de passe doit être {}", "the credentials are root and {}",
    "die Zugangsdaten lauten root / {}", "das Kennwort vom Server war bisher {}",
    "le mot de passe de la base était {}", "la contraseña del servidor era {}",
    "a senha do servidor vai ser {}", "服务器的密码设成了{}", "用{}作为密码", "サーバーのパスワードは「{}」でした", "{}をパスワードにして",
]  # fmt: skip


@pytest.mark.parametrize("shape", [*CODE, *CONFIGURATION, *SPEECH])
def test_what_is_given_as_a_password_goes(shape):
    for value in VALUES:
        clean = redact(shape.format(value)).text
        assert value not in clean
        assert redact(clean).text == clean


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('password = (\n    "gulhix"\n    "dorf7vex"\n)', ("gulhix", "dorf7vex")),
        ("password = 'gulhix' \\\n  'dorf7vex'", ("gulhix", "dorf7vex")),
        ('password: "gulhix\\\n  dorf7vex"', ("gulhix", "dorf7vex")),
        ('password = concat!("gulhix", "dorf7vex")', ("gulhix", "dorf7vex")),
        ("password: 'gulhix'.concat('dorf7vex')", ("gulhix", "dorf7vex")),
        ("password = (f'gulhix'\n    f'dorf7vex')", ("gulhix", "dorf7vex")),
        ('password = "gulhix"; password += "dorf7vex"', ("gulhix", "dorf7vex")),
        ('new PDO($dsn, "app", "gulhix7dorf")', ("gulhix7dorf",)),
        ("+db.lan:5432:shop:app:gulhix", ("gulhix",)),
        ('echo "db.lan:5432:shop:app:gulhix" >> .pgpass', ("gulhix",)),
        ("the passphrase is kettle walnut ribbon sunset", ("kettle walnut", "ribbon sunset")),
        ("die Passphrase lautet kettle walnut ribbon sunset", ("kettle walnut",)),
        ("the PIN of the gate is 481516", ("481516",)),
        ("PINコードは481516です", ("481516",)),
        (f"der Schlüssel der Schnittstelle lautet {KEY}", (KEY,)),
        (f"访问令牌是{KEY}", (KEY,)),
        (f"client_secret: |\n  {KEY}\n", (KEY,)),
        ("INSERT INTO people (name, password) VALUES ('app', 'gulhix7dorf')", ("gulhix7dorf",)),
    ],
)
def test_secrets_in_parts_words_and_numbers_go(text, parts):
    clean = redact(text).text
    assert not [part for part in parts if part in clean]


@pytest.mark.parametrize(
    "text",
    [
        "password: |\n  Enter the password of the account.\n",
        "--- PASS: TestLogin_RejectsEmptyName (0.00s)", "All checks pass: `gofmt`, `vet`",
        "parts are identified by strategy and number", '"minipass": "^7.1.2"', "password: string;\n",
        'password = getattr(user, "hash")', "the password is hashed with argon2id and has 12 characters",
        "our password manager is Bitwarden", "SELECT id, password FROM gulhix",
        "das Passwort muss geändert werden", "la frase secreta es opcional", "la contraseña es obligatoria",
        "密码使用argon2加密", "密码保存在localStorage里", "パスワードはbcryptでハッシュ化します", "sign in with Google and GitHub",
        "GPIO pin 4815 blinks at commit 1234567", "pin to commit 1234567",
        f"the secret santa list of commit {expand('<<h40>>')}",
    ],
)  # fmt: skip
def test_what_only_speaks_of_secrets_stays(text):
    assert redact(text).text == text


@pytest.mark.parametrize(
    "name",
    [
        "vpn-password-gulhixdorf.txt", "notes/wifi_pwd_Dorfen42.png", "my pin 4815.txt",
        "mdp_kepvexzid.txt", "パスワードgulhix77.txt", "密码gulhix77.md",
    ],
)  # fmt: skip
def test_a_file_name_that_says_a_secret_is_replaced(name):
    assert shown(name) != name
    assert shown(shown(name)) == shown(name)


@pytest.mark.parametrize(
    "name",
    [
        "password_utils.py", "src/password-strength-meter.tsx", "secret-santa.md", "pin-dependencies.md",
        "password-policy-v2.md", "token-usage-2024.csv", "PasswordController.cs",
    ],
)  # fmt: skip
def test_a_file_name_that_speaks_of_secrets_stays(name):
    assert shown(name) == name


@pytest.mark.parametrize("unit", ["凭据", "pwd ", 'password = "', "用a和", "password " + "abcd " * 60])
def test_words_said_again_and_again_take_time_in_proportion(unit):
    def seconds(size):
        began = time.process_time()
        redact((unit * size)[:size])
        return time.process_time() - began

    seconds(1_000)
    assert seconds(80_000) < 12 * max(seconds(20_000), 0.02)


def test_signs_that_alternate_are_no_code():
    assert is_jumble("nW4(tQz9;Lr#2Kd")
    assert not is_jumble("getUser(ID2)[0].name")
    assert not is_jumble("${DB_Pass9}(Xy1)")


# -- Typed contents and metadata: each string of a JSON value is cleaned, and a key names the secret by it.
def test_strings_at_every_depth_are_cleaned():
    key = expand("ghp_<<A36>>")
    value, findings = redact_json({"a": [{"b": f"use {key}"}], "n": 3, "t": True, "z": None})
    assert value == {"a": [{"b": "use [GITHUB_TOKEN]"}], "n": 3, "t": True, "z": None}
    assert [finding.rule for finding in findings] == ["github_token"]


def test_key_names_the_secret():
    value, findings = redact_json(
        {"password": "hunter2hunter2", "apiToken": expand("<<a32>>"), "note": "hunter2hunter2"}
    )
    assert value == {"password": "[PASSWORD]", "apiToken": "[SECRET]", "note": "hunter2hunter2"}
    assert len(findings) == 2


def test_keys_are_cleaned_and_kept_apart():
    value, _ = redact_json({"ada@lovelace.org": 1, "grace@navy-archive.net": 2})
    assert value == {"[EMAIL]": 1, "[EMAIL] 2": 2}


def test_too_deep_is_replaced_rather_than_kept():
    value: object = "ada@lovelace.org"
    for _ in range(500):
        value = [value]
    assert "lovelace" not in json.dumps(redact_json(value)[0])


def test_scalars_come_back():
    assert redact_json(5) == (5, ())
    assert redact_json("plain") == ("plain", ())


# -- Each row of the table proves itself: its positives are caught, its negatives survive.
BY_NAME = {rule.name: rule for rule in RULES}
POSITIVES = [(BY_NAME[name], text) for name, text in examples("positives")]


def caught(rule, text):
    done = redact(text)
    return (
        rule.name in [finding.rule for finding in done.findings]
        and rule.placeholder in done.text
        and not any(text[finding.start : finding.end] in done.text for finding in done.findings)
    )


def found_as_by_a_full_search(rule, text):
    expression = default_table().compiled(rule)
    begins = [match.start() for match in expression.finditer(text.lower() if rule.folded else text)]
    return any(text.lower().startswith(rule.keywords, begin) for begin in begins)


def test_every_positive_is_caught_by_its_row():
    assert [(rule.name, text) for rule, text in POSITIVES if not caught(rule, text)] == []


def test_every_negative_survives_all_rows():
    assert [(name, text) for name, text in examples("negatives") if redact(text).text != text] == []


def test_anchored_rows_find_what_a_full_search_finds():
    anchored = [(rule, text) for rule, text in POSITIVES if rule.anchored]
    assert anchored
    missed = [(rule.name, text) for rule, text in anchored if not found_as_by_a_full_search(rule, text)]
    assert missed == []


def test_rows_are_tried_wherever_a_full_search_matches():
    missed = []
    for rule, example in [case for case in POSITIVES if not case[0].anchored]:
        table = RuleTable([rule])
        for around in ("", "\n", "x, 5: ", "\n  ", "key 10.0.0.7 | a-b@c.d; ", "日本 \ud800 İ "):
            text = around * 40 + example + around + example + around * 40
            folded = fold(text)
            tried = [match.span() for _, _, all_ in Scan(table, text, folded, []).matches() for match in all_]
            full = table.compiled(rule).finditer(folded if rule.folded else text)
            if tried != [match.span() for match in full]:
                missed.append((rule.name, example, around))
    assert missed == []


@pytest.mark.parametrize(
    "text", ["pass" * 50, "mot de passe, 密码 \ud800 \U0001f511 AKIA sk-lf-", "aaaaaaaaaaaa" * 9]
)
def test_automaton_finds_what_searching_for_each_literal_finds(text):
    literals = RuleTable(RULES).literals
    plain = literals.hits(text, 7)
    literals.hits("x" * READ_PLAINLY, 0)
    assert literals.hits(text, 7) == plain


def test_names_are_unique_and_examples_are_there():
    assert len(BY_NAME) == len(RULES)
    assert [rule["name"] for rule in rules()] == list(BY_NAME)
    assert all(rule["positives"] and rule["negatives"] for rule in rules())


def test_checks_are_functions():
    assert all(callable(check_named(rule.check)) for rule in RULES if rule.check)


def test_keywords_are_folded_and_gates_exist():
    for rule in RULES:
        assert all(keyword == keyword.lower() for keyword in rule.keywords)
        assert rule.gate in {"", *GATES}
        assert rule.keywords or not rule.anchored


def test_example_templates_repeat():
    assert expand("a<<h32>>b") == expand("a<<h32>>b")
    assert len(expand("<<h32>>")) == 32
    assert expand("<<x5>>") == "xxxxx"


# -- The golden sets of privacy: texts, what may not be left of them, what must, and why.
GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "privacy").glob("*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_sets_of_privacy(path):
    given = json.loads(path.read_text(encoding="utf-8"))
    for one in given["texts"]:
        clean = redact(one["text"]).text
        assert [part for part in one.get("gone", ()) if part in clean] == [], given["why"]
        assert [part for part in one.get("stays", ()) if part not in clean] == [], given["why"]
        assert "gone" in one or clean == one["text"], given["why"]
        assert redact(clean).text == clean, given["why"]
