"""Secrets known by the name they are assigned to, as in code, `.env`, YAML, JSON, XML and prose.

A name is sensitive when it ends in a sensitive word. What the value must look like depends on how telling the
name is: a password may be short and readable, a token must look drawn at random, and a mere `...Key` must
look so beyond doubt or stand beside a provider's name.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from recortex.engines.privacy.checks import entropy, is_hex, is_random, is_uuid
from recortex.engines.privacy.expressions import compiled
from recortex.engines.privacy.placeholders import is_placeholder
from recortex.engines.privacy.rule import Place, Rule

_HUMAN_NAMES = r"pass(?:word|wd|phrase|code)?|pwd|kennwort|passwort|contrase[nñ]a"
_MACHINE_NAMES = (
    r"secret|token|credentials?|creds?|bearer|auth|jwt|access[_\-]?id|login|pat|salt|cookie|(?P<key>key)"
)
_KEY_OF = (
    r"(?:api|app|access|auth|private|secret|signing|encryption|master|account|license|service|subscription|"
    r"shared|admin"
    r"|session|webhook|client|consumer|storage|write|ingest|deploy|personal|rest|server|"
    r"application)[_\-. ]?\Z"
)
"""What makes a key a secret by its name alone, as in `api_key`."""

_TAIL = r"(?:[_-]?(?:value|val|raw|prod|production|live|dev|staging|test|string|base64|b64|v?\d{1,4})){0,2}"
_CLOSE = r"(?:\\{0,3}[\"'`])?[\])]{0,2}"
_TYPE = r"(?:[ \t]{0,8}:?[ \t]{0,4}(?:str|string|text|&str|any)\b[ \t]{0,4}(?=[:=]))?"
_OPERATOR = (
    r"[ \t]{0,40}(?::{0,3}=(?!=)|\?=|\|\|=|=>|={2,3}|:(?![:/=])|,(?=[ \t]{0,4}[\"'`])|\bis(?=[ \t])|"
    r">(?=[^\s<>]{4,400}</)"
    r"|[ \t](?=[\"'`]))[ \t]{0,40}"
)
_VALUE = (
    r"(?:(?:bearer|basic|token)[ ]|[nbfru@$](?=[\"'`]))?(?![a-z_.\-]{1,30}[\"'`]?[ \t]{0,2}(?:=|:[ \t]))"
    r"(?P<q>\\{0,3}[\"'`]{1,3})?"
    r"(?P<v>(?(q)(?:[^\s\"'`\\]|\\(?![\"'`])){4,4096}+|[^\s\"'`,;<>(){}\[\]&|=]{4,4096}+={0,3}))"
    r"(?(q)(?=\\{0,3}[\"'`]))"
)
_ASSIGNED = _TAIL + _CLOSE + _TYPE + r"(?P<op>" + _OPERATOR + ")" + _VALUE

_NAME_BACKWARDS = r"[\w.\-]{0,48}"
_HARMLESS_NAME = (
    r"public|pub_?key|csrf|xsrf|authenticity|cache|primary|foreign|partition|sort|cursor|continu|keyboard|"
    r"commit|hash|sha\d"
    r"|digest|checksum|integrity|etag|fingerprint|nonce|idempoten|author|registry|i18n|locale|translation|"
    r"object|dedup"
    r"|group|lookup|index|_id\b|sitekey|placeholder|mask|label|_message|error"
)
_PROVIDER = (
    r"1password|adafruit|adobe|ably|adyen|airtable|algolia|alibaba|aliyun|amplitude|anthropic|appcenter|"
    r"artifactory|asana|atlassian"
    r"|auth0|aws|azure|beamer|bitbucket|bitly|bittrex|braintree|buildkite|cerebras|circleci|clickhouse|"
    r"clearbit|clojars|cloudflare"
    r"|cloudinary|cloudsmith|codacy|codeclimate|codecov|cohere|coinbase|confluen|contentful|coveralls|"
    r"databricks|datadog|deepgram"
    r"|deepseek|digitalocean|discord|docker|doppler|drone|dropbox|duffel|dynatrace|easypost|elastic|"
    r"elevenlabs|etsy|facebook|fastly"
    r"|figma|finicity|finnhub|firebase|flickr|flutterwave|fly(?:io)?[_.\-]|frameio|freshbooks|freshdesk|gcp|"
    r"gemini|giphy|github"
    r"|gitlab|gitter|gocardless|google|grafana|groq|harness|heroku|honeycomb|hubspot|huggingface|infura|"
    r"instagram|intercom|ipinfo"
    r"|ipstack|jenkins|jfrog|jira|kaggle|klaviyo|kraken|kucoin|launchdarkly|linear|linkedin|linode|"
    r"lob[_.\-]|logdna|looker"
    r"|mailchimp|mailgun|mandrill|mapbox|mattermost|maxmind|meraki|message[_\-.]?bird|mistral|mixpanel|"
    r"mongo|mux|netlify|new[_\-.]?relic"
    r"|ngrok|notion|npm|nuget|nvidia|nytimes|octopus|okta|onesignal|openai|openrouter|opsgenie|pagerduty|"
    r"paypal|pendo|perplexity"
    r"|pinecone|plaid|planetscale|plivo|postman|postmark|prefect|privateai|pubnub|pulumi|pusher|pypi|"
    r"rapidapi|razorpay|readme"
    r"|replicate|rollbar|rubygems|salesforce|sauce|scaleway|scalingo|scrape|segment|sendbird|sendgrid|"
    r"sendinblue|sentry"
    r"|shippo|shodan|shopify|sidekiq|slack|snowflake|snyk|sonar|sourcegraph|spotify|square|squarespace|"
    r"stability|stripe|sumo|supabase"
    r"|telegram|telnyx|terraform|tiktok|together|travis|trello|twilio|twitch|twitter|typeform|unsplash|"
    r"vault|vercel|virustotal|voyage"
    r"|vonage|wandb|weather|xray|yandex|yelp|youtube|zapier|zendesk|zoom"
)
_SHORT_PROVIDER = r"fly|ico|lob|oc|do|ezak|ezat|bot|dnkey|jwt|vault|age"
_REFERENCE = r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.|/)[\w$\-]+)*"
_TURN = r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]"
_SYMBOL = r"[!@#$%^&*+~?]"
_SHELL_NAME = r"(?:^|[\s;])[A-Z][A-Z0-9_]*\Z"
_HASH_SIZES = (32, 40, 56, 64, 96, 128)
_SURE_TURNS = 4


def name_before(place: Place) -> str:
    """The identifier that ends where the rule's sensitive word ends, lower case."""
    start, string = place.match.start(), place.match.string
    left = compiled(_NAME_BACKWARDS).match(string[max(0, start - 48) : start][::-1])
    return (left[0][::-1] if left else "") + string[start : place.match.start("op")]


