"""The client of a team server: offline, with a wrong clock, before servers that lie, and its keys."""

import gzip
import stat
from datetime import UTC, datetime, timedelta

import jwt
import keyring
import msgspec
import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from openid import CLIENT, answering, provider
from team_members import Replica, Team, everything, new_team_database, team_server

from recortex.errors import InvalidInputError, UntrustedFileError
from recortex.sync import http, membership
from recortex.sync.http import BusyError, HttpTransport, TurnedDownError, read_link
from recortex.sync.keys import Vault, identity
from recortex.sync.membership import LoginError, Provider, by_device, pause_after
from recortex.sync.protocol import Batch, RefusedError


@pytest.fixture(scope="module")
def issuer():
    with provider() as made:
        yield made


@pytest.fixture(scope="module")
def served(server, issuer):
    url = new_team_database(server, "team_clients")
    with team_server(url, issuer=issuer.url, client=CLIENT) as base:
        yield base, url


@pytest.fixture
def team(served, request):
    return Team(*served, request.node.name.replace("[", "-").replace("]", ""))


def log_in(team, token):
    return msgspec.json.decode(team.admin.transport.ask("log-in", {"id_token": token}))["token"]


def test_a_person_logs_in_by_the_device_flow(team, issuer):
    team.invite("ben@example.com")
    issuer.answers = [{"error": "authorization_pending"}, {"error": "authorization_pending"}]
    shown = []
    where = msgspec.json.decode(team.admin.transport.ask("login"))
    token = by_device(Provider(**where), lambda page, code: shown.append((page, code)))
    assert shown == [(f"{issuer.url}/enter", "ABCD-EFGH")]
    ben = Replica(team.base, team.workspace, log_in(team, token))
    ben.write()
    ben.push()
    assert everything(team.admin) == ben.versions
    with pytest.raises(TurnedDownError, match="used before"):
        log_in(team, token)


def test_a_link_without_a_token_is_followed_by_a_log_in(team, issuer, ring, tmp_path, capsys):
    ring(NoKeyring())
    team.invite("ben@example.com")
    vault, place = Vault(tmp_path), read_link(f"{team.base}/{team.workspace}")[0]
    me = identity(vault, "", team.workspace, "")
    membership.join(vault, me, place, "", 1)
    assert f"Open {issuer.url}/enter in a browser and enter the code ABCD-EFGH." in capsys.readouterr().err
    assert me.author == "ben@example.com"
    with membership.transport_of(vault, me, place.url) as joined:
        assert joined.token()["scope"] == "write"
        assert joined.pull({}, 10).versions == ()


def test_two_stores_of_a_machine_with_a_keyring_are_members_of_one_workspace(team, ring, tmp_path):
    ring(Kept())
    place, joined = read_link(f"{team.base}/{team.workspace}")[0], []
    for name in ("clone", "other clone"):
        vault = Vault(tmp_path / name)
        me = identity(vault, "", team.workspace, "")
        membership.join(vault, me, place, team.invite("ben"), 1)
        joined.append((vault, me))
    for vault, me in joined:
        with membership.transport_of(vault, me, place.url) as way:
            assert way.pull({}, 10).versions == ()


def test_a_token_that_a_former_program_kept_is_found(team, ring, tmp_path):
    ring(NoKeyring())
    vault = Vault(tmp_path)
    me = identity(vault, "", team.workspace, "")
    vault.put(f"token {team.base}/{team.workspace}", kept := team.invite("ben"))
    with membership.transport_of(vault, me, f"{team.base}/{team.workspace}") as way:
        assert way.secret == kept


def test_who_is_no_member_cannot_log_in(team, issuer):
    with pytest.raises(TurnedDownError, match="no member"):
        log_in(team, issuer.token())
    team.invite("ben@example.com")
    team.admin.transport.ask("revoke", {"name": "ben@example.com"})
    with pytest.raises(TurnedDownError, match="no member"):
        log_in(team, issuer.token())


