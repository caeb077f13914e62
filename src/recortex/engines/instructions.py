"""Reads an instruction file: Markdown to statements, each with its lines.

The text may come from anybody: it is bounded, what Recortex itself put in is left out, and nothing in it is
followed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.text import END, START
from recortex.engines.extraction.person_rules import HABITS
from recortex.engines.extraction.sentences import SUBJECT_PATTERNS as SUBJECTS
from recortex.engines.extraction.sentences import commands_in, plain, sentences
from recortex.engines.similarity import LONGEST as NEAR_DUPLICATES_LONGEST
from recortex.engines.similarity import WHOLE, content_hash
from recortex.engines.tables import Patterns
from recortex.text.words import meaning

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence


PATTERNS = Patterns(__file__, "instructions/parsing")

MOST_STATEMENTS = 300
"""Statements of one file."""
LONGEST_LINE = 2_000
SHORTEST, LONGEST = 12, 400
"""Characters of a statement; a longer paragraph is taken sentence by sentence."""
FEWEST_WORDS, NEEDS_HEADING = 3, 6
"""Words of a statement, and of one that is understood without its heading."""
_LONGEST_FRONT_MATTER = 60
_SHELLS = frozenset(("", "bash", "sh", "shell", "zsh", "console", "terminal", "fish", "powershell"))
_SCOPES = frozenset(("globs", "paths", "applyTo"))
_COLUMNS = 2


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a file says.

    Attributes:
        first, last: its lines, from 1, inclusive.
        heading: that it stands under.
        commands: shell commands that it names.
        kind: the name of the kind of memory that it makes.
    """

    text: str
    first: int
    last: int
    heading: str = ""
    commands: tuple[str, ...] = ()
    kind: str = ""

    @property
    def hash(self) -> str:
        """Equal for statements that read the same, wherever they stand."""
        return content_hash("", self.text)[:16]


class Parsed(NamedTuple):
    """What a file says.

    Attributes:
        imports: paths of other files that are to be read with it, as it writes them.
    """

    statements: tuple[Statement, ...]
    imports: tuple[str, ...]


class _Block(NamedTuple):
    form: str  # heading, item, text, row, or the language of code
    text: str
    first: int
    last: int
    indent: int = -1


def parse(text: str) -> Parsed:
    """The statements of an instruction file, in order, each once, and what it imports."""
    # Not `splitlines`, which also splits at characters that end no line of a file.
    ended = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = [line[:LONGEST_LINE] for line in _visible(ended).split("\n")]
    begin, scope = _front_matter(lines)
    blocks = list(_blocks(lines, begin))
    once: dict[str, Statement] = {}
    for one in _statements(blocks):
        # A rule for some files would be wrong for the others once it stands without its file.
        made = replace(one, text=f"For {scope}: {one.text}") if scope else one
        if len(once) < MOST_STATEMENTS:
            once.setdefault(made.hash, made)
    # In code an `@` begins a decorator or an address, and no import.
    said = "\n".join(block.text for block in blocks if not block.form.startswith("code"))
    imports = PATTERNS.imported.findall(PATTERNS.code.sub(" ", said))
    return Parsed(tuple(once.values()), tuple(dict.fromkeys(name.rstrip(".,") for name in imports)))


def _visible(text: str) -> str:
    """The text without comments and our own blocks, with as many lines as before."""
    # Line breaks stay, since statements are cited by their lines.
    text = PATTERNS.comment.sub(_line_breaks, text)
    # Recortex's own block would otherwise come back as what the file says.
    while START in text:
        begin = text.index(START)
        end = text.find(END, begin)
        end = len(text) if end < 0 else end + len(END)
        text = text[:begin] + "\n" * text.count("\n", begin, end) + text[end:]
    return text


def _line_breaks(found: re.Match[str]) -> str:
    return "\n" * found.group().count("\n")


def _front_matter(lines: Sequence[str]) -> tuple[int, str]:
    """Where the text begins, and which files it says that it is about; empty where it says none."""
    if not lines or lines[0].strip() != "---":
        return 0, ""
    # Without an end nearby, `---` is a horizontal rule and begins no metadata.
    end = next((at for at, line in enumerate(lines[1:_LONGEST_FRONT_MATTER], 1) if line.strip() == "---"), 0)
    scopes: list[str] = []
    key = ""
    for line in lines[1:end]:
        named = PATTERNS.key.match(line)
        key = named[1] if named else key
        value = named[2] if named else line.strip().removeprefix("-")
        scopes += [one.strip(" \"'[]") for one in value.split(",")] if key in _SCOPES else []
    # `**/*` restricts nothing, and a backquote would end the quotation.
    said = ", ".join(f"`{one}`" for one in scopes if one and one != "**/*" and "`" not in one)
    return end + 1 if end else 0, said if len(said) < SHORTEST * 10 else ""


