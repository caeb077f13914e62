"""A model on 127.0.0.1 for programs that want vectors: an OpenAI-compatible endpoint that hashes words."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DIMENSIONS = 384


def vector(text: str) -> list[float]:
    """A vector with a one, or more, where the hash of a word says."""
    found = [0.0] * DIMENSIONS
    for word in text.lower().split():
        found[int(hashlib.sha256(word.encode()).hexdigest(), 16) % DIMENSIONS] += 1.0
    return found if any(found) else [1.0, *found[1:]]


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))["input"]
        texts = asked if isinstance(asked, list) else [asked]
        data = [
            {"object": "embedding", "index": at, "embedding": vector(one)} for at, one in enumerate(texts)
        ]
        body = json.dumps({"object": "list", "model": "words", "data": data, "usage": {}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def start() -> str:
    """Serve in the background; the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"