def _turns(value: str) -> int:
    return len(compiled(_TURN).findall(value[:200]))


def _is_code(place: Place) -> bool:
    """Whether a bare value is an expression: a call, an index, or a path of names."""
    if place.match["q"]:
        return False
    end = place.match.end("v")
    return place.text[end : end + 1] in ("(", "[", "{") or (
        # `sha256` alone has one.
        compiled(_REFERENCE).fullmatch(place.value) is not None and _turns(place.value) < 2  # noqa: PLR2004
    )


@lru_cache(maxsize=2048)
def _is_harmless(name: str) -> bool:
    return compiled(_HARMLESS_NAME).search(name) is not None


@lru_cache(maxsize=2048)
def _names_provider(name: str) -> bool:
    return compiled(_PROVIDER).search(name) is not None


def _names_secret(place: Place) -> str:
    """The name; empty if it is one that holds no secret, or its value stands for another."""
    name = name_before(place)
    unsure = _is_harmless(name) or is_placeholder(place.value) or _is_code(place) or "://" in place.value
    return "" if unsure or _is_argument(place) else name


def _is_argument(place: Place) -> bool:
    """Whether name and value are two arguments, as in `join(pwd, "file")`; a quoted name may have a comma."""
    return "," in place.match["op"] and place.text[place.match.start("op") - 1] not in "\"'`"


