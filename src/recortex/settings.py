"""Reads the settings from the environment and from configuration files; nothing else reads these.

`settings.json` declares them.

Order, strongest first: `RECORTEX_*` variables, the user's `config.toml`, the project's `recortex.toml`, the
default. A project's file comes with the project, perhaps from a stranger: it may set a few harmless keys, and
nothing else.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from recortex import plugins
from recortex.errors import ConfigError, UntrustedFileError
from recortex.filesystem import read_own
from recortex.lean import NamedTuple, Struct, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


# -- the settings: `settings.json` has a row for each, with its default and what a value may be


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
LOCAL_EMBEDDERS = frozenset({"onnx", "multilingual", "hashed", "none"})
"""What makes vectors on this machine, without a key."""


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


# -- reads the settings from the environment and from configuration files; nothing else reads these


Origin = Literal["default", "project", "user", "environment"]
PREFIX = "RECORTEX_"
PROJECT_FILE = "recortex.toml"
USER_FILE = "config.toml"
CLAUDE_FOLDER = "CLAUDE_CONFIG_DIR"
CLAUDE_PROJECT = "CLAUDE_PROJECT_DIR"
INSIDE = "RECORTEX_INSIDE"
"""Set for an agent that Recortex itself runs: its session is not watched."""
MOST_BYTES = 256 * 1024
"""Of a settings file."""
_BY_NAME = {setting.name: setting for setting in SETTINGS}
_PROJECT_KEYS = tuple(setting.name for setting in SETTINGS if setting.project is True)
_DEEPEST = 4  # tables within tables
_NAMED = 5  # ignored keys of a project's file that are named


class Value(Struct, frozen=True):
    """A setting's value and where it came from."""

    name: str
    value: Any
    origin: Origin
    place: str = ""


class Settings(Struct, eq=False):
    """The values that hold for one project and user.

    Attributes:
        values: each setting's value by its name.
        problems: what could not be used of the files and variables, in sentences.
        claude_folder: where Claude Code keeps its history, when it was told to keep it elsewhere.
        key: of the language model's provider, where one is set; it is in no value and never shown.
        embedder_key: likewise of the embedder's provider.
        environment: the process's, where the agent's own command line is to be run with it; else empty.
    """

    values: Mapping[str, Value]
    problems: tuple[str, ...]
    claude_folder: Path | None
    key: str
    embedder_key: str
    environment: Mapping[str, str]

    __repr__ = object.__repr__  # keys are never shown

    def __getitem__(self, name: str) -> Any:
        return self.values[name].value

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values.values())

    def with_values(self, values: Mapping[str, Any]) -> Settings:
        """These settings with other values by name, as if variables of the environment gave them."""
        given = {name: Value(name, value, "environment") for name, value in values.items()}
        return replace(self, values={**self.values, **given})

    @property
    def home(self) -> Path:
        """The user's data folder."""
        return _data_folder(self["home"])


def home_folder(environment: Mapping[str, str] | None = None) -> Path:
    """The user's data folder: no project has a say in it, so it is known before a project is looked for."""
    environment = os.environ if environment is None else environment
    named = environment.get(PREFIX + "HOME") or dict(
        _flat(_table(user_file(environment), [], links=True))
    ).get("home")
    return _data_folder(named if isinstance(named, str) else "")


def _data_folder(named: str) -> Path:
    return Path(named) if named else Path(_platform_folder("data"))


def _platform_folder(kind: Literal["data", "config"]) -> str:
    import platformdirs

    folder = platformdirs.user_data_dir if kind == "data" else platformdirs.user_config_dir
    return folder("recortex", appauthor=False)


