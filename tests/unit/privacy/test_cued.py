"""A secret is known by a word and what stands around it: in code, configuration, file names and speech."""

import time

import pytest

from privacy_rules import expand
from recortex.app.projects import shown
from recortex.engines.privacy import redact
from recortex.engines.privacy.checks.credentials import is_jumble

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
