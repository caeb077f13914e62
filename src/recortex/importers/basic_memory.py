"""basic-memory: Markdown notes with observations and relations. The notes are read, not its index.

Observations are recognised as version 0.24 does, but for two things that it drops: the arguments of a call at
the end of a line (it takes what stands in the last parentheses for the context), and lines below the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.domain.kinds import KINDS
from recortex.domain.vocabulary import RelationType
from recortex.formats.importers import NOTES, of_details
from recortex.importers import UNREADABLE, Document, Link, Row, Source, documents
from recortex.importers.reading import listed, parsed, small, when, words
from recortex.lean import replace
from recortex.text.outline import front_matter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.importers import Seen, Where

_KINDS = {name: name for name in KINDS} | {
    "": "semantic",
    "decision": "decision",
    "gotcha": "tribal",
    "tip": "tribal",
    "warning": "tribal",
    "problem": "incident",
    "bug": "incident",
    "method": "procedural",
    "technique": "procedural",
    "preference": "preference",
    "tech": "environment",
    "requirement": "constraint_override",
    "constraint": "constraint_override",
    "insight": "insight",
    "idea": "insight",
    "goal": "goal",
    "todo": "goal",
    "design": "architecture",
    "architecture": "architecture",
}
_RELATIONS = {one.value: one for one in RelationType} | {
    "relates_to": RelationType.RELATED,
    "links_to": RelationType.REFERENCES,
    "implements": RelationType.DERIVED_FROM,
    "extends": RelationType.REFINES,
    "replaces": RelationType.SUPERSEDES,
    "part_of": RelationType.RELATED,
}
_TASKS = frozenset((" ", "x", "X", "-"))
_BULLETS = ("- ", "* ", "+ ")
_LONGEST_PROSE = 4_000


@dataclass(slots=True)
class _Note:
    """A note: what it says of itself, its prose, its observations and its links.

    Attributes:
        said: category, text and tags of each observation.
        links: relation and name of each note that it names.
    """

    document: Document
    front: Mapping[str, Any]
    prose: list[str] = field(default_factory=list)
    said: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)

    @property
    def title(self) -> str:
        return words(self.front.get("title")) or Path(self.document.name).name

    @property
    def id(self) -> str:
        return words(self.front.get("permalink")) or self.document.name


def _read(path: Path) -> Iterator[Row]:
    # All notes first: a note may link to one that is read later.
    notes = [_note(one) for one in documents(path)]
    rows = [list(_rows(one)) for one in notes]
    main: dict[str, str] = {}
    for note, made in zip(notes, rows, strict=True):
        # A link names a note by its title, its permalink or its file.
        for name in (note.id, note.title, note.document.name):
            # Of two notes with the same name, the first is meant.
            main.setdefault(name.lower(), made[0].id)
    for note, made in zip(notes, rows, strict=True):
        links = [
            Link(to=main[name.lower()], type=_RELATIONS.get(said.lower(), RelationType.RELATED), words=said)
            for said, name in dict.fromkeys(note.links)
            if main.get(name.lower(), made[0].id) != made[0].id
        ]
        first, *others = made
        yield replace(first, links=tuple(links))
        yield from others


def _rows(note: _Note) -> Iterator[Row]:
    """A row for the prose of a note, and one for each of its observations."""
    document, about = note.document, note.front
    common: dict[str, Any] = {
        "created": when(about.get("created")) or when(about.get("created_at")) or document.changed,
        "updated": document.changed,
        "raw": small(note=note.title, type=about.get("type"), file=f"{document.name}.md"),
    }
    tags = listed(about.get("tags"))
    prose = "\n".join(note.prose).strip()
    if own := words(about.get(NOTES)):
        yield _exported(own, prose, about, common)
        return
    if document.text is None or not (prose or note.said):
        yield Row(
            id=note.id, refused=UNREADABLE if document.text is None else "it says nothing but its title"
        )
        return
    # Without its title, prose such as "It listens on 8080" would not say what does.
    if prose:
        text = prose if prose.startswith(note.title) else f"{note.title}: {prose}"
        long = "" if len(text) <= _LONGEST_PROSE else "a document: `recortex ingest` reads it"
        yield Row(id=note.id, text=text, kind="note", tags=tags, summary=note.title, refused=long, **common)
    for place, (category, text, of_line) in enumerate(note.said):
        # The index counts equal observations; the text alone would make them one row.
        again = sum(one[:2] == (category, text) for one in note.said[:place])
        key = f"{note.id}#{category}/{text[:120]}{f'/{again}' if again else ''}"
        yield Row(id=key, text=text, kind=category.lower(), tags=(*tags, *of_line), **common)


def _exported(own: str, prose: str, about: Mapping[str, Any], common: Mapping[str, Any]) -> Row:
    """A memory that Recortex put there: its text is whole, and the observation repeats its summary."""
    known = of_details(about)
    times = {name: when(known.get(name)) for name in ("valid_from", "valid_until")}
    return Row(
        id=f"{NOTES}/{own}",
        text=prose,
        kind=words(about.get("type")),
        summary=words(about.get("title")),
        tags=listed(about.get("tags")),
        files=tuple(known.get("files", ())),
        **{**common, **times, "created": when(known.get("recorded_at")) or common["created"]},
    )


def _note(document: Document) -> _Note:
    lines = (document.text or "").split("\n")
    front, begin = front_matter(lines)
    note, fenced = _Note(document, front), False
    for line in lines[begin:]:
        bare = line.strip()
        # Between fences, brackets and dashes are code.
        fenced ^= bare.startswith(("```", "~~~"))
        names = [] if fenced else _linked(bare)
        item = bare[2:].strip() if bare.startswith(_BULLETS) else ""
        category, inside, text = _category(item) if item and not fenced else ("", False, "")
        if inside:
            note.said.append((category, text, _hashes(text)))
            note.links += [("links_to", name) for name in names]
        elif item and names:
            # In "- implements [[Name]]" the words before the link are the relation.
            before = item.partition("[[")[0].strip().strip('"')
            note.links += [(before if len(names) == 1 and before else "links_to", name) for name in names]
        else:
            note.links += [("links_to", name) for name in names]
            if not bare.startswith("#") or fenced:
                note.prose.append(line.rstrip())
    return note


def _category(item: str) -> tuple[str, bool, str]:
    """The category of an item, whether it is an observation, and its text."""
    inside, closed, text = item.removeprefix("[").partition("]")
    observed = (
        item.startswith("[")
        and bool(closed)
        and not item.startswith("[[")
        and not text.startswith(("(", "["))
        # `[ ]` and `[x]` are the boxes of tasks.
        and inside not in _TASKS
        and bool(inside.strip())
        and bool(text.strip())
    )
    return (inside.strip(), True, text.strip()) if observed else ("", False, "")


def _hashes(text: str) -> tuple[str, ...]:
    found = (word[1:].rstrip(".,;:)") for word in text.split() if word.startswith("#"))
    return tuple(dict.fromkeys(one for one in found if one and not one.startswith("#")))


def _linked(line: str) -> list[str]:
    """The names of notes in a line; of `[[name|shown]]` the name."""
    parts = line.split("[[")[1:]
    found = (part.partition("]]")[0].partition("|")[0].strip() for part in parts if "]]" in part)
    return [name for name in found if name]


def _recognise(seen: Seen) -> bool:
    """A folder in which a note is that has what basic-memory writes at the beginning of each."""
    if not seen.folder:
        return False
    # What a large folder holds is told by its first notes.
    for number, one in enumerate(seen.path.rglob("*.md")):
        if number >= 50:  # noqa: PLR2004  enough to see what they are
            return False
        with one.open("rb") as file:
            head = file.read(2_000)
        # All three stand in each note that the program wrote; other Markdown has front matter as well.
        if head.startswith(b"---\n") and b"\npermalink: " in head and b"\ntype: " in head:
            return True
    return False


def _places(where: Where) -> Iterator[Path]:
    yield from where.named("BASIC_MEMORY_HOME")
    yield where.home / "basic-memory"
    shared = [one / "basic-memory" for one in where.named("XDG_CONFIG_HOME")]
    for folder in (*where.named("BASIC_MEMORY_CONFIG_DIR"), *shared, where.home / ".basic-memory"):
        config = folder / "config.json"
        if config.is_file() and config.stat().st_size < 1 << 20:
            known = parsed(config.read_bytes())
            projects = known.get("projects") if isinstance(known, dict) else None
            for one in projects.values() if isinstance(projects, dict) else ():
                place = one.get("path") if isinstance(one, dict) else one
                yield from [Path(place)] if isinstance(place, str) and place else ()


SOURCES = (
    Source(
        name="basic-memory",
        title="basic-memory",
        recognise=_recognise,
        read=_read,
        kinds=_KINDS,
        discover=_places,
    ),
)
