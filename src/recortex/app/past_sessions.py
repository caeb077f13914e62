"""Past sessions as the calls of hooks that they made, and whose their turns and notes are."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.projects import find_project, is_above_all, of_info, shown
from recortex.codebase.git import find_checkout, working_tree, worktrees
from recortex.codebase.record_files import command_files
from recortex.errors import RecortexError, UntrustedFileError
from recortex.filesystem import open_regular, read_own, replace_text
from recortex.formats.command_text import LEAST_WHOLE, Template, Typed, bodies, template, typed_beside
from recortex.formats.hook_events import UNMARKED, HookEvent
from recortex.formats.session_files import CLIENTS, SessionFile, find_sessions
from recortex.formats.transcripts import open_transcript
from recortex.formats.transcripts.detection import folder_digest, open_session
from recortex.lean import blake2b

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from recortex.app.application import StoreServices
    from recortex.app.projects import Location, Project
    from recortex.domain.exchange import Form, SessionInfo, ToolCall, Turn
    from recortex.domain.session import Signal
    from recortex.formats.transcripts import TranscriptReader


# -- whose word a prompt is, where the client leaves no mark: the repository's, if a command of it says so


_DEEPEST = 12
"""Folders between the one that a session works in and the top of its checkout in which commands are found."""


class RepositoryCommands:
    """Tells prompts that commands of a project made from those that somebody typed.

    Args:
        root: the project's.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._of_folder: dict[Path, tuple[Template, ...]] = {}
        self._around: dict[str, tuple[Path, ...]] = {}

    def attributed(self, turn: Turn, folder: str) -> Turn:
        """The turn; of one that a command made, only the arguments are the person's, if it has any.

        Args:
            turn: of a session.
            folder: in which the session works.
        """
        asked = turn.by_person and turn.form in {"prompt", "queued", "command"}
        words = self.typed(turn.text, folder) if asked else None
        if words is None:
            return turn
        if not words.words:
            return replace(turn, author="repository")
        injected = "\n".join(filter(None, (turn.injected, turn.text)))
        form: Form = "argument" if words.within else "command"
        return replace(turn, text=words.words, form=form, injected=injected)

    def typed(self, text: str, folder: str) -> Typed | None:
        """What the person typed of a prompt that a command made; None where none made it.

        Args:
            text: of the prompt.
            folder: in which the session works.
        """
        # A short prompt is typed as easily as a command makes it: nothing tells them apart.
        if len(text) < LEAST_WHOLE:
            return None
        known = (one for place in self._places(folder) for one in self._templates(place))
        return typed_beside(text, known)

    def _places(self, folder: str) -> tuple[Path, ...]:
        """The project, and the folders from the one that a session works in up to the top of its checkout."""
        if folder not in self._around:
            self._around[folder] = tuple(dict.fromkeys([self._root, *_up(folder)]))
        return self._around[folder]

    def _templates(self, folder: Path) -> tuple[Template, ...]:
        if folder not in self._of_folder:
            # Read once for each folder, and not for each of the prompts that are compared with its
            # commands.
            texts = (body for name, text in command_files(folder) for body in bodies(name, text))
            self._of_folder[folder] = tuple(dict.fromkeys(filter(None, map(template, texts))))
        return self._of_folder[folder]


def _up(folder: str) -> list[Path]:
    with suppress(OSError, ValueError):  # names that the system rejects
        path = Path(folder)
        if path.is_absolute() and path.is_dir():
            path, top = path.resolve(), working_tree(path).resolve()
            # Not above the top of the checkout: commands in the home folder are the person's own.
            return [one for one in islice((path, *path.parents), _DEEPEST) if one.is_relative_to(top)]
    return []


# -- in which project a turn of a session was said: that of the folder in which the person asked


