"""A shut set of passwords in the places where people and programs put them, and of texts that only look so.

    python bench/secrets_shut.py [--seed 1] [--misses]

Shapes and wordings were written before the redactor's rules for them were read, and the values come of
syllables: what the rules know of words does not help. Look at the misses only when a new set is to be
written: whoever mends by them has to.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter

from recortex.engines.privacy import redact

SHAPES = {
    # assignments and configuration
    "env export": "export PGPASSWORD={p}\npsql -h db.lan -U app",
    "env before command": "MYSQL_PWD={p} mysqldump shop > shop.sql",
    "dotenv": "APP_ENV=prod\nSMTP_PASSWORD={p}\nSMTP_PORT=587",
    "windows set": "set DB_PASSWORD={p}\r\nrun.bat",
    "powershell": '$env:DB_PASSWORD = "{p}"',
    "python": 'conn = connect(host="db", user="app", password="{p}")',
    "python single": "engine.login('app', passwd='{p}')",
    "ruby hash": "ActiveRecord.connect(username: 'app', password: '{p}')",
    "ruby rocket": ":password => '{p}',",
    "go struct": 'opts := &redis.Options{{Addr: "r:6379", Password: "{p}"}}',
    "java setter": 'dataSource.setPassword("{p}");',
    "js object": "const cfg = {{ user: 'app', pass: '{p}' }}",
    "concatenated": 'String password = "{a}" + "{b}";',
    "json": '{{"host": "db", "password": "{p}"}}',
    "json nested": '{{"smtp": {{"auth": {{"user": "bot", "pass": "{p}"}}}}}}',
    "yaml": "database:\n  user: app\n  password: {p}\n  port: 5432",
    "yaml folded": "db:\n  password: >-\n    {p}\n  port: 5432",
    "yaml literal": "stringData:\n  admin-password: |\n    {p}\n",
    "toml": '[db]\nuser = "app"\npassword = "{p}"',
    "ini": "[client]\nuser=root\npassword={p}",
    "properties": "spring.datasource.password={p}\nspring.jpa.show-sql=true",
    "xml element": "<server><id>nexus</id><username>ci</username><password>{p}</password></server>",
    "xml attribute": '<add key="DbPassword" value="{p}" />',
    "compose list": "environment:\n  - POSTGRES_USER=app\n  - POSTGRES_PASSWORD={p}",
    "dockerfile": "ENV REDIS_PASSWORD {p}",
    "k8s env": "- name: DB_PASSWORD\n  value: {p}",
    "terraform": 'variable "db_password" {{\n  default = "{p}"\n}}',
    "netrc": "machine git.lan\nlogin deploy\npassword {p}",
    "netrc line": "machine git.lan login deploy password {p}",
    "pgpass": "db.lan:5432:shop:app:{p}",
    # connection strings
    "postgres url": "DATABASE_URL=postgres://app:{p}@db.lan:5432/shop",
    "url with at": "amqp://app:{a}@{b}@mq.lan:5672/v",
    "redis url": "redis://:{p}@cache.lan:6379/0",
    "git url": "git clone https://ci:{p}@git.lan/team/app.git",
    "ado": "Server=db;Database=shop;User Id=app;Password={p};Encrypt=true",
    "ado pwd": "Driver={{SQL Server}};Server=db;Uid=app;Pwd={p};",
    "jdbc": "jdbc:mysql://db:3306/shop?user=app&password={p}&useSSL=false",
    "libpq": "host=db user=app password={p} dbname=shop",
    "sqlplus": "sqlplus app/{p}@ORCL",
    "mongo": "mongodb+srv://app:{p}@cluster.lan/shop",
    # commands
    "mysql": "mysql -h db -u app -p{p} shop",
    "long option": "mysqldump --user=app --password={p} shop",
    "long option space": "influx auth --username app --password {p}",
    "docker login": "docker login -u bot -p {p} registry.lan",
    "password stdin": "echo {p} | docker login -u bot --password-stdin registry.lan",
    "password stdin quoted": 'printf "%s" "{p}" | helm registry login -u bot --password-stdin r.lan',
    "here string": "gh-login --password-stdin <<< '{p}'",
    "curl": "curl -u app:{p} https://api.lan/v1",
    "curl long": "curl --user 'app:{p}' https://api.lan/v1",
    "wget": "wget --http-password={p} --http-user=app http://files.lan/x",
    "sshpass": "sshpass -p {p} ssh app@web.lan",
    "sshpass quoted": "sshpass -p '{p}' scp a app@web.lan:",
    "redis-cli": "redis-cli -h cache -a {p} PING",
    "htpasswd": "htpasswd -bc .htpasswd bot {p}",
    "openssl": "openssl rsa -in k.pem -passin pass:{p} -out k2.pem",
    "net use": "net use Z: \\\\files\\team {p} /user:corp\\bot",
    "kubectl": "kubectl create secret generic db --from-literal=password={p}",
    "continued": "mysqldump -h db \\\n  --password \\\n  {p} shop",
    "continued login": "docker login registry.lan \\\n  --username bot \\\n  -p {p}",
    "az": "az login --service-principal -u app-id -p {p} --tenant corp",
    "az sql": "az sql server create -n s -u app --admin-password {p}",
    "aws": "aws rds modify-db-instance --db-instance-identifier d --master-user-password {p}",
    "gcloud": "gcloud sql users set-password app --instance=i --password={p}",
    "chpasswd": "echo 'deploy:{p}' | chpasswd",
    "useradd sql": "CREATE USER app WITH PASSWORD '{p}';",
    "mysql identified": "ALTER USER 'app'@'%' IDENTIFIED BY '{p}';",
    "keytool": "keytool -list -keystore k.jks -storepass {p}",
    "ldapsearch": "ldapsearch -x -D cn=admin -w {p} -b dc=corp",
    "mongo shell": "mongosh -u app -p {p} --authenticationDatabase admin",
    "sqlcmd": "sqlcmd -S db -U sa -P {p} -Q 'SELECT 1'",
    "ansible": "ansible_become_password: {p}",
    "unzip": "unzip -P {p} backup.zip",
    "7z": "7z x -p{p} backup.7z",
    "smbclient": "smbclient //files/team -U bot%{p}",
    # headers
    "cookie": "Cookie: theme=dark; sessionid={c}",
    "set-cookie": "Set-Cookie: sid={c}; Path=/; HttpOnly",
    "key tail": "{k}\n{k}\n-----END RSA PRIVATE KEY-----",
    # plain speech
    "en staging": "the password for staging is {p}, tell nobody",
    "en root": "The root password of the build box is {p}.",
    "en log in": "you can log in as admin with {p}",
    "en pw": "user bot, pw: {p}",
    "en its": "it wants a passphrase, which is {p}",
    "en use": "use {p} as the password for the demo account",
    "en set": "I set the admin password to {p} yesterday",
    "en changed": "we changed the db password from {p} to something else",
    "en creds": "creds are bot / {p}",
    "en credentials": "Credentials: admin:{p}",
    "en pin": "password is still {p} on the old host",
    "de lautet": "das Passwort für die Testumgebung lautet {p}",
    "de ist": "Das Kennwort ist {p}.",
    "de anmelden": "melde dich als admin mit dem Passwort {p} an",
    "de colon": "Zugang: Benutzer bot, Passwort: {p}",
    "fr est": "le mot de passe est {p}",
    "fr de": "le mot de passe de la base de test, c'est {p}",
    "fr connecte": "connecte-toi avec le mot de passe {p}",
    "es es": "la contraseña de staging es {p}",
    "es clave": "la clave del servidor es {p}",
    "es entra": "entra como admin con la contraseña {p}",
    "pt senha": "a senha do banco é {p}",
    "pt palavra": "a palavra-passe do servidor de testes é {p}",
    "pt use": "use a senha {p} para entrar",
    "it e": "la password di staging è {p}",
    "it parola": "la parola d'ordine è {p}",
    "it accedi": "accedi come admin con la password {p}",
}
LOOK_ALIKES = {
    "reference": "password=${{DB_PASSWORD}}",
    "template": "password: {{{{ vault.db_password }}}}",
    "environment": 'password = os.environ["DB_PASSWORD"]',
    "call": "password = getpass.getpass()",
    "attribute": "this.password = user.{w}",
    "type": "password: string;",
    "annotation": "def login(user: str, password: str) -> None:",
    "optional": "password: Optional[str] = None",
    "placeholder": "mysql -u root --password=<your-password>",
    "stars": "password: ********",
    "empty": 'password = ""',
    "null": '{{"password": null}}',
    "boolean": "password_required: true",
    "file option": "--password-file /run/secrets/db",
    "path": "POSTGRES_PASSWORD_FILE=/run/secrets/{w}",
    "ports": "docker run -p 8080:80 {w}",
    "mkdir": "mkdir -p src/{w}/x",
    "docker name": "docker compose -p {w} up",
    "cargo": "cargo test -p {w}",
    "columns": "SELECT id, password FROM {w}",
    "schema": "password VARCHAR(255) NOT NULL",
    "label": '<label for="password">{w}</label>',
    "input": '<input type="password" name="{w}">',
    "hashed": "the password is hashed with bcrypt before it is stored",
    "required": "the password is required and must have twelve characters",
    "wrong": "login fails when the password is wrong",
    "empty speech": "the admin password is empty by default",
    "never": "the password for staging is stored in the vault",
    "reset": "users can reset the password by mail",
    "asks": "psql asks for a password twice",
    "with": "log in as admin with your company account",
    "with sso": "sign in as {w} with single sign-on",
    "policy": "password: at least twelve characters",
    "todo": "TODO: rotate the root password of the box",
    "manager": "our password manager is Bitwarden",
    "de": "das Passwort ist falsch",
    "de stored": "Das Passwort wird gehasht gespeichert.",
    "de vergessen": "das Passwort ist abgelaufen und muss geändert werden",
    "fr": "le mot de passe est trop court",
    "fr oublie": "le mot de passe est obligatoire",
    "es": "la contraseña es incorrecta",
    "es clave": "la clave es leer bien el registro",
    "pt": "a senha é obrigatória",
    "it": "la password è sbagliata",
    "it chiave": "la chiave è nel vault",
    "cookie word": "Cookie: banner is shown once",
    "cookie names": "the cookie {w} is set by the proxy",
    "user in path": "scp build.tgz {w}@web.lan:/srv",
    "time": "at 10:30:15 the job {w} failed",
    "hosts": "kafka.lan:9092:{w}",
    "key name": 'the env var is called "DB_PASSWORD"',
    "test name": "test_password_{w}_is_rejected",
    "class": "class PasswordResetForm(forms.Form):",
    "i18n": '"password.title": "{w} settings"',
}

SYLLABLES = (
    "ba",
    "dor",
    "fen",
    "gul",
    "hix",
    "jam",
    "kep",
    "lur",
    "mov",
    "nis",
    "pra",
    "quo",
    "rut",
    "sev",
    "tal",
    "vex",
    "wom",
    "zid",
)


def words(source: random.Random, many: int) -> str:
    return "".join(source.choices(SYLLABLES, k=many))


def password(source: random.Random) -> str:
    """As people choose them: mostly without a digit, some with a sign, some with capitals."""
    form = source.randrange(7)
    word = words(source, source.randint(3, 4))
    return (
        word,
        word.capitalize(),
        f"{word}-{words(source, 2)}-{words(source, 2)}",
        f"{word.capitalize()}!",
        f"{word}{source.randint(1, 99)}",
        "".join(source.choice((str.upper, str.lower))(char) for char in word),
        f"{words(source, 2).capitalize()}{words(source, 2).capitalize()}",
    )[form]


def filled(shape: str, source: random.Random) -> tuple[str, tuple[str, ...]]:
    """A text of the shape, and what of it must not be left."""
    kept: list[str] = []

    def secret(value: str) -> str:
        kept.append(value)
        return value

    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    made: dict[str, str] = {
        "p": password(source),
        "a": words(source, 2),
        "b": words(source, 3),
        "c": "".join(source.choices(letters[:52], k=26)),
        "k": "".join(source.choices(letters, k=64)),
    }
    values = {name: secret(value) for name, value in made.items() if f"{{{name}}}" in shape}
    return shape.format(w=words(source, 3), **values), tuple(kept)


def measure(seed: int, each: int, *, show: bool) -> dict[str, tuple[int, int]]:
    """Caught and all, of the secrets; removed from and all, of the look-alikes."""
    source = random.Random(seed)
    missed: Counter[str] = Counter()
    for name, shape in SHAPES.items():
        for _ in range(each):
            text, secrets = filled(shape, source)
            clean = redact(text).text
            if any(secret in clean for secret in secrets):
                missed[name] += 1
                if show:
                    print(f"MISSED {name}: {clean!r}")
    touched: Counter[str] = Counter()
    for name, shape in LOOK_ALIKES.items():
        for _ in range(each):
            text, _ = filled(shape, source)
            if (clean := redact(text).text) != text:
                touched[name] += 1
                if show:
                    print(f"TOUCHED {name}: {clean!r}")
    if show:
        print(dict(missed), dict(touched), sep="\n")
    secrets_, innocent = len(SHAPES) * each, len(LOOK_ALIKES) * each
    return {"caught": (secrets_ - missed.total(), secrets_), "touched": (touched.total(), innocent)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=13, help="texts of each shape")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    for name, (some, all_) in measure(options.seed, options.each, show=options.misses).items():
        print(f"{name:8} {some:5} of {all_:5}  {some / all_:.4f}")


if __name__ == "__main__":
    main()
