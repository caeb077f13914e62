"""A team server on a real PostgreSQL and a real port, and replicas that use it, well or badly."""

import socket
import threading
import time
from contextlib import contextmanager

import httpx2
import msgspec
import uvicorn
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from recortex.sync import protocol
from recortex.sync.http import HttpTransport, Place
from recortex.sync.protocol import (
    PROTOCOL,
    Applied,
    Batch,
    Card,
    SyncVersion,
    add_to_hash,
    id_of,
    replica_of,
    signed,
    signed_applied,
    signed_card,
)
from recortex.sync.server import TeamSettings, team_application
from recortex.sync.team_rules import Limits
from recortex.sync.team_store import make_tables, make_workspace
from recortex.web.serving import CONFIGURATION

FAST = Limits(rate=10_000.0, burst=100_000.0)


_OPENED = []
"""Transports to close when the server ends."""


@contextmanager
def team_server(url, **more):
    """A server of a database; gives its base URL."""
    listening = socket.create_server(("127.0.0.1", 0))
    app = team_application(TeamSettings(url, **more))
    server = uvicorn.Server(uvicorn.Config(app, **CONFIGURATION))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        while _OPENED:
            _OPENED.pop().close()
        server.should_exit = True
        thread.join()
        listening.close()


class Replica:
    """A replica with a key, the versions that it wrote, and its transport."""

    def __init__(self, base, workspace, token, member="", *, key=None, joined=True):
        self.key = key or Ed25519PrivateKey.generate()
        self.public = self.key.public_key().public_bytes_raw().hex()
        self.id, self.place, self.token = replica_of(self.public), Place(base, workspace), token
        self.transport = HttpTransport(self.place, token, self.id, self.key, sleep=lambda _: None)
        _OPENED.append(self.transport)
        self.member, self.versions = member or self.transport.token()["member"], []
        if joined:
            self.transport.join(self.card())

    def card(self, **more):
        card = Card(**{"replica": self.id, "public": self.public, "author": self.member, "since": 1} | more)
        return msgspec.structs.replace(
            card, signature=self.key.sign(signed_card(card, self.place.workspace)).hex()
        )

    def version(self, *, workspace="", **more):
        """A version that continues the log, signed; what is given is signed as well."""
        given = {
            "memory_id": f"m{len(self.versions) + 1}", "parents": (), "replica": self.id,
            "counter": len(self.versions) + 1, "clock": len(self.versions) + 1, "operation": "create",
            "author": self.member, "body": f'{{"text":"{self.member} {len(self.versions) + 1}"}}',
        } | more  # fmt: skip
        said = (given[name] for name in ("memory_id", "parents", "operation", "body"))
        made = SyncVersion(**({"id": id_of(*said)} | given))
        signature = self.key.sign(signed(made, workspace or self.place.workspace)).hex()
        return msgspec.structs.replace(made, signature=signature)

    def write(self, number=1, **more):
        """Versions that were made now; they are part of the log."""
        made = []
        for _ in range(number):
            made.append(self.version(**more))
            self.versions.append(made[-1])
        return made

    def batch(self, *versions, **more):
        return Batch(**{"workspace": self.place.workspace, "versions": versions} | more)

    def applied(self, vector):
        made = Applied(replica=self.id, vector=vector, clock=1)
        text = signed_applied(made, self.place.workspace)
        return msgspec.structs.replace(made, signature=self.key.sign(text).hex())

    def push(self, *versions, **more):
        return self.transport.push(self.batch(*(versions or self.versions), **more))

    def send(
        self,
        route,
        body=b"",
        *,
        token=None,
        replica=None,
        key=None,
        moment=None,
        proof=None,
        workspace=None,
        method="POST",
        **headers,
    ):
        """One request as it is said, without the transport's care; gives its status and the server's word."""
        place = workspace if workspace is not None else self.place.workspace
        path = f"{protocol.ROOT}/{place}/{route}"
        body = body if isinstance(body, bytes) else msgspec.json.encode(body)
        moment = moment or int(time.time() * 1000)
        made = (key or self.key).sign(protocol.signed_request(method, path, moment, body)).hex()
        told = {
            "authorization": f"Bearer {self.token}" if token is None else token and f"Bearer {token}",
            protocol.PROTOCOL_HEADER: str(PROTOCOL),
            protocol.REPLICA: self.id if replica is None else replica,
            protocol.PROOF: proof or f"{moment}.{made}",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        told = {name: value.encode("latin-1") for name, value in told.items() if value}
        answer = httpx2.request(method, self.place.base + path, content=body, headers=told, trust_env=False)
        error = answer.json().get("error", {}) if answer.status_code != 404 or answer.text[:1] == "{" else {}
        return answer.status_code, error.get("code", "")


class Team:
    """A workspace with an admin."""

    def __init__(self, base, url, workspace, limits=FAST):
        self.base, self.url, self.workspace = base, url, workspace
        self.admin = Replica(base, workspace, make_workspace(url, workspace, "ada", limits))

    def invite(self, member, scope="write", days=90):
        wanted = {"member": member, "scope": scope, "days": days}
        return msgspec.json.decode(self.admin.transport.ask("invite", wanted))["token"]

    def member(self, member, scope="write"):
        return Replica(self.base, self.workspace, self.invite(member, scope))


def everything(replica):
    """All that a replica can pull, checked against the server's own account of it."""
    vector, versions, cards = {}, [], {}
    while True:
        page = replica.transport.pull(vector, 500)
        versions += page.versions
        cards |= {card.replica: card for card in page.cards}
        vector |= {one.replica: one.counter for one in page.versions}
        if not page.more:
            break
    assert vector == page.vector
    assert add_to_hash("", versions) == page.set_hash
    assert {one.replica for one in versions} <= cards.keys()
    return versions


def new_team_database(server, name, partitions=0):
    url = server.new_database(name)
    make_tables(url, partitions=partitions)
    return url
