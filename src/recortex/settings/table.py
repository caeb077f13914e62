"""The settings: `settings.json` has a row for each, with its default and what a value may be."""

from __future__ import annotations

import json
from pathlib import Path
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


class SettingParser(NamedTuple):
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
    """A setting, as `settings.json` declares it.

    Attributes:
        name: as written in the files; the variable is `RECORTEX_` and the name in capitals with underscores.
        project: whether a project's own file may set it; where it may set some values alone, those. The file
            may come from a stranger: nothing that writes, sends, runs or names a path is among them.
    """

    name: str
    default: Any
    parse: SettingParser
    help: str
    project: bool | frozenset[bool] = False


_FLAGS = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off"), False)


def _setting(row: dict[str, Any]) -> Setting:
    """The setting of a row of the file.

    A row has `name`, `default` and `help`; of a text, `words` that it must be one of, or the names of a group
    of `plugins`; of a number, its `range`, and with `or_zero` also 0; and `project`, as in `Setting`.
    """
    default, words, group = row["default"], row.get("words", ()), row.get("plugins", "")
    (least, most), or_zero = row.get("range", (0, 0)), row.get("or_zero", False)
    project = row.get("project", False)

    def number(text: str) -> float:
        value: float = type(default)(text)
        if least <= value <= most or (or_zero and value == 0):
            return value
        raise ValueError

    def word(text: str) -> str:
        if not words or text in words or (group and text in plugins.names(group)):
            return text
        raise ValueError

    match default:
        case bool():
            parse = SettingParser("true or false", lambda text: _FLAGS[text.strip().lower()])
        case int():
            parse = SettingParser(
                f"a whole number from {least} to {most}{', or 0' if or_zero else ''}", number
            )
        case float():
            parse = SettingParser(f"a number from {least} to {most}", number)
        case _ if words:
            takes = f"one of {', '.join(word or 'nothing' for word in words)}"
            parse = SettingParser(f"{takes}, or a plug-in's name" if group else takes, word)
        case _:
            parse = SettingParser("a text", word)
    allowed = frozenset(project) if isinstance(project, list) else project
    return Setting(row["name"], default, parse, row["help"], allowed)


_ROWS = (Path(__file__).parent / "settings.json").read_text(encoding="utf-8")
SETTINGS = tuple(map(_setting, json.loads(_ROWS)))
