"""What somebody hostile may try at a team server: nothing of it succeeds, and nothing leaves a trace."""

import gzip
import time

import msgspec
import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from psycopg import errors
from team_members import Replica, Team, new_team_database, team_server

from recortex.sync import protocol
from recortex.sync.protocol import MOST_BYTES, MOST_VERSIONS, id_of
from recortex.sync.team_store import token_id

THIEF = Ed25519PrivateKey.generate()
TOLD = '{"text":"what only this team may know"}'


class Scene:
    """A team with an admin, Ben, who writes, Rita, who reads, and Eve's team on the same server."""

    def __init__(self, base, url):
        self.url = url
        self.team, self.foreign = Team(base, url, "acme"), Team(base, url, "evil")
        self.admin, self.eve = self.team.admin, self.foreign.admin
        self.ben, self.rita = self.team.member("ben"), self.team.member("rita", "read")
        self.admin.write(3, memory_id="m", body=TOLD)
        self.admin.push()
        self.ben.write(2, memory_id="of ben")
        self.ben.push()
        self.revoked = self.team.member("mallory")
        self.admin.transport.ask("revoke", {"name": "mallory"})
        self.expired = self.team.member("old")
        # as the superuser, whom row-level security does not bind
        self.run("UPDATE recortex_team.tokens SET expires_at = now() - interval '1 s' WHERE member = 'old'")
        self.unused = self.team.invite("carol")

    def run(self, statement, *values):
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def state(self):
        """All that is kept, but for what counts requests."""
        return [
            self.run(f"SELECT {columns} FROM recortex_team.{table} ORDER BY 1, 2, 3")  # noqa: S608
            for table, columns in (
                ("workspaces", "*"),
                ("members", "*"),
                ("tokens", "workspace, token, hash, member, scope, expires_at, revoked_at, replica"),
                ("replicas", "*"),
                ("versions", "*"),
                ("audit", "*"),
            )
        ]


@pytest.fixture(scope="module")
def scene(server):
    url = new_team_database(server, "attacked")
    with team_server(url) as base:
        yield Scene(base, url)


_BATCH = {"protocol", "workspace", "cards", "applied", "purges"}


def push(who, *versions, **more):
    """Push as that replica, whatever it says."""
    sent = {name: more.pop(name) for name in list(more) if name in _BATCH}
    return who.send("push", who.batch(*versions, **sent), **more)


def altered(version, **more):
    return msgspec.structs.replace(version, **more)


def pull(who, vector=None, **more):
    return who.send("pull", {"vector": vector or {}}, **more)


def replayed(who, route, body, *, late=0.0, other=None, to=None):
    """A request that was overheard, sent again later, or with another body, or to another route."""
    body, moment = msgspec.json.encode(body), int((time.time() - late) * 1000)
    path = f"{protocol.ROOT}/{who.place.workspace}/{route}"
    proof = who.key.sign(protocol.signed_request("POST", path, moment, body)).hex()
    return who.send(to or route, other or body, proof=f"{moment}.{proof}")


def next_of(who, **more):
    """The version that would follow, without writing it."""
    return who.version(**more)


