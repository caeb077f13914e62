"""Passwords known by their place: in configuration, on command lines, in headers, in sentences.

A password that a person chose looks like any word. Whatever stands in a password's place is taken for one,
unless it is evidently something else: a variable, a type, a stand-in, or a word that goes on with the
sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.privacy.expressions import compiled
from recortex.engines.privacy.patterns.vocabulary import is_plain_word
from recortex.engines.privacy.placeholders import is_placeholder
from recortex.engines.privacy.rule import Place, Rule

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|passwort|kennwort|kennung?swort|losungswort|mot[ _]de[ _]passe|"
    r"contrase[nñ]a|senha"
    r"|palavra[- ]passe|parola d['’]ordine|has[lł]o|пароль)"
)
_KEYS = (
    "pass",
    "pwd",
    "kennwort",
    "losungswort",
    "mot de",
    "mot_de",
    "contrase",
    "senha",
    "parola d",
    "haslo",
    "hasło",
    "пароль",
)
_QUOTED = r"(?P<q>\\{0,3}[\"'`])"
_BARE = r"[^\s\"'`,;<>(){}\[\]&|\x00\\]"

_TYPES = (
    r"(?:str|string|text|bool(?:ean)?|int(?:eger)?|number|bytes?|char|any|object|unknown|never|void|none|"
    r"null|nil|undefined|true|false|yes|no|on|off"
    r"|self|this|varchar|nvarchar|binary|hidden|input|field|optional|required|secretstr|password|passwd|pwd|"
    r"pass|passphrase|passcode|secret|\*+|-+|_+)"
    r"(?:[?!\[(.].*)?"
)
_NAMING = r"(?:[\w.\-]*(?:pass(?:word|wd|phrase)?|pwd|secret|credential|token|_key|_file|_env|_hash))\Z"
_REFERRING = (
    r"[$%@&<{\[(*]|[\w.]+\(|(?:self|this|args|opts|options|config|cfg|env|process|os|settings|user|request|"
    r"req|params|props|data|form|values?|vault|secrets?|var|local)[.\[>-]|.*(?:\$\{|\{\{|\(\))"
)

_SHORTEST = 4


def _refers(value: str) -> bool:
    """Whether a value is a variable, a type, a stand-in, or the name of a field."""
    folded = value.lower()
    return (
        is_placeholder(f"{value}abcd")
        or compiled(_TYPES).fullmatch(folded) is not None
        or compiled(_NAMING).fullmatch(folded) is not None
        or compiled(_REFERRING).match(folded) is not None
        or "://" in value
        or len(set(value)) < 3  # noqa: PLR2004  signs in a row
    )


def _after(place: Place) -> str:
    end = place.match.end("v")
    return place.text[end : end + 40]


def is_marked(value: str) -> bool:
    """Whether a value is clearly no word: it has a digit, a sign inside, or capitals after small letters."""
    bare = value.strip(".,;:!?*_\"'`")
    return compiled(r"\d|[@#$%^&+=~!?*]|[a-z][A-Z]|[A-Za-z]-[A-Za-z]+-").search(bare) is not None


def _stands(place: Place) -> bool:
    """On a command line or in a statement whose form says that a password follows."""
    value = place.value
    return not _refers(value) and not value.startswith(("/", "./", "~/", "-"))


def _is_literal(place: Place) -> bool:
    """A quoted value beside a password's name."""
    value = place.value
    named = (
        "," in (place.match.groupdict().get("op") or "")
        and place.text[place.match.start("op") - 1] not in "\"'`"
    )
    if named or _refers(value) or value[:1] in "/.~-":
        return False
    return is_marked(value) or not is_plain_word(value)


def _is_setting(place: Place) -> bool:
    """A bare value: after `NAME=` or `name: ` to the end of the line or of the field, and no expression."""
    value, after, operator = place.value, _after(place), place.match["op"]
    if _refers(value) or value[:1] in "/.~-" or (is_plain_word(value) and not is_marked(value)):
        return False
    if place.text[max(0, place.match.start() - 3) : place.match.start()].endswith((".get", "def ", "?.")):
        return False
    if ":" in operator:
        return compiled(r"[ \t]*(?:#|\r?\n|\Z|,|\.|/|$)").match(after) is not None and (
            is_marked(value)
            or compiled(r"[A-Z]\w*[;,]?").fullmatch(value) is None
            or after[:1] in ("", "\n", "\r")
        )
    return (
        compiled(r"[\s;&\"'#]|\Z").match(after) is not None
        and compiled(r"[\w.]+\.[\w.]+").fullmatch(value) is None
    )


