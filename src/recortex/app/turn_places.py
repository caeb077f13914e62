"""In which project a turn of a session was said: that of the folder in which the person asked.

A session may change into another repository and back. What is said there belongs to that repository's memory,
wherever the session began; what the agent says and does is with the question that it answers, though it may
have changed the folder on the way. A folder that is gone belongs to the project that it was in. One that
nobody knows, or that is no project of its own (a temporary folder, a download) changes nothing: unknown is
not another project.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.projects import find_project, is_above_all
from recortex.codebase.command_files import command_files
from recortex.codebase.project import find_checkout, working_tree
from recortex.formats.command_text import LEAST_WHOLE, Template, Typed, bodies, template, typed_beside
from recortex.formats.transcripts.detection import folder_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.app.store_services import StoreServices
    from recortex.domain.transcript import Form, SessionInfo, Turn
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
            texts = (body for name, text in command_files(folder) for body in bodies(name, text))
            self._of_folder[folder] = tuple(dict.fromkeys(filter(None, map(template, texts))))
        return self._of_folder[folder]


def _up(folder: str) -> list[Path]:
    with suppress(OSError, ValueError):  # names that the system rejects
        path = Path(folder)
        if path.is_absolute() and path.is_dir():
            path, top = path.resolve(), working_tree(path).resolve()
            return [one for one in islice((path, *path.parents), _DEEPEST) if one.is_relative_to(top)]
    return []


# -- in which project a turn of a session was said: that of the folder in which the person asked


_TAIL = 1_000_000
"""Bytes before a turn in which the question that it answers is looked for first."""
_ASKING = frozenset(("person", "program", "repository"))
"""Whose messages are questions; what the client or another agent puts in comes while one is answered."""
SOMEWHERE = Path()
"""In place of the root of another project of which only the digest of its folder is known."""


class TurnPlaces:
    """Tells the turns of a session that belong to a project from those of others.

    Args:
        root: the project's.
        home: the person's data folder, where projects without git are known; None: none is.

    Attributes:
        elsewhere: the roots of other projects in which turns were said.
    """

    def __init__(self, root: Path, home: Path | None) -> None:
        self._root, self._home = root.resolve(), home
        self._known: dict[str, Path | None] = {}
        self._digests = {folder_digest(one) for one in (root, self._root)}
        self._commands = RepositoryCommands(self._root)
        self.elsewhere: set[Path] = set()

    @classmethod
    def of(cls, services: StoreServices) -> TurnPlaces:
        """For the project of a store."""
        project = services.location.project
        return cls(services.root, project.home if project else None)

    def own(self, turns: Iterable[Turn], reader: TranscriptReader) -> Iterator[Turn]:
        """The turns said in the project, or nobody knows where; what its commands say is its own word."""
        for turn, found in self._placed(turns, reader):
            if found and found not in {self._root, SOMEWHERE}:
                self.elsewhere.add(found)
            if found in {None, self._root}:
                yield self._commands.attributed(turn, turn.cwd or reader.info.cwd)

    def _placed(self, turns: Iterable[Turn], reader: TranscriptReader) -> Iterator[tuple[Turn, Path | None]]:
        """The turns, each with the root of the project in which the question was asked that it belongs to."""
        here, first = None, True
        for turn in turns:
            asked = self._of(turn, reader.info) if _asks(turn) else None
            if first and asked is None and reader.resumed:
                here = self._question_before(turn, reader)
            here = asked or here or self._of(turn, reader.info)
            first = False
            yield turn, here

    def _question_before(self, turn: Turn, reader: TranscriptReader) -> Path | None:
        """Where the last question was asked before the turn with which a pass begins."""
        from recortex.formats.transcripts import open_transcript

        end = turn.start or reader.cursor  # what the client alone has told comes after all that stands there
        for start in dict.fromkeys((max(0, end - _TAIL), 0)):
            found, earlier = None, open_transcript(reader.path, cursor=start)
            for one in takewhile(lambda one: one.end <= end, earlier):
                if _asks(one) and (one.cwd or not start):
                    found = self._of(one, earlier.info) or found
            if found:
                return found
        return None

    def _of(self, turn: Turn, info: SessionInfo) -> Path | None:
        folder = turn.cwd or info.cwd
        if folder or not info.digest:
            return self.project_of(folder)
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
        from recortex.formats.transcripts import open_transcript

        reader, elsewhere = open_transcript(path), False
        for _, found in self._placed(reader, reader):
            if found == self._root:
                return True
            if found is not None and not elsewhere:
                elsewhere = True
                if not _names(path, self._root):
                    break  # what never names the project's folder was not said there: it is not read whole
        return False if elsewhere else None

    def at_home(self, path: Path) -> bool:
        """Whether all of a transcript was said in the home folder, or above it: in no project.

        Raises:
            RecortexError: it is no transcript.
            OSError: it cannot be read.
        """
        from recortex.formats.transcripts import open_transcript

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
    return turn.role == "user" and not turn.sidechain and turn.author in _ASKING


def _names(path: Path, root: Path) -> bool:
    """Whether the name of a project's folder stands in a file, as JSON writes it."""
    wanted = json.dumps(root.name)[1:-1].encode()
    with path.open("rb") as file:
        tail = b""
        while part := file.read(1 << 20):
            if wanted in tail + part:
                return True
            tail = part[-len(wanted) :]
    return False
