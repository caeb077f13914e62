"""Secrets of no single provider: authorization headers, command lines, key blocks, signed tokens."""

from __future__ import annotations

from recortex.engines.privacy.checks import entropy, is_random, is_uuid
from recortex.engines.privacy.expressions import compiled
from recortex.engines.privacy.patterns.assignments import ASSIGNMENTS
from recortex.engines.privacy.patterns.encoded import ENCODED
from recortex.engines.privacy.placeholders import is_placeholder
from recortex.engines.privacy.rule import Place, Rule

_SHORT, _FEW = 7, 3
_BITS = 3.9
"""Above the entropy of a hyphenated phrase, below that of twenty random letters."""

_REFERENCE = r"[A-Za-z_$][\w$]*(?:[.:>\-]{1,2}[A-Za-z_][\w$]*)*"


def _is_header_value(place: Place) -> bool:
    value = place.value
    if is_placeholder(value) or value.startswith(("$", "%", "{", "<", "`")):
        return False
    return (
        is_uuid(value)
        or (len(value) > _SHORT and compiled(_REFERENCE).fullmatch(value) is None)
        or is_random(value)
        or sum(c.isdigit() for c in value) > _FEW
    )


def _is_header_token(place: Place) -> bool:
    return _is_header_value(place) and (
        is_uuid(place.value) or is_random(place.value) or entropy(place.value) >= _BITS
    )


def _is_login(place: Place) -> bool:
    """Whether `user:password` on a command line holds a real password on one of its sides."""
    user, _, password = place.value.partition(":")
    real = password or user
    short = len(real) < 3  # noqa: PLR2004
    return not short and not is_placeholder(place.value + "abcd") and real.lower() not in _WORDS


_WORDS = {"pass", "password", "passwd", "pwd", "secret", "token", "pw"}


def _is_option_value(place: Place) -> bool:
    value = place.value
    return not is_placeholder(value) and (
        is_random(value) or (any(c.isdigit() for c in value) and "/" not in value[:2])
    )


def _is_key_block(place: Place) -> bool:
    """Whether there is a body between the lines, be it cut short; `anything` is a manual's."""
    body = compiled(r"-----[^-\n]{0,60}-----|\\[nr]|[\s.]").sub("", place.value)
    start = body[:400]
    return len(body) >= 16 and entropy(start) >= 2.7 and not compiled(r"[${<]").search(start)  # noqa: PLR2004


def _is_signed_token(place: Place) -> bool:
    return len(set(place.value)) > 12  # noqa: PLR2004


_FLAGS = (
    r"-(?:password|passwd|pass|token|api[_-]?key|secret|access[_-]?token|auth[_-]?token|client[_-]?secret|"
    r"secret[_-]?key)"
)