ATTEMPTS = {
    # who asks
    "no token": lambda s: pull(s.ben, token=""),
    "an invented token": lambda s: pull(s.ben, token="rcx_0123456789ab_" + "A" * 43),
    "a token that is no text": lambda s: pull(s.ben, token="rcx_\xff_\xfe"),  # noqa: S106
    "the id of a token with another secret": lambda s: pull(s.ben, token=f"rcx_{token_id(s.ben.token)}_x"),
    "a token of another workspace": lambda s: pull(s.eve, workspace="acme"),
    "a revoked token": lambda s: pull(s.revoked),
    "a revoked token's push that was made before": lambda s: push(s.revoked, next_of(s.revoked)),
    "an expired token": lambda s: pull(s.expired),
    "a stolen token with the thief's key": lambda s: pull(s.ben, key=THIEF),
    "a stolen token in the name of the thief's replica": lambda s: pull(
        s.ben, replica=s.eve.id, key=s.eve.key
    ),
    "a token without a proof": lambda s: pull(s.ben, proof="0."),
    "a token that belongs to no replica yet": lambda s: pull(s.ben, token=s.unused),
    "a request that was overheard an hour ago": lambda s: replayed(s.ben, "pull", {"vector": {}}, late=3_600),
    "a request that was overheard, with another body": lambda s: replayed(
        s.ben, "pull", {"vector": {}}, other=b'{"vector":{},"limit":9}'
    ),
    "a request that was overheard, to another route": lambda s: replayed(
        s.admin, "revoke", {"name": "x", "member": "thief"}, to="invite"
    ),
    "a link that was used": lambda s: join(s, s.ben.token, "ben"),
    "a card in another's name": lambda s: join(s, s.unused, "ada"),
    "a card with another's key": lambda s: join(s, s.unused, "carol", public=s.admin.public),
    "a card of another's replica": lambda s: join(s, s.unused, "carol", replica=s.admin.id),
    "a card with an impossible key": lambda s: join(s, s.unused, "carol", public="zz"),
    "another's replica with a link of one's own": lambda s: join(
        s, s.unused, "carol", key=s.ben.key, public=s.ben.public, replica=s.ben.id
    ),
    "a reader who writes": lambda s: push(s.rita, next_of(s.rita)),
    "a reader who writes beside an acknowledgement": lambda s: push(
        s.rita, next_of(s.rita), applied=(s.rita.applied({}),)
    ),
    "a reader who purges": lambda s: push(s.rita, next_of(s.rita, operation="purge", body=None)),
    "a reader who promises a purge": lambda s: push(
        s.rita, purges=(next_of(s.rita, memory_id="m", operation="purge", body=None),)
    ),
    "a reader who changes a card": lambda s: push(s.rita, cards=(s.rita.card(since=2),)),
    "a reader who passes a member's version on": lambda s: push(s.rita, s.ben.versions[0]),
    "a reader who acknowledges for another": lambda s: push(s.rita, applied=(s.ben.applied({}),)),
    "a reader who acknowledges with another's words": lambda s: push(
        s.rita, applied=(altered(s.ben.applied({}), replica=s.rita.id),)
    ),
    "a reader who acknowledges for two": lambda s: push(
        s.rita, applied=(s.rita.applied({}), s.ben.applied({}))
    ),
    "a reader's acknowledgement in a foreign workspace": lambda s: push(
        s.rita, applied=(s.rita.applied({}),), workspace="evil"
    ),
    "a stolen reader's token that acknowledges": lambda s: push(
        s.rita, applied=(s.rita.applied({}),), key=THIEF
    ),
    "a member who acknowledges for another": lambda s: push(s.ben, applied=(s.rita.applied({}),)),
    "a member who invites": lambda s: s.ben.send("invite", {"member": "thief", "scope": "admin"}),
    "a member who revokes": lambda s: s.ben.send("revoke", {"name": "ada"}),
    "a member who lists tokens": lambda s: s.ben.send("members", method="GET"),
    "an invitation without a name": lambda s: s.admin.send("invite", {"member": " "}),
    "an invitation for ever and a day": lambda s: s.admin.send("invite", {"member": "x", "days": -1}),
    "a log-in where there is no provider": lambda s: s.ben.send("log-in", {"id_token": "x.y.z"}),
    # whose words
    "another's version": lambda s: push(s.ben, s.admin.versions[0]),
    "a version of a foreign workspace's replica": lambda s: push(s.ben, next_of(s.eve, workspace="acme")),
    "a version in another's name": lambda s: push(s.ben, next_of(s.ben, author="ada")),
    "a version signed for another workspace": lambda s: push(s.ben, next_of(s.ben, workspace="evil")),
    "words changed after signing": lambda s: push(s.ben, altered(next_of(s.ben), body='{"text":"forged"}')),
    "words and id changed after signing": lambda s: push(s.ben, forged(s.ben, body="{}")),
    "parents changed after signing": lambda s: push(s.ben, forged(s.ben, parents=(s.ben.versions[0].id,))),
    "a version signed with another's key": lambda s: push(
        s.ben, altered(next_of(s.ben), signature=next_of(s.admin).signature)
    ),
    "a version without a signature": lambda s: push(s.ben, altered(next_of(s.ben), signature="")),
    "an id of the sender's choice": lambda s: push(s.ben, next_of(s.ben, id="0" * 64)),
    "a parent that does not exist": lambda s: push(s.ben, next_of(s.ben, parents=("a" * 64,))),
    "a parent of another memory": lambda s: push(s.ben, next_of(s.ben, parents=(s.admin.versions[0].id,))),
    "a parent twice": lambda s: push(s.ben, next_of(s.ben, parents=("a" * 64, "a" * 64))),
    "a parent of a foreign workspace": lambda s: push(
        s.ben, next_of(s.ben, memory_id="m", parents=foreign(s))
    ),
    "a negative counter": lambda s: push(s.ben, next_of(s.ben, counter=-1)),
    "the counter 0": lambda s: push(s.ben, next_of(s.ben, counter=0)),
    "a huge counter": lambda s: push(s.ben, next_of(s.ben, counter=2**62)),
    "a counter beyond all integers": lambda s: s.ben.send("push", huge(s.ben)),
    "a gap": lambda s: push(s.ben, next_of(s.ben, counter=9)),
    "a gap inside a batch": lambda s: push(s.ben, next_of(s.ben), next_of(s.ben, counter=5)),
    "a counter twice in a batch": lambda s: push(s.ben, next_of(s.ben), next_of(s.ben, memory_id="n")),
    "another version under a used counter": lambda s: push(s.ben, next_of(s.ben, counter=1, body="{}")),
    "the same words under a used counter, at another time": lambda s: push(
        s.ben, next_of(s.ben, counter=1, clock=99, memory_id="of ben", body=s.ben.versions[0].body)
    ),
    "a clock before time began": lambda s: push(s.ben, next_of(s.ben, clock=-1)),
    "a clock beyond all integers": lambda s: push(s.ben, next_of(s.ben, clock=2**63)),
    "a version without words that nobody purged": lambda s: push(s.ben, next_of(s.ben, body=None)),
    "a purge with words": lambda s: push(s.ben, next_of(s.ben, operation="purge")),
    "NULs in an id": lambda s: push(s.ben, next_of(s.ben, memory_id="m\0m")),
    "half a character in an id": lambda s: s.ben.send("push", half_a_character(s.ben)),
    "another's card": lambda s: push(s.ben, cards=(s.ben.card(author="ada"),)),
    "an acknowledgement that is not signed": lambda s: push(
        s.ben, applied=(altered(s.ben.applied({}), signature="00"),)
    ),
    # what is sent
    "a batch that is too large": lambda s: s.ben.send("push", b" " * (MOST_BYTES + 1)),
    "a version that is too large": lambda s: push(s.ben, next_of(s.ben, body="1" * 300_000)),
    "too many versions": lambda s: s.ben.send("push", many(s.ben), content_encoding="gzip"),
    "a bomb": lambda s: s.ben.send("push", gzip.compress(bytes(300_000_000), 9), content_encoding="gzip"),
    "half of a compressed body": lambda s: s.ben.send(
        "push", gzip.compress(msgspec.json.encode(s.ben.batch()))[:-9], content_encoding="gzip"
    ),
    "a compression that is none": lambda s: s.ben.send("push", b"{}", content_encoding="br"),
    "JSON without an end": lambda s: s.ben.send("push", b"[" * 900_000),
    "JSON that is deep where it is not read": lambda s: s.ben.send("push", b'{"x":' + b"[" * 200_000),
    "what is no text": lambda s: s.ben.send("push", b'{"workspace":"\xff\xfe"}'),
    "the batch of another workspace": lambda s: push(s.ben, workspace="evil"),
    "a newer protocol": lambda s: push(s.ben, protocol=2),
    "an older client": lambda s: pull(s.ben, recortex_protocol="0"),
    "a client without a protocol": lambda s: pull(s.ben, recortex_protocol=""),
    "a vector with a negative counter": lambda s: pull(s.ben, {s.admin.id: -1}),
    "a vector with a huge counter": lambda s: pull(s.ben, {s.admin.id: 2**70}),
    "a vector with an invented replica": lambda s: pull(s.ben, {"x' OR 1=1 --": 1}),
    "a vector that is too long": lambda s: pull(s.ben, {f"{number:032x}": 1 for number in range(5_001)}),
    # where to
    "a path to the parent": lambda s: pull(s.eve, workspace="evil/../acme"),
    "a path with encoded dots": lambda s: pull(s.eve, workspace="%2e%2e%2facme"),
    "a workspace with NULs": lambda s: pull(s.ben, workspace="acme%00"),
    "a workspace with SQL": lambda s: pull(s.eve, workspace="acme'%20OR%20'1'='1"),
    "a workspace in other letters": lambda s: pull(s.ben, workspace="ACME"),
    "a workspace with a space": lambda s: pull(s.ben, workspace="acme%20"),
    "no workspace": lambda s: pull(s.ben, workspace=""),
}