_TAIL = 1_000_000
"""Bytes before a turn in which the question that it answers is looked for first."""
_TURN_PLACES_ASKING = frozenset(("person", "program", "repository"))
"""Whose messages are questions; what the client or another agent puts in comes while one is answered."""
WRITTEN_LATER = timedelta(seconds=2)
"""By how much later than a hook a client may write down the prompt of which it tells it; Gemini CLI and Qwen
Code take some 0.2 s. A person who takes the session up has to start the client first."""
SOMEWHERE = Path()
"""In place of the root of another project of which only the digest of its folder is known."""


class TurnPlaces:
    """Tells the turns of a session that belong to a project from those of others.

    Args:
        root: the project's.
        home: the person's data folder, where projects without git are known; None: none is.
        signals: gives what hooks saw in a session.

    Attributes:
        elsewhere: the roots of other projects in which turns were said.
    """

    def __init__(
        self, root: Path, home: Path | None, signals: Callable[[str], Sequence[Signal]] = lambda _: ()
    ) -> None:
        self._root, self._home = root.resolve(), home
        self._signals = signals
        self._unattended: dict[str, list[tuple[datetime, datetime]]] = {}
        self._known: dict[str, Path | None] = {}
        # Linked worktrees lie elsewhere, and are the same project.
        self._folders = tuple(dict.fromkeys((root, self._root, *worktrees(self._root))))
        self._digests = {folder_digest(one) for one in self._folders}
        self._commands = RepositoryCommands(self._root)
        self.elsewhere: set[Path] = set()

    @classmethod
    def from_services(cls, services: StoreServices) -> TurnPlaces:
        """For the project of a store."""
        project = services.location.project
        return cls(services.root, project.home if project else None, services.store.sessions.signals)

    def own(self, turns: Iterable[Turn], reader: TranscriptReader) -> Iterator[Turn]:
        """The turns said in the project, or nobody knows where; what its commands say is its own word."""
        for turn, found in self._placed(turns, reader):
            if found and found not in {self._root, SOMEWHERE}:
                self.elsewhere.add(found)
            if found in {None, self._root}:
                said = replace(turn, author="program") if self._sent(turn, reader.info) else turn
                yield self._commands.attributed(said, said.cwd or reader.info.cwd)

    def _sent(self, turn: Turn, info: SessionInfo) -> bool:
        """Whether a program sent a turn that the transcript has as a person's: hooks saw what ran then."""
        if info.client not in UNMARKED or not turn.by_person or turn.at is None:
            return False
        session = of_info(info).session_id
        if session not in self._unattended:
            self._unattended[session] = [
                (datetime.fromtimestamp(float(one.digest), UTC), one.at + WRITTEN_LATER)
                for one in self._signals(session)
                if one.name == "unattended"
            ]
        return any(began <= turn.at <= end for began, end in self._unattended[session])

    def _placed(self, turns: Iterable[Turn], reader: TranscriptReader) -> Iterator[tuple[Turn, Path | None]]:
        """The turns, each with the root of the project in which the question was asked that it belongs to."""
        here, first = None, True
        for turn in turns:
            asked = self._locate(turn, reader.info) if _asks(turn) else None
            # A pass over the rest of a transcript begins with the answer to a question that stands before
            # it.
            if first and asked is None and reader.resumed:
                here = self._question_before(turn, reader)
            here = asked or here or self._locate(turn, reader.info)
            first = False
            yield turn, here

    def _question_before(self, turn: Turn, reader: TranscriptReader) -> Path | None:
        """Where the last question was asked before the turn with which a pass begins."""
        end = turn.start or reader.cursor  # what the client alone has told comes after all that stands there
        # First a million bytes back, only then from the beginning: the last question is mostly near.
        for start in dict.fromkeys((max(0, end - _TAIL), 0)):
            found, earlier = None, open_transcript(reader.path, cursor=start)
            for one in takewhile(lambda one: one.end <= end, earlier):
                if _asks(one) and (one.cwd or not start):
                    # Read from the middle, a turn without a folder would be placed by whatever came first
                    # there.
                    found = self._locate(one, earlier.info) or found
            if found:
                return found
        return None

    def _locate(self, turn: Turn, info: SessionInfo) -> Path | None:
        folder = turn.cwd or info.cwd
        if folder or not info.digest:
            return self.project_of(folder)
        # Some clients tell only the digest of the folder.
        return self._root if info.digest in self._digests else SOMEWHERE

    def project_of(self, folder: str) -> Path | None:
        """The root of the project that a folder lies in; None where that is not known."""
        if folder not in self._known:
            self._known[folder] = self._found(folder)
        return self._known[folder]

    def has_own(self, path: Path) -> bool | None:
        """Whether a transcript has a turn that was said in the project; None where no turn says where.

        Raises:
            RecortexError: it is no transcript.
            OSError: it cannot be read.
        """
        reader, elsewhere = open_transcript(path), False
        for _, found in self._placed(reader, reader):
            if found == self._root:
                return True
            if found is not None and not elsewhere:
                elsewhere = True
                if not _names(path, self._folders):
                    break  # what never names a folder of the project was not said there: it is not read whole
        return False if elsewhere else None

    def at_home(self, path: Path) -> bool:
        """Whether all of a transcript was said in the home folder, or above it: in no project.

        Raises:
            RecortexError: it is no transcript.
            OSError: it cannot be read.
        """
        reader = open_transcript(path)
        folders = {turn.cwd or reader.info.cwd for turn in reader}
        with suppress(OSError, ValueError, RuntimeError):  # names that the system rejects
            return bool(folders) and all(one and is_above_all(Path(one).resolve()) for one in folders)
        return False

    def _found(self, folder: str) -> Path | None:
        with suppress(OSError, ValueError):  # names that the system rejects
            named = Path(folder)
            if not folder or not named.is_absolute():
                return None
            # The nearest folder that is still there: checkouts and worktrees are deleted after the work.
            path = next(one for one in (named, *named.parents) if one.is_dir())
            project = find_project(self._home, path) if self._home else None
            checkout = project.checkout if project else find_checkout(path)
            is_project = checkout.git is not None or (project is not None and project.folder is not None)
            if path != named and is_above_all(checkout.root):
                return None  # the home folder says nothing of what was in it
            if is_project or checkout.root == self._root:
                return checkout.root
            return self._root if path.resolve().is_relative_to(self._root) else None
        return None


