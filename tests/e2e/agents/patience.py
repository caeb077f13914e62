"""Time enough for a slow machine: limits that only stop what hangs, and patient clients and hooks."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

SECONDS = 300.0
"""For what takes a few of them on a machine at rest."""


def endured(folder: Path) -> dict[str, str]:
    """Variables by which a client waits, and finds a `recortex` that takes its time; made in a folder."""
    from patient_recortex import on_path

    programs = [on_path(folder), Path(sys.executable).parent]
    return {
        "PATH": os.pathsep.join([*map(str, programs), os.environ["PATH"]]),
        "MCP_TIMEOUT": str(round(SECONDS * 1000)),
        # else the last hook of a session gets 1.5 seconds, whatever its own limit says
        "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS": str(round(SECONDS * 1000)),
    }


def waited_for(plugin: Path, folder: Path) -> Path:
    """A copy of a plug-in whose hooks a client gives as long as they need; all else of it is the same."""
    copy = Path(shutil.copytree(plugin, folder))
    hooks = copy / "hooks" / "hooks.json"
    said = json.loads(hooks.read_text(encoding="utf-8"))
    for group in (group for groups in said["hooks"].values() for group in groups):
        for hook in group["hooks"]:
            hook["timeout"] = round(SECONDS)
    hooks.write_text(json.dumps(said), encoding="utf-8")
    return copy
