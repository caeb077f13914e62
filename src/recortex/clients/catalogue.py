"""How a client is declared, and the clients that Recortex can be put into.

A client is one file here, with its `CLIENTS`: how its sessions are read, which of its events call us, what is
written into its settings, which instruction files it loads, and where its history lies. Read from the clients
themselves: Claude Code 2.1.100 and 2.1.330, Codex 0.171, Gemini CLI 0.61, Qwen Code 0.15 and 0.24, opencode
1.18.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from recortex import plugins
from recortex.clients.hooks import Environment
from recortex.clients.installer import Part
from recortex.lean import Value
from recortex.plugins import KnownClient

if TYPE_CHECKING:
    from recortex.clients.hooks import Dialect
    from recortex.formats.transcripts.detection import Format

LISTED = (
    *("claude-code", "codex", "gemini", "qwen", "copilot", "pi", "opencode", "kilo", "cline", "continue"),
    *("crush", "specstory", "swe-agent", "cursor", "windsurf", "vscode"),
)
"""The order of the clients in lists, and of their instruction files; others come after them, by name."""
INSTALLED = (
    *("claude-code", "codex", "cursor", "gemini", "qwen", "copilot", "vscode", "opencode", "kilo", "cline"),
    *("pi", "continue", "crush"),
)
"""The same of those that Recortex can be put into."""


def _known() -> dict[str, KnownClient]:
    found = plugins.in_order((one for one in plugins.clients() if one.installs), INSTALLED)
    return {one.name: one for one in found}


if TYPE_CHECKING:
    ClientName: TypeAlias = str
else:
    ClientName = Literal[tuple(_known())]


class Share(Value, frozen=True):
    """Our entries in a client's files.

    Attributes:
        notes: what the person should know.
        plugin: the command that takes out our plug-in, where it is enabled in the client; else empty.
    """

    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()
    plugin: str = ""


class InstallRequest(Value, frozen=True):
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


Formats: TypeAlias = "tuple[Format, ...]"  # whose module is loaded when a session is read


class Client(KnownClient, frozen=True, kw_only=True):
    """A client, whole.

    Attributes:
        formats: of its sessions.
        share: what `install` writes into its files.
    """

    formats: Formats = ()
    share: Callable[[InstallRequest], Share] | None = None


def found_here(environment: Environment) -> tuple[ClientName, ...]:
    """The clients that can be started on this machine."""
    return tuple(name for name, client in _known().items() if _can_start(client, environment))


def _can_start(client: KnownClient, environment: Environment) -> bool:
    path = environment.environ.get("PATH", "")
    return any(shutil.which(name, path=path) for name in client.commands)


def share(client: ClientName, wish: InstallRequest) -> Share:
    """Our entries in a client's files, and what the person should know."""
    known = _known()[client]
    found: Share = plugins.declared(known).share(wish)
    if not found.parts or _can_start(known, wish.environment):
        return found
    missing = f"No {known.title} was found on PATH; the settings are written for when it is there."
    return replace(found, notes=(*found.notes, missing))


PLUGGED = "The Recortex plug-in is enabled in {} and does all this; nothing is written twice."
TOOLS_ALONE = (
    "It has no hooks that Recortex uses: nothing is brought up by itself; the agent asks through the tools."
)
