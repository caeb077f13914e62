"""The clients: where each keeps what, and what is said to the person about it.

Read from the clients themselves: Claude Code 2.1.100 and 2.1.330, Codex 0.171, Gemini CLI 0.61, Qwen Code
0.15 and 0.24, opencode 1.18. Cursor and VS Code by their documentation; Cursor's hooks have names and inputs
of their own, and some of its versions refuse the file over a name, so it gets the tools alone.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from recortex.clients import installer, jsonc
from recortex.clients.environment import Environment
from recortex.clients.hooks import CLAUDE_CODE, CODEX, GEMINI, QWEN
from recortex.clients.parts import JsonPart, Part, TomlPart
from recortex.errors import RecortexError

if TYPE_CHECKING:
    from pathlib import Path

    from recortex.clients.hooks import Dialect

ClientName = Literal["claude-code", "codex", "cursor", "gemini", "qwen", "vscode", "opencode"]


@dataclass(frozen=True, slots=True)
class Share:
    """Our entries in a client's files.

    Attributes:
        notes: what the person should know.
        plugin: the command that takes out our plug-in, where it is enabled in the client; else empty.
    """

    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()
    plugin: str = ""


@dataclass(frozen=True, slots=True)
class InstallRequest:
    """What `recortex install` is to write.

    Attributes:
        hooks: also the client's hooks, not only the tools.
    """

    environment: Environment
    hooks: bool = True

    def words(self, *, from_terminal: bool = True) -> tuple[str, ...]:
        """How the client starts us."""
        return self.environment.called(from_terminal=from_terminal)

    def server(self, *more: str, from_terminal: bool = True, **fields: Any) -> dict[str, Any]:
        """The entry of most clients for our MCP server."""
        command, *arguments = self.words(from_terminal=from_terminal)
        return fields | {"command": command, "args": [*arguments, "mcp", *more]}

    def groups(self, dialect: Dialect) -> dict[str, dict[str, Any]]:
        """The hooks that are wanted."""
        return dialect.groups(self.environment, self.words()) if self.hooks else {}


def found_here(environment: Environment) -> tuple[ClientName, ...]:
    """The clients that can be started on this machine."""
    return tuple(client for client in _CLIENTS if _can_start(client, environment))


def _can_start(client: ClientName, environment: Environment) -> bool:
    path = environment.environ.get("PATH", "")
    return any(shutil.which(name, path=path) for name in _CLIENTS[client].commands)


def share(client: ClientName, wish: InstallRequest) -> Share:
    """Our entries in a client's files, and what the person should know."""
    entry = _CLIENTS[client]
    found = entry.share(wish)
    if _can_start(client, wish.environment):
        return found
    missing = f"No {entry.title} was found on PATH; the settings are written for when it is there."
    return replace(found, notes=(*found.notes, missing))


def _claude_code(wish: InstallRequest) -> Share:
    """Its settings file rather than the plug-in: that needs no copy of the plug-in's folder."""
    around = wish.environment
    base, root = around.folder("CLAUDE_CONFIG_DIR", ".claude")
    state = base if around.environ.get("CLAUDE_CONFIG_DIR") else around.home
    plugged = _plugin_in_claude(base / "settings.json", root)
    parts = (
        JsonPart(base / "settings.json", root, hooks={} if plugged else wish.groups(CLAUDE_CODE)),
        JsonPart(
            state / ".claude.json", root, ("mcpServers",), None if plugged else wish.server(type="stdio")
        ),
    )
    if plugged:
        return Share(parts, (_PLUGGED.format("Claude Code"),), f"claude plugin uninstall {plugged}")
    return Share(parts)


FORWARDED = ["RECORTEX_HOME", "RECORTEX_URL", "RECORTEX_WORKSPACE", "PGPASSFILE", "PGPASSWORD"]
"""Variables that Codex passes on to our server, which otherwise sees few: hooks see all, and both must find
the same memory. The plug-in's `.mcp.json` names the same."""


def _codex(wish: InstallRequest) -> Share:
    base, root = wish.environment.folder("CODEX_HOME", ".codex")
    plugged = _plugin_in_codex(base / "config.toml", root)
    parts = (
        TomlPart(
            base / "config.toml", root, "mcp_servers", None if plugged else wish.server(env_vars=FORWARDED)
        ),
        JsonPart(base / "hooks.json", root, hooks={} if plugged else wish.groups(CODEX)),
    )
    if plugged:
        return Share(parts, (_PLUGGED.format("Codex"),), f"codex plugin remove {plugged}")
    trust = "Codex runs hooks once you have trusted them: start it and open /hooks."
    return Share(parts, (trust,) if wish.hooks else ())


