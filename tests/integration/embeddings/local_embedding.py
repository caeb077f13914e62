"""A local server with the providers' protocols; vectors follow from the texts, so that a mix-up shows."""

import hashlib
import json
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np

from local_server import LocalServer, Seen, send

KEY = "sk-test-0123456789abcdef"
NAMES = ("openai", "voyage", "mistral", "gemini", "ollama")
WIDTH = 8


def vector_of(text: str, width: int = WIDTH) -> list[float]:
    """The vector that the server gives a text, not of unit length."""
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
    values: list[float] = np.random.default_rng(seed).normal(size=width).tolist()
    return values


def unit_of(texts: Sequence[str], width: int = WIDTH) -> np.ndarray:
    rows = np.array([vector_of(text, width) for text in texts])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def texts_of(name: str, body: Any) -> list[str]:
    if name == "gemini":
        return [one["content"]["parts"][0]["text"] for one in body["requests"]]
    return body["input"]


def enveloped(name: str, vectors: Sequence[Sequence[float | None]]) -> dict[str, Any]:
    """What a provider answers."""
    if name == "gemini":
        return {"embeddings": [{"values": list(values)} for values in vectors]}
    if name == "ollama":
        return {"model": "small", "embeddings": [list(values) for values in vectors], "total_duration": 3}
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": place, "embedding": list(values)}
            for place, values in enumerate(vectors)
        ],
        "model": "small",
        "usage": {"prompt_tokens": 5, "total_tokens": 5},
    }


class EmbeddingServer(LocalServer):
    """A server that speaks a provider's protocol."""

    def speaks(self, name: str, width: int = WIDTH) -> None:
        """Answer every request as the provider would."""
        self.act = lambda handler: self.answer(name, handler, width)

    def answer(self, name: str, handler: BaseHTTPRequestHandler, width: int = WIDTH) -> None:
        vectors = [vector_of(text, width) for text in texts_of(name, self.seen[-1].body)]
        send(handler, json.dumps(enveloped(name, vectors)).encode())

    def fails_first(
        self, times: int, fail: Callable[[BaseHTTPRequestHandler], None], name: str = "openai"
    ) -> None:
        """Fail so often, then answer."""

        def act(handler: BaseHTTPRequestHandler) -> None:
            if len(self.seen) <= times:
                fail(handler)
            else:
                self.answer(name, handler)

        self.act = act

    @property
    def last(self) -> Seen:
        return self.seen[-1]
