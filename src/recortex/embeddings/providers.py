"""Providers of vectors over HTTP, a row each.

Where to post, what, how much at once, and how to read the answer.

The limits are those that the providers document, or refuse beyond: OpenAI 2,048 texts and 300,000 tokens a
request, 8,192 a text; Voyage 1,000 texts and 120,000 tokens for voyage-code-3; Mistral 16,384 tokens a
request, 8,192 a text; Gemini 100 texts of 2,048 tokens. We stay well below: an answer of 64 texts in 3,072
dimensions is 5 MB of JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from recortex import plugins
from recortex.codec import convert

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from recortex.embeddings.building import EmbedderSettings
    from recortex.ports.embedding import Embedder, Purpose

BYTES_PER_TOKEN = 2
"""Of UTF-8, fewer than any tokenizer in use needs for prose or code: so many bytes are never more tokens than
a limit."""


class Asked(NamedTuple):
    """One request.

    Attributes:
        model: its name at the provider.
        texts: what is embedded.
        purpose: what the texts are for.
        dimensions: so many are wanted of each vector; 0: the model's own number.
    """

    model: str
    texts: Sequence[str]
    purpose: Purpose
    dimensions: int


class Found(NamedTuple):
    """A vector of an answer, and the place of its text in the request; None where the order alone tells."""

    values: list[float]
    place: int | None = None


class Provider(NamedTuple):
    """A row of the table.

    Attributes:
        url: the base URL that is used where none is set.
        model: the model that is used where none is set.
        dimensions: the length of that model's vectors.
        keyed: whether its own service wants a key.
        path: below the base URL, from the model's name.
        headers: from the key.
        body: the request as plain JSON values.
        read: the vectors out of a successful answer; raises `InvalidInputError` where it has another form.
        shortens: whether it takes the number of dimensions as a parameter; else we cut.
        texts: at most so many in a request.
        bytes: at most so many of UTF-8 in a request.
        longest: bytes of a text that are sent; the rest has no influence.
        wrong_key: what its answer of 400 holds where it does not accept the key; empty where it answers 401
            or 403.
    """

    url: str
    model: str
    dimensions: int
    keyed: bool
    path: Callable[[str], str]
    headers: Callable[[str], Mapping[str, str]]
    body: Callable[[Asked], Mapping[str, Any]]
    read: Callable[[Any], list[Found]]
    shortens: bool
    texts: int
    bytes: int
    longest: int
    wrong_key: str = ""


@dataclass(frozen=True, slots=True)
class _Item:
    embedding: list[float]
    index: int | None = None


@dataclass(frozen=True, slots=True)
class _List:
    data: list[_Item]


@dataclass(frozen=True, slots=True)
class _Values:
    values: list[float]


@dataclass(frozen=True, slots=True)
class _Contents:
    embeddings: list[_Values]


@dataclass(frozen=True, slots=True)
class _Plain:
    embeddings: list[list[float]]


def _read_list(data: Any) -> list[Found]:
    return [Found(item.embedding, item.index) for item in convert(data, _List).data]


def _read_contents(data: Any) -> list[Found]:
    return [Found(item.values) for item in convert(data, _Contents).embeddings]


def _read_plain(data: Any) -> list[Found]:
    return [Found(values) for values in convert(data, _Plain).embeddings]


def _bearer(key: str) -> Mapping[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


def _given(name: str, value: Any) -> dict[str, Any]:
    """A parameter that is left out where nothing is asked."""
    return {name: value} if value else {}


def _openai(asked: Asked) -> Mapping[str, Any]:
    return {
        "model": asked.model,
        "input": list(asked.texts),
        "encoding_format": "float",
        **_given("dimensions", asked.dimensions),
    }


def _voyage(asked: Asked) -> Mapping[str, Any]:
    return {
        "model": asked.model,
        "input": list(asked.texts),
        "input_type": "query" if asked.purpose == "query" else "document",
        **_given("output_dimension", asked.dimensions),
    }


def _mistral(asked: Asked) -> Mapping[str, Any]:
    return {
        "model": asked.model,
        "input": list(asked.texts),
        **_given("output_dimension", asked.dimensions),
    }


def _gemini(asked: Asked) -> Mapping[str, Any]:
    task = "RETRIEVAL_QUERY" if asked.purpose == "query" else "RETRIEVAL_DOCUMENT"
    shared = {
        "model": f"models/{asked.model.removeprefix('models/')}",
        "taskType": task,
        **_given("outputDimensionality", asked.dimensions),
    }
    return {"requests": [{**shared, "content": {"parts": [{"text": text}]}} for text in asked.texts]}


def _gemini_path(model: str) -> str:
    return f"/v1beta/models/{quote(model.removeprefix('models/'), safe='')}:batchEmbedContents"


def _ollama(asked: Asked) -> Mapping[str, Any]:
    return {"model": asked.model, "input": list(asked.texts), "truncate": True}


PROVIDERS: dict[str, Provider] = {
    "openai": Provider(
        url="https://api.openai.com/v1",
        model="text-embedding-3-large",
        dimensions=3_072,
        keyed=True,
        path=lambda _: "/embeddings",
        headers=_bearer,
        body=_openai,
        read=_read_list,
        shortens=True,
        texts=64,
        bytes=300_000,
        longest=8_192 * BYTES_PER_TOKEN,
    ),
    "voyage": Provider(
        url="https://api.voyageai.com/v1",
        model="voyage-code-3",
        dimensions=1_024,
        keyed=True,
        path=lambda _: "/embeddings",
        headers=_bearer,
        body=_voyage,
        read=_read_list,
        shortens=True,
        texts=64,
        bytes=120_000 * BYTES_PER_TOKEN,
        longest=16_384 * BYTES_PER_TOKEN,
    ),
    "mistral": Provider(
        url="https://api.mistral.ai/v1",
        model="codestral-embed",
        dimensions=1_536,
        keyed=True,
        path=lambda _: "/embeddings",
        headers=_bearer,
        body=_mistral,
        read=_read_list,
        shortens=True,
        texts=64,
        bytes=16_384 * BYTES_PER_TOKEN,
        longest=8_192 * BYTES_PER_TOKEN,
    ),
    "gemini": Provider(
        url="https://generativelanguage.googleapis.com",
        model="gemini-embedding-001",
        dimensions=3_072,
        keyed=True,
        path=_gemini_path,
        headers=lambda key: {"x-goog-api-key": key} if key else {},
        body=_gemini,
        read=_read_contents,
        shortens=True,
        texts=64,
        bytes=20_000 * BYTES_PER_TOKEN,
        longest=2_048 * BYTES_PER_TOKEN,
        # The reason in google.rpc.ErrorInfo, of keys that are wrong or have expired.
        wrong_key="API_KEY_INVALID",
    ),
    "ollama": Provider(
        url="http://127.0.0.1:11434",
        model="nomic-embed-text",
        dimensions=768,
        keyed=False,
        path=lambda _: "/api/embed",
        headers=_bearer,
        body=_ollama,
        read=_read_plain,
        shortens=False,  # servers before the parameter ignore it without a word
        texts=32,  # runs on this machine, mostly: a short request is a short wait
        bytes=64_000,
        longest=2_048 * BYTES_PER_TOKEN,  # nomic-embed-text's window in Ollama
    ),
}


def provider(name: str) -> Provider | Callable[[EmbedderSettings], Embedder] | None:
    """The provider of a name: a row of the table, or a plug-in's row or its function that makes an embedder.

    None if there is none, or it cannot be loaded.
    """
    return PROVIDERS.get(name) or plugins.plugin(plugins.EMBEDDERS, name)