def join(scene, token, member, *, key=THIEF, public=None, **more):
    thief = Replica(scene.team.base, "acme", token, member, key=key, joined=False)
    card = thief.card(**({"public": public} if public else {}), **more)
    return thief.send("join", {"card": card})


def forged(who, **more):
    """A version of which something was changed, its id as well, but not its signature."""
    one = altered(next_of(who), **more)
    return altered(one, id=id_of(one.memory_id, one.parents, one.operation, one.body))


def foreign(scene):
    if not scene.eve.versions:
        scene.eve.write(memory_id="m")
        scene.eve.push()
    return (scene.eve.versions[0].id,)


def huge(who):
    sent = msgspec.json.encode(who.batch(next_of(who)))
    return sent.replace(b'"counter":3', b'"counter":' + b"9" * 400)


def half_a_character(who):
    return msgspec.json.encode(who.batch(next_of(who, memory_id="mark"))).replace(b'"mark"', b'"\\ud800"')


def many(who):
    one = next_of(who, body="{}")
    return gzip.compress(msgspec.json.encode(who.batch(*[one] * (MOST_VERSIONS + 1))))


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_nothing_that_somebody_hostile_sends_succeeds(scene, attempt):
    foreign(scene)
    before = scene.state()
    status, code = ATTEMPTS[attempt](scene)
    assert 400 <= status < 500, (status, code)
    assert scene.state() == before