PAST = datetime(2020, 1, 1, tzinfo=UTC)
FORGED = {
    "another key": lambda i: i.token(key=rsa.generate_private_key(65537, 2048)),
    "no signature": lambda i: i.token(key="", algorithm="none"),
    "the client's id as a secret": lambda i: i.token(key=CLIENT * 4, algorithm="HS256"),
    "another audience": lambda i: i.token(aud="another-program"),
    "another party": lambda i: i.token(aud=[CLIENT, "another"], azp="another"),
    "another issuer": lambda i: i.token(iss="https://evil.example.com"),
    "expired": lambda i: i.token(exp=PAST),
    "given long ago": lambda i: i.token(iat=PAST),
    "given in the future": lambda i: i.token(iat=datetime.now(UTC) + timedelta(days=1)),
    "no end": lambda i: i.token(exp=None),
    "an address that nobody verified": lambda i: i.token(email_verified=False),
    "no address": lambda i: i.token(email=None),
    "an address in a list": lambda i: i.token(email=["ben@example.com"]),
    "an unknown key": lambda i: jwt.encode({}, i.key, "RS256", headers={"kid": "9"}),
    "no token": lambda i: "x.y.z",  # noqa: ARG005
    "cut off": lambda i: i.token()[:-20],
}


@pytest.mark.parametrize("how", FORGED)
def test_no_forged_log_in_succeeds(team, issuer, how):
    team.invite("ben@example.com")
    with pytest.raises(TurnedDownError):
        log_in(team, FORGED[how](issuer))
    with psycopg.connect(team.url) as connection:
        count = "SELECT count(*) FROM recortex_team.tokens WHERE workspace = %s AND login IS NOT NULL"
        assert connection.execute(count, (team.workspace,)).fetchone() == (0,)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"error": "access_denied"}, "You refused"),
        ({"error": "expired_token"}, "too old"),
        ({"error": "invalid_client"}, "invalid_client"),
    ],
)
def test_a_log_in_that_is_refused_says_why(issuer, said, why):
    issuer.answers = [said]
    with pytest.raises(LoginError, match=why):
        by_device(Provider(issuer.url, CLIENT), lambda *_: None)


def test_each_wish_to_be_asked_more_slowly_adds_five_seconds():
    pauses = [5.0]
    for said in ("authorization_pending", "slow_down", "authorization_pending", "slow_down"):
        pauses.append(pause_after(said, pauses[-1]))
    assert pauses == [5, 5, 10, 10, 15]
    assert {pause_after(said, 5.0) for said in ("access_denied", "expired_token", "None")} == {None}


def test_a_provider_that_cannot_be_reached_for_a_moment_is_asked_again_for_the_same_code(issuer):
    issuer.answers, issuer.cut = [{"error": "authorization_pending"}], 2
    assert by_device(Provider(issuer.url, CLIENT), lambda *_: None)


def test_a_provider_cannot_steer_the_terminal(issuer, monkeypatch, capsys):
    monkeypatch.setattr(issuer, "code", "A\x1b]0;owned\x07\x1b[2J")
    by_device(Provider(issuer.url, CLIENT), membership.tell)
    assert "\x1b" not in capsys.readouterr().err


def test_a_provider_has_to_be_encrypted_and_who_it_says():
    with pytest.raises(LoginError, match="https"):
        by_device(Provider("http://example.com", CLIENT), lambda *_: None)
    with (
        answering(lambda *_: (200, {}, b'{"issuer": "https://other.example.com"}')) as url,
        pytest.raises(LoginError, match="calls itself"),
    ):
        by_device(Provider(url, CLIENT), lambda *_: None)


# -- offline, and before servers that lie


def transport(base):
    waited = []
    made = HttpTransport(
        read_link(f"{base}/team")[0], "rcx_a_b", "0" * 32, Ed25519PrivateKey.generate(), sleep=waited.append
    )
    return made, waited


def test_a_server_that_cannot_be_reached_is_tried_again_with_longer_and_uneven_pauses():
    with answering(lambda *_: (200, {}, b"")) as base:
        pass
    made, waited = transport(base)
    with made, pytest.raises(BusyError, match="cannot be reached"):
        made.pull({}, 10)
    assert len(waited) == 3
    assert all(
        0.5 * step <= pause <= 1.5 * step for pause, step in zip(waited, (0.25, 0.5, 1.0), strict=True)
    )


