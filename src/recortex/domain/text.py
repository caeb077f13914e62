"""Texts and instants, before anything heavy is loaded: lazy expressions, names that may hold secrets.

Instants are aware UTC datetimes outside, and whole microseconds since 1970 in stores.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from recortex.errors import CorruptStoreError, InvalidInputError
from recortex.lean import blake2b, sha256

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


# -- regular expressions that are compiled when they are first used, so that an import costs nothing


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The expression of a pattern; it is compiled when one of its methods is first called."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))


class _Lazy:
    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._source), name)
        setattr(self, name, value)  # from now on found without this method
        return value


# -- TOML of a stranger's file


_TOML_STRING = lazy(
    r'''"""(?:[^"\\]|\\.|"(?!""))*(?:"""|\Z)|\'{3}(?:[^']|\'(?!\'\'))*(?:\'{3}|\Z)'''
    r"""|"(?:[^"\\\n]|\\.)*"?|\'[^\'\n]*\'?|\#[^\n]*""",
    re.DOTALL,
)
_DEEP_KEY = lazy(r"(?:\.[ \t]*(?:[\w-]+[ \t]*)?){64}")
_FEW_DOTS = 64


def read_toml(text: str) -> dict[str, Any]:
    """The values of a TOML text, in time that is in proportion to it.

    The standard library takes the square of the parts of a dotted key: 6 s for one of 20,000.

    Raises:
        ValueError: it is no TOML, or a key has more than 64 parts.
        RecursionError: it has tables in tables in tables, without end.
    """
    import tomllib

    # A key of so many parts needs as many dots, which most files do not have.
    if text.count(".") >= _FEW_DOTS and _DEEP_KEY.search(_TOML_STRING.sub("x", text)):
        raise ValueError("a key has more than 64 parts")
    return tomllib.loads(text)


# -- a text in one line


_PREVIEW_CHARACTERS = 160


def shorten(text: str, limit: int = _PREVIEW_CHARACTERS) -> str:
    """The text on one line, cut at a word to at most `limit` characters with a closing ellipsis."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) > limit // 2 else cut).rstrip(" ,;:.") + "…"


# -- whether an id, a path or a name may hold a secret: a guess for which hooks need not load the rules


_WORDS = (
    "pass pwd pw- pw_ secret token key auth cred bearer login sig cookie session- session_ session= = : @ %"
    " kennwort mdp contrase senha 密码 密碼 口令 密钥 密鑰 令牌 パス トークン キー 暗証 認証 验证码 驗證碼 账号 帐号 凭证 凭据 合言葉 秘密 シークレット"
    " schlüssel geheim jeton clave chave segredo 用"
).split()
"""Words that often stand before a secret, and signs of connection strings: no pattern, since to compile it
takes a hundredth of the time of a hook."""
_PIN = lazy(r"(?<![a-z])pin(?![a-z])")
_DOTLESS = str.maketrans("\u0130\u0131", "ii")
_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z])"
_UNIQUE = lazy(r"(?<![0-9A-Za-z])" + _UUID)
"""A UUID: what clients name sessions by. Behind a word it may be a key that a provider issued."""
# Prefixes of providers' tokens, a guess at those of `engines/privacy/rules`: test_names.py compares the two.
_ISSUED = lazy(
    r"(?<![A-Za-z])(?:gh[a-z][-_]|github[-_]pat|gl[a-z]{2,6}-|sk[-_]|pk[-_]|rk[-_]|ak[-_]|AKIA|ASIA|AIza|xox"
    r"|eyJ|SG\.|ya29|npm_|pypi-|hf_|dop_|whsec)|[A-Za-z]\d?[-.]" + _UUID
)
"""How tokens begin that providers issue: those of `engines/privacy/rules`, more broadly."""
_RUN = lazy(r"[A-Za-z0-9]{6,}")
_WORD = lazy(r"[A-Z]?[a-z]+\d*|[A-Z]+|\d+|[a-z0-9]{1,15}")
_HASH = lazy(r"[0-9a-f]+")
_LONG = 16  # letters and digits without a break that are suspicious where a digit is among them
LONGEST_ID = 512
"""Bytes of a session's id: clients' own have 36. PostgreSQL's indexes take at most 2,704 in all columns."""


