"""A server on this machine that answers POST as a test tells it to, also badly."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Seen:
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class LocalServer:
    """A server; `act` answers each request."""

    url: str = ""
    act: Callable[[BaseHTTPRequestHandler], None] = lambda _: None
    seen: list[Seen] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def sends(self, body: bytes, *, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.act = lambda handler: send(handler, body, status=status, headers=headers)


def send(
    handler: BaseHTTPRequestHandler, body: bytes, *, status: int = 200, headers: dict[str, str] | None = None
) -> None:
    handler.send_response(status)
    for name, value in {"content-length": str(len(body)), **(headers or {})}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def serving(it: LocalServer) -> Iterator[None]:
    """Listen on a free port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            it.seen.append(Seen(self.path, headers, json.loads(body)))
            try:
                it.act(self)
            except OSError:
                self.close_connection = True  # the client went away, which some tests want

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """A client that went away is no news."""

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    it.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield
    finally:
        it.stopped.set()
        server.shutdown()
        server.server_close()
