"""Which project a server serves that its client started outside of any: the client's roots say.

One setting for all windows lets a client start every server in the home folder, or in one of its own. Then
the folders that are open in the window, which it tells as its roots, decide. A server that was started in a
checkout, or was told its project, does not ask.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import mcp_types as types
from mcp.shared.exceptions import MCPError

from recortex.mcp.greeting import MODERN_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcp.server.context import ServerRequestContext

    from recortex.mcp.dispatcher import ToolDispatcher

KEY = "roots"
"""Of the question and its answer in the stateless protocol."""
_OFFERED = types.ClientCapabilities(roots=types.RootsCapability())


async def settle(
    desk: ToolDispatcher,
    context: ServerRequestContext[Any],
    answers: Mapping[str, Any] | None,
) -> types.InputRequiredResult | None:
    """Let the client say, once, which project is meant; gives the question where it is to be asked anew.

    Args:
        desk: that is to serve the project.
        context: of the request that needs it.
        answers: to what was asked in the stateless protocol.
    """
    if not desk.unplaced or not context.session.check_client_capability(_OFFERED):
        return None
    if context.protocol_version >= MODERN_VERSION:
        given = (answers or {}).get(KEY)
        if given is None:
            return types.InputRequiredResult(input_requests={KEY: types.ListRootsRequest()})
        desk.place(folder_of(given.roots) if isinstance(given, types.ListRootsResult) else None)
        return None
    try:
        listed = await context.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
    except MCPError:  # it offers what it does not do
        desk.place(None)
    else:
        desk.place(folder_of(listed.roots))
    return None


def folder_of(roots: Iterable[types.Root]) -> Path | None:
    """The first root that is a folder of this machine."""
    for root in roots:
        parts = urlsplit(str(root.uri))
        if parts.scheme == "file" and parts.netloc in {"", "localhost"}:
            folder = Path(url2pathname(parts.path))
            if folder.is_absolute() and folder.is_dir():
                return folder
    return None
