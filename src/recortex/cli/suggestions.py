"""What may have been meant by a verb that is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# What other programs and everyday speech call our verbs.
_SYNONYMS: dict[str, tuple[str, ...]] = {
    "recall": ("ask", "find", "query", "search", "grep", "lookup", "question"),
    "remember": ("add", "create", "insert", "keep", "learn-that", "new", "note", "save", "set",
                 "store", "write"),
    "forget": ("archive", "delete", "del", "drop", "hide", "remove", "rm"),
    "purge": ("destroy", "erase", "shred", "wipe", "redact"),
    "list": ("all", "dir", "ls", "memories"),
    "get": ("cat", "details", "open", "print", "read", "show", "view"),
    "edit": ("change", "modify", "patch", "rename", "update"),
    "history": ("audit", "blame", "diff", "log", "versions"),
    "related": ("graph", "links", "neighbours", "neighbors"),
    "traverse": ("walk",),
    "why": ("because", "explain", "reason"),
    "link": ("connect", "relate"),
    "undo": ("revert", "rollback"),
    "restore": ("undelete", "unforget", "unarchive"),
    "review": ("accept", "approve", "confirm", "pending", "proposed", "reject"),
    "consolidate": ("dedupe", "deduplicate", "duplicates", "merge"),
    "import": ("ingest", "load", "migrate"),
    "extract": ("learn", "parse"),
    "export": ("dump",),
    "status": ("info", "stat", "state", "stats"),
    "inspect": ("metrics", "sessions", "receipts"),
    "doctor": ("check", "config", "diagnose", "health", "settings", "validate", "verify"),
    "gc": ("clean", "cleanup", "compact", "prune", "vacuum"),
    "surface": ("brief", "context"),
    "backup": ("copy", "snapshot"),
    "recover": ("fix", "repair", "salvage"),
    "init": ("setup", "start"),
    "install": ("connect-agent", "enable"),
    "uninstall": ("disable",),
    "mcp": ("serve", "server"),
    "tour": ("demo", "example"),
    "migrate-store": ("copy-store", "move-store"),
    "completion": ("complete", "completions"),
}  # fmt: skip


def meant(verb: str, known: Iterable[str]) -> tuple[str, ...]:
    """The verbs that may have been meant, the likeliest first: by meaning, else by spelling."""
    from difflib import get_close_matches

    verbs = {name.replace("_", "-") for name in known}
    said = verb.lower().replace("_", "-")
    if said in verbs:
        return (said,)
    words = {word: name for name, others in _SYNONYMS.items() if name in verbs for word in others}
    if said in words:
        return (words[said],)
    near = get_close_matches(said, {*verbs, *words}, n=3, cutoff=0.6)
    likely = [name for name in near if _alike(said, name) >= _alike(said, near[0]) - _BESIDE]
    return tuple(dict.fromkeys(words.get(name, name) for name in likely))


_BESIDE = 0.1
"""How much less alike than the likeliest a word may be that is named beside it."""


def _alike(one: str, other: str) -> float:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, one, other).ratio()