def _asks(turn: Turn) -> bool:
    """Whether a turn is a question: what follows it is its answer."""
    return turn.role == "user" and not turn.sidechain and turn.author in _TURN_PLACES_ASKING


def _names(path: Path, folders: Iterable[Path]) -> bool:
    """Whether the name of one of these folders stands in a file, in either way that JSON writes it."""
    names = {json.dumps(one.name, ensure_ascii=way)[1:-1] for one in folders for way in (True, False)}
    wanted = [os.fsencode(name) for name in names]
    longest = max(map(len, wanted))
    with open_session(path) as file:
        tail = b""
        while part := file.read(1 << 20):
            seen = tail + part
            if any(name in seen for name in wanted):
                return True
            # The end of a block may cut a name in two.
            tail = seen[-longest:]
    return False


# -- a past session as the calls of hooks that it made, read from its transcript


MOST_PROMPT = 20_000
"""Characters of a prompt that the hook is given."""
# Steps of all sessions are sorted by time: within one session that must not change their order.
_TICK = timedelta(microseconds=1)
_ASKING = {"prompt", "queued", "command", "argument"}
"""How a person says what a client calls the prompt hook for."""


class Step(NamedTuple):
    """An event of a session: when, on which branch, and where the transcript ended then, in bytes."""

    at: datetime
    event: HookEvent
    branch: str
    size: int = 0


@dataclass(slots=True)
class PastSession:
    """A session as its transcript tells it.

    Attributes:
        agent: whether a sub-agent worked in it, and no person.
        grows: whether its file is one of lines, so that its beginning can be read alone.
    """

    path: Path
    id: str
    client: str
    agent: bool
    timed: bool
    grows: bool
    steps: list[Step] = field(default_factory=list)


