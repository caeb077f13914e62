"""A server on a real port that answers as a test says, and an OpenID provider on one."""

import json
import os
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT = "recortex-cli"


@contextmanager
def answering(act):
    """A server on a free port that answers every request by a function of method, path and body."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, headers, answer = act(self.command, self.path, body)
            self.send_response(status)
            for name, value in {"content-length": str(len(answer)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_POST  # noqa: N815  the library's name

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Issuer:
    """An OpenID provider with a device flow, a real one but for its people."""

    def __init__(self):
        self.key, self.url = rsa.generate_private_key(65537, 2048), ""
        self.answers = []  # what the token's endpoint says before it gives one
        self.at = []  # when it was asked
        self.interval, self.code = 0.01, "ABCD-EFGH"
        self.cut = 0  # how many questions for a token get no answer

    def act(self, _method, path, body):
        documents = {
            "/.well-known/openid-configuration": {
                "issuer": self.url, "jwks_uri": f"{self.url}/keys",
                "device_authorization_endpoint": f"{self.url}/device",
                "token_endpoint": f"{self.url}/token",
            },
            "/keys": {"keys": [self.public()]},
            "/device": {
                "device_code": "device-1", "user_code": self.code, "verification_uri": f"{self.url}/enter",
                "interval": self.interval, "expires_in": 60,
            },
        }  # fmt: skip
        if path == "/token":
            assert parse_qs(body.decode())["device_code"] == ["device-1"]
            self.at.append(time.monotonic())
            if self.cut:
                self.cut -= 1
                raise ConnectionAbortedError
            said = self.answers.pop(0) if self.answers else {"id_token": self.token()}
            return (400 if "error" in said else 200), {}, json.dumps(said).encode()
        found = documents.get(path)
        return (200 if found else 404), {}, json.dumps(found or {}).encode()

    def public(self):
        told = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return told | {"kid": "1", "use": "sig", "alg": "RS256"}

    def token(self, *, key=None, algorithm="RS256", **more):
        now = datetime.now(UTC)
        claims = {
            "iss": self.url, "aud": CLIENT, "sub": "1", "email": "ben@example.com", "email_verified": True,
            "iat": now, "exp": now + timedelta(minutes=5), "jti": os.urandom(8).hex(),
        } | more  # fmt: skip
        claims = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(claims, key if key is not None else self.key, algorithm, headers={"kid": "1"})


@contextmanager
def provider():
    """An OpenID provider that runs."""
    made = Issuer()
    with answering(made.act) as url:
        made.url = url
        yield made