def _blocks(lines: Sequence[str], begin: int) -> Iterator[_Block]:
    """The blocks of a document with their lines."""
    open_: _Block | None = None
    fence, at = "", begin
    while at < len(lines):
        line, number = lines[at], at + 1
        found = PATTERNS.fence.match(line)
        if found:
            if open_:
                yield open_
            open_, fence = None, found[1]
            # A fence that nothing closes goes on to the end of the file, as CommonMark says.
            end = next(
                (n for n in range(at + 1, len(lines)) if lines[n].strip().startswith(fence)), len(lines)
            )
            yield _Block(f"code {found[2].lower()}", "\n".join(lines[at + 1 : end]), number + 1, end)
            at = end + 1
            continue
        made = _opened(line, number)
        if open_ and made and made.form == "text" and open_.form in {"item", "text"}:
            open_ = open_._replace(text=f"{open_.text} {made.text}", last=number)
        else:
            if open_:
                yield open_
            open_ = made
        at += 1
    if open_:
        yield open_


def _opened(line: str, number: int) -> _Block | None:
    """The block that a line begins, or goes on with; None where it is empty."""
    bare = line.strip().lstrip("> ").strip()
    if not bare or PATTERNS.rule.match(line):
        return None
    if heading := PATTERNS.heading.match(bare):
        return _Block("heading", (heading[1] or "").rstrip("# "), number, number)
    if bare.startswith("|"):
        return _Block("row", bare, number, number)
    # Indents of tabs and of spaces are compared with each other.
    if item := PATTERNS.item.match(line.expandtabs(4)):
        return _Block("item", item[2], number, number, len(item[1]))
    return _Block("text", bare, number, number)


def _statements(blocks: Sequence[_Block]) -> Iterator[Statement]:
    heading, leads = "", list[tuple[int, str]]()
    for block in blocks:
        text = block.text if block.form.startswith("code") else plain(block.text)
        if block.form == "heading":
            heading, leads = text.rstrip(":"), []
        elif block.form == "item":
            # Only items that are less indented lead up to this one.
            leads = [lead for lead in leads if lead[0] < block.indent]
            yield from _parse_statements(block, text, heading, leads)
            leads.append((block.indent, text))
        elif block.form == "text":
            yield from _parse_statements(block, text, heading, [])
            leads = [(-1, text)]
        elif block.form == "row":
            # A table's row of two columns, as the name and what is said of it
            cells = [plain(cell) for cell in block.text.strip("|").split("|")]
            if len(cells) == _COLUMNS and all(cells) and not set(block.text) <= set("|-: "):
                said = f"{cells[0]}: {cells[1]}"
                if _counts(cells[1], said):
                    yield _statement(said, block, heading)
        elif block.form.removeprefix("code ") in _SHELLS:
            lead = leads[-1][1] if leads and leads[-1][1].endswith(":") else ""
            yield from _commands(block, lead.rstrip(":") or heading, heading)


def _parse_statements(
    block: _Block, text: str, heading: str, leads: Sequence[tuple[int, str]]
) -> Iterator[Statement]:
    """The statements of an item or a paragraph; what only leads up to others is none."""
    if (
        text.endswith(":")
        or PATTERNS.boilerplate.match(text)
        or all(word.startswith("@") for word in text.split())
    ):
        return
    lead = next((words for _, words in reversed(leads) if words.endswith(":") or _short(words)), "")
    for part in [text] if len(text) <= LONGEST else sentences(text):
        said = f"{lead.rstrip(':')}: {part}" if lead and len(lead) + len(part) < LONGEST else part
        # Under a heading such as "Don't" a sentence means the opposite of what it says alone.
        if heading and (_short(said) or PATTERNS.denies.search(heading)) and heading not in said:
            said = f"{heading}: {said}"
        if _counts(part, said):
            yield _statement(said, block, heading)