def past_session(file: SessionFile, known: set[str]) -> PastSession:
    """Read a transcript; messages that another file has too are left out, such as a resumed session's.

    Args:
        file: the transcript.
        known: ids of messages and sessions that were read; those of this one are added.
    """
    reader = open_transcript(file.path)
    reading = _Reading(datetime.fromtimestamp(file.modified, UTC), known)
    turns = reading.new(reader)
    first = next(turns, None)
    info = of_info(reader.info)
    blank = HookEvent(name="session-start", client=info.client, transcript=str(file.path))
    steps = _in_order(_steps(first, turns, blank, info.cwd, info.branch)) if first else []
    session = info.session_id
    while not reading.agent and f"session {session}" in known:
        session += "~"  # two files of one session: each is replayed by itself
    known.add(f"session {session}")
    return PastSession(
        file.path,
        session,
        reader.client,
        reading.agent,
        reading.timed,
        grows=reader.in_lines and not reading.agent,
        steps=[step._replace(event=replace(step.event, session=session)) for step in steps],
    )


@dataclass(slots=True)
class _Reading:
    """What is found out while a transcript is read.

    Attributes:
        at: when the last turn was; where a transcript has no times, when its file was written.
        known: ids of messages that were read.
        timed: whether any turn has a time.
        person: whether any turn is none of a sub-agent's.
    """

    at: datetime
    known: set[str]
    timed: bool = False
    person: bool = False
    any: bool = False

    @property
    def agent(self) -> bool:
        """Whether all turns are of a sub-agent."""
        return self.any and not self.person

    def new(self, turns: Iterable[Turn]) -> Iterator[tuple[datetime, Turn]]:
        """The turns that are not known, with their times, none before the one before."""
        for turn in turns:
            if turn.at is not None:
                # Times in a transcript may go back; the clock of a replay must not.
                self.at = max(self.at, turn.at) if self.timed else turn.at
            self.timed, self.any = self.timed or turn.at is not None, True
            self.person = self.person or not turn.sidechain
            # The file of a resumed session begins with the messages of the one before.
            if not (turn.uuid and turn.uuid in self.known):
                self.known.add(turn.uuid)
                yield self.at, turn


def _in_order(steps: Iterator[Step]) -> list[Step]:
    """The steps, each later than the one before."""
    found: list[Step] = []
    for step in steps:
        least = found[-1].at + _TICK if found else step.at
        found.append(step._replace(at=max(step.at, least)))
    return found


def _steps(
    first: tuple[datetime, Turn],
    turns: Iterable[tuple[datetime, Turn]],
    blank: HookEvent,
    cwd: str,
    branch: str,
) -> Iterator[Step]:
    """The calls of hooks that a session made, from its start to its end; of a sub-agent's these two."""
    before, turn = first
    cwd, branch = turn.cwd or cwd, turn.branch or branch
    yield Step(before, replace(blank, source="startup", cwd=cwd), branch)
    for place, (at, turn) in enumerate(chain([first], turns)):
        cwd, branch = turn.cwd or cwd, turn.branch or branch
        here = replace(blank, cwd=cwd)
        for event in () if turn.sidechain else _events(turn, here):
            # A prompt or a compaction ends the turn before it, though transcripts do not say so.
            if place and event.name in {"user-prompt-submit", "session-start"}:
                yield Step(before, replace(here, name="stop"), branch, turn.start)
            yield Step(at, event, branch)
        before = at
    yield Step(before, replace(blank, name="session-end", cwd=cwd, reason="other"), branch)


def _events(turn: Turn, blank: HookEvent) -> Iterator[HookEvent]:
    if turn.role == "summary":
        yield replace(blank, source="compact")
    elif turn.by_person and turn.form in _ASKING and turn.text.strip():
        yield replace(blank, name="user-prompt-submit", prompt=turn.text[:MOST_PROMPT])
    elif turn.role == "assistant":
        for call in turn.tools:
            # A call that was injected was made by no agent.
            if (call.files or call.command) and not call.injected:
                used = _tool_use(call, blank)
                yield from (replace(used, name="pre-tool-use"), replace(used, name="post-tool-use"))