CREDENTIALS = (
    Rule(
        name="private_key",
        category="secret",
        pattern=(
            r"-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,20000}+"
            r"(?:-----END[ A-Z0-9_-]{0,40}-----)?"
        ),
        keywords=("-----begin",),
        anchored=True,
        confidence=0.99,
        positives=(
            "-----BEGIN RSA PRIVATE KEY-----\n<<b64>>\n<<b64>>\n-----END RSA PRIVATE KEY-----",
            '"private_key": "-----BEGIN PRIVATE KEY-----\\n<<b64>>\\n<<b64>>\\n-----END PRIVATE KEY-----\\n"',
            "-----BEGIN OPENSSH PRIVATE KEY-----\n<<b70>>\n<<b70>>",
        ),
        negatives=(
            "-----BEGIN PUBLIC KEY-----\n<<b64>>\n-----END PUBLIC KEY-----",
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\n${KEY_FROM_THE_VAULT_OF_CI}\n-----END PRIVATE KEY-----",
            "-----BEGIN CERTIFICATE-----\n<<b64>>\n-----END CERTIFICATE-----",
        ),
        check=_is_key_block,
    ),
    Rule(
        name="putty_private_key",
        category="secret",
        pattern=r"Private-Lines: \d{1,3}\r?\n(?P<v>(?:[A-Za-z0-9+/=]{1,80}\r?\n?){1,100})",
        keywords=("private-lines",),
        anchored=True,
        confidence=0.99,
        positives=("Private-Lines: 2\n<<b64>>\n<<b40>>\n",),
        negatives=("Public-Lines: 2\n<<b64>>\n",),
    ),
    Rule(
        name="jwt",
        category="secret",
        pattern=r"(?<![A-Za-z0-9_\-])ey[A-Za-z0-9][A-Za-z0-9_\-]{12,2048}\.ey[A-Za-z0-9_\-/\\=]{10,8192}(?:"
        r"\.[A-Za-z0-9_\-/\\+=]{0,1024})?",
        keywords=(".ey",),
        confidence=0.97,
        positives=("eyJ<<w30>>.eyJ<<w40>>.<<w43>>", "?k8sToken=eyJ<<w40>>.eyJ<<w90>>.<<w86>>"),
        negatives=("survey.eyeglasses", "eyJ....eyJ...."),
        check=_is_signed_token,
    ),
    Rule(
        name="encrypted_token",
        category="secret",
        pattern=r"(?<![A-Za-z0-9_\-])eyJ[A-Za-z0-9_\-]{16,1024}\.[A-Za-z0-9_\-]{0,1024}\.[A-Za-z0-9_\-]{10,1"
        r"28}\.[A-Za-z0-9_\-]{10,4096}\.[A-Za-z0-9_\-]{16,64}",
        keywords=("eyj",),
        confidence=0.95,
        positives=("eyJ<<w40>>.<<w60>>.<<w16>>.<<w80>>.<<w22>>",),
        negatives=("eyJ.a.b.c.d",),
        check=_is_signed_token,
    ),
    Rule(
        name="authorization",
        category="secret",
        pattern=(
            r"authorization[\"'`\]]{0,3}[ \t]{0,8}(?:[:=,]|=>)[ \t]{0,8}[\"'`]{0,3}(?:(?:bearer|basic|token|"
            r"apikey|api-key|digest|ssws"
            r"|key|bot|sso-key|splunk|negotiate|aws4-hmac-sha256)[ :]{1,4})?(?P<v>[^\s\"'`,;<>(){}\[\]"
            r"\\]{8,4096})"
        ),
        keywords=("authorization",),
        anchored=True,
        confidence=0.85,
        positives=(
            "curl -H 'Authorization: Bearer <<A32>>'",
            "Authorization: Basic <<b30>>==",
            '"Authorization": "Token <<h40>>"',
            "--header 'Authorization: <<h8>>-<<h4>>-<<h4>>-<<h4>>-<<h12>>'",
        ),
        negatives=(
            "Authorization: Bearer $(gcloud auth print-access-token)",
            'Authorization: Basic ..."',
            "Authorization: Bearer {token}",
            "Authorization: required",
            "authorization: request.headers.authorization",
        ),
        check=_is_header_token,
        folded=True,
    ),
    Rule(
        name="bearer_token",
        category="secret",
        pattern=r"\bbearer[ :=]{1,3}[\"']?(?P<v>[a-z0-9_\-./+~]{16,4096}={0,3})",
        keywords=("bearer",),
        anchored=True,
        confidence=0.75,
        positives=("Bearer <<A40>>", 'headers["X"] = "bearer <<w32>>"'),
        negatives=("Bearer authentication-is-required", "bearer token"),
        check=lambda place: not is_placeholder(place.value) and is_random(place.value, 3),
        folded=True,
        gate="mixed",
    ),
    Rule(
        name="api_key_header",
        category="secret",
        pattern=(
            r"\bx-[a-z0-9\-]{0,40}(?:key|token|secret|auth|password)[\"'`\]]{0,3}[ \t]{0,8}[:=,][ "
            r"\t]{0,8}[\"'`]{0,3}"
            r"(?P<v>[^\s\"'`,;<>(){}\[\]\\]{8,1024})"
        ),
        keywords=("x-",),
        anchored=True,
        confidence=0.8,
        positives=("-H 'X-Api-Key: <<a32>>'", '"x-auth-token": "<<A24>>"', "X-Vault-Token: <<A24>>"),
        negatives=("X-Api-Key: $API_KEY", "X-Api-Key: your-api-key", "x-idempotency-key: order-created"),
        check=lambda place: (_is_header_token(place) and is_random(place.value)) or is_uuid(place.value),
        folded=True,
    ),
    Rule(
        name="curl_login",
        category="secret",
        pattern=(
            r"\bcurl\b[^\n]{0,200}?[ \t](?:-u|--user|--proxy-user|"
            r"-U)[ \t=]{0,4}(?P<q>[\"']?)(?P<v>[^\s\"':<>]{0,128}:[^\s\"'<>]{0,256})(?P=q)"
        ),
        keywords=("curl",),
        anchored=True,
        confidence=0.85,
        positives=(
            'curl -u "admin:<<A12>>" https://localhost:9200',
            "curl -sS --user <<a30>>: https://api.internal",
            "curl -u:<<A12>> x",
        ),
        negatives=(
            "curl -u user:password https://x",
            'curl --user "$1:$2" "$3"',
            "curl -u $USER:$PASS x",
            "curl -u admin https://x",
        ),
        check=_is_login,
    ),
    Rule(
        name="cli_secret",
        category="secret",
        pattern=_FLAGS + r"(?:[ \t]{1,4}|=)[\"']?(?P<v>[^\s\"'`,;<>(){}\[\]|&]{6,1024})",
        keywords=(
            "-password",
            "-passwd",
            "-pass",
            "-token",
            "-api",
            "-secret",
            "-access",
            "-auth",
            "-client",
        ),
        anchored=True,
        confidence=0.75,
        positives=("deploy --token <<A32>>", "mysqldump --password=<<A12>> app", "tool --api-key '<<a32>>'"),
        negatives=(
            "deploy --token $TOKEN",
            "cmd --password-stdin",
            "cmd --token TOKEN_FILE",
            "tool --secret ./path/file1",
        ),
        check=_is_option_value,
        folded=True,
    ),
    Rule(
        name="mysql_login",
        category="secret",
        pattern=r"\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{0,200}?[ "
        r"\t]-p(?P<v>[^\s\"'$<>\-]{4,128})",
        keywords=("mysql", "mariadb"),
        anchored=True,
        confidence=0.8,
        positives=("mysql -u root -p<<A12>> app",),
        negatives=("mysql -u root -p app", "mysql -u root -p$PW app"),
        check=lambda place: any(c.isdigit() for c in place.value),
    ),
    Rule(
        name="sshpass",
        category="secret",
        pattern=r"\bsshpass[ \t]{1,4}-p[ \t]{0,4}(?P<q>[\"']?)(?P<v>[^\s\"'$]{4,128})(?P=q)",
        keywords=("sshpass",),
        anchored=True,
        confidence=0.9,
        positives=("sshpass -p '<<A10>>' ssh root@host",),
        negatives=("sshpass -p $PW ssh root@host", "sshpass -e ssh root@host"),
        check=lambda place: not is_placeholder(place.value + "abcd"),
    ),
    Rule(
        name="env_line",
        category="secret",
        pattern=(
            r"(?m:^[ \t]{0,8}(?:export[ \t]{1,4}|ENV[ \t]{1,4}|-e[ \t]{1,4})?[A-Z][A-Z0-9_]{0,48}"
            r"(?:PASSWORD|PASSWD|SECRET|TOKEN|API_KEY|ACCESS_KEY|PRIVATE_KEY|"
            r"SECRET_KEY)[A-Z0-9_]{0,8}=)(?P<q>[\"']?)"
            r"(?P<v>[^\s\"']{6,4096})(?P=q)[ \t]{0,8}(?m:$)"
        ),
        keywords=("password=", "passwd=", "secret", "token", "key"),
        confidence=0.7,
        positives=("export DB_PASSWORD=p&ss<<A8>>", "SESSION_SECRET='<<A32>>'"),
        negatives=(
            "API_TOKEN=",
            "DB_PASSWORD=${SECRET}",
            "SECRET_KEY=changeme",
            "TOKEN_COUNT=4096",
            "MY_TOKEN=$(cat token)",
        ),
        check=_is_option_value,
    ),
    Rule(
        name="netrc_password",
        category="secret",
        pattern=r"\bmachine[ \t]{1,4}[\w.\-]{1,128}\s{1,8}login[ \t]{1,4}[^\s]{1,128}\s{1,8}password[ "
        r"\t]{1,4}(?P<v>[^\s]{4,256})",
        keywords=("machine",),
        anchored=True,
        confidence=0.95,
        positives=("machine git.internal login deploy password <<A16>>",),
        negatives=("machine git.internal login deploy password <token>",),
        check=lambda place: not is_placeholder(place.value + "abcd"),
    ),
    Rule(
        name="docker_auth",
        category="secret",
        pattern=r"\"auth\"\s{0,4}:\s{0,4}\"(?P<v>[A-Za-z0-9+/]{12,1024}={0,2})\"",
        keywords=('"auth"',),
        anchored=True,
        confidence=0.9,
        positives=('{"auths": {"ghcr.io": {"auth": "<<b30>>=="}}}',),
        negatives=('"auth": "required"', '{"auth": "authentication"}'),
        check=lambda place: is_random(place.value),
    ),
    Rule(
        name="htpasswd",
        category="secret",
        pattern=r"(?<![A-Za-z0-9])\$(?:apr1|2[aby]|5|6|y|argon2(?:id|i|d))\$[^\s\"'`:;,]{20,256}",
        keywords=("$apr1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$argon2"),
        anchored=True,
        confidence=0.85,
        positives=("admin:$apr1$<<A8>>$<<A22>>", "$2b$12$<<A53>>"),
        negatives=("costs $5$ or $6$ each", "$2b$12$"),
    ),
    *ENCODED,
    *ASSIGNMENTS,
)
