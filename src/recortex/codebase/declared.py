"""The commands that a project declares: scripts of its manifests, targets of make, recipes of just."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from recortex.domain.expressions import lazy

_TARGETS = lazy(r"^([\w.-][\w. -]{0,200}):(?!=)", re.MULTILINE)
_RECIPES = lazy(r"^(?:@?([\w-]{1,80})(?![\w-])[^:=\n]{0,200}:(?!=)|alias ([\w-]{1,80}) *:=)", re.MULTILINE)
_ELSEWHERE = lazy(
    r"^ *-?(?:include|import\??|mod\??)\s|^[^\t#:=\n%$]{0,200}[%$][^:=\n]{0,200}:(?!=)", re.MULTILINE
)
"""Takes in another file, or makes what a pattern or a variable names: what is declared cannot be listed."""


def _scripts(text: str) -> frozenset[str] | None:
    found = json.loads(text)
    scripts = found.get("scripts") if isinstance(found, dict) else None
    return frozenset(scripts) if isinstance(scripts, dict) else frozenset()


def _targets(text: str) -> frozenset[str] | None:
    if _ELSEWHERE.search(text):
        return None
    return frozenset(word for names in _TARGETS.findall(text) for word in names.split())


def _recipes(text: str) -> frozenset[str] | None:
    if _ELSEWHERE.search(text):
        return None
    return frozenset(recipe or alias for recipe, alias in _RECIPES.findall(text))


@dataclass(frozen=True, slots=True)
class Runner:
    """A program that runs what a project declares.

    Attributes:
        call: how a command calls it, with the name that must be declared.
        manifests: the names of the files that declare.
        names: what the text of one declares; None where that cannot be listed. It raises ValueError for a
            text of another form.
    """

    call: re.Pattern[str]
    manifests: tuple[str, ...]
    names: Callable[[str], frozenset[str] | None]


RUNNERS = (
    Runner(lazy(r"^(?:npm|pnpm|yarn|bun) run\s+([\w:.-]+)"), ("package.json",), _scripts),
    Runner(lazy(r"^composer (?:run|run-script)\s+([\w:.-]+)"), ("composer.json",), _scripts),
    Runner(lazy(r"^make\s+([\w.-]+)\s*$"), ("Makefile", "makefile", "GNUmakefile"), _targets),
    Runner(lazy(r"^just\s+([A-Za-z_][\w-]*)(?:\s|$)"), ("justfile", "Justfile", ".justfile"), _recipes),
)


def called(command: str) -> tuple[Runner, str] | None:
    """Who runs a command, and the name that must be declared; None for what needs no declaration."""
    for runner in RUNNERS:
        if found := runner.call.match(command):
            return runner, found[1]
    return None