def known_as(id_: str) -> str:
    """The id by which a session is known, in hooks and transcripts: one that is too long, by its hash."""
    data = id_.encode("utf-8", "replace")
    if len(data) <= LONGEST_ID:
        return id_
    return f"sha256:{sha256(data).hexdigest()}"


@lru_cache(4_096)
def suspicious(name: str) -> bool:
    """Whether a name has to be redacted by the rules.

    A wrong yes costs a few milliseconds, a wrong no lets a secret pass. UUIDs, hashes that are a whole part
    of a path, words and words with a number are not suspicious.
    """
    folded = name.translate(_DOTLESS).casefold()
    if any(word in folded for word in _WORDS) or ("pin" in folded and _PIN.search(folded)):
        return True
    if _ISSUED.search(name):
        return True
    for part in re.split(r"[/\\]", _UNIQUE.sub("", name)):
        stem = part.partition(".")[0]
        for run in _RUN.findall(part):
            if _mixed(run) and not (run == stem and _HASH.fullmatch(run)):
                return True
    return False


def _mixed(run: str) -> bool:
    """Whether a run of letters and digits looks random: long with a digit, or both cases and a digit."""
    if len(run) >= _LONG and not run.isdigit():
        return not run.isalpha() or run.isupper() or len(run) > 2 * _LONG
    return not _WORD.fullmatch(run) and run != run.lower() and any(map(str.isdigit, run))


# -- the name that a file is compared by, and the word by which a decision about it is found


def name_of_file(path: str) -> str:
    """The name of a file without its folders and in lower case."""
    return path.replace("\\", "/").rstrip("/.").rpartition("/")[2].lstrip(".").lower()


def word_of_file(path: str) -> str:
    """The word that an exchange is found by which decided something about a file of the project.

    It ends with a digit, so that no index takes it for an inflected word.
    """
    return f"file{int.from_bytes(blake2b(path.encode('utf-8', 'replace'), digest_size=8).digest())}"


# -- where a memory's statement is written already: in which instruction files, and who loads those itself


RULE = "instruction_file"
"""The rule by which a memory was made of a statement in such a file."""
FILES, LOADED_BY = "written_in", "loaded_by"
UNNAMED = "claude-code"
"""The client that calls a hook without saying who it is: as our plug-in has it do."""