def _tool_use(call: ToolCall, blank: HookEvent) -> HookEvent:
    event = replace(
        blank, tool=call.name, command=call.command, files=call.files, writes=call.writes, ok=call.ok
    )
    if not call.files or not blank.cwd or Path(blank.cwd).is_dir():
        return event
    # The checkout is not on this machine: its files are named as if it stood where the project does.
    files = (os.path.join(blank.cwd, one) for one in call.files)  # noqa: PTH118  paths of another machine
    return replace(event, cwd="", files=tuple(os.path.relpath(one, blank.cwd) for one in files))


# -- the sessions on this machine that belong to a project, whichever client left them


def is_ours(project: Project, session: SessionFile, named: Path | None = None) -> bool:
    """Whether something in a session was said in a project; its place or its turns say where.

    Args:
        project: the project.
        session: its file.
        named: the file or its folder, which a person named: it counts unless it was all said in other
            projects; of a folder, unless it was all said in the home folder.

    Raises:
        RecortexError: it is no transcript any more.
        OSError: it cannot be read.
    """
    if session.client == "specstory":  # looked for in this project alone
        return True
    places = TurnPlaces(project.root, project.home)
    try:
        own = places.has_own(session.path)
        if own is None and named and named != session.path:
            return not places.at_home(session.path)
    except (RecortexError, OSError):
        if not named:
            raise
        own = None  # the reading itself says what is wrong
    return own is not False if named else own is True


def own_sessions(
    project: Project, claude: Path | None, progress: Callable[[str, int, int], None]
) -> list[SessionFile]:
    """The sessions that clients left of a project, oldest first.

    Args:
        project: the project.
        claude: Claude Code's folder where it is not in the home folder.
        progress: called with the number of files and folders seen so far.

    Raises:
        RecortexError: one is no transcript any more.
        OSError: one cannot be read.
    """
    found = [
        session
        for client in CLIENTS
        for session in find_sessions(
            client,
            home=Path.home(),
            config=claude if client == "claude-code" else None,
            project=project.root,
            progress=progress,
        ).sessions
        if is_ours(project, session)
    ]
    return sorted(found, key=lambda one: (one.modified, str(one.path)))


# -- whose the notes are that Claude Code keeps beside the sessions of a project


FILE = "notes.json"
"""Beside the store: the shared folders that the person said are this project's."""
_MOST_BYTES = 64 * 1024
_MOST_SESSIONS = 200
_FIRST_LINES = 40
_LONGEST_LINE = 256 * 1024
_MOST_ENTRIES = 20_000
"""Of the folders that are looked through for one whose path has the same name."""


def notes_folder(claude: Path | None, root: Path) -> Path:
    """The folder in which Claude Code keeps its notes on a project.

    Args:
        claude: Claude Code's own folder, where it is not in the home folder.
        root: the project's top folder.
    """
    return (claude or Path.home() / ".claude") / "projects" / name_of(str(root)) / "memory"


def name_of(path: str) -> str:
    """What Claude Code calls a folder's path by."""
    # Different paths, such as `a-b` and `a/b`, have the same name, and so their notes lie in one folder.
    return "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in path)


def sharer(folder: Path, root: Path, project_of: Callable[[str], Path | None]) -> str:
    """The path of another folder, of another project or of none, whose notes lie in this one; else empty.

    Args:
        folder: in which the notes are.
        root: the project's top folder.
        project_of: the root of the project that a folder lies in; None where that is not known.
    """
    own, name = root.resolve(), folder.parent.name
    # In which folders the latest sessions of a client's folder began.
    found: list[tuple[float, str]] = []
    with suppress(OSError), os.scandir(folder.parent) as entries:
        found = [
            (entry.stat().st_mtime, entry.path)
            for entry in entries
            if entry.name.endswith(".jsonl") and entry.is_file()
        ]
    # The latest sessions first: whoever uses the folder now has left some there.
    seen = (_begun(Path(path)) for _, path in sorted(found, reverse=True)[:_MOST_SESSIONS])
    for path in chain(iter(dict.fromkeys(filter(None, seen))), islice(_named(name), _MOST_SESSIONS)):
        if name_of(path) == name and not _inside(path, own) and project_of(path) != own:
            return path
    return ""