def _is_said(place: Place) -> bool:
    """A value in a sentence: marked, quoted, or a word at a clause's end that continues no sentence."""
    value = place.value.strip("*_").rstrip(".!?:,;")
    if len(value) < _SHORTEST or _refers(value) or value.lower().startswith(("http", "/", "./", "~", "--")):
        return False
    quoted = bool(place.match.groupdict().get("q"))
    if is_marked(value):
        return True
    if is_plain_word(value):
        return False
    ends = (
        compiled(r"[\"'`*_»”]{0,3}(?:[.,;:!?)]*(?:\s|\Z)(?:\Z|\n|[A-Z])|[.,;:!?)]|\Z|\s*\n)").match(
            _after(place)
        )
        is not None
    )
    return (
        quoted or ends or place.value[-1:] in ".!?,;" or compiled(_GOES_ON).match(_after(place)) is not None
    )


_GOES_ON = (
    r"[\"'`»”]?\s+(?:on|for|at|as|to|and|in|yesterday|today|now|again|but|an|ein|auf|für|am|im|bei|und|als|"
    r"pour|sur|et|dans|comme|para|por|en|y|e|em|no|na|como"
    r"|per|su|nel|sul|come)\b"
)


def _is_login(place: Place) -> bool:
    return _is_said(place) and not compiled(
        r"(?:sso|mfa|2fa|oauth|ldap|saml|kerberos|oidc|passkeys?)",
    ).fullmatch(place.value.lower().rstrip("."))


def _is_cookie(place: Place) -> bool:
    value = place.value
    return len(value) >= 8 and not _refers(value) and (is_marked(value) or len(value) >= 16)  # noqa: PLR2004


_GAP = r"(?:[ \t]|\\\r?\n){1,12}"
_ARGS = r"(?:[^\n|;&\\]|\\\r?\n|\\[^\r\n]){0,300}?"
_VALUE = r"(?P<q>[\"'])?(?P<v>(?(q)[^\"'\n\x00]{3,128}|[^\s\"'|;&<>\x00]{3,128}))"

_SHORT = (
    # program, how it takes the password
    (
        (
            r"(?:docker|podman|nerdctl|buildah|skopeo|helm registry|oras|az|cf|oc|argocd)\b[^\n|"
            r";&]{0,40}?\blogin"
        ),
        r"-p[ =]?",
    ),
    (
        r"mysql(?:dump|admin|import|show|check)?|mariadb(?:-dump|-admin)?|mysqlsh|7z[ar]?|rar|unrar",
        r"-p(?=[^\s\-])",
    ),
    (r"mongo(?:sh|dump|restore|export|import)?|influx|arangosh", r"-p[ =]?"),
    (r"sqlcmd|bcp|osql|isql|unzip|zip|nxc|crackmapexec", r"-P[ =]?"),
    (r"sshpass|xfreerdp|ipmitool", r"(?:-p[ ]?|/p:|-P )"),
    (r"redis-cli|keydb-cli|valkey-cli", r"(?:-a|--pass)[ =]"),
    (r"ldap(?:search|modify|add|delete|passwd|whoami|compare)", r"-w[ ]?"),
    (
        r"keytool|jarsigner|apksigner",
        r"-(?:store|key|new|dest(?:store)?|src(?:store)?|deststore|srcstore)pass(?:wd)? (?:pass:)?",
    ),
    (r"openssl", r"-(?:pass(?:in|out)?) [\"']?pass:"),
    (r"az\b[^\n|;&]{0,40}", r"-p "),
    (r"ansible-vault|gpg2?", r"--passphrase[ =]"),
)
_EITHER = "|".join(rf"(?:{program})\b{_ARGS}{_GAP}{option}" for program, option in _SHORT)