def test_a_server_that_is_busy_for_a_moment_is_waited_for():
    said = iter(
        [(503, {}, b""), (429, {"retry-after": "2"}, b'{"error":{"code":"x","message":"","hint":""}}')]
    )
    batch = msgspec.json.encode(Batch(workspace="team"))
    with answering(lambda *_: next(said, (200, {}, batch))) as base:
        made, waited = transport(base)
        with made:
            assert made.pull({}, 10) == Batch(workspace="team")
    assert 1.0 <= waited[1] <= 3.0


def test_a_wrong_clock_is_no_reason_to_give_up_after_waiting_for_a_server_that_starts():
    clock = (401, {}, b'{"error":{"code":"clock","message":"","hint":""}}')
    said = iter([*[(503, {}, b"")] * 3, clock])
    batch = msgspec.json.encode(Batch(workspace="team"))
    with answering(lambda *_: next(said, (200, {}, batch))) as base:
        made, waited = transport(base)
        with made:
            assert made.pull({}, 10) == Batch(workspace="team")
    assert len(waited) == 3
    with answering(lambda *_: clock) as base:
        made, waited = transport(base)
        with made, pytest.raises(TurnedDownError, match="time of this machine"):
            made.pull({}, 10)


LIES = {
    "another workspace's batch": (200, {}, msgspec.json.encode(Batch(workspace="other"))),
    "no JSON": (200, {}, b"<html>"),
    "another value": (200, {}, b"[]"),
    "a newer protocol": (200, {}, msgspec.json.encode(Batch(workspace="team", protocol=9))),
    "too much": (200, {}, b" " * 1_100_000),
    "a bomb": (200, {"content-encoding": "gzip"}, gzip.compress(bytes(50_000_000))),
    "half a compressed answer": (200, {"content-encoding": "gzip"}, gzip.compress(b"{}")[:-4]),
    "elsewhere": (302, {"location": "http://169.254.169.254/"}, b""),
    "terminal sequences": (403, {}, b'{"error":{"code":"c","message":"\\u001b[2Jgone","hint":"h"}}'),
    "an error that is none": (403, {}, b'{"error": "no"}'),
    "deep JSON": (403, {}, b"[" * 100_000),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_server_that_lies_is_refused(lie):
    with answering(lambda *_: LIES[lie]) as base:
        made, _ = transport(base)
        with made, pytest.raises(RefusedError) as refused:
            made.pull({}, 10)
    assert "\x1b" not in refused.value.message


def test_a_machine_whose_clock_is_wrong_by_a_year_is_served(team, monkeypatch):
    real = http.time.time
    monkeypatch.setattr(http.time, "time", lambda: real() + 365 * 86_400)
    ben = Replica(team.base, team.workspace, team.invite("ben"))
    ben.write()
    assert ben.push().vector == {ben.id: 1}


@pytest.mark.parametrize(
    "link", ["", "team", "http://example.com/team#x", "https://u:p@example.com/t", "ftp://x/y", "https://x"]
)
def test_what_is_no_link_is_refused(link):
    with pytest.raises(InvalidInputError):
        read_link(link)


# -- keys


class Kept(KeyringBackend):
    """A keyring of this process, which nothing chooses by itself."""

    priority = -1

    def __init__(self):
        super().__init__()
        self.kept = {}

    def get_password(self, service, username):
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password

    def delete_password(self, service, username):
        del self.kept[service, username]


@pytest.fixture
def ring():
    before = keyring.get_keyring()
    yield keyring.set_keyring
    keyring.set_keyring(before)


def test_secrets_are_in_the_keyring_where_there_is_one(ring, tmp_path):
    ring(Kept())
    vault = Vault(tmp_path)
    assert vault.put("a", "secret") == "keyring"
    assert vault.get("a") == "secret"
    assert not (tmp_path / "sync-keys.json").exists()
    vault.forget("a")
    assert vault.get("a") == ""


def test_secrets_are_in_a_file_of_one_s_own_where_there_is_no_keyring(ring, tmp_path):
    ring(NoKeyring())
    vault = Vault(tmp_path)
    path = tmp_path / "sync-keys.json"
    assert vault.put("a", "secret") == str(path)
    vault.put("b", "other")
    assert (vault.get("a"), vault.get("b"), vault.get("c")) == ("secret", "other", "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    vault.forget("a")
    assert (vault.get("a"), vault.get("b")) == ("", "other")
    path.write_text("[]")
    with pytest.raises(UntrustedFileError):
        vault.get("a")