def sharers(location: Location, project: Project, folders: Sequence[Path]) -> dict[Path, str]:
    """Those of some folders whose notes may be another project's, each with its path.

    Args:
        location: of the project's store, which knows what the person said.
        project: the project.
        folders: in which notes are.
    """
    places, said = TurnPlaces(project.root, project.home), _read_marks(location)
    unsaid = (folder for folder in folders if _mark(folder) not in said and folder.is_dir())
    found = {folder: sharer(folder, project.root, places.project_of) for folder in unsaid}
    return {folder: other for folder, other in found.items() if other}


def describe_unread(folder: Path, other: str) -> tuple[str, str]:
    """In words that the notes of a shared folder are not read, and what the person can do."""
    import shlex

    place = shown(str(folder))
    both = f"this project and on {shown(other)} in one folder, {place}"
    return (
        f"Claude Code keeps its notes on {both}: they are not read, since nothing says whose they are.",
        f"If they are this project's: `recortex import rules {shlex.quote(place)}`.",
    )


def claim(location: Location, folder: Path) -> None:
    """Note that the person said that a folder's notes are this project's.

    Raises:
        OSError: it cannot be written.
    """
    marks = sorted({*_read_marks(location), _mark(folder)})
    replace_text(location.place(FILE), json.dumps({"mine": marks}))


def _read_marks(location: Location) -> frozenset[str]:
    try:
        kept = json.loads(read_own(location.place(FILE), _MOST_BYTES))["mine"]
        return frozenset(mark for mark in kept if isinstance(mark, str))
    except (OSError, UntrustedFileError, ValueError, TypeError, KeyError, RecursionError):
        return frozenset()


def _mark(folder: Path) -> str:
    """Stands for a folder without its name, which may hold a secret."""
    return blake2b(os.fsencode(folder.resolve()), digest_size=16).hexdigest()


def _inside(path: str, own: Path) -> bool:
    try:
        return Path(path).resolve().is_relative_to(own)
    except (OSError, ValueError, RuntimeError):
        return False


def _begun(path: Path) -> str:
    """The folder that a session's first line with one names."""
    with suppress(OSError, UntrustedFileError), open_regular(path) as file:
        for _ in range(_FIRST_LINES):
            # Cut, as the first lines may hold whole files that were pasted or read.
            raw = file.readline(_LONGEST_LINE)
            with suppress(ValueError, RecursionError):
                line = json.loads(raw or b"null")
                cwd = line.get("cwd") if isinstance(line, dict) else None
                if isinstance(cwd, str) and cwd:
                    return cwd
    return ""


def _named(name: str) -> Iterator[str]:
    """The folders on this machine whose paths have a name; only such are entered as may lead to one."""
    start = Path(Path.cwd().anchor or os.sep)
    beginning = name_of(str(start))
    waiting = [(str(start), name.removeprefix(beginning))] if name.startswith(beginning) else []
    looked = 0
    # Bounded, as a disk may have millions of folders.
    while waiting and looked < _MOST_ENTRIES:
        place, rest = waiting.pop()
        with suppress(OSError), os.scandir(place) as entries:
            for entry in islice(entries, _MOST_ENTRIES - looked):
                looked += 1
                part = name_of(entry.name)
                # Each part of the path must continue the name, so that very few folders are entered.
                if not (rest == part or rest.startswith(f"{part}-")) or not entry.is_dir():
                    continue
                if rest == part:
                    yield entry.path
                else:
                    waiting.append((entry.path, rest[len(part) + 1 :]))