def places(metadata: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The files in which a statement stands, by name.

    Each with `hashes` (of the statements there that say it), `lines` and `clients` (that load the file).
    """
    found = metadata.get(FILES)
    if not isinstance(found, dict):
        return {}
    return {name: one for name, one in found.items() if isinstance(one, dict)}


def with_places(metadata: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The metadata with these files instead of those that it names."""
    rest = {key: value for key, value in metadata.items() if key not in {FILES, LOADED_BY}}
    if not files:
        return rest
    clients = sorted({client for one in files.values() for client in str(one.get("clients", "")).split()})
    return rest | {FILES: {name: dict(one) for name, one in files.items()}, LOADED_BY: " ".join(clients)}


def joined(known: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of a memory that says the same as another: the new values, and the files of both."""
    if not (places(known) or places(new)):
        return {**known, **new}
    files = places(known)
    for name, place in places(new).items():
        hashes = dict.fromkeys((*files.get(name, {}).get("hashes", ()), *place.get("hashes", ())))
        files[name] = place | {"hashes": list(hashes)}
    return with_places({**known, **new}, files)


def loads(client: str, loaded_by: str) -> bool:
    """Whether a client is among those that load the file themselves."""
    return (client or UNNAMED) in loaded_by.split()


# -- the tags between which programs put text into a conversation: ours, and those of the clients


OWN = "recortex-memory"

# What clients wrap around text that nobody typed (seen in transcripts of the clients named on the right).
WRAPPERS = (
    "system-reminder",  # Claude Code
    "persisted-output",
    "command-name",
    "command-message",
    "command-args",
    "command-contents",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "user-prompt-submit-hook",
    "task-notification",
    "agent-notification",
    "teammate-message",
    "agent-message",
    "cross-session-message",
    "coordinator-relay",
    "slack-ping",
    "slack-tag-message",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "post-tool-use-hook",
    "untrusted_context",  # Gemini CLI
    "session_context",
    "hook_context",
    "loaded_context",
    "environment_context",  # Codex
    "user_instructions",
    "INSTRUCTIONS",
    "permissions instructions",
    "skills_instructions",
    "apps_instructions",
    "collaboration_mode",
    "subagent_notification",
    "turn_aborted",
    "user_shell_command",
)


# -- text as it goes to an agent: what a reader sees of it, and no tag that could pass for a client's


_TERMINAL = lazy(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]"  # colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,2000}(?:\x07|\x1b\\|\x9c)?"  # titles, links
    r"|\x1b[ -/]{0,16}[0-~]?"
)
_BREAK = lazy("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_OTHER = lazy(r"[^\x20-\x7e\n\t]")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})  # Unicode categories: controls, formats, unassigned
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
)  # letters and marks by name
_JOINERS = frozenset("\u200c\u200d")  # parts of words and emoji
_STYLES = frozenset("\ufe0e\ufe0f")  # as text, as emoji
_STYLED = frozenset({"So", "Sm", "Sk", "Po"})

# Roles and calls as the templates of models write them.
_ROLES = (
    "system|user|human|assistant|developer|tool|function|tool_use|tool_result|tool_call|function_calls?"
    "|function_results?|invoke|parameter|instructions?|context|thinking|antml:[a-z_]+|result|important|prompt"
)
_NAMED = "|".join(map(re.escape, (OWN, *WRAPPERS)))
_PROGRAMS = (
    "(?:reminder|context|stdout|stderr|input|output|hook|notification|message|caveat|instructions?|prompt)"
)
_TAG = lazy(
    rf"<(?=!--|\||\s{{0,9}}/?\s{{0,9}}(?:(?:{_NAMED})\b|[a-z]+(?:-[a-z]+)*-{_PROGRAMS}\b)|</?SYS>>)"
    rf"|<(?=(?-i:/?(?:{_ROLES}))(?:\s[^<>]{{0,300}})?/?>)"
    # After a word it is a type: `Promise<Result>`.
    rf"|(?<!\w)<(?=\s{{0,9}}/?\s{{0,9}}(?:{_ROLES})(?:\s[^<>]{{0,300}})?/?>)",
    re.IGNORECASE,
)
_BRACKETED = lazy(r"\[(?=/?INST\])")
_CLOSING = lazy(r"--!?>|\|>")
_LEFT, _RIGHT = (
    "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}",
    "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
)
_BRACKET = "\N{LEFT WHITE SQUARE BRACKET}"


def clean(text: str) -> str:
    """A text without what is not seen, and with its tags made harmless.

    A reader still sees what stood there.
    """
    return without_tags(visible(text))


def cleaned(value: Any) -> Any:
    """`clean` applied to each text in a JSON value, keys included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list | tuple):
        return [cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): cleaned(item) for key, item in value.items()}
    return value


def visible(text: str) -> str:
    """A text without terminal sequences, controls, and signs that take no place.

    Line breaks and tabs stay.
    """
    # Most text is plain ASCII, of which no single character need be looked at.
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    plain = _BREAK.sub("\n", _TERMINAL.sub("", text))
    return plain if plain.isascii() and not _OTHER.search(plain) else _OTHER.sub(_replacement_of, plain)


