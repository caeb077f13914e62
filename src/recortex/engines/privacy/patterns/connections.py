"""Connection strings: addresses of databases, queues and servers with the user and password inside."""

from __future__ import annotations

from recortex.engines.privacy.expressions import compiled
from recortex.engines.privacy.placeholders import is_placeholder
from recortex.engines.privacy.rule import Place, Rule

_USERINFO = (
    r"(?P<v>[^\s/@:?#\"'<>`\\]{0,128}:(?!\d{1,5}/)[^\s@/\"'<>`\\]{1,256}(?:/[^\s@/\"'<>`\\]{1,128}){0,2})"
    r"@(?=[\w\[.\-$%])"
)
_GENERIC = r"(?i)(?:user(?:name)?|login|me|foo|alice|bob):(?:pass(?:word|wd)?|pwd|secret|bar|token)"


def _has_password(place: Place) -> bool:
    """Whether something stands where the password belongs, and no variable or stand-in."""
    password = place.value.partition(":")[2]
    return bool(password) and not is_variable(password)


def is_variable(value: str) -> bool:
    """Whether a value only says where the real one comes from: `${X}`, `<password>`, `%s`, `***`."""
    return compiled(r"[${}%<>]|\*{2}|\.{3}|x{3}|X{3}|your|changeme|redacted|^:").search(
        value
    ) is not None and (compiled(r"%[0-9A-Fa-f]{2}").search(value) is None)


def _is_web_password(place: Place) -> bool:
    """As `_has_password`, except the `user:pass` of manuals; a user without password never gets here."""
    password = place.value.partition(":")[2]
    return (
        _has_password(place)
        and not compiled(_GENERIC).fullmatch(place.value)
        and not is_placeholder(password + "abcd")
    )


def _database(name: str, schemes: str, positive: str) -> Rule:
    scheme = schemes.split("|", maxsplit=1)[0]
    return Rule(
        name=name,
        category="connection",
        pattern=rf"(?i:\b(?:{schemes})(?:\+[a-z0-9]{{1,16}})?://){_USERINFO}",
        keywords=tuple(f"{each}{end}" for each in schemes.split("|") for end in ("://", "+")),
        anchored=True,
        confidence=0.95,
        positives=(positive, f"{scheme}://svc:<<A12>>@db.internal/app"),
        negatives=(
            f"{scheme}://localhost/app",
            f"{scheme}://${{USER}}:${{PASS}}@db/app",
            f"{scheme}://user:<password>@db/app",
            f"{scheme}://app@db/app",
        ),
        check=_has_password,
    )