def _commands(block: _Block, purpose: str, heading: str) -> Iterator[Statement]:
    """The commands of a block, each with what a comment, the text before or the heading says it is for."""
    # The lines of a here document are data and no commands.
    if "<<" in block.text:
        return
    comment = ""
    # A command goes on after a backslash. The joint is a character that no command has, so that the lines of
    # the block can still be counted.
    for offset, line in enumerate(block.text.replace("\\\n", "\0").splitlines()):
        first = block.first + block.text.count("\n", 0, _start(block.text, offset))
        command = " ".join(line.replace("\0", " ").strip().removeprefix("$ ").split())
        note = PATTERNS.comment_of_command.search(line.strip())
        if note and note.start() == 0:
            comment = note[1]
            continue
        if note:
            command = " ".join(line.strip()[: note.start()].removeprefix("$ ").split())
        # Output is pasted into such blocks too: only what begins with the name of a program is a command.
        if command and SUBJECTS.programs.match(command) and "`" not in command and len(command) < LONGEST / 2:
            said = plain((note[1] if note else "") or comment or purpose).rstrip(".:")
            text = f"{said}: `{command}`" if said else f"`{command}`"
            yield Statement(text, first, first + line.count("\0"), heading, (command,), kind="procedural")
        comment = comment if not command else ""


def _start(text: str, offset: int) -> int:
    """Where a line begins in a text, lines that end with a backslash being one with the next."""
    place = 0
    for line in text.replace("\\\n", "\0").splitlines(keepends=True)[:offset]:
        place += len(line) + line.count("\0")
    return place


def _statement(said: str, block: _Block, heading: str) -> Statement:
    form = next((row for row in HABITS if row.pattern.search(said)), None)
    kind = form.kind if form else "preference" if PATTERNS.orders.match(said) else "architecture"
    return Statement(said, block.first, block.last, heading, commands_in(said), kind)


def _counts(part: str, said: str) -> bool:
    """Whether a text is a statement: a few words, not too many, that are not all one name."""
    return len(said) <= LONGEST + SHORTEST and len(part) >= SHORTEST and len(said.split()) >= FEWEST_WORDS


def _short(text: str) -> bool:
    return len(text.split()) < NEEDS_HEADING


# -- whether a statement says nothing that is not written in an instruction file already


SAID_ALREADY_PATTERNS = Patterns(__file__, "instructions/said_already")
FEWEST = 3
"""Words with a meaning that a statement needs: of fewer, any text may happen to have all."""
_DENYING = frozenset(
    ("not", "cannot", "no", "avoid", "without", "instead", "forbid", "forbidden", "ban", "stop")
)

_EMPHASIS = frozenset(("alway", "must"))  # without their endings, as all words here


class _Clause(NamedTuple):
    id: str
    words: tuple[str, ...]
    denies: bool


class Written:
    """Statements that are written already, to look others up in."""

    def __init__(self, statements: Iterable[tuple[str, str, Sequence[str]]]) -> None:
        """Take statements: the id, text and commands of each."""
        self._clauses: dict[str, list[_Clause]] = defaultdict(list)
        self._commands: dict[str, str] = {}
        for id_, text, commands in statements:
            for command in commands:
                self._commands.setdefault(_plain(command), id_)
            for clause in dict.fromkeys((text, *SAID_ALREADY_PATTERNS.clause.split(text))):
                self._add(id_, _words(clause))

    def _add(self, id_: str, words: tuple[str, ...]) -> None:
        clause = _Clause(id_, words, not _DENYING.isdisjoint(words))
        for word in set(words):
            self._clauses[word].append(clause)

    def saying(self, text: str) -> str:
        """The id of a statement that says all that the text does, in its order; empty where none does."""
        words = _words(text) if len(text) <= NEAR_DUPLICATES_LONGEST else ()
        if len(set(words)) < FEWEST:
            return ""
        # A clause must have all of the words, so that those with the rarest one are enough to look at.
        rarest = min((self._clauses.get(word, []) for word in set(words)), key=len)
        denies, wanted = not _DENYING.isdisjoint(words), set(words)
        for clause in rarest:
            # "Never use X" has all words of "use X", and in their order.
            if denies == clause.denies and wanted <= set(clause.words) and _in_order(words, clause.words):
                return clause.id
        return ""

    def running(self, commands: Sequence[str]) -> str:
        """The id of a statement that names one of these commands, where all of them are written somewhere."""
        found = [self._find_id(_plain(command)) for command in commands]
        return found[0] if found and all(found) else ""

    def _find_id(self, command: str) -> str:
        """The id for a command, or for the same one with more arguments."""
        longer = (id_ for known, id_ in self._commands.items() if known.startswith(f"{command} "))
        return self._commands.get(command) or next(longer, "")


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in meaning(text) if word not in _EMPHASIS)


def _plain(command: str) -> str:
    return " ".join(command.split()).removeprefix("$ ")


def _in_order(words: tuple[str, ...], known: tuple[str, ...]) -> bool:
    matcher = SequenceMatcher(None, known, words, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) >= WHOLE * len(words)
