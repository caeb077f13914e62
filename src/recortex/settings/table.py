"""The table of settings: a row each, with what a value may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from recortex import plugins

if TYPE_CHECKING:
    from collections.abc import Callable

KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}
"""The variable that holds a provider's key."""
EMBEDDER_KEYS = {
    "openai": KEYS["openai"],
    "voyage": "VOYAGE_API_KEY",
    "mistral": "MISTRAL_API_KEY",
    "gemini": KEYS["gemini"],
    "ollama": "",
}
"""The providers of vectors, and the variable that holds the key of each."""
LOCAL_EMBEDDERS = frozenset({"onnx", "hashed", "none"})
"""What makes vectors on this machine: all that a project's file may choose."""


def key_variable(embedder: str) -> str:
    """The variable that may hold the key of an embedder.

    A plug-in's is its name in capitals with `_API_KEY`.
    """
    if embedder in LOCAL_EMBEDDERS:
        return ""
    return EMBEDDER_KEYS.get(embedder, f"{embedder.upper().replace('-', '_')}_API_KEY")


class Parser(NamedTuple):
    """Reads a value as it stands in a variable.

    Attributes:
        takes: what it takes, in words.
        read: the value; raises ValueError or KeyError where the text is none.
    """

    takes: str
    read: Callable[[str], Any]

    def __call__(self, text: str) -> Any:
        """The value.

        Raises:
            ValueError: the text is none; says what it takes.
        """
        try:
            return self.read(text)
        except (ValueError, KeyError):
            raise ValueError(self.takes) from None


class Setting(NamedTuple):
    """A row of the table.

    Attributes:
        name: as written in the files; the variable is `RECORTEX_` and the name in capitals with underscores.
        project: whether a project's own file may set it; where it may set some values alone, those. The file
            may come from a stranger: nothing that writes, sends, runs or names a path is among them.
    """

    name: str
    default: Any
    parse: Parser
    help: str
    project: bool | frozenset[bool] = False


def _one_of(*words: str, plugged: str = "") -> Parser:
    """One of these words, or the name of a plug-in of a group."""

    def read(text: str) -> str:
        if text in words or (plugged and text in plugins.names(plugged)):
            return text
        raise ValueError

    takes = f"one of {', '.join(word or 'nothing' for word in words)}"
    return Parser(f"{takes}, or a plug-in's name" if plugged else takes, read)


def _whole(least: int, most: int, *, or_none: bool = False) -> Parser:
    def read(text: str) -> int:
        value = int(text)
        if not (least <= value <= most or (or_none and value == 0)):
            raise ValueError
        return value

    return Parser(f"a whole number from {least} to {most}{', or 0' if or_none else ''}", read)


def _number(most: int) -> Parser:
    def read(text: str) -> float:
        value = float(text)
        if not 0.0 <= value <= most:
            raise ValueError
        return value

    return Parser(f"a number from 0 to {most}", read)


_FLAGS = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}
_OFF = frozenset({False})
_TEXT = Parser("a text", str)
_FLAG = Parser("true or false", lambda text: _FLAGS[text.strip().lower()])
_EMBEDDER = _one_of("onnx", "hashed", "none", *EMBEDDER_KEYS, plugged=plugins.EMBEDDERS)
_PROVIDER = _one_of("", *KEYS, "ollama", "agent")
_POOLING = _one_of("mean", "cls", "last")
_AMOUNT, _SHARE = _number(1000), _number(1)
_MOST = 1000
_MOST_TOKENS = 1_000_000_000


def _at_least(least: int) -> Parser:
    return _whole(least, _MOST)


