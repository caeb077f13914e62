"""Embedders at a local server."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from local_embedding import KEY, EmbeddingServer

from local_server import serving
from recortex.embeddings.providers import PROVIDERS, EmbedderSettings, HttpEmbedder

PATIENCE = 300.0  # seconds, for a machine that may be slow


@pytest.fixture(autouse=True)
def _in_no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions wait for an answer, and so does a store."""
    monkeypatch.setattr("recortex.embeddings.providers.QUERY_SECONDS", PATIENCE)
    monkeypatch.setenv("RECORTEX_EMBEDDING_TIMEOUT", str(round(PATIENCE)))


@pytest.fixture
def long_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """The minute of a provider's limit does not end by itself, and is longer than anybody waits."""
    monkeypatch.setattr("recortex.embeddings.providers.MINUTE", 12 * PATIENCE)


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    it = EmbeddingServer()
    with serving(it):
        yield it


@pytest.fixture
def embedder_at(server: EmbeddingServer) -> Callable[..., HttpEmbedder]:
    """An embedder of a provider at the local server."""

    def make(name: str = "openai", **values: Any) -> HttpEmbedder:
        given: dict[str, Any] = {
            "url": server.url, "model": "small", "timeout": PATIENCE, "variable": "SOME_API_KEY",
        }  # fmt: skip
        chosen = EmbedderSettings(embedder=name, **(given | values))
        return HttpEmbedder(PROVIDERS[name], chosen, lambda: KEY, clean=str, pause=0.01)

    return make
