"""Turns what clients send to hooks, and any client's tool calls, into one form.

The input is untrusted: every field is checked and shortened here. Claude Code, Codex and Qwen Code use the
same event names; Gemini CLI has its own for the same events.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Literal, get_args

from recortex.domain.text import is_init, is_put_in, known_as, lazy
from recortex.lean import Value, replace

if TYPE_CHECKING:
    from collections.abc import Mapping


# -- what an agent's client tells a hook, whatever client it is


EventName = Literal[
    "session-start",
    "user-prompt-submit",
    "pre-tool-use",
    "post-tool-use",
    "pre-compact",
    "stop",
    "subagent-stop",
    "session-end",
]


class HookEvent(Value, frozen=True, kw_only=True):
    """One call of a hook.

    Attributes:
        name: our name of the event; `event` is the client's, which an answer has to repeat.
        session: the client's id of the session.
        cwd: where the agent stands now; `project` is the folder it was started in, where the client says so.
        source: why a session starts: startup, resume, clear, compact, fork.
        reason: why it ends.
        tool: the client's name of the tool that is used.
        command: the shell command that it runs.
        files: paths that it reads or, when `writes`, changes.
        replaced: the texts in them that it replaces, or what stands around.
        ok: whether it worked; None where the event does not tell.
        own: the tool is Recortex itself.
        message: the last thing that the agent said.
        agent: id of the sub-agent that the event happened in; `agent_type` is empty for the client's own
            helpers.
        agent_transcript: the sub-agent's transcript.
        process: of the client on this machine; 0: unknown.
        ending: the client says that the turn ends, and that no hook made it go on before.
        unattended_since: POSIX time at which a program started the client, of which the transcript does not
            say that; 0: a person types, or the transcript says who does.
    """

    name: EventName
    event: str = ""
    client: str = ""
    session: str = ""
    transcript: str = ""
    cwd: str = ""
    project: str = ""
    source: str = ""
    reason: str = ""
    prompt: str = ""
    tool: str = ""
    command: str = ""
    files: tuple[str, ...] = ()
    writes: bool = False
    replaced: tuple[str, ...] = ()
    ok: bool | None = None
    own: bool = False
    message: str = ""
    agent: str = ""
    agent_type: str = ""
    agent_transcript: str = ""
    process: int = 0
    ending: bool = False
    unattended_since: float = 0.0

    @property
    def asks(self) -> bool:
        """Whether a prompt may be answered: no client put it there, and it is no command of ours."""
        prompt = self.prompt.strip()
        if not prompt or self.agent or prompt.startswith(NOT_ASKED):
            return False
        return not is_put_in(prompt) and not is_init(prompt)

    @property
    def void(self) -> bool:
        """Whether there is nothing to do, whatever is known."""
        # Copilot CLI sends what an agent orders another, and the end of that, as if a person had asked.
        of_agent = bool(self.agent) and self.name in {"user-prompt-submit", "stop"}
        return not self.session or of_agent or (self.name == "user-prompt-submit" and not self.asks)


UNMARKED = {"gemini": ("gemini",), "qwen": ("qwen", "cli.js")}
"""Clients whose transcripts do not say that no person was there, and what their programs are called."""
NOT_ASKED = ("/recortex",)
"""How prompts begin that are our own commands."""


# -- reads the arguments of any client's tool calls: the command, the files, and whether the tool writes


_COMMANDS = ("command", "cmd", "script")
_REPLACED = ("old_string", "oldString", "old_str", "oldText", "old_text")
_MOST_REPLACED, _LONGEST_REPLACED = 20, 2_000
_HUNK = lazy(r"(?:^[ -].{0,400}\n?){1,40}", re.MULTILINE)
_FILE_ARGUMENTS = "file_path filePath absolute_path notebook_path target_file filename file path paths files"
_FILES = tuple(_FILE_ARGUMENTS.split())
# `path` of these tools is a folder to search.
_SEARCH_TOOLS = "grep glob ls list list_directory search_file_content grep_search find list_dir"
_SEARCHES = frozenset(_SEARCH_TOOLS.split())
_WRITES = lazy(
    r"(?:multi|notebook|file_?)?edit(?:_file|or)?$|write(?:_file)?$|create(?:_file)?$|replace$"
    r"|apply_patch$|patch$|str_replace",
    re.IGNORECASE,
)
_READING_COMMANDS = frozenset(("view", "read"))  # of tools that read and write by a `command` argument
_PATCHED = lazy(r"^\*\*\* (?:Update|Add|Delete) File: (.{1,1000})$", re.MULTILINE)
_SHELL_PREFIX = 3  # ["bash", "-lc", "the command"]


def as_mapping(arguments: Any) -> Mapping[str, Any]:
    """The arguments as an object. JSON in a string is parsed; any other string becomes the field `input`."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments, strict=False)
        except (ValueError, RecursionError):
            return {"input": arguments}
    return arguments if isinstance(arguments, dict) else {}


