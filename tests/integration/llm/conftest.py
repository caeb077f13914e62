"""Models at a local server."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from local_provider import KEY, SCHEMA, Provider, Seen

from recortex.llm.client import build_model
from recortex.llm.settings import ModelSettings
from recortex.ports.model import LanguageModel, Request
from recortex.storage.sqlite.store import SqliteStore


@pytest.fixture
def provider() -> Iterator[Provider]:
    it = Provider()

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

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    it.url = f"http://127.0.0.1:{server.server_port}"
    yield it
    it.stopped.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def store(tmp_path: Path, clock) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "memory.db", backups=tmp_path / "backups", clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def model_at(provider: Provider, store: SqliteStore, clock) -> Callable[..., LanguageModel]:
    """A model of a provider at the local server."""

    def make(name: str = "anthropic", **values: Any) -> LanguageModel:
        settings = ModelSettings(**{"provider": name, "url": provider.url, "timeout": 5, **values})
        model = build_model(settings, KEY, store.model_calls, clock)
        assert model is not None
        model._pauses = (0.01, 0.01)
        return model

    return make


@pytest.fixture
def question() -> Request:
    return Request(
        purpose="extract",
        system="Be brief.",
        prompt="What is there?",
        schema=SCHEMA,
        items="things",
        session="s1",
    )
