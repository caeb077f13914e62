"""Every setting, in one table; the sole reader of the environment and of configuration files.

Order, strongest first: `RECORTEX_*` variables, the user's `config.toml`, the project's `recortex.toml`, the default.
A project's file comes with the project, perhaps from a stranger: it can never say where data goes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from recortex.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Origin = Literal["default", "project", "user", "environment"]
PREFIX = "RECORTEX_"
PROJECT_FILE = "recortex.toml"
USER_FILE = "config.toml"
CLAUDE_FOLDER = "CLAUDE_CONFIG_DIR"
CLAUDE_PROJECT = "CLAUDE_PROJECT_DIR"
INSIDE = "RECORTEX_INSIDE"
"""Set for an agent that Recortex itself runs: its session is not watched."""
KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}
"""The variable that holds a provider's key."""


class Setting(NamedTuple):
    """A row of the table.

    Attributes:
        name: as written in the files; the variable is `RECORTEX_` and the name in capitals with underscores.
        project: whether a project's own file may set it.
    """

    name: str
    default: Any
    parse: Callable[[str], Any]
    help: str
    project: bool = True


def _flag(text: str) -> bool:
    words = {
        "1": True,
        "true": True,
        "yes": True,
        "on": True,
        "0": False,
        "false": False,
        "no": False,
        "off": False,
    }
    return words[text.strip().lower()]


def _embedder(text: str) -> str:
    if text not in {"onnx", "hashed", "none"}:
        raise ValueError(text)
    return text


def _provider(text: str) -> str:
    if text not in {"", *KEYS, "ollama", "agent"}:
        raise ValueError(text)
    return text


def _amount(text: str) -> float:
    value = float(text)
    if not 0.0 <= value <= _MOST:
        raise ValueError(text)
    return value