def read(project: Path | None, environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of a project's folder.

    What a file says wrong does not stop the program: the default holds and `problems` says why.

    Raises:
        ConfigError: an environment variable has a value that cannot be.
    """
    environment = os.environ if environment is None else environment
    values = {setting.name: Value(setting.name, setting.default, "default") for setting in SETTINGS}
    problems: list[str] = []
    if project is not None:
        _lay_project(values, problems, project / PROJECT_FILE)
    # Take what the user's own file says; it may be a symbolic link, as in folders of dot files.
    path = user_file(environment)
    for name, value in _flat(_table(path, problems, links=True)):
        if name in _BY_NAME:
            _set(values, problems, name, value, "user", path)
        else:
            problems.append(f"{path}: there is no setting {name!r}; it is ignored.")
    for setting in SETTINGS:
        variable = variable_of(setting.name)
        if environment.get(variable):
            values[setting.name] = Value(
                setting.name, _from_text(setting, environment[variable]), "environment", variable
            )
    problems += (
        f"There is no setting for the variable {name}; it is ignored."
        for name in sorted(environment.keys() - _VARIABLES)
        if name.startswith(PREFIX)
    )
    claude = environment.get(CLAUDE_FOLDER)
    provider = values["llm.provider"].value
    embedder = values["embedder"].value
    return Settings(
        values,
        tuple(problems),
        claude_folder=Path(claude) if claude else None,
        key=environment.get(KEYS.get(provider, ""), ""),
        embedder_key=environment.get(key_variable(embedder), ""),
        environment=dict(environment) if provider == "agent" else {},
    )


def project_of_agent(environment: Mapping[str, str] | None = None) -> str:
    """The folder that an agent's client works in, as it tells its servers; empty where it does not."""
    return (os.environ if environment is None else environment).get(CLAUDE_PROJECT, "")


def inside(environment: Mapping[str, str] | None = None) -> bool:
    """Whether this process belongs to an agent that Recortex itself runs."""
    return bool((os.environ if environment is None else environment).get(INSIDE))


def variable_of(name: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + name.upper().replace(".", "_")


_VARIABLES = frozenset({INSIDE, *map(variable_of, _BY_NAME)})


def user_file(environment: Mapping[str, str]) -> Path:
    """The user's own file of settings, which need not be there."""
    home = environment.get(PREFIX + "HOME")
    return Path(home or _platform_folder("config")) / USER_FILE


def _lay_project(values: dict[str, Value], problems: list[str], path: Path) -> None:
    """Take the few harmless keys of a project's file; the others are ignored, and told in one line."""
    given = dict(_flat(_table(path, problems, links=False)))
    allowed = {name: value for name, value in given.items() if _of_project(name, value)}
    for name, value in allowed.items():
        _set(values, problems, name, value, "project", path)
    if ignored := [name for name in given if name not in allowed]:
        named = ", ".join(repr(name[:40]) for name in ignored[:_NAMED])
        more = f" and {len(ignored) - _NAMED} more" if len(ignored) > _NAMED else ""
        problems.append(
            f"{path}: {named}{more} ignored: a project's file may only set {', '.join(_PROJECT_KEYS)} "
            "and switch hooks and sync.exchanges off. Your own config.toml takes the rest."
        )


def _set(
    values: dict[str, Value], problems: list[str], name: str, value: Any, origin: Origin, path: Path
) -> None:
    """Take a value from a file; where it cannot be, the setting stays as it is and `problems` says why."""
    setting = _BY_NAME[name]
    usual = type(setting.default)
    if type(value) is not usual and not (type(value) is int and usual is float):
        problems.append(
            f"{path}: {name} must be of type {usual.__name__}, {setting.parse.takes}; it is ignored."
        )
        return
    try:
        setting.parse(_written(value))
    except ValueError as error:
        problems.append(
            f"{path}: {name} cannot be {_written(value)[:40]!r}, it takes {error}; it is ignored."
        )
    else:
        values[name] = Value(name, value, origin, str(path))


def _written(value: Any) -> str:
    """A value as a text; of a number with more digits than Python writes, that it has many."""
    try:
        return str(value)
    except ValueError:
        return "a number with thousands of digits"


def _of_project(name: str, value: Any) -> bool:
    """Whether a project's own file may set a setting to that value."""
    setting = _BY_NAME.get(name)
    allowed = setting.project if setting else False
    return value in allowed if isinstance(allowed, frozenset) and isinstance(value, bool) else allowed is True


def _table(path: Path, problems: list[str], *, links: bool) -> dict[str, Any]:
    try:
        text = read_own(path, MOST_BYTES, links=links).decode()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except UntrustedFileError as error:
        problems.append(f"{error.message} It is ignored.")
        return {}
    except (OSError, UnicodeDecodeError) as error:
        problems.append(f"{path} cannot be read: {error}; it is ignored.")
        return {}
    from recortex.domain.text import read_toml

    try:
        return read_toml(text)
    except (ValueError, RecursionError) as error:  # also a number with more digits than Python reads
        problems.append(f"{path} cannot be read as TOML: {error}; it is ignored.")
        return {}


def _flat(table: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The values by their names; a table within more others than any setting has is told as one value."""
    for name, value in table.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            yield from _flat(value, f"{prefix}{name}.", depth + 1)
        else:
            yield prefix + name, value


def _from_text(setting: Setting, text: str) -> Any:
    try:
        return setting.parse(text)
    except ValueError as error:
        raise ConfigError(
            f"{variable_of(setting.name)} cannot be {text[:40]!r}; it takes {error}.",
            hint=f"Unset it for the default, {setting.default!r}, or correct it: {setting.help}",
        ) from None