def without_tags(text: str) -> str:
    """A text in which nothing is a tag of ours, of a client's or of a model's template any more."""
    # Compiling an expression is most of the time that a hook is here: each only where it may match.
    if "<" in text:
        text = _TAG.sub(_LEFT, text)
    if "[" in text:
        text = _BRACKETED.sub(_BRACKET, text)
    return _CLOSING.sub(lambda end: end[0][:-1] + _RIGHT, text) if ">" in text else text


def _replacement_of(found: re.Match[str]) -> str:
    """What a character is replaced by: itself, a space, or nothing."""
    sign, text = found[0], found.string
    before = text[found.start() - 1 : found.start()]
    # They join the signs of some scripts and of emoji; anywhere else they hide something.
    if sign in _JOINERS:
        return sign if _joinable(before) and _joinable(text[found.end() : found.end() + 1]) else ""
    if sign in _STYLES:
        return sign if before and (unicodedata.category(before) in _STYLED or before.isdecimal()) else ""
    if sign in _BLANK or "\ufe00" <= sign <= "\ufe0f" or "\U000e0100" <= sign <= "\U000e01ef":
        return ""
    category = unicodedata.category(sign)
    return "" if category in _UNSEEN else " " if category == "Zs" else sign


def _joinable(sign: str) -> bool:
    return bool(sign) and not sign.isascii() and (sign in _STYLES or unicodedata.category(sign)[0] in "LMS")


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_OLDEST = datetime(2000, 1, 1, tzinfo=UTC)
"""Nothing that is read here was said earlier: what says so has a clock that was never set."""
_APART = timedelta(days=366)
"""How far clocks may differ: what lies later comes from one that was never set, or was set wrong."""

_ROUNDED = timedelta(minutes=1)


