"""The one JSON object that a verb prints with `--json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.errors import RecortexError


def success(command: str, data: Any, warnings: Sequence[str], duration: float) -> bytes:
    """The envelope of an answer; `duration` in seconds."""
    from recortex.codec import dumps, plain

    return dumps(
        {
            "status": "ok",
            "command": command,
            "data": plain(data),
            "warnings": list(warnings),
            "duration_ms": round(duration * 1000, 1),
        }
    )


def failure(command: str, error: RecortexError, duration: float) -> bytes:
    """The envelope of an error; needs nothing that could itself fail to load."""
    import json

    told = {"code": error.code, "message": error.message, "hint": error.hint}
    envelope = {
        "status": "error",
        "command": command,
        "error": told,
        "duration_ms": round(duration * 1000, 1),
    }
    return json.dumps(envelope, ensure_ascii=False).encode("utf-8", "replace")


def warnings_of(result: Any) -> tuple[str, ...]:
    """What a result says about parts that could not be used, in sentences.

    A result's own warnings may be what was asked for: those are data.
    """
    told = (getattr(result, name, None) for name in ("warnings", "degraded"))
    lists = [one for one in told if isinstance(one, tuple | list)]
    return tuple(one for some in lists for one in some if isinstance(one, str))
