"""The process of one hook: reads what the client says, prints nothing or one answer, exits 0 in time.

Nothing heavy is imported before it is known to be needed: most calls only note that something happened.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.app.projects import find_project, of_project, of_user
from recortex.app.wiring import hook_context
from recortex.deadlines import Ending
from recortex.domain.text import sealed
from recortex.filesystem import append_own
from recortex.formats.hook_events import EVENTS, UNMARKED, parse
from recortex.lean import NamedTuple, replace
from recortex.settings import home_folder, inside, project_of_agent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.app.hooks import HookContext
    from recortex.formats.hook_events import EventName, HookEvent

SECONDS = {
    "session-start": 6.0,
    "user-prompt-submit": 2.5,
    "pre-tool-use": 1.5,
    "post-tool-use": 1.5,
    "pre-compact": 2.0,
    "stop": 2.0,
    "subagent-stop": 2.0,
    "session-end": 1.2,  # Claude Code ends this hook after 1.5 seconds, whatever its timeout says
}
"""After so long a hook ends with nothing said; each is well below what the plug-in lets the client wait."""
WRITING = 1.0
"""Seconds for an answer to be taken: a pipe takes it at once, unless it is full and nobody reads."""
MOST_BYTES = 16 * 1024 * 1024
"""Of an event; a larger one is ignored."""
NICE = 10
"""By how much the capture process lowers its priority."""
ASKED_SERVER = frozenset({"user-prompt-submit", "pre-tool-use"})
"""Events that a running server answers, since its model is loaded."""
SERVER_SHARE = 0.3
"""Of its time a hook waits for a server: enough is left to answer by itself where that one hangs."""
LONGEST = 10_000
"""Characters of an answer: clients replace a longer one by a preview."""
SHELLS = frozenset({b"sh", b"bash", b"dash", b"zsh", b"ash", b"ksh", b"fish", b"busybox"})
"""Programs through which clients start hooks."""
SCRIPTED = frozenset(("-p", "--prompt"))
"""Words with which they take one prompt and then end, as scripts start them."""
ATTENDED = frozenset(("-i", "--prompt-interactive", "--acp", "--experimental-acp"))
"""Words with which a person goes on to type: in a terminal, or in an editor that talks to the client."""
TERMINALS = ("/dev/pts/", "/dev/tty", "/dev/console")
MOVED = (
    "Recortex: this checkout was moved or copied; its memory is bound to another path. See `recortex init`."
)
"""Shown to the person, not the agent, at the start of a session in a checkout that was moved or copied."""
MOST_TIMED = 512 * 1024
"""Bytes of a file of timings that nothing reads: it is begun anew then."""
_BEGAN = time.monotonic()
_EVENT_NAME = re.compile(r"\w{1,40}")
_HELP = f"""usage: recortex hook EVENT [--client NAME] [--project DIR] [--url URL]