def to_micros(at: datetime) -> int:
    """Whole microseconds since 1970-01-01 UTC; exact, also before 1970."""
    return (at - EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The inverse of `to_micros`.

    Raises:
        CorruptStoreError: damage changed it into something that is no instant of the calendar.
    """
    try:
        return EPOCH + timedelta(microseconds=micros)
    except (TypeError, OverflowError) as error:
        raise CorruptStoreError("The store is damaged: a time in it is impossible.") from error


def as_utc(at: datetime) -> datetime:
    """The same instant in UTC; a datetime without a zone is taken as UTC."""
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def parse_instant(text: str) -> datetime:
    """Read an ISO 8601 date or date-time, as UTC where it names no zone.

    Raises:
        InvalidInputError: the text is not such a date.
    """
    try:
        return as_utc(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError):
        raise InvalidInputError(
            f"{text[:40]!r} is not a date or time.",
            hint="Give ISO 8601, such as 2026-03-01 or 2026-03-01T12:30:00Z.",
        ) from None


def bounded_time(at: datetime | None, now: datetime, *otherwise: datetime | None) -> datetime:
    """A time from outside, in UTC; where it is missing or impossible, the next possible one, else now.

    Args:
        at: as a transcript, a repository or a caller says.
        now: what lies later by more than clocks differ is no time of the past.
        otherwise: what stands for it, such as the time of its session.
    """
    for one in filter(None, (at, *otherwise)):
        said = as_utc(one)
        if _OLDEST <= said <= now + _APART:
            return said
    return now


def same_moment(one: datetime, other: datetime) -> bool:
    """Whether two times may be of one message and its copy: some clients round what they export."""
    return abs(one - other) < _ROUNDED


def day_of(day: int) -> str:
    """A day since 1970 as 2026-11-29."""
    return f"{EPOCH + timedelta(days=day):%Y-%m-%d}"


# -- text that programs put into a conversation: ours is marked, and all of it is separated from what was said


START = f"<{OWN}>"
END = f"</{OWN}>"

_OWN_MARKER = lazy(r"<(/?)recortex-memory(?:\s[^<>]{0,200})?>", re.IGNORECASE)

_WRAPPER = lazy(r"<(/?)(" + "|".join(map(re.escape, WRAPPERS)) + r")(?:\s[^<>]{0,300})?>")

# Those that clients also put before or behind what was typed, in one block with it.
_BESIDE = frozenset(
    ("system-reminder", "hook_context", "user-prompt-submit-hook", "persisted-output", "untrusted_context")
)
_ELEMENT = lazy(r"\s*<([A-Za-z][\w-]{0,60}(?: instructions)?)(?:\s[^<>]{0,300})?>")
_INSTRUCTIONS = "# AGENTS.md instructions for "
_INIT = (
    "Generate a file named AGENTS.md that serves as a contributor guide for this repository.\n",
    "Create or update `AGENTS.md` for this repository.\n",
    "Please analyze this codebase and create an AGENTS.md file containing:\n",
    "Please analyze this codebase and create a AGENTS.md file containing:\n",
    "Please analyze this codebase and create a CLAUDE.md file, which will be ",
    "Please analyze this codebase and create an CLAUDE.md file, which will be ",
    "You are an AI agent that brings the power of Gemini directly into the terminal. Your task is to ",
    "Analyze this codebase and create/update **",  # Crush
    "You are Qwen Code, an interactive CLI agent. Analyze the current directory and generate ",
)

# Hook output as clients present it: from such a line to the end of the block is the hook's text.
_EVENTS = (
    "SessionStart|SessionEnd|Setup|UserPromptSubmit|PreToolUse|PostToolUse|PostToolUseFailure|Stop"
    "|SubagentStart|SubagentStop|PreCompact|PostCompact|Notification|BeforeAgent|AfterAgent"
    "|BeforeTool|AfterTool|PreCompress"
)
_HOOK_LINE = lazy(
    rf"^[^\S\n]*(?:{_EVENTS})(?::[^\s]{{1,80}})? hook "
    r"(?:additional context|success|feedback|blocking error|error)(?::| from)",
    re.MULTILINE,
)
_ECHO_LINE = lazy(
    r"^[^\S\n]*(?:Caveat: The messages below were generated by the user while running local commands[^\n]*"
    r"|\[Request interrupted by user(?: for tool use)?\]"
    r"|Read the output file to retrieve the result: [^\n]*"  # after a task notification
    r"|System: Please continue\."  # Gemini CLI, when the model said nothing
    r"|# AGENTS\.md instructions for [^\n]*)[^\S\n]*$",
    re.MULTILINE,
)
INTERRUPTED = "[Request interrupted by user"

_ROUNDS = 5  # one to take out, one to see that nothing is left; more only for text made to deceive


def wrap(text: str) -> str:
    """Mark text as ours.

    It is cleaned, so that it can neither close the block early nor pass for anything else.
    """
    return f"{START}\n{clean(text)}\n{END}"


def sealed(text: str) -> str:
    """The answer of a hook, whichever process made it, as one clean block; empty where it has none."""
    inside = _OWN_MARKER.sub("", text).strip()
    return wrap(inside) if inside else ""


def strip_injected(text: str, *, wrappers: bool = True) -> tuple[str, str]:
    """Separate what was said from what a program put in.

    A block of ours whose end is missing (a client cut it) reaches to the end of `text`; one whose beginning
    is missing reaches back to the beginning. Other programs' wrappers are taken out from the first opening to
    the last closing of their name, or to the end where an unclosed one begins a line.

    Args:
        text: one block of a message, as the client recorded it.
        wrappers: also take out what other programs put in. An agent's own answer has none, but may speak of
            them.

    Returns:
        (clean, injected): `clean` has no marker and no outer blank space; `injected` is what was taken,
        without markers.
    """
    taken: list[str] = []
    text = _unmarked(text, taken, wrappers=wrappers) if "<" in text else text
    if not wrappers:
        return text.strip(), _joined(taken)
    hook = _HOOK_LINE.search(text)
    if hook:
        taken.append(text[hook.start() :])
        text = text[: hook.start()]
    echoes = [match.group() for match in _ECHO_LINE.finditer(text)]
    text = _ECHO_LINE.sub("", text) if echoes else text
    return text.strip(), _joined([*taken, *echoes])


def is_put_in(block: str) -> bool:
    """Whether a block of a person's message is a program's as a whole.

    It begins with a tag that clients put around blocks of their own, or is one element of any name. Forged
    tags inside such a block set nothing of it free.
    """
    opening = _ELEMENT.match(block)
    if opening is None:
        return block.lstrip().startswith(_INSTRUCTIONS) and "\n" in block.lstrip()
    own = opening[1] in WRAPPERS and opening[1] not in _BESIDE
    return own or block.rstrip().endswith(f"</{opening[1]}>")


def is_init(prompt: str) -> bool:
    """Whether a prompt is a client's own, which it sends when `/init` is typed.

    Unlike what is put in it begins a turn, so a client that counts the person's turns counts it.
    """
    return prompt.lstrip().startswith(_INIT)


def untagged(text: str) -> str:
    """Text that a program put in, without the tags that said so."""
    return _OWN_MARKER.sub("", _WRAPPER.sub("", text)).strip()


def _unmarked(text: str, taken: list[str], *, wrappers: bool) -> str:
    """Take blocks out until none is left: what stood around one may make a new marker.

    Endless ones go as a whole.
    """
    for _ in range(_ROUNDS):
        # Others first: an end of ours within their wrapper would take its opening tag away.
        left = _without_wrapped(text, taken) if wrappers else text
        clean: list[str] = []
        depth = last = 0
        for marker in _OWN_MARKER.finditer(left):
            part = left[last : marker.start()]
            last = marker.end()
            if depth:
                taken.append(part)
            elif marker[1]:  # an end with no beginning: all that stands before it was ours
                taken.extend([*clean, part])
                clean.clear()
            else:
                clean.append(part)
            depth = max(0, depth + (-1 if marker[1] else 1))
        (taken if depth else clean).append(left[last:])
        left = "".join(clean)
        if left == text:
            return text
        text = left
    taken.append(text)
    return ""


def _without_wrapped(text: str, taken: list[str]) -> str:
    clean: list[str] = []
    last = 0
    for start, end in _wrapped(text):
        if end <= last:
            continue  # inside one that is already taken
        clean.append(text[last : max(start, last)])
        taken.append(_WRAPPER.sub("", text[max(start, last) : end]))
        last = end
    clean.append(text[last:])
    return "".join(clean)


def _wrapped(text: str) -> list[tuple[int, int]]:
    """Each wrapped span with its tags, by start: from the first opening to the last closing of a name.

    Closings in between may come from whoever wrote the wrapped text, so none of them ends it.
    """
    first: dict[str, int] = {}  # where a name is opened first
    last: dict[str, int] = {}  # where it is closed last
    loose: dict[str, int] = {}  # the line that opens it again after that
    stray: list[tuple[int, int]] = []
    for tag in _WRAPPER.finditer(text):
        name = tag[2]
        if not tag[1]:
            first.setdefault(name, tag.start())
            if _begins_line(text, tag.start()):
                loose.setdefault(name, tag.start())
        elif name in first:
            last[name] = tag.end()
            loose.pop(name, None)
        else:
            stray.append(tag.span())
    closed = [(first[name], end) for name, end in last.items()]
    return sorted([*closed, *stray, *((start, len(text)) for start in loose.values())])


def _begins_line(text: str, position: int) -> bool:
    before = text[max(0, position - 80) : position]  # bounded: many unclosed tags in one long line stay cheap
    return not before[before.rfind("\n") + 1 :].strip() and ("\n" in before or position == len(before))


def _joined(parts: Iterable[str]) -> str:
    return "\n".join(part for part in map(str.strip, parts) if part)