def _on_command_line(place: Place) -> bool:
    return _stands(place) and not compiled(r"\d{1,5}(?::\d{1,5})?|[\w.]+@[\w.]+").fullmatch(place.value)


_SURE = 0.70
"""As sure as the row `password`, which stands before these and names what both find."""


def _rule(
    name: str,
    pattern: str,
    keywords: str,
    positives: tuple[str, ...],
    negatives: tuple[str, ...],
    check: Callable[[Place], bool] | None = None,
    *,
    folded: bool = False,
) -> Rule:
    return Rule(
        name=name,
        category="secret",
        pattern=pattern,
        keywords=tuple(keywords.split()),
        confidence=_SURE,
        positives=positives,
        negatives=negatives,
        check=check,
        folded=folded,
    )


_OP = r"(?P<op>[ \t]{0,8}(?::?=(?!=)|=>|:(?![:/=])|,(?=[ \t]{0,4}[\"'`]))[ \t]{0,8})"
_ENDING = r"(?:[_-]?(?:value|prod|production|live|dev|staging|test|v?\d{1,4})){0,2}"
_SPOKEN = (
    rf"(?<![\w$.\-])(?:{_NAME}|passwort|password|pw|clave|passe|"
    rf"code d'acc[eè]s)(?:(?:[ \t]+[\w'’\-]{{1,20}}|,?[ ]c'){{0,6}}?)"
)
_IS = (
    r"(?:[ ]*[:=]|[ ](?:is|was|are|lautet|ist|war|est|[eé]tait|es|era|é|è|to be|being|jest)(?![\w'])|"
    r"[ ]?c['’]est)[ ]"
    r"(?:(?:still|now|just|simply|currently|always|probably|jetzt|noch|immer|einfach|weiterhin|toujours|"
    r"encore|maintenant|ahora|todavía|siempre|agora|ainda|sempre"
    r"|ora|adesso|ancora|now|set to|simplement|actually|again|literally)[ ])?"
)
_SAID_VALUE = r"(?P<q>[\"'`«“*]{1,2})?(?P<v>[^\s\"'`,;<>()\x00»”]{4,64})"


def _in_url(place: Place) -> bool:
    """A password before the host, be there another `@` in it, and no port."""
    user, _, password = place.value.partition(":")
    harmless = _refers(password) or _refers(f"{user}x") or password.isdigit() or len(password) < _SHORTEST
    return not (
        harmless
        or compiled(r"\d{1,5}[/?#].*").match(password)
        or password.lower() in ("bar", "secret", "token")
    )