An agent's client calls this at each event of a session: it reads the event as JSON on standard input, prints
nothing or one answer, and always exits with 0.
Events: {", ".join(EVENTS)}; `capture` learns from the sessions that wait.
"""


class Options(NamedTuple):
    """The options of the command line."""

    event: str = ""
    client: str = ""
    project: str = ""
    url: str = ""


def main(words: Sequence[str]) -> int:
    """Do what one call of a hook asks for, and return 0."""
    options = _options(words)
    if options.event == "capture":
        if hasattr(os, "nice"):
            os.nice(NICE)  # before anything is loaded: the person's next turn may have begun
        from recortex.app.jobs.capture import main as capture

        folder = _folder(options, None)
        return capture(_context(folder, options)) if folder else 0
    if options.event not in EVENTS:
        sys.stderr.write(_HELP)
        return 0
    name: EventName = options.event
    end = Ending(SECONDS[name])
    answer = _guarded(name, options)
    end.cancel()
    if answer:
        Ending(WRITING)
        rest = memoryview(answer)
        with suppress(OSError):
            while rest:
                rest = rest[os.write(1, rest) :]
    os._exit(0)  # nothing is left to do that could fail, and nothing is waited for


def _guarded(name: EventName, options: Options) -> bytes:
    event = None
    try:
        event = _event(name, options)
        return _answer(event, options) if event else b""
    except Exception as error:  # noqa: BLE001  whatever fails here, the agent's session goes on
        with suppress(Exception):
            _note(_folder(options, event), name, error)
        return b""


def _event(name: EventName, options: Options) -> HookEvent | None:
    """The event on standard input; None where it is to be ignored."""
    raw = _stdin()
    if raw is None or inside():
        return None
    process = _client_process(name)
    event = parse(name, raw, client=options.client, project=project_of_agent(), process=process)
    if event is None or event.void:
        return None
    if event.client not in UNMARKED or name not in {"user-prompt-submit", "stop"}:
        return event
    process = process or _asked_process(os.getppid())
    return replace(event, unattended_since=_unattended_since(event.client, process) if process else 0.0)


def _client_process(name: str) -> int:
    """The number of the client's process, which shows later whether the client still runs; 0 if unknown.

    Clients start hooks through a shell, which ends with the hook: then it is the shell's parent.
    """
    parent = os.getppid()
    try:
        with open(f"/proc/{parent}/stat", "rb") as file:  # noqa: PTH123  a hot path
            program, _, rest = file.read().partition(b"(")[2].rpartition(b")")
    except OSError:  # not on Linux: `ps` is a process of its own, which only the first hook may cost
        return _asked_process(parent) if name == "session-start" else 0
    return int(rest.split()[1]) if program in SHELLS else parent


def _asked_process(parent: int) -> int:
    """What `ps` knows of the parent."""
    import subprocess

    words = ["ps", "-o", "ppid=,comm=", "-p", str(parent)]
    try:
        # The words are fixed.
        said = subprocess.run(words, capture_output=True, timeout=1, check=True).stdout  # noqa: S603
        above, _, program = said.strip().partition(b" ")
        name = os.path.basename(program.strip()).lstrip(b"-")  # noqa: PTH119  bytes
        return int(above) if name in SHELLS else parent
    except (OSError, subprocess.SubprocessError, ValueError):
        return 0


def _unattended_since(client: str, process: int) -> float:
    """When a client's process began, if a program gives it its prompts; 0: a person may, or nobody knows."""
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:  # noqa: PTH123  a hot path
            words = os.fsdecode(file.read()).split("\0")
        piped = not os.readlink(f"/proc/{process}/fd/0").startswith(TERMINALS)  # noqa: PTH115
        age = _age(str(process))
    except OSError:  # not on Linux, where alone it is known what a process reads from
        age, words = _asked_words(process)
        piped = False
    return time.time() - age if age and is_unattended(client, words, piped=piped) else 0.0


def is_unattended(client: str, words: Sequence[str], *, piped: bool) -> bool:
    """Whether a program gives a client its prompts.

    Args:
        client: that runs.
        words: of its command line. The first that decides does so: what follows `-i` may be about anything.
        piped: it reads from no terminal.
    """
    named = (word.partition("=")[0] for word in words)
    deciding = next((word for word in named if word in SCRIPTED or word in ATTENDED), "")
    # Another program may be built upon the same client, and a person talk to that.
    own = any(os.path.basename(word) in UNMARKED[client] for word in words)  # noqa: PTH119  a hot path
    return deciding in SCRIPTED or (piped and own and not deciding)


