"""Doing what a verb says: parse, ask where something would be removed, call, show."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.cli import DONE, FAILED, NotConfirmedError, UsageError
from recortex.cli.parser import meant, parse
from recortex.domain.text import cleaned
from recortex.lean import lazy_module, replace
from recortex.operations import manifest
from recortex.operations.registry import Operation, operations_of
from recortex.terminal import ProgressLine, clean, terminal_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recortex import codec
    from recortex.cli import Invocation, rendering, reviewing
    from recortex.cli.parser import Call
    from recortex.errors import RecortexError
    from recortex.operations import projects
    from recortex.operations.base import Operations
else:
    rendering = lazy_module("recortex.cli.rendering")
    codec = lazy_module("recortex.codec")
    projects = lazy_module("recortex.operations.projects")
    reviewing = lazy_module("recortex.cli.reviewing")


# -- the one JSON object that a verb prints with `--json`


_SAID = frozenset(("OpenedExchange", "Sessions"))
"""Answers that are all about what was said in sessions."""


def success(command: str, data: Any, warnings: Sequence[str], duration: float) -> bytes:
    """The envelope of an answer; `duration` in seconds."""
    return codec.dumps(
        {
            "status": "ok",
            "command": command,
            "data": _harmless(codec.plain(data), type(data).__name__),
            "warnings": list(warnings),
            "duration_ms": round(duration * 1000, 1),
        }
    )


def _harmless(told: Any, kind: str) -> Any:
    """An answer in which what was said in sessions is cleaned as for hooks and tools: agents read it."""
    if kind in _SAID:
        return cleaned(told)
    if isinstance(told, dict) and told.get("exchanges"):
        return {**told, "exchanges": cleaned(told["exchanges"])}
    return told


def failure(command: str, error: RecortexError, duration: float) -> bytes:
    """The envelope of an error; needs nothing that could itself fail to load."""
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


# -- doing what a verb says: parse, ask where something would be removed, call, show


_YES = frozenset({"y", "yes"})


def execute(line: Invocation, others: Iterable[str], started: float) -> int:
    """Do a verb that is an operation.

    Raises:
        RecortexError: it failed, or the command line does not fit it.
    """
    verb = line.verb.replace("-", "_")
    group = manifest.group_of(verb)
    if group is None:
        raise _unknown(line.verb, [*(one["name"] for one in manifest.operations()), *others])
    operation = operations_of(group)[verb]
    call = parse(operation, line.arguments)
    if call.project is not None and not Path(call.project).is_dir():
        raise UsageError(
            f"There is no folder {call.project[:200]}.", hint="Give an existing folder to --project."
        )
    # Only where a person sits at both ends; a script gets the list.
    if operation.name == "review" and (
        "action" not in call.arguments and _attended(call) and sys.stdout.isatty()
    ):
        return reviewing.converse(call)
    progress = ProgressLine(sys.stderr)
    try:
        data, done, unwritten = _answer(group, operation, call, progress)
    finally:
        # Before the answer is shown, which would else begin behind the line of progress.
        progress.clear()
    if done:
        _show(line.verb, call, data, unwritten, started)
    return FAILED if getattr(data, "unread", 0) else DONE


def _answer(
    group: type[Operations], operation: Operation, call: Call, progress: ProgressLine
) -> tuple[Any, bool, list[str]]:
    """What the operation gave, or would do; and whether it is to be shown: not where a person said no.

    Last, a line on each store that cannot be written.
    """
    if operation.traits.read_only:
        # Nothing large is multiplied then, and the threads that NumPy starts for that cost 11 ms.
        # NumPy reads the variable when it is imported, so it is set before the store is opened.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with group.open(call.project, url=call.url, progress=progress) as cortex:
        method = getattr(cortex, operation.method)
        # Questions come before the work: nobody waits at the terminal until it is half done.
        call = _offered(cortex, operation, call)
        if operation.traits.removes(call.arguments) and (call.dry_run or not call.yes):
            shown: Any = {"would": operation.name, "arguments": call.arguments}
            # The person sees what would be done before being asked for it.
            if any(parameter.name == "dry_run" for parameter in operation.parameters()):
                shown = method(**call.arguments | {"dry_run": True})
            if call.dry_run or getattr(shown, "changes_nothing", False):
                return shown, True, cortex.unwritten
            if not _agreed(shown, operation, call):
                return None, False, []
        return method(**call.arguments), True, cortex.unwritten


def _offered(cortex: Operations, operation: Operation, call: Call) -> Call:
    """The call with what a person at the terminal wants beside it.

    For `install` that is the language model, for `import --discover` what of all that was found.
    """
    given = call.arguments
    # Asked here and not by the operation, which programs call as well.
    if operation.name == "import" and given.get("discover") and _attended(call):
        return _chosen(cortex, call)
    if (
        operation.name != "install"
        or given.get("language_model")
        or given.get("dry_run")
        or not _attended(call)
    ):
        return call
    assert isinstance(cortex, projects.InstallationOperations)  # noqa: S101  its group
    question = cortex.model_offer(given["host"])
    wanted = bool(question) and _answered_yes(question)
    return replace(call, arguments={**given, "language_model": wanted})


def _chosen(cortex: Operations, call: Call) -> Call:
    """The call with the memory systems that the person says yes to; each is asked for once."""
    given = call.arguments
    if given.get("yes") or given.get("dry_run"):
        return call
    from recortex.operations.learning import LearningOperations

    assert isinstance(cortex, LearningOperations)  # noqa: S101  its group
    found = cortex.import_(**given).sources
    wanted = []
    for one in found:
        if one.problem:
            sys.stderr.write(f"{one.system}: {one.path} cannot be read: {one.problem}\n")
    for system in dict.fromkeys(one.system for one in found if one.rows):
        places = [one for one in found if one.system == system]
        rows = sum(one.rows for one in places)
        where = ", ".join(one.path for one in places)
        if _answered_yes(f"{system}: {rows:,} rows in {where}. Import them?"):
            wanted.append(system)
    if not wanted:
        return call  # shows what is there
    return replace(call, arguments={**given, "only": wanted, "yes": True})


def _attended(call: Call) -> bool:
    """Whether somebody is there to be asked."""
    return not call.json and sys.stdin.isatty() and sys.stderr.isatty()


def _answered_yes(question: str) -> bool:
    # Not on standard output, which may be a pipe.
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in _YES


def _agreed(shown: Any, operation: Operation, call: Call) -> bool:
    """Show what would be done, and ask.

    Raises:
        NotConfirmedError: nobody is there to be asked.
    """
    if not _attended(call):
        # A script must not wait for ever for an answer that nobody gives.
        raise NotConfirmedError(f"`recortex {operation.name}` removes something and nobody confirmed it.")
    answer = _answered_yes(f"{rendering.render(shown, terminal_of(sys.stderr))}\n\nGo on?")
    if not answer:
        sys.stderr.write("Nothing was changed.\n")
    return answer


def _show(verb: str, call: Call, data: Any, unwritten: Sequence[str], started: float) -> None:
    warnings = (*warnings_of(data), *unwritten)
    if call.json:
        answer = success(verb, data, warnings, time.perf_counter() - started)
        sys.stdout.buffer.write(answer + b"\n")
        return
    # On standard error, so that a program that reads the output gets nothing but the answer.
    for warning in warnings:
        sys.stderr.write(f"warning: {clean(warning)}\n")
    text = rendering.render(data, replace(terminal_of(sys.stdout), full=call.full))
    # As bytes: an encoding without these letters must not make an error of a command that was carried out.
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n" if text else b"")


def _unknown(verb: str, known: list[str]) -> UsageError:
    near = meant(verb, known)
    said = f"Did you mean {' or '.join(f'`{name}`' for name in near)}? " if near else ""
    return UsageError(f"There is no verb {verb[:40]!r}.", hint=f"{said}`recortex --help` lists the verbs.")