PASSWORDS = (
    _rule(
        "password_value",
        (
            rf"{_NAME}s?{_ENDING}(?:\\{{0,3}}[\"'`])?[\])]{{0,2}}(?:[ \t]{{0,4}}string\b)?{_OP}[nbfru@$]?(?P"
            rf"<q>"
            rf"\\{{0,3}}[\"'`])(?P<v>[^\s\"'`\\\x00]{{4,256}}(?:\\{{0,3}}[\"'`][ \t]{{0,4}}(?:\+|\.|\.\.|"
            rf"&)[ \t]{{0,4}}[\"'`][^\s\"'`\x00]{{1,256}}){{0,6}})(?=\\{{0,3}}[\"'`])"
        ),
        "pass pwd kennwort passwort contrase senha",
        (
            'password = "dorfengul"',
            "passwd='gulhix'",
            '"password": "hixjamkep"',
            'String password = "dorf" + "engul";',
        ),
        ('password = "required"', "password: '${DB}'", '"password": "string"', 'password = "{{ db }}"'),
        check=_is_literal,
        folded=True,
    ),
    _rule(
        "password_short_name",
        (
            r"(?<![\w])(?:pass|pw)[\"']?(?P<op>[ ]{0,2}(?:=>|[:=])[ ]{0,2})(?P<q>[\"'])"
            r"(?P<v>[^\s\"'\x00]{4,128})(?=[\"'])"
        ),
        "pass pw",
        ("{ user: 'app', pass: 'dorfengul' }",),
        ("pass: 'true'", "pass = 'failed'"),
        check=_is_literal,
    ),
    _rule(
        "password_setting",
        (
            rf"(?<![?.$({{])(?:(?<![A-Za-z]){_NAME}|(?<=[\w.\-]){_NAME}){_ENDING}(?P<op>=|"
            rf"[ \t]{{0,4}}:[ \t]{{1,8}})(?P<v>{_BARE}{{4,128}})"
        ),
        "pass pwd kennwort passwort contrase senha",
        ("PGPASSWORD=dorfengul psql", "  password: hixjamkep\n", "host=db password=gulhix dbname=x"),
        (
            "password: str = None",
            "connect(password=secret)",
            "password=${DB}",
            "password: required",
            "password: string;",
            "password: at least twelve",
        ),
        check=_is_setting,
        folded=True,
    ),
    _rule(
        "password_block",
        (
            rf"{_NAME}{_ENDING}[\"']?[ \t]{{0,4}}:[ \t]{{1,4}}[>|][+\-]?\d?[ \t]{{0,8}}\r?\n[ "
            rf"\t]{{1,40}}(?P<v>[^\s\x00][^\n\x00]{{2,200}})"
        ),
        "pass pwd",
        ("password: >-\n  dorfengul\n", "admin-password: |\n    hixjamkep"),
        ("password: |\n  ${DB}",),
        check=_stands,
        folded=True,
    ),
    _rule(
        "password_beside",
        (
            rf"{_NAME}[\w.\-]{{0,20}}[\"']?(?:[ \t]{{0,8}}\r?\n[ \t]{{0,40}}value:[ \t]{{1,8}}[\"']?|"
            rf"[ \t]{{1,8}}value[ \t]?=[ \t]?[\"']|[\"']?[ ]\{{\s{{0,40}}(?:[a-z]{{1,20}}\s{{0,4}}=\s"
            rf"{{0,4}}\S"
            rf"{{1,40}}\s{{1,20}}){{0,3}}?default\s{{0,4}}=\s{{0,4}}[\"'])(?P<v>[^\s\"'\x00<>]{{4,128}})"
        ),
        "pass pwd",
        (
            "- name: DB_PASSWORD\n  value: dorfengul",
            '<add key="DbPassword" value="hixjamkep" />',
            'variable "db_password" {\n  default = "gulhix"\n}',
        ),
        ("- name: DB_PASSWORD\n  value: ${DB}",),
        check=_stands,
        folded=True,
    ),
    _rule(
        "password_element",
        rf"<(?:[\w.:\-]{{0,40}}{_NAME})>(?P<v>[^<>\s\x00]{{4,128}})</",
        "pass pwd",
        ("<password>dorfengul</password>",),
        ("<password>${DB}</password>", "<password>required</password>"),
        check=_is_literal,
        folded=True,
    ),
    _rule(
        "password_word_form",
        (
            rf"(?:\benv[ \t]{{1,4}}[\w]{{0,40}}{_NAME}[ \t]{{1,4}}|\blogin[ "
            rf"\t]{{1,4}}\S{{1,80}}\s{{1,8}}password[ \t]{{1,4}}|set{_NAME}\([ \t]{{0,4}}[\"']|\b(?:with|"
            rf"encrypted|set)[ ]{{1,4}}{_NAME}[ ]{{0,4}}=?[ ]{{0,4}}[\"']|"
            rf"identified[ ]{{1,4}}(?:with[ ]\S{{1,40}}[ ])?by[ ]{{1,4}}[\"'])(?P<v>[^\s\"'\x00]{{3,128}})"
        ),
        "password passwd passphrase identified",
        (
            "ENV REDIS_PASSWORD dorfengul",
            'ds.setPassword("gulhix");',
            "CREATE USER app WITH PASSWORD 'gulhix';",
            "IDENTIFIED BY 'dorfen'",
        ),
        ("setPassword(value)", "login form password field", "ENV PASSWORD $X"),
        check=_is_literal,
        folded=True,
    ),
    _rule(
        "password_line",
        (
            r"(?m)^[ \t]{0,8}[\w.\-*]{1,80}:(?:\d{2,5}|\*):[\w\-*]{1,64}:[\w\-*]{1,64}:(?P<v>[^\s\x00]{3"
            r",128})[ \t]{0,8}$"
        ),
        ":",
        ("db.lan:5432:shop:app:dorfengul",),
        ("a.py:12:foo:bar: text here", "kafka.lan:9092:x"),
        check=_stands,
    ),
    _rule(
        "password_in_url",
        (
            r"[a-z][a-z0-9+.\-]{1,20}://(?P<v>[^\s/:@\"'<>\x00]{0,80}:[^\s/\"'<>\x00]{1,128}@?[^\s/@\"'<"
            r">\x00]{1,128})@(?=[\w\[])"
        ),
        "://",
        ("rsync://app:dor@fengul@files.lan/v",),
        (
            "https://user:pass@host/path",
            "https://${U}:${P}@git.lan",
            "http://host:80/path?mail=a@b",
            "http://abc:xyz@example.com/",
        ),
        check=_in_url,
    ),
    _rule(
        "password_query",
        (
            r"(?:[?&;]|\b(?:uid|user id|user|server|database|host|"
            r"driver)=[^;\n]{1,80};(?:[^;\n]{1,80};){0,8}?)[ ]?(?:password|passwd|pwd|"
            r"pass)=(?P<v>[^\s\"'&;<>\x00]{3,128})"
        ),
        "password= pwd= passwd= pass=",
        ("https://files.lan/x?user=app&pass=dorfengul&a=b",),
        ("?password=${X}",),
        check=_stands,
        folded=True,
    ),
    _rule(
        "password_slash",
        (
            r"\b(?:sqlplus|sqlldr|expdp|impdp|rman|exp|imp)(?:[ ]-\w{1,10}){0,3}[ ](?:target[ "
            r"])?[\"']?[\w$#]{1,40}/(?P<v>[^\s@/\"'\x00]{3,64})(?:@|[\"']|\s|\Z)"
        ),
        "sqlplus sqlldr expdp impdp rman exp imp",
        ("sqlplus app/dorfengul@ORCL",),
        ("imp src/index.ts", "sqlplus /nolog", "exp a/b/c"),
        check=lambda place: _stands(place) and "." not in place.value,
    ),
    _rule(
        "password_option",
        (
            rf"(?<![\w\-])--?(?:[a-z]{{1,20}}-){{0,4}}(?:password|passwd|passphrase|pwd|user-pass)(?:=|"
            rf"{_GAP}){_VALUE}"
        ),
        "pass pwd",
        (
            "7z --user-pass=dorfengul x",
            "influx --password dorfengul",
            "dump --password \\\n  hixjam x",
            "--admin-password 'gulhix'",
        ),
        (
            "--password=<your-password>",
            "--password-file /run/x",
            "--password-stdin",
            "--password is required",
            "--password=$PW",
            "--password --host x",
        ),
        check=lambda place: (
            _stands(place)
            and (bool(place.match["q"]) or not is_plain_word(place.value) or is_marked(place.value))
        ),
    ),
    _rule(
        "password_command",
        rf"(?<![\w./\-])(?:{_EITHER}){_VALUE}",
        (
            "mysql mariadb docker podman nerdctl buildah skopeo helm oras argocd mongo influx arangosh "
            "sqlcmd "
            "bcp osql isql zip sshpass xfreerdp ipmitool redis-cli keydb-cli valkey-cli ldap keytool "
            "jarsigner "
            "apksigner openssl az 7z rar gpg ansible-vault cf oc"
        ),
        (
            "docker login -u bot -p dorfengul r.lan",
            "mysql -u app -pdorfengul shop",
            "redis-cli -a gulhix PING",
            "ldapsearch -x -w dorfen -b x",
            "unzip -P dorfen a.zip",
        ),
        (
            "docker run -p 8080:80 x",
            "docker compose -p shop up",
            "mysql -u root -p shop",
            "docker login -u bot -p $TOKEN",
            "openssl rsa -passin env:PW",
        ),
        check=_on_command_line,
    ),
    _rule(
        "password_user_option",
        (
            r"\b(?:curl|http|https|xh|wget|lftp|aria2c|smbclient|rpcclient|net|smbmap|svn)\b[^\n|"
            r";]{0,200}?[ ](?:-u|--user|-U|-a|--auth)[ =]?[\"']?[\w.\-@\\/]{1,64}[:%]"
            r"(?P<v>[^\s\"'\x00]{3,128})"
        ),
        "curl http wget lftp aria2c smbclient rpcclient smbmap svn",
        ("smbclient //f/t -U bot%hixjam",),
        ("curl -u $U:$P x",),
        check=_stands,
    ),
    _rule(
        "password_word_command",
        (
            r"\b(?:htpasswd[ ]-\w*b\w*[ ]\S{1,80}[ ]\S{1,64}[ ]|"
            r"net[ ]use[ ](?:\S{1,3}[ ])?\\\\\S{1,80}[ ]|net[ ]user[ ][\w.\-]{1,40}[ "
            r"])(?P<v>[^\s\"'\x00/]{3,128})"
        ),
        "htpasswd net",
        ("htpasswd -bc .htpasswd bot dorfengul", "net use Z: \\\\files\\team hixjam /user:x"),
        ("net use Z: \\\\files\\team /user:x", "net user bot /add"),
        check=_stands,
    ),
    _rule(
        "password_piped",
        (
            r"(?:(?:echo|printf)(?:[ ]-\w{1,3}|[ ][\"']%s(?:\\n)?[\"'])?[ "
            r"][\"']?(?:[\w.\-]{1,40}:)?(?P<v>[^\s\"'|\x00]{3,128})[\"']?[ ]{0,4}\|"
            r"[^\n]{0,160}?(?:password-stdin|passwd|chpasswd|sudo[ ]-S|--stdin|cryptsetup|-passphrase-fd|"
            r"passphrase-fd))"
        ),
        "echo printf",
        ("echo dorfengul | docker login -u bot --password-stdin", "echo 'deploy:hixjam' | chpasswd"),
        ("echo $PW | docker login --password-stdin", "echo ok | tee x"),
        check=_stands,
    ),
    _rule(
        "password_here_string",
        (
            r"(?:password-stdin|passwd|--stdin|passphrase-fd[ ]\d)[^\n]{0,80}?<<<[ "
            r"]?[\"']?(?P<v>[^\s\"'\x00]{3,128})"
        ),
        "<<<",
        ("login --password-stdin <<< 'dorfengul'",),
        ("login --password-stdin <<< $PW",),
        check=_stands,
    ),
    _rule(
        "cookie",
        (
            r"(?i:\b(?:set-)?cookie)[\"']?[ ]{0,2}:[ ]{0,2}[\"']?(?:[^\s;=\x00]{1,64}=[^\s;\x00]{0,200};"
            r"[ ]?){0,12}?[^\s;=\x00]{1,64}=(?P<v>[^\s;\"'\x00]{8,4096})"
        ),
        "cookie",
        ("Cookie: theme=dark; sessionid=<<m26>>", "Set-Cookie: sid=<<m26>>; Path=/"),
        ("Cookie: theme=dark", "the cookie: banner=shown"),
        check=_is_cookie,
    ),
    _rule(
        "private_key_end",
        (
            r"(?:[A-Za-z0-9+/=]{40,80}(?:\\n|\r?\n)){1,200}[A-Za-z0-9+/=]{0,80}(?:\\n|"
            r"\r?\n)?-----END[ A-Z0-9_\-]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        ),
        "-----end",
        ("<<b64>>\n<<b64>>\n-----END RSA PRIVATE KEY-----",),
        ("<<b64>>\n-----END CERTIFICATE-----",),
    ),
    _rule(
        "password_said",
        rf"(?i:{_SPOKEN}{_IS}){_SAID_VALUE}",
        "pass pw kennwort mot contrase clave senha parola hasło пароль",
        (
            "the password for staging is dorfengul, tell nobody",
            "das Passwort lautet hixjamkep",
            "le mot de passe est gulhix",
            "user bot, pw: dorfengul",
        ),
        (
            "the password is wrong",
            "the password for staging is stored in the vault",
            "das Passwort ist falsch",
            "le mot de passe est trop court",
            "password: at least twelve characters",
            "la clave es leer bien",
        ),
        check=_is_said,
    ),
    _rule(
        "passphrase_said",
        (
            rf"(?i:\b(?:{_NAME}|pw),[ ](?:which|it|that|die|das|qui|que|che)[ ](?:is|was|lautet|ist|est|"
            rf"es|é|è)[ ]){_SAID_VALUE}"
        ),
        "pass pwd kennwort mot contrase senha",
        ("it wants a passphrase, which is dorfengul",),
        ("a password, which is required",),
        check=_is_said,
    ),
    _rule(
        "password_given",
        (
            rf"(?i:\b(?:with|using|use|enter|type|mit|verwende|nimm|benutze|avec|utilise[rz]?|con|"
            rf"usando?|usa|com|utilize|use|digite|inserisci|per|und|and|et|y|e)[ ](?:(?:the|this|my|dem|"
            rf"das|le|la|el|a|o|il|lo|as)[ ])?(?:{_NAME}|passe|clave|pw)[ ]){_SAID_VALUE}"
        ),
        "pass pwd kennwort mot contrase clave senha parola",
        (
            "melde dich mit dem Passwort dorfengul an",
            "avec le mot de passe hixjamkep",
            "use a senha gulhix para entrar",
        ),
        ("with password authentication", "con la contraseña correcta", "use the password manager"),
        check=_is_said,
    ),
    _rule(
        "password_as",
        (
            rf"(?i:\b(?:use|take|try|enter|nimm|verwende|utilise|usa|"
            rf"use)[ ])(?P<q>[\"'`])?(?P<v>[^\s\"'`,;<>()\x00]{{4,64}})[\"'`]?(?=(?i:[ ](?:as|for|als|"
            rf"comme|como|come)[ ](?:\w{{1,12}}[ ]){{0,2}}?{_NAME}\b))"
        ),
        "pass pwd kennwort mot contrase senha",
        ("use dorfengul as the password for x",),
        ("use this as the password", "use bcrypt for password hashing"),
        check=lambda place: (
            not _refers(place.value)
            and (is_marked(place.value) or not is_plain_word(place.value))
            and " for " not in place.match.string[place.match.end("v") : place.match.end("v") + 5]
        ),
    ),
    _rule(
        "password_changed",
        (
            rf"(?i:\b(?:set|reset|change[ds]?|update[ds]?|rotated?|gesetzt|setze?|"
            rf"ge[aä]ndert)[ ](?:\w{{1,14}}[ ]){{0,4}}?{_NAME}(?:[ ]\w{{1,14}}){{0,4}}?[ ](?:to|from|"
            rf"auf|von)[ ]){_SAID_VALUE}"
        ),
        "pass pwd kennwort",
        (
            "I set the admin password to dorfengul yesterday",
            "we changed the db password from hixjam to something else",
        ),
        ("set the password to something long", "reset the password to default"),
        check=_is_said,
    ),
    _rule(
        "password_login",
        (
            r"(?i:\b(?:log|sign|logged|login|melde dich|einloggen|anmelden|connecte-toi|entra|entre|"
            r"accedi|zaloguj)[ -]?(?:in[ ]|on[ ])?(?:as|als|en tant que|come|como|comme|with user|"
            r"jako)[ ][\w.\-@]{2,40}[ ](?:with|using|and|mit|avec|con|com|und|/)[ ])"
        )
        + _SAID_VALUE,
        "log sign melde einlog anmeld connecte entra entre accedi",
        ("you can log in as admin with dorfengul",),
        (
            "log in as admin with your company account",
            "sign in as bot with single sign-on",
            "log in as admin with SSO",
        ),
        check=_is_login,
    ),
    _rule(
        "password_pair",
        (
            r"(?i:\b(?:credentials?|creds?|login|logins|zugangsdaten|anmeldedaten|identifiants|"
            r"credenciales|credenciais|credenziali|zugang)(?:[ ](?:are|is|sind|sont|son|são|sono|"
            r"for[ ][\w.\-]{1,30}))?[ ]?:?[ ])(?:[\w.\-@]{2,40}[ ]?/[ ]?|[\w.\-@]{2,40}:)"
        )
        + _SAID_VALUE,
        "cred login zugang anmelde identifiants",
        ("creds are bot / dorfengul", "Credentials: admin:hixjamkep"),
        ("login / logout", "credentials: see vault:path"),
        check=lambda place: _is_said(place) and "/" not in place.value,
    ),
)