def _asked_words(process: int) -> tuple[float, list[str]]:
    """What `ps` knows of a process: its age in seconds, and the words of its command line; 0 if nothing."""
    import subprocess

    words = ["ps", "-ww", "-o", "etime=,args=", "-p", str(process)]
    try:
        # The words are fixed.
        said = subprocess.run(words, capture_output=True, timeout=1, check=True).stdout  # noqa: S603
        elapsed, *line = os.fsdecode(said).split()
        days, _, clock = elapsed.rpartition("-")
        hours, minutes, seconds = ["0", "0", *clock.split(":")][-3:]
        return ((int(days or 0) * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(seconds) + 1.0, line
    except (OSError, subprocess.SubprocessError, ValueError):
        return 0.0, []


def _answer(event: HookEvent, options: Options) -> bytes:
    folder = _folder(options, event)
    if folder is None:
        return b""
    context = _context(folder, options)
    left_behind = event.name == "session-start" and context.project.elsewhere is not None
    text, error = "", "Error"
    try:
        text, error = _text(context, event), ""
    finally:
        _count(context, event, error, said=bool(text))
    return _as_answer(event, text, MOVED if left_behind else "")


def _count(context: HookContext, event: HookEvent, error: str, *, said: bool) -> None:
    """Add how long this took to the project's timings, as `recortex.telemetry` does for operations."""
    if context.exists and context.settings["metrics.keep_days"]:
        at, took = round(context.clock().timestamp(), 3), round(_lived() * 1000, 3)
        line = json.dumps([at, "hook", event.name, took, error, {"said": said}])
        with suppress(Exception):
            append_own(context.location.timings, f"{line}\n", MOST_TIMED)


def _lived() -> float:
    """Seconds since this process began, which is what the client waits for; to a hundredth on Linux."""
    with suppress(OSError):
        if age := _age("self"):
            return age
    return time.monotonic() - _BEGAN


def _age(process: str) -> float:
    """Seconds since a process began; 0 where this system does not count them so.

    Raises:
        OSError: it cannot be read, or this is not Linux.
    """
    with suppress(ValueError, AttributeError, IndexError):
        with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123  a hot path
            began = int(file.read().rpartition(b")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - began
    return 0.0


def _as_answer(event: HookEvent, text: str, notice: str) -> bytes:
    name = event.event if _EVENT_NAME.fullmatch(event.event) else ""
    answer: dict[str, Any] = {"systemMessage": notice} if notice else {}
    if text:
        if event.name == "pre-compact":  # plain text becomes part of what the summary is asked for
            return sealed(text).encode()
        if event.name == "stop":  # there it would be asked again and again what a hook adds
            answer |= {"decision": "block", "reason": sealed(text)}
        else:
            answer["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": sealed(text)}
    said = json.dumps(answer, ensure_ascii=False)
    return said.encode() if answer and name and len(said) < LONGEST else b""


def _text(context: HookContext, event: HookEvent) -> str:
    if event.name == "pre-tool-use":
        from recortex.app.hooks.dispatch import cited_files

        if not cited_files(context, event):
            return ""  # quickly known, and true of most files
    if event.name in ASKED_SERVER and context.exists:
        from recortex.app.hooks import reminders

        text = reminders.ask(context.store, event, seconds=SERVER_SHARE * SECONDS[event.name])
        if text is not None:
            return text
    from recortex.app.hooks import handle

    return handle(context, event)


def _context(folder: Path, options: Options) -> HookContext:
    return hook_context(folder, url=options.url or None)


def _folder(options: Options, event: HookEvent | None) -> Path | None:
    """The folder that says which project it is: of the command line, of the client's start, of the moment."""
    named = (options.project, event.project, event.cwd) if event else (options.project,)
    for place in named:
        if place and os.path.isdir(place):  # noqa: PTH112  a hot path
            return Path(place)
    with suppress(OSError):
        return Path.cwd()
    return None


def _stdin() -> bytes | None:
    """Standard input, whole; None where it is closed or more than anything that a client sends."""
    parts = bytearray()
    try:
        while part := os.read(0, 1 << 20):
            if len(parts) <= MOST_BYTES:  # the rest is read and dropped: the client can finish writing
                parts += part
    except OSError:
        return None
    return bytes(parts) if len(parts) <= MOST_BYTES else None


def _note(folder: Path | None, name: str, error: Exception) -> None:
    """Log a failure in the project's folder, or in the person's where that cannot be written."""
    from recortex.app.hooks import log_error

    said = f"{type(error).__name__}: {error}"
    home = home_folder()
    location = of_project(find_project(home, folder)) if folder else None
    if location and location.folder.is_dir() and os.access(location.folder, os.W_OK):
        log_error(location, name, said)
    else:
        log_error(of_user(home), name, said)


def _options(words: Sequence[str]) -> Options:
    """The options that are there.

    What is not understood is left out: a client's call never fails for a word.
    """
    found = dict.fromkeys(Options._fields, "")
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, given, value = word.partition("=")
        if name in {"--client", "--project", "--url"}:
            found[name[2:]] = value if given else (rest.pop(0) if rest else "")
        elif not word.startswith("-") and not found["event"]:
            found["event"] = word
    return Options(**found)
