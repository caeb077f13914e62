"""Editors with agents of their own: Cursor and VS Code get the tools, of all the instruction files are known.

By their documentation. Cursor's hooks have names and inputs of their own, and some of its versions refuse the
file over a name, so it gets the tools alone.
"""

from __future__ import annotations

from recortex.clients.catalogue import TOOLS_ALONE, Client, InstallRequest, Share
from recortex.clients.installer import JsonPart

# -- what the client is: its files and settings


def _cursor(wish: InstallRequest) -> Share:
    home = wish.environment.home
    # It starts servers in a folder of its own; the variable is the open project.
    server = wish.server("--project", "${workspaceFolder}", from_terminal=False)
    return Share((JsonPart(home / ".cursor" / "mcp.json", home, ("mcpServers",), server),), (TOOLS_ALONE,))


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
    return Share((JsonPart(path, root, ("servers",), server),), (TOOLS_ALONE,))


CLIENTS = (
    Client(
        name="cursor",
        title="Cursor",
        commands=("cursor", "cursor-agent"),
        files=(".cursorrules", "AGENTS.md"),
        folders={".cursor/rules": (".mdc", ".md")},
        own_folders=(".cursor",),
        share=_cursor,
    ),
    Client(
        name="windsurf",
        title="Windsurf",
        files=(".windsurfrules", "AGENTS.md"),
        folders={".windsurf/rules": (".md",)},
    ),
    Client(
        name="vscode",
        title="VS Code",
        commands=("code",),
        files=(".github/copilot-instructions.md", "AGENTS.md"),
        share=_vscode,
    ),
)
