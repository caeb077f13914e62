"""Embedders at a local server."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from local_embedding import KEY, EmbeddingServer

from local_server import serving
from recortex.embeddings.http import HttpEmbedder, Service
from recortex.embeddings.providers import PROVIDERS


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    it = EmbeddingServer()
    with serving(it):
        yield it


@pytest.fixture
def embedder_at(server: EmbeddingServer) -> Callable[..., HttpEmbedder]:
    """An embedder of a provider at the local server."""

    def make(name: str = "openai", **values: Any) -> HttpEmbedder:
        service = Service(**{
            "label": name, "provider": PROVIDERS[name], "url": server.url, "model": "small", "timeout": 5.0,
            "variable": "SOME_API_KEY", **values,
        })  # fmt: skip
        return HttpEmbedder(service, lambda: KEY, clean=str, pause=0.01)

    return make