def _is_wordy(value: str) -> bool:
    """Whether a value with several separators alternates too rarely: a path, a version, a label."""
    parts = value.count("/") + value.count(".") + value.count("_") + value.count(":")
    return parts > 1 and _turns(value) < _SURE_TURNS


def is_token(place: Place) -> bool:
    """Whether the value of a name such as `api_token` or `client_secret` is one."""
    name, value = _names_secret(place), place.value
    if not name or len(value) < 10 or _is_wordy(value):  # noqa: PLR2004  shorter ones are numbers and words
        return False
    if is_uuid(value):
        return compiled(r"secret|token|key|pass").search(name) is not None
    if value.isdigit():
        return len(value) >= 24 or (len(value) >= 15 and _names_provider(name))  # noqa: PLR2004
    return is_random(value) or (len(value) >= 24 and " " not in value and _unreadable(value))  # noqa: PLR2004


def _unreadable(value: str) -> bool:
    """Whether a long run of lower-case letters cannot be words: hardly a vowel, many different letters."""
    vowels = sum(value.count(v) for v in "aeiou")
    # English has two vowels in five.
    return value.isalnum() and vowels * 5 < len(value) and entropy(value) >= 3.5  # noqa: PLR2004


def is_key(place: Place) -> bool:
    """Whether the value of a mere `...Key` is a secret: beside a provider's name, or random and no hash."""
    name, value = _names_secret(place), place.value
    if len(name) <= 4 or len(value) < 14 or _is_wordy(value) or not _ends_word(place):  # noqa: PLR2004
        return False
    if _names_provider(name) or compiled(_SHORT_PROVIDER).match(name):
        return is_random(value) or is_uuid(value) or (value.isdigit() and len(value) >= 15)  # noqa: PLR2004
    if is_uuid(value) or (is_hex(value) and len(value) in _HASH_SIZES):
        return False
    long = len(value) >= 24  # noqa: PLR2004
    return is_random(value, _SURE_TURNS, 3.5) or (long and is_random(value, 2, 4.0))


def _ends_word(place: Place) -> bool:
    """Whether `key` is a word of its own in the name (`fooKey`, `foo_key`), not the end of `monkey`."""
    start = place.match.start()
    before = place.text[start - 1 : start]
    return not before.isalpha() or place.text[start].isupper()


def is_password(place: Place) -> bool:
    """Whether a password's value is one: no label, no variable, and with a digit or a symbol."""
    value = place.value.rstrip(".,")
    if not _names_secret(place) or len(value) < 5:  # noqa: PLR2004
        return False
    digit = compiled(r"\d").search(value) is not None
    symbol = compiled(_SYMBOL).search(value) is not None
    if not (digit or symbol) or compiled(r"[^\W\d_]").search(value) is None:
        return len(value) >= 8 and value.isdigit() and bool(place.match["q"])  # noqa: PLR2004
    if place.match["q"]:
        return True
    if "==" in place.match["op"]:
        return False
    return (symbol and digit) or compiled(_REFERENCE).fullmatch(value) is None or _is_plain_line(place)


def _is_plain_line(place: Place) -> bool:
    """Whether a bare value is text and no variable: after a shell name, a YAML key or `is`."""
    match, text = place.match, place.text
    after = text[match.end("v") : match.end("v") + 1]
    operator = match["op"]
    shell = (
        compiled(_SHELL_NAME).search(text, max(0, match.start() - 48), match.start("op")) is not None
        and operator == "="
    )
    return after in ("", "\n", "\r", " ") and (shell or operator.strip() in (":", "is") or operator == "=")


