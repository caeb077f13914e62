"""Models at a local server."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from local_provider import KEY, SCHEMA, Provider

from local_server import serving
from recortex.domain.maintenance import Request
from recortex.llm import ModelSettings, build_model
from recortex.ports.model import LanguageModel
from recortex.storage.sqlite.store import SqliteStore

PATIENCE = 300  # seconds, for a machine that may be slow


@pytest.fixture
def provider() -> Iterator[Provider]:
    it = Provider()
    with serving(it):
        yield it


@pytest.fixture
def store(tmp_path: Path, clock) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "memory.db", backups=tmp_path / "backups", clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def model_at(provider: Provider, store: SqliteStore, clock) -> Callable[..., LanguageModel]:
    """A model of a provider at the local server."""

    def make(name: str = "anthropic", **values: Any) -> LanguageModel:
        settings = ModelSettings(**{"provider": name, "url": provider.url, "timeout": PATIENCE, **values})
        model = build_model(settings, KEY, store.model_calls, clock)
        assert model is not None
        model._pauses = (0.01, 0.01)
        return model

    return make


@pytest.fixture
def question() -> Request:
    return Request(
        purpose="extract", system="Be brief.", prompt="What is there?", schema=SCHEMA, items="things",
        session="s1",
    )  # fmt: skip
