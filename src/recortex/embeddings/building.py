"""The embedders that are set up, the preferred one first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.embeddings.hashed import HashedEmbedder
from recortex.embeddings.rows import Pooling
from recortex.embeddings.shaped import Shape, shaped

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.embeddings.providers import Provider
    from recortex.ports.embedding import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """The setting `embedder`, the rows `embedding.*`, and what belongs to the process.

    Attributes:
        embedder: onnx, hashed, or the name of a provider or plug-in.
        folder: of a model; empty: the shipped one.
        model: the provider's model, or the file in the folder; empty: the usual one.
        url: the provider's base URL; empty: its own.
        pooling, max_length: how a folder's model is used.
        query_prefix, passage_prefix, dimensions: see `Shape`.
        timeout: seconds for one call.
        requests_per_minute: to a provider; 0: no limit.
        threads: of a model on this machine.
        variable: of the environment, that may hold the provider's key.
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


def build_embedders(chosen: EmbedderSettings, *, key: str, clean: Callable[[str], str]) -> list[Embedder]:
    """What makes vectors. Nothing is loaded, looked up or sent yet.

    Hashed TF-IDF stands in for the shipped model alone. Where someone chose another, a memory waits for its
    vector, and is found by its words, until that model answers again: a provider's bad hour must not replace
    good vectors.

    Args:
        chosen: what is set.
        key: what `chosen.variable` holds.
        clean: a text as it may leave this machine.
    """
    if chosen.embedder == "hashed":
        return [HashedEmbedder()]
    from recortex.embeddings.cache import CachedEmbedder

    local = chosen.embedder == "onnx"
    preferred = CachedEmbedder(_local(chosen) if local else _elsewhere(chosen, key, clean))
    return [preferred, HashedEmbedder()] if local and not chosen.folder else [preferred]


def _local(chosen: EmbedderSettings) -> Embedder:
    shape = Shape(chosen.query_prefix, chosen.passage_prefix, chosen.dimensions)
    if not chosen.folder:
        from recortex.embeddings.onnx import OnnxEmbedder

        return shaped(OnnxEmbedder(threads=chosen.threads), shape)
    from recortex.embeddings.folder import FolderEmbedder, Reading

    reading = Reading(chosen.model, chosen.pooling, chosen.max_length)
    return shaped(FolderEmbedder(Path(chosen.folder).expanduser(), reading, threads=chosen.threads), shape)


def _elsewhere(chosen: EmbedderSettings, key: str, clean: Callable[[str], str]) -> Embedder:
    """A provider's embedder, or the one that a plug-in makes."""
    from recortex.embeddings.providers import Provider, provider

    row = provider(chosen.embedder)
    if isinstance(row, Provider):
        return _remote(row, chosen, key, clean)
    from recortex.embeddings.plugged import PluggedEmbedder

    made = PluggedEmbedder(chosen.embedder, partial(row, chosen) if row else None, clean=clean)
    return shaped(made, Shape(chosen.query_prefix, chosen.passage_prefix, chosen.dimensions))


def _remote(row: Provider, chosen: EmbedderSettings, key: str, clean: Callable[[str], str]) -> Embedder:
    from recortex.embeddings.http import HttpEmbedder, Service
    from recortex.embeddings.keys import key_of

    name = chosen.embedder
    shortened, cut = (chosen.dimensions, 0) if row.shortens else (0, chosen.dimensions)
    service = Service(
        label=name, provider=row, model=chosen.model, url=chosen.url, variable=chosen.variable,
        dimensions=shortened,
        timeout=chosen.timeout, requests_per_minute=chosen.requests_per_minute,
    )  # fmt: skip
    needed = row.keyed and not chosen.url
    made = HttpEmbedder(service, lambda: key_of(name, chosen.variable, key, needed=needed), clean=clean)
    return shaped(made, Shape(chosen.query_prefix, chosen.passage_prefix, cut))
