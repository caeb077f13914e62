"""The one JSON object that a verb prints with `--json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.errors import RecortexError


_SAID = frozenset(("OpenedExchange", "Sessions"))
"""Answers that are all about what was said in sessions."""


def success(command: str, data: Any, warnings: Sequence[str], duration: float) -> bytes:
    """The envelope of an answer; `duration` in seconds."""
    from recortex.codec import dumps, plain

    return dumps(
        {
            "status": "ok",
            "command": command,
            "data": _harmless(plain(data), type(data).__name__),
            "warnings": list(warnings),
            "duration_ms": round(duration * 1000, 1),
        }
    )


def _harmless(told: Any, kind: str) -> Any:
    """An answer in which what was said in sessions is cleaned as for hooks and tools: agents read it."""
    from recortex.domain.cleaning import cleaned

    if kind in _SAID:
        return cleaned(told)
    if isinstance(told, dict) and told.get("exchanges"):
        return {**told, "exchanges": cleaned(told["exchanges"])}
    return told


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