def test_who_may_is_still_served(scene):
    assert pull(scene.ben) == (200, "")
    assert TOLD.encode() not in scene.eve.transport.ask("pull", {"vector": {}})


INSIDE = {
    "reads another workspace": ("SELECT * FROM versions WHERE workspace = 'evil'", None),
    "reads all": ("SELECT * FROM versions WHERE workspace <> 'acme'", None),
    "reads tokens of another": ("SELECT * FROM tokens WHERE workspace = 'evil'", None),
    "empties versions of another": ("UPDATE versions SET payload = '' WHERE workspace = 'evil'", None),
    "revokes another's tokens": ("UPDATE tokens SET revoked_at = now() WHERE workspace = 'evil'", None),
    "writes into another workspace": (
        "INSERT INTO members (workspace, member) VALUES ('evil', 'thief')",
        errors.InsufficientPrivilege,
    ),
    "moves rows to another": ("UPDATE members SET workspace = 'evil'", errors.InsufficientPrivilege),
    "changes an id": ("UPDATE versions SET id = ''", errors.InsufficientPrivilege),
    "deletes versions": ("DELETE FROM versions", errors.InsufficientPrivilege),
    "deletes the audit": ("DELETE FROM audit", errors.InsufficientPrivilege),
    "changes the audit": ("UPDATE audit SET detail = ''", errors.InsufficientPrivilege),
    "raises a quota": ("UPDATE workspaces SET most_bytes = 1", errors.InsufficientPrivilege),
    "raises a scope": ("UPDATE tokens SET scope = 'admin'", errors.InsufficientPrivilege),
    "revives a token": ("UPDATE tokens SET expires_at = NULL", errors.InsufficientPrivilege),
    "empties a table": ("TRUNCATE versions", errors.InsufficientPrivilege),
    "drops the policy": ("DROP POLICY own ON versions", errors.InsufficientPrivilege),
    "switches security off": ("SET row_security = off; SELECT * FROM versions", errors.InsufficientPrivilege),
    "disables security": ("ALTER TABLE versions DISABLE ROW LEVEL SECURITY", errors.InsufficientPrivilege),
    "becomes a superuser": ("ALTER ROLE recortex_team SUPERUSER", errors.InsufficientPrivilege),
    "reads files": ("COPY versions (payload) FROM '/etc/passwd'", errors.InsufficientPrivilege),
}


@pytest.mark.parametrize("attempt", INSIDE)
def test_the_role_of_the_server_reaches_one_workspace_and_cannot_rewrite_it(scene, attempt):
    statement, error = INSIDE[attempt]
    before = scene.state()
    with psycopg.connect(scene.url, autocommit=True) as connection:
        connection.execute(
            "SET search_path = recortex_team; SET ROLE recortex_team; SET recortex.team = 'acme'"
        )
        if error:
            with pytest.raises(error):
                connection.execute(statement)
        else:
            assert connection.execute(statement).rowcount == 0
    assert scene.state() == before


@pytest.mark.parametrize("table", "workspaces members tokens replicas versions audit".split())
def test_a_connection_that_names_no_workspace_sees_nothing(scene, table):
    with psycopg.connect(scene.url, autocommit=True) as connection:
        connection.execute("SET ROLE recortex_team")
        assert connection.execute(f"SELECT * FROM recortex_team.{table}").rowcount == 0  # noqa: S608