def _at_least(least: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        value = int(text)
        if not least <= value <= _MOST:
            raise ValueError(text)
        return value

    return parse


def _tokens(text: str) -> int:
    value = int(text)
    if not 0 <= value <= _MOST_TOKENS:
        raise ValueError(text)
    return value


_MOST = 1000
_MOST_TOKENS = 1_000_000_000

SETTINGS = (
    Setting(
        "home",
        "",
        str,
        "Folder of all of the user's data; empty: the platform's data directory.",
        project=False,
    ),
    Setting(
        "url", "", str, "The store, as sqlite:///FILE; empty: `.recortex/` of the project.", project=False
    ),
    Setting("now", "", str, "Fixes the clock (ISO 8601); for tests.", project=False),
    Setting(
        "embedder", "onnx", _embedder, "What makes vectors: onnx (all-MiniLM-L6-v2), hashed (TF-IDF), none."
    ),
    Setting(
        "threads", 0, _at_least(0), "Threads of the embedding model; 0: one for each core, four at most."
    ),
    Setting("recall.limit", 8, _at_least(1), "How many memories a recall gives at most."),
    Setting("recall.floor", default=True, parse=_flag, help="Give no answer rather than an irrelevant one."),
    Setting("backups.keep", 5, _at_least(1), "How many backups stay."),
    Setting("hooks.brief", default=True, parse=_flag, help="Give each session the brief at its start."),
    Setting("hooks.prompt", default=True, parse=_flag, help="Give a prompt the memories that answer it."),
    Setting("hooks.files", default=True, parse=_flag, help="Give the warnings of a file when it is touched."),
    Setting("hooks.capture", default=True, parse=_flag, help="Learn from sessions."),
    Setting("hooks.keep_days", 90, _at_least(7), "Days that receipts and signals of a session stay."),
    Setting("hooks.prompt_limit", 3, _at_least(1), "How many memories a prompt gets at most."),
    Setting("hooks.prompt_tokens", 500, _at_least(50), "How many tokens a prompt's memories take at most."),
    Setting(
        "surface.file",
        default=False,
        parse=_flag,
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
    Setting("lifecycle.hub", 0.5, _amount, "A memory of greater centrality than this is never archived."),
    Setting(
        "llm.provider",
        "",
        _provider,
        "A language model that helps to learn: anthropic, openai, gemini, ollama, agent; empty: none.",
        project=False,
    ),
    Setting("llm.model", "", str, "The model's name; empty: the provider's usual small one.", project=False),
    Setting("llm.url", "", str, "The provider's base URL; empty: its own.", project=False),
    Setting("llm.timeout", 30, _at_least(1), "Seconds that one use of the model may take.", project=False),
    Setting("llm.daily_usd", 0.1, _amount, "US dollars a day; then no more calls.", project=False),
    Setting("llm.daily_tokens", 200_000, _tokens, "Tokens a day; then no more calls.", project=False),
    Setting(
        "llm.price_input",
        0.0,
        _amount,
        "US dollars for a million tokens, where the model is unknown.",
        project=False,
    ),
    Setting("llm.price_output", 0.0, _amount, "The same for what the model answers.", project=False),
)
_BY_NAME = {setting.name: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Value:
    """A setting's value and where it came from."""

    name: str
    value: Any
    origin: Origin
    place: str = ""


class Settings:
    """The values that hold for one project and user.

    Attributes:
        problems: what could not be used of the files, in sentences.
        claude_folder: where Claude Code keeps its history, when it was told to keep it elsewhere.
        key: of the language model's provider, where one is set; it is in no value and never shown.
        environment: the process's, where the agent's own command line is to be run with it; else empty.
    """

    def __init__(
        self,
        values: Mapping[str, Value],
        problems: tuple[str, ...] = (),
        *,
        claude_folder: Path | None = None,
        key: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._values = dict(values)
        self.problems = problems
        self.claude_folder = claude_folder
        self.key = key
        self.environment = dict(environment or {})

    def __getitem__(self, name: str) -> Any:
        return self._values[name].value

    def __iter__(self) -> Iterator[Value]:
        return iter(self._values.values())

    @property
    def home(self) -> Path:
        """The user's data folder."""
        return Path(self["home"]) if self["home"] else Path(_platform_folder("data"))


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
        _lay(values, problems, project / PROJECT_FILE, "project")
    _lay(values, problems, _user_file(environment), "user")
    for setting in SETTINGS:
        variable = variable_of(setting.name)
        if environment.get(variable):
            values[setting.name] = Value(
                setting.name, _from_text(setting, environment[variable]), "environment", variable
            )
    claude = environment.get(CLAUDE_FOLDER)
    provider = values["llm.provider"].value
    key = environment.get(KEYS.get(provider, ""), "")
    return Settings(
        values,
        tuple(problems),
        claude_folder=Path(claude) if claude else None,
        key=key,
        environment=environment if provider == "agent" else None,
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


def _user_file(environment: Mapping[str, str]) -> Path:
    home = environment.get(PREFIX + "HOME")
    return Path(home or _platform_folder("config")) / USER_FILE


def _lay(values: dict[str, Value], problems: list[str], path: Path, origin: Origin) -> None:
    for name, value in _flat(_table(path, problems)):
        setting = _BY_NAME.get(name)
        if setting is None:
            problems.append(f"{path}: there is no setting {name!r}; it is ignored.")
        elif origin == "project" and not setting.project:
            problems.append(f"{path}: {name} is ignored: a project's file cannot say where data goes.")
        elif not _of_type(value, setting.default):
            problems.append(
                f"{path}: {name} must be of type {type(setting.default).__name__}; it is ignored."
            )
        elif not _possible(setting, value):
            problems.append(f"{path}: {name} cannot be {str(value)[:40]!r}: {setting.help} It is ignored.")
        else:
            values[name] = Value(name, value, origin, str(path))


def _of_type(value: Any, default: Any) -> bool:
    """Whether a value is what the default is; a whole number also is a fraction."""
    return type(value) is type(default) or (type(value) is int and type(default) is float)


def _possible(setting: Setting, value: Any) -> bool:
    try:
        setting.parse(str(value))
    except (ValueError, KeyError):
        return False
    return True


def _table(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        problems.append(f"{path} cannot be read: {error}; it is ignored.")
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        problems.append(f"{path} is not TOML: {error}; it is ignored.")
        return {}


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _from_text(setting: Setting, text: str) -> Any:
    try:
        return setting.parse(text)
    except (ValueError, KeyError):
        raise ConfigError(
            f"{variable_of(setting.name)} cannot be {text[:40]!r}: {setting.help}",
            hint=f"Unset it, or see what it takes with `recortex doctor`; the default is {setting.default!r}.",
        ) from None