def is_writing(name: str, given: Mapping[str, Any]) -> bool:
    """Whether the call changes its files."""
    return _WRITES.match(name) is not None and given.get("command") not in _READING_COMMANDS


def command_of(name: str, given: Mapping[str, Any]) -> str:
    """The shell command that the tool runs; empty if it runs none."""
    if not given or _WRITES.match(name):
        return ""
    for key in _COMMANDS:
        value = given.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            words = [word for word in value if isinstance(word, str)]
            shell = len(words) == _SHELL_PREFIX and words[1] in {"-lc", "-c"}
            return words[-1] if shell else " ".join(words)
    return ""


def replaced_in(given: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts that an edit replaces, cut at 2,000 characters; of a patch, lines that it takes or leaves."""
    several = given.get("edits")
    edits = (
        [given, *(one for one in several if isinstance(one, dict))] if isinstance(several, list) else [given]
    )
    found = [text for one in edits for name in _REPLACED if isinstance(text := one.get(name), str) and text]
    if patch := _patch(given):
        hunks = (one[0].splitlines() for one in _HUNK.finditer(patch[: _MOST_REPLACED * _LONGEST_REPLACED]))
        found += ["\n".join(line[1:] for line in lines) for lines in hunks]
    return tuple(one[:_LONGEST_REPLACED] for one in found[:_MOST_REPLACED])


def _patch(given: Mapping[str, Any]) -> str:
    """The text of a patch in the arguments; empty where there is none."""
    patch = given.get("input") or given.get("patch") or given.get("patchText") or given.get("command")
    text = patch[-1] if isinstance(patch, list) and patch else patch
    return text if isinstance(text, str) and "*** " in text else ""


def files_of(name: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """The files that it reads or writes, as the client named them."""
    if name.lower() in _SEARCHES:
        return ()
    found: dict[str, None] = {}
    for key in _FILES:
        value = given.get(key)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str) and item:
                found[item] = None
    if patch := _patch(given):
        found.update(dict.fromkeys(path.strip() for path in _PATCHED.findall(patch)))
    return tuple(found)


_OWN_TOOL = lazy(
    # Claude Code, Codex, Qwen; Gemini; opencode
    r"mcp__[^\s]{0,80}recortex|mcp_recortex_|recortex[_.:/]|recortex$"
)
_OWN_COMMAND = lazy(
    r"(?:^|[;&|(\n])[ \t]*(?:(?:uvx?|pipx|python3?)\s(?:run\s|-m\s|tool\s){0,3})?recortex(?=\s|$)"
)


def is_own_tool(name: str) -> bool:
    """Whether a tool's name, as any client spells it, is one of Recortex's own."""
    return "recortex" in name and _OWN_TOOL.match(name) is not None


def is_own_command(command: str) -> bool:
    """Whether a shell command runs Recortex: what it prints is what memory already holds."""
    return "recortex" in command and _OWN_COMMAND.search(command) is not None


# -- turns what clients send to hooks into one kind of event


EVENTS: tuple[EventName, ...] = get_args(EventName)
_FAILURE = "PostToolUseFailure"
_EXIT_CODE = lazy(r"^(?:Exit Code: |<shellId: \d{1,9} completed with exit code )(\d{1,5})>?$", re.MULTILINE)
LONGEST_TEXT = 64_000
"""Characters of a prompt or message that are read; the rest is in the transcript."""
_LONGEST_WORD = 4_096
_MOST_FILES = 50


def parse(
    name: EventName, raw: bytes, *, client: str = "", project: str = "", process: int = 0
) -> HookEvent | None:
    """Parse a hook's standard input; None if it is not a JSON object.

    Args:
        name: the event that the hook was called for.
        raw: all of standard input.
        client: the agent's client, if the hook was told.
        project: the folder in which the agent was started, if the environment says so.
        process: the client's process id.
    """
    try:
        given: Any = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict):
        return None
    # Only Codex names the turn, and its transcripts so. Claude Code and Qwen Code are read alike.
    of_codex = "turn_id" in given or "/rollout-" in _word(given, "transcript_path").replace("\\", "/")
    client = client or ("codex" if of_codex else "")
    return replace(_event(name, given), client=client, project=project, process=process)


def _event(name: EventName, given: Mapping[str, Any]) -> HookEvent:
    tool = _word(given, "tool_name")
    arguments = as_mapping(given.get("tool_input"))
    command = command_of(tool, arguments)
    return HookEvent(
        name=name,
        event=_word(given, "hook_event_name") or name.title().replace("-", ""),
        session=known_as(_word(given, "session_id")),
        transcript=_word(given, "transcript_path"),
        cwd=_word(given, "cwd"),
        source=_word(given, "source"),
        reason=_word(given, "reason"),
        prompt=_text(given, "prompt"),
        tool=tool,
        command=_plain(command)[:LONGEST_TEXT],
        files=tuple(
            _plain(file)
            for file in files_of(tool, arguments)[:_MOST_FILES]
            if len(file) <= _LONGEST_WORD and "\0" not in file
        ),
        writes=is_writing(tool, arguments),
        replaced=tuple(_plain(text) for text in replaced_in(arguments)),
        ok=_worked(given),
        own=is_own_tool(tool) or is_own_command(command),
        message=_text(given, "last_assistant_message") or _text(given, "prompt_response"),
        agent=_word(given, "agent_id"),
        agent_type=_word(given, "agent_type"),
        agent_transcript=_word(given, "agent_transcript_path"),
        ending=given.get("stop_hook_active") is False,
    )


def _worked(given: Mapping[str, Any]) -> bool | None:
    """Whether a tool call succeeded; None if the client does not say."""
    if given.get("hook_event_name") == _FAILURE or _word(given, "error"):
        return False
    answer = given.get("tool_response", given.get("tool_result"))
    if answer is None:
        return None
    if isinstance(answer, dict):
        # The exit code is a field, or a line that Gemini CLI, Qwen Code and Copilot CLI write.
        code = answer.get("exit_code", answer.get("exitCode"))
        said = answer.get("llmContent", answer.get("text_result_for_llm"))
        if isinstance(said, str):
            found = _EXIT_CODE.search(said[-_LONGEST_WORD:])
            code = int(found[1]) if found else code
        return (code == 0 if isinstance(code, int) else True) and not (
            answer.get("is_error") or answer.get("error") or answer.get("interrupted")
        )
    return True


def _word(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    return (
        _plain(value) if isinstance(value, str) and len(value) <= _LONGEST_WORD and "\0" not in value else ""
    )


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    return _plain(value[:LONGEST_TEXT]) if isinstance(value, str) else ""


def _plain(text: str) -> str:
    """The text without NUL and lone surrogates, which cannot be written to a file."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