def _is_secret(place: Place) -> bool:
    """Whether an assigned value is a token, or a key where the name says no more than that."""
    start, string = place.match.start(), place.match.string
    if place.match["key"] and not compiled(_KEY_OF).search(string, max(0, start - 14), start):
        return is_key(place)
    return is_token(place)


PASSWORD = Rule(
    name="password",
    category="secret",
    pattern=rf"(?:{_HUMAN_NAMES})s?{_ASSIGNED}",
    keywords=("pass", "pwd", "kennwort", "contrase"),
    anchored=True,
    confidence=0.70,
    positives=(
        'password = "Tr0ub4dor&3"',
        "db_password: hunter2hunter2",
        "the password is s3cr3t-Pa55!",
        "<password>Xk29!vv</password>",
        'os.environ["SMTP_PASSWORD"] = "<<A14>>"',
    ),
    negatives=(
        "password: str = field(default=None)",
        'password = "<your-password>"',
        "password=${DB_HUMAN_NAMES}",
        "password = getpass.getpass()",
        'placeholder="Password"',
        "password: string;",
        "if password == user.password1:",
        "join(pwd, 'data/set-1.csv')",
        'password = "changeme"',
    ),
    check=is_password,
    folded=True,
)

ASSIGNED_TOKEN = Rule(
    name="secret",
    category="secret",
    pattern=rf"(?:{_MACHINE_NAMES})s?{_ASSIGNED}",
    keywords=(
        "secret",
        "token",
        "cred",
        "bearer",
        "auth",
        "jwt",
        "access",
        "login",
        "pat",
        "salt",
        "cookie",
        "key",
    ),
    anchored=True,
    confidence=0.70,
    positives=(
        'api_token = "<<a32>>"',
        "foo.token = <<a24>>",
        '"clientSecret": "<<A40>>"',
        "creds = <<A30>>",
        '"api_key" => "<<h32>>"',
        "var serviceToken string = `<<A28>>`",
        '{\\"access_token\\": \\"<<A40>>\\"}',
        "https://api.internal/v1?token=<<A32>>&page=2",
        "<apiToken><<a32>></apiToken>",
        "flickrKey: '<<a32>>'",
        'const mailKey = "<<A36>>"',
        "OKTA.KEY=<<A40>>",
    ),
    negatives=(
        "max_tokens = 4096",
        'token = "<<x32>>"',
        "token = request.headers.get('X-Token1')",
        "secret_name: cmp2-qat-1208358310",
        "API_TOKEN=${API_TOKEN}",
        'clientId = "73082700-1f09-405b-80d0-3131bfd6272d"',
        'csrf_token = "<<A32>>"',
        "KeyPair = X25519.KeyPair",
        'cacheKey = "<<h40>>"',
        "sortKey: 'created_at_2'",
        'monkey = "<<A32>>"',
        "key_down_event=<<A30>>",
        'PARTITION_KEY = "tenant#12#user"',
    ),
    check=_is_secret,
    folded=True,
    gate="mixed",
)

ASSIGNMENTS = (PASSWORD, ASSIGNED_TOKEN)


@cache
def _compiled(rule: Rule) -> re.Pattern[str]:
    return re.compile(rule.pattern)


def assigned_rule(name: str, value: str) -> Rule | None:
    """The rule by which a value is a secret because of the name beside it (a key of JSON), or None."""
    text = f'{name}: "{value}"'
    folded = text.lower()
    if len(folded) != len(text):
        return None
    from recortex.engines.privacy.patterns.passwords import PASSWORDS

    for rule in (*ASSIGNMENTS, PASSWORDS[0]):
        match = _compiled(rule).search(folded)
        if match and match["v"] == value.lower() and rule.check and rule.check(Place(value, match, text)):
            return rule
    return None