SETTINGS = (
    Setting("home", "", _TEXT, "Folder of all of the user's data; empty: the platform's data directory."),
    Setting(
        "url",
        "",
        _TEXT,
        "The store, as sqlite:///FILE or postgresql://…; empty: a folder of the data directory for each "
        "project.",
    ),
    Setting(
        "workspace",
        "",
        _TEXT,
        "The project's name on a PostgreSQL server; empty: what `recortex init` bound the checkout to.",
    ),
    Setting("postgres.connections", 4, _at_least(1), "Connections of one process to a server, at most."),
    Setting("now", "", _TEXT, "Fixes the clock (ISO 8601); for tests."),
    Setting(
        "embedder",
        "onnx",
        _EMBEDDER,
        "What makes vectors: onnx, hashed (TF-IDF), none; elsewhere: openai, voyage, mistral, gemini, "
        "ollama.",
    ),
    Setting("embedding.folder", "", _TEXT, "Folder of an ONNX model; empty: the shipped all-MiniLM-L6-v2."),
    Setting(
        "embedding.model", "", _TEXT, "The provider's model, or the file in the folder; empty: the usual one."
    ),
    Setting("embedding.url", "", _TEXT, "The provider's base URL; empty: its own."),
    Setting(
        "embedding.dimensions",
        0,
        _whole(16, 8_192, or_none=True),
        "How many dimensions are kept, for Matryoshka models; 0: all.",
    ),
    Setting("embedding.query_prefix", "", _TEXT, "Put before what is asked, as the model wants."),
    Setting("embedding.passage_prefix", "", _TEXT, "Put before what is kept, likewise."),
    Setting("embedding.pooling", "mean", _POOLING, "How a folder's model pools tokens: mean, cls, last."),
    Setting("embedding.max_length", 512, _whole(8, 32_768), "Tokens of a text that a folder's model reads."),
    Setting("embedding.timeout", 30, _at_least(1), "Seconds that a provider has for one call."),
    Setting(
        "embedding.requests_per_minute",
        0,
        _whole(0, 100_000),
        "Requests to a provider in a minute, of one process; 0: no limit.",
    ),
    Setting(
        "threads", 0, _at_least(0), "Threads of the embedding model; 0: one for each core, four at most."
    ),
    Setting(
        "agents.trusted",
        default=False,
        parse=_FLAG,
        help="Let agents keep global, pinned and critical memories, and approve what waits, without asking "
        "you.",
    ),
    Setting("recall.limit", 8, _at_least(1), "How many memories a recall gives at most.", project=True),
    Setting(
        "recall.floor",
        default=True,
        parse=_FLAG,
        help="Give no answer rather than an irrelevant one.",
        project=True,
    ),
    Setting("backups.keep", 5, _at_least(1), "How many backups stay."),
    Setting(
        "backups.every_days",
        7,
        _whole(1, 3_650, or_none=True),
        "Days between two backups that are made unasked, where something changed; 0: none.",
    ),
    Setting(
        "gc.audit_days",
        365,
        _whole(30, 36_500),
        "Days that an entry of the audit log stays before it is counted in its month's summary.",
    ),
    Setting(
        "gc.fragmentation",
        0.3,
        _SHARE,
        "Share of the file that holds nothing, from which on it is written anew.",
    ),
    Setting(
        "gc.threshold_mb",
        1024,
        _whole(1, 10_000_000),
        "Size of a store, in MB, that a notice is given before.",
    ),
    Setting(
        "hooks.brief",
        default=True,
        parse=_FLAG,
        help="Give each session the brief at its start.",
        project=_OFF,
    ),
    Setting(
        "hooks.prompt",
        default=True,
        parse=_FLAG,
        help="Give a prompt the memories that answer it.",
        project=_OFF,
    ),
    Setting(
        "hooks.files",
        default=True,
        parse=_FLAG,
        help="Give the warnings of a file when it is touched.",
        project=_OFF,
    ),
    Setting("hooks.capture", default=True, parse=_FLAG, help="Learn from sessions.", project=_OFF),
    Setting("hooks.keep_days", 90, _at_least(7), "Days that receipts and signals of a session stay."),
    Setting("hooks.prompt_limit", 3, _at_least(1), "How many memories a prompt gets at most.", project=True),
    Setting(
        "hooks.prompt_tokens",
        500,
        _at_least(50),
        "How many tokens a prompt's memories take at most.",
        project=True,
    ),
    Setting(
        "surface.file",
        default=False,
        parse=_FLAG,
        help="Also write the brief to `.claude/cortex-memory.local.md`, which git then ignores.",
    ),
    Setting(
        "lifecycle.archive_after_days",
        14,
        _at_least(1),
        "Days below a kind's threshold before it is archived.",
    ),
    Setting(
        "lifecycle.prune_after_days", 30, _at_least(1), "Days in the archive, unused, before it is pruned."
    ),
    Setting(
        "lifecycle.delete_after_days",
        90,
        _whole(1, 36_500, or_none=True),
        "Days after it was pruned, unused, before `gc` deletes it for good; 0: never.",
    ),
    Setting("lifecycle.hub", 0.5, _AMOUNT, "A memory of greater centrality than this is never archived."),
    Setting(
        "llm.provider",
        "",
        _PROVIDER,
        "A language model that helps to learn: anthropic, openai, gemini, ollama, agent; empty: none.",
    ),
    Setting("llm.model", "", _TEXT, "The model's name; empty: the provider's usual small one."),
    Setting("llm.url", "", _TEXT, "The provider's base URL; empty: its own."),
    Setting("llm.timeout", 30, _at_least(1), "Seconds that one use of the model may take."),
    Setting("llm.daily_usd", 0.1, _AMOUNT, "US dollars a day; then no more calls."),
    Setting("llm.daily_tokens", 200_000, _whole(0, _MOST_TOKENS), "Tokens a day; then no more calls."),
    Setting("llm.price_input", 0.0, _AMOUNT, "US dollars for a million tokens, where the model is unknown."),
    Setting("llm.price_output", 0.0, _AMOUNT, "The same for what the model answers."),
)
