"""What became of cited places: reads the files of a working tree, each once, for any number of citations."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.symbols import judge
from recortex.codebase.git import read
from recortex.domain.vocabulary import Scope
from recortex.engines.citations.following import judged, lost, signed, uncompared
from recortex.engines.citations.following import together_together as together
from recortex.engines.citations.signature import Lines

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from recortex.app.store_services import StoreServices
    from recortex.domain.citation import Citation, Reach
    from recortex.domain.memory import FileLink, Memory

SECONDS: dict[Reach, float] = {"renames": 2.0, "tree": 20.0}
"""After which a question to git is given up."""
MOST_SEARCHED, MOST_BYTES = 20_000, 256 * 1024 * 1024
"""Files, and bytes of files, that are searched for places which are nowhere else."""


@dataclass
class _Sources:
    """The files of a working tree, as lines; the last one read is kept."""

    root: Path
    _last: tuple[str, Lines | None] = field(default=("", None))
    _files: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Resolve the root once."""
        self._real = os.path.realpath(self.root)

    def of(self, path: str) -> Lines | None:
        """A file's lines; None where it is not there, not in the project, or too large."""
        if path != self._last[0]:
            data = read(self.root, path, self._real)
            self._last = (path, None if data is None else Lines(data))
        return self._last[1]

    def there(self, link: FileLink) -> str:
        """The path of a cited file, if it is there."""
        found = self._files.get(link.path)
        if found is None:
            place = os.path.join(self.root, link.path)  # noqa: PTH118  as in `read`
            found = self._files[link.path] = os.path.isfile(place)  # noqa: PTH113
        return link.path if found else ""


def cite(root: Path, path: str, first: int | None, last: int | None, commit: str = "") -> FileLink:
    """A place as it is now; without a hash where it cannot be read."""
    from recortex.domain.memory import FileLink

    data = read(root, path)
    hashed = ("", "") if data is None else signed(Lines(data), first, last)
    return FileLink(path, first, last, hashed[0], commit, hashed[1])


def citations_of(root: Path, links: Sequence[FileLink], reach: Reach = "file") -> list[Citation]:
    """What became of each place, in the order in which they are given.

    Args:
        root: of the project.
        links: the places as they were cited.
        reach: how far a place is followed that is not in its file any more.
    """
    sources = _Sources(root)
    found: dict[FileLink, Citation] = {}
    missing: list[FileLink] = []
    for link in sorted(set(links), key=lambda link: link.path):
        lines = sources.of(link.path)
        if citation := judged(link, lines) if lines else _unread(sources, link):
            found[link] = citation
        else:
            missing.append(link)
    if missing and reach != "file":
        found |= _elsewhere(sources, missing, reach)
    return [found[link] if link in found else lost(link, sources.there(link)) for link in links]


def cited_by(
    stores: Sequence[StoreServices],
    memories: Sequence[Memory],
    reach: Reach = "file",
    *,
    tree: Path | None = None,
    parse: bool = True,
) -> dict[str, list[Citation]]:
    """What became of the places and symbols that each memory cites, by its id.

    A memory for all projects cites files of another one: these cannot be compared.

    Args:
        stores: that the memories may be in, of one project.
        memories: of which it is asked.
        reach: how far a place is followed that is not in its file any more.
        tree: the top folder of the working tree; the project's main one, unless said.
        parse: whether code that changed is read for its symbols.
    """
    if not stores:
        return {one.id: list(map(uncompared, one.files)) for one in memories}
    root = tree or stores[0].root
    links = {memory.id: memory.files for memory in memories if memory.scope is not Scope.GLOBAL}
    flat = [link for files in links.values() for link in files]
    found = iter(citations_of(root, flat, reach))
    cited = {id_: [next(found) for _ in files] for id_, files in links.items()}
    for id_, symbols in _symbols(stores, list(links), root, reach, parse=parse).items():
        cited[id_] = together(cited[id_], symbols)
    return {
        one.id: cited[one.id] if one.id in cited else list(map(uncompared, one.files)) for one in memories
    }


def _symbols(
    stores: Sequence[StoreServices], ids: Sequence[str], root: Path, reach: Reach, *, parse: bool
) -> dict[str, list[Citation]]:
    """What became of the symbols that memories hang on, by the ids of those that hang on some."""
    found: dict[str, list[Citation]] = {}
    for services in stores:
        if ids and services.facts is not None and (links := services.store.symbols.of(ids)):
            about = {id_: [one for one in own if one.role == "about"] for id_, own in links.items()}
            found |= judge(services, about, root, reach, parse=parse)
    return found


def _unread(sources: _Sources, link: FileLink) -> Citation | None:
    """What cannot be compared: a file outside the project, or one too large. None: it is not there."""
    outside = link.path.startswith(("/", "~", "../"))
    return uncompared(link) if outside or sources.there(link) else None


def _elsewhere(sources: _Sources, missing: Sequence[FileLink], reach: Reach) -> dict[FileLink, Citation]:
    from recortex.codebase.history import fates

    absent = {link.path for link in missing if not sources.there(link)}
    gone = fates(sources.root, absent, seconds=SECONDS[reach])
    found = dict(_followed(sources, missing, gone))
    rest = [link for link in missing if link not in found and link.content_hash]
    found |= _searched(sources, rest, reach, absent) if rest else {}
    beside = _named_by(one for one in found.values() if one.link.path in absent)
    found |= dict(_followed(sources, [link for link in missing if link not in found], beside))
    gone = beside | gone
    known_of = [link for link in missing if link not in found and link.path in gone]
    return found | {link: lost(link, gone[link.path], known=True) for link in known_of}


def _followed(
    sources: _Sources, missing: Iterable[FileLink], fates: dict[str, str]
) -> Iterator[tuple[FileLink, Citation]]:
    """What stands in the file that its file was renamed to."""
    for link in missing:
        path = fates.get(link.path, "")
        lines = sources.of(path) if path else None
        citation = judged(link, lines, path) if lines else None
        if citation:
            yield link, citation


def _named_by(found: Iterable[Citation]) -> dict[str, str]:
    """Where files went that are gone, as what was cited of them and found elsewhere tells."""
    gone = Counter((one.link.path, one.path) for one in found if one.path != one.link.path)
    return {old: new for (old, new), _ in reversed(gone.most_common())}


def _searched(
    sources: _Sources, missing: Sequence[FileLink], reach: Reach, absent: Collection[str]
) -> dict[FileLink, Citation]:
    """What is found in files of the same name; with the reach of the tree, in all of the same language."""
    from recortex.codebase.line_history import moves
    from recortex.engines.citations.searching import Search, suffix

    search, names = Search(missing, absent), {link.path.rpartition("/")[2] for link in missing}
    suffixes, left = search.suffixes, MOST_BYTES
    with moves(sources.root, seconds=SECONDS[reach]) as known:
        likely = [path for path in known.files() if suffix(path) in suffixes]
    if reach != "tree":
        likely = [path for path in likely if path.rpartition("/")[2] in names]
    for path in likely[:MOST_SEARCHED]:
        lines = sources.of(path)
        if lines is not None:
            search.look(path, lines)
            left -= lines.size
            if left < 0:
                break
    return search.found