CONNECTIONS = (
    _database(
        "postgresql_credentials",
        "postgresql|postgres|pgsql|cockroachdb|redshift|timescaledb",
        "postgresql+asyncpg://app:<<A16>>@10.0.0.5:5432/app",
    ),
    _database(
        "mysql_credentials", "mysql|mysqlx|mariadb|percona|tidb", "mysql+pymysql://root:<<a12>>@db:3306/shop"
    ),
    _database("mongodb_credentials", "mongodb", "mongodb+srv://app:<<A18>>@cluster0.ab1cd.mongodb.net/app"),
    _database("redis_credentials", "rediss|redis|valkey|keydb", "rediss://:<<A20>>@cache.internal:6380/0"),
    _database(
        "amqp_credentials",
        "amqps|amqp|rabbitmq|nats|mqtts|mqtt|kafka|stomp|pulsar",
        "amqps://worker:<<A16>>@mq.internal/vhost",
    ),
    _database(
        "mssql_credentials",
        (
            "mssql|sqlserver|oracle|db2|snowflake|clickhouse|cassandra|neo4j|bolt|couchbase|influxdb|vertica|"
            "presto|trino|hive"
        ),
        "mssql+pyodbc://sa:<<A16>>@sql01/app?driver=x",
    ),
    _database(
        "service_credentials",
        "ldaps|ldap|smtps|smtp|imaps|imap|ftps|ftp|sftp|ssh|smb|socks5|socks4|socks|vnc|rtsp|svn|cifs",
        "smtp://mailer:<<A16>>@mail.internal:587",
    ),
    Rule(
        name="url_credentials",
        category="connection",
        pattern=rf"(?i:\bhttps?://|\bwss?://|\bgit\+https?://){_USERINFO}(?!(?i:[\w.\-]{{0,64}}example\.(?:c"
        rf"om|org|net)))",
        keywords=("http://", "https://", "ws://", "wss://", "git+http"),
        anchored=True,
        confidence=0.9,
        positives=("https://deploy:<<A20>>@git.internal/repo.git", "http://cafe1234:<<h8>>@gems.internal"),
        negatives=(
            "https://user:pass@host/path",
            "http://abc:xyz@example.com/",
            "https://git.internal:8443/@scope/pkg",
            "https://${USER}:${TOKEN}@git.internal",
            "see http://host:80/path?mail=a@b",
        ),
        check=_is_web_password,
    ),
    Rule(
        name="url_token",
        category="connection",
        pattern=r"(?i:\bhttps?://)(?P<v>[A-Za-z0-9_\-]{20,256})@(?=[\w.\-]{3})",
        keywords=("http://", "https://"),
        anchored=True,
        confidence=0.8,
        positives=("https://<<A40>>@git.internal/repo.git",),
        negatives=(
            "https://git@git.internal/repo.git",
            "https://a-very-long-user-name-in-words@host.internal",
        ),
        # Names hold fewer digits.
        check=lambda place: sum(c.isdigit() for c in place.value) > 2,  # noqa: PLR2004
    ),
    Rule(
        name="jdbc_password",
        category="connection",
        pattern=r"(?i:\bjdbc:[a-z0-9:]{2,40}(?://|@|:thin:)[^\s\"'<>]{0,400}?[?;&](?:password|"
        r"pwd)=)(?P<v>[^\s\"'&;<>]{1,256})",
        keywords=("jdbc:",),
        anchored=True,
        confidence=0.95,
        positives=(
            "jdbc:postgresql://db:5432/app?user=app&password=<<A12>>",
            "jdbc:sqlserver://db;user=sa;password=<<A12>>;",
        ),
        negatives=("jdbc:postgresql://db:5432/app?user=app", "jdbc:mysql://db/app?password=${DB_PASSWORD}"),
        check=lambda place: not is_variable(place.value),
    ),
    Rule(
        name="jdbc_oracle_password",
        category="connection",
        pattern=r"(?i:\bjdbc:oracle:[a-z]{2,8}:)(?P<v>[^\s\"'@/<>]{1,128}/[^\s\"'@<>]{1,128})@",
        keywords=("jdbc:oracle",),
        anchored=True,
        confidence=0.95,
        positives=("jdbc:oracle:thin:app/<<A12>>@//db:1521/svc",),
        negatives=("jdbc:oracle:thin:@//db:1521/svc",),
        check=lambda place: not is_variable(place.value),
    ),
    Rule(
        name="connection_string_password",
        category="connection",
        pattern=(
            r"(?:(?:server|data source|host|user id|uid|database|initial catalog|username|"
            r"user)\s{0,3}=\s{0,3}[^;\"'\n]{1,200};"
            r"(?:[^;\"'\n]{1,200};){0,12}?\s{0,3}(?:password|pwd)\s{0,3}=\s{0,3})(?P<v>[^;\"'\n]{1,256})"
        ),
        keywords=("password=", "pwd=", "password =", "pwd ="),
        confidence=0.9,
        folded=True,
        positives=("Server=db;Database=app;User Id=sa;Password=<<A14>>;", "Data Source=x;uid=me;pwd=<<a12>>"),
        negatives=(
            "Server=db;Database=app;Integrated Security=true;",
            "Server=db;User Id=sa;Password=${PW};",
        ),
        check=lambda place: not is_variable(place.value),
    ),
    Rule(
        name="azure_account_key",
        category="connection",
        pattern=r"(?i:\b(?:AccountKey|SharedAccessKey|SharedSecretValue)\s{0,3}=\s{0,3})"
        r"(?P<v>[A-Za-z0-9+/]{40,100}={0,2})",
        keywords=("accountkey", "sharedaccesskey", "sharedsecretvalue"),
        anchored=True,
        confidence=0.95,
        positives=(
            (
                "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=<<b86>>==;EndpointSuffix=core.windo"
                "ws.n"
                "et"
            ),
            "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=r;SharedAccessKey=<<b43>>=",
        ),
        negatives=("AccountKey=<key>", "AccountKey=${STORAGE_KEY}"),
    ),
    Rule(
        name="signed_url",
        category="connection",
        pattern=r"(?i:[?&;](?:X-Amz-Signature|X-Goog-Signature|sig|Signature)=)"
        r"(?P<v>[A-Za-z0-9%+/_\-]{40,700}={0,2})",
        keywords=("signature=", "sig="),
        confidence=0.9,
        positives=(
            "https://x.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=<<h64>>",
            "https://x.blob.core.windows.net/c?sv=2021&sig=<<A43>>%3D",
        ),
        negatives=("https://x.test/?sig=short", "func f(sig=None)"),
    ),
)
