"""Which embedder, and how it is used."""

from __future__ import annotations

from dataclasses import dataclass

from recortex.embeddings.rows import Pooling


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """The settings `embedder` and `embedding.*`, and values of this process.

    Attributes:
        embedder: onnx, hashed, or the name of a provider or plug-in.
        folder: of a model; empty for the shipped one.
        model: the provider's model, or the file in the folder; empty for the default.
        url: the provider's base URL; empty for its own.
        pooling, max_length: how a folder's model is used.
        query_prefix, passage_prefix, dimensions: see `Shape`.
        timeout: seconds for one call.
        requests_per_minute: to a provider; 0 means no limit.
        threads: of a model on this machine.
        variable: the environment variable that may have the provider's key.
    """

    embedder: str = "onnx"
    folder: str = ""
    model: str = ""
    url: str = ""
    pooling: Pooling = "mean"
    max_length: int = 512
    query_prefix: str = ""
    passage_prefix: str = ""
    dimensions: int = 0
    timeout: float = 30.0
    requests_per_minute: int = 0
    threads: int = 1
    variable: str = ""
