"""Builds the embedders from the settings, the preferred one first."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.embeddings.hashed import HashedEmbedder
from recortex.embeddings.shaped import Shape, shaped

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.embeddings.settings import EmbedderSettings
    from recortex.ports.embedding import Embedder


def build_embedders(chosen: EmbedderSettings, *, key: str, clean: Callable[[str], str]) -> list[Embedder]:
    """Build the embedders. Nothing is loaded or sent yet.

    Hashed TF-IDF only replaces the shipped model. With any other model, memories wait for their vectors and
    are found by their words until that model works again: an outage must not replace good vectors.

    Args:
        chosen: the settings.
        key: the value of `chosen.variable`.
        clean: removes from a text what must not leave this machine.
    """
    if chosen.embedder == "hashed":
        return [HashedEmbedder()]
    from recortex.embeddings.cache import CachedEmbedder

    local = chosen.embedder == "onnx"
    preferred = CachedEmbedder(_local(chosen) if local else _remote(chosen, key, clean))
    return [preferred, HashedEmbedder()] if local and not chosen.folder else [preferred]


def _local(chosen: EmbedderSettings) -> Embedder:
    if not chosen.folder:
        from recortex.embeddings.onnx import OnnxEmbedder

        return shaped(OnnxEmbedder(threads=chosen.threads), _shape(chosen))
    from recortex.embeddings.folder import FolderEmbedder

    inner = FolderEmbedder(
        Path(chosen.folder).expanduser(),
        file=chosen.model,
        pooling=chosen.pooling,
        length=chosen.max_length,
        threads=chosen.threads,
    )
    return shaped(inner, _shape(chosen))


def _remote(chosen: EmbedderSettings, key: str, clean: Callable[[str], str]) -> Embedder:
    """A provider's embedder, or the one that a plug-in makes."""
    from recortex.embeddings.providers import Provider, provider

    row = provider(chosen.embedder)
    if not isinstance(row, Provider):
        from recortex.embeddings.plugged import PluggedEmbedder

        made = PluggedEmbedder(chosen.embedder, partial(row, chosen) if row else None, clean=clean)
        return shaped(made, _shape(chosen))
    from recortex.embeddings.http import HttpEmbedder
    from recortex.embeddings.keys import key_of

    needed = row.keyed and not chosen.url
    remote = HttpEmbedder(
        row, chosen, lambda: key_of(chosen.embedder, chosen.variable, key, needed=needed), clean=clean
    )
    shape = _shape(chosen)
    return shaped(remote, shape._replace(dimensions=0) if row.shortens else shape)


def _shape(chosen: EmbedderSettings) -> Shape:
    return Shape(chosen.query_prefix, chosen.passage_prefix, chosen.dimensions)
