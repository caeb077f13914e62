"""A model on 127.0.0.1 that says what a script gives it and keeps every request it was sent."""

from __future__ import annotations

import contextlib
import gzip
import json
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from agents.dialects import answer
from agents.patience import SECONDS
from agents.script import SUMMARY, Call, Request, Turn, kind, turn

if TYPE_CHECKING:
    from collections.abc import Sequence

Spec = str | Call | Turn | list[str | Call]
HELD = 2 * SECONDS  # that an answer waits at most


class Model:
    """`turns` answer the main conversation in order; when they have run out the answer is `(done)`."""

    def __init__(self, turns: Sequence[Spec] = ()) -> None:
        self.requests: list[Request] = []
        self._turns = deque(turn(spec) for spec in turns)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def main(self) -> list[Request]:
        """The requests of the main conversation."""
        return [one for one in self.requests if one.kind == "main"]

    @property
    def left(self) -> int:
        """How many turns were not given yet."""
        with self._lock:
            return len(self._turns)

    def then(self, *turns: Spec) -> None:
        """More turns, after those that are left."""
        with self._lock:
            self._turns.extend(turn(spec) for spec in turns)

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def asked(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> bytes:
        """Keep a request and give the bytes of its answer."""
        request = Request(path, body, kind(path, headers, body), time.monotonic())
        with self._lock:
            self.requests.append(request)
            said = self._next(request)
        if said.held:
            said.held.wait(HELD)
        blocks = [_resolved(block, request) for block in said.blocks]
        spaces = dict(request.tools.values())
        return answer(path, body, blocks, spaces, said.input_tokens)

    def _next(self, request: Request) -> Turn:
        if request.kind == "compaction":
            return Turn((SUMMARY,), input_tokens=20_000)  # Qwen Code reckons with what it took to read all
        if request.kind != "main":
            return turn("done")
        said = self._turns[0] if self._turns else turn("(done)")
        if self._turns and (not said.until or any(name.endswith(said.until) for name in request.tools)):
            self._turns.popleft()
        return said


def _resolved(block: str | Call, request: Request) -> str | Call:
    if isinstance(block, str) or not block.tool.startswith("*"):
        return block
    named = [name for whole, (name, _) in request.tools.items() if whole.endswith(block.tool[1:])]
    return (
        Call(named[0], block.arguments) if named else f"(no tool {block.tool} among {sorted(request.tools)})"
    )


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Standard error belongs to the tests."""

        def do_GET(self) -> None:
            one = {"id": "scripted", "object": "model", "owned_by": "test"}
            self._send("application/json", json.dumps({"data": [one], "models": []}).encode())

        def do_HEAD(self) -> None:
            self._send("application/json", b"")

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.headers.get("content-encoding") == "gzip":
                raw = gzip.decompress(raw)
            body = json.loads(raw or b"{}")
            if "ount" in self.path and "okens" in self.path:
                return self._send("application/json", b'{"input_tokens": 100, "totalTokens": 100}')
            headers = {name.lower(): value for name, value in self.headers.items()}
            return self._send("text/event-stream", model.asked(self.path, headers, body))

        def _send(self, form: str, data: bytes) -> None:
            # A client that was killed is not there to read its answer.
            with contextlib.suppress(ConnectionError):
                self.send_response(200)
                self.send_header("content-type", form)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

    return Handler