def _gemini(wish: InstallRequest) -> Share:
    base, root = wish.environment.folder("GEMINI_CLI_HOME")
    path = base / ".gemini" / "settings.json"
    return Share((JsonPart(path, root, ("mcpServers",), wish.server(), wish.groups(GEMINI)),))


def _qwen(wish: InstallRequest) -> Share:
    base, root = wish.environment.folder("QWEN_HOME", ".qwen")
    return Share((JsonPart(base / "settings.json", root, ("mcpServers",), wish.server(), wish.groups(QWEN)),))


def _cursor(wish: InstallRequest) -> Share:
    home = wish.environment.home
    # It starts servers in a folder of its own; the variable is the open project.
    server = wish.server("--project", "${workspaceFolder}", from_terminal=False)
    return Share((JsonPart(home / ".cursor" / "mcp.json", home, ("mcpServers",), server),), (_TOOLS_ALONE,))


def _vscode(wish: InstallRequest) -> Share:
    around = wish.environment
    if around.windows:
        base, root = around.folder("APPDATA", "AppData", "Roaming")
    elif around.platform == "darwin":
        base, root = around.home / "Library" / "Application Support", around.home
    else:
        base, root = around.folder("XDG_CONFIG_HOME", ".config")
    server = wish.server("--project", "${workspaceFolder}", from_terminal=False, type="stdio")
    path = base / "Code" / "User" / "mcp.json"
    return Share((JsonPart(path, root, ("servers",), server),), (_TOOLS_ALONE,))


def _opencode(wish: InstallRequest) -> Share:
    base, root = wish.environment.folder("XDG_CONFIG_HOME", ".config")
    folder = base / "opencode"
    path = next((p for p in (folder / "opencode.jsonc", folder / "opencode.json") if p.exists()), None)
    server = {"type": "local", "command": [*wish.words(), "mcp"], "enabled": True}
    return Share((JsonPart(path or folder / "opencode.json", root, ("mcp",), server),), (_TOOLS_ALONE,))


_PLUGGED = "The Recortex plug-in is enabled in {} and does all this; nothing is written twice."
_TOOLS_ALONE = (
    "It has no hooks that Recortex uses: nothing is brought up by itself; the agent asks through the tools."
)


def _plugin_in_claude(path: Path, root: Path) -> str:
    """The name of our plug-in where it is enabled; else empty."""
    try:
        text = installer.read(path, root).text or ""
        node = jsonc.at(jsonc.parse(text), ("enabledPlugins",)) if text.strip() else None
    except RecortexError:
        return ""  # reported when the file itself is read
    plugins = node.plain() if node else None
    enabled = plugins.items() if isinstance(plugins, dict) else ()
    return next((name for name, on in enabled if on is True and name.startswith("recortex@")), "")


def _plugin_in_codex(path: Path, root: Path) -> str:
    """The same of Codex."""
    import tomllib

    try:
        plugins = tomllib.loads(installer.read(path, root).text or "").get("plugins")
    except (RecortexError, ValueError, RecursionError):
        return ""  # reported when the file itself is read
    enabled = (
        name
        for name, one in (plugins.items() if isinstance(plugins, dict) else ())
        if name.startswith("recortex@") and isinstance(one, dict) and one.get("enabled") is True
    )
    return next(enabled, "")


@dataclass(frozen=True, slots=True)
class _Entry:
    title: str
    commands: tuple[str, ...]
    share: Callable[[InstallRequest], Share]


_CLIENTS: dict[ClientName, _Entry] = {
    "claude-code": _Entry("Claude Code", ("claude",), _claude_code),
    "codex": _Entry("Codex", ("codex",), _codex),
    "cursor": _Entry("Cursor", ("cursor", "cursor-agent"), _cursor),
    "gemini": _Entry("Gemini CLI", ("gemini",), _gemini),
    "qwen": _Entry("Qwen Code", ("qwen",), _qwen),
    "vscode": _Entry("VS Code", ("code",), _vscode),
    "opencode": _Entry("opencode", ("opencode",), _opencode),
}
