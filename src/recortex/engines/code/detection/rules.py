"""The rules by which libraries and practices are recognised, read from TOML and checked.

`frameworks/` and `orms/` have a file for each library, `categories/` one for each category of practices with
a block for each practice. A key that is not known is an error, so that a slip of the pen is found at once.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent
ECOSYSTEMS = frozenset({"npm", "pypi", "go", "cargo", "maven", "nuget", "composer", "cpp"})
LANGUAGES = frozenset(
    {"typescript", "javascript", "python", "java", "csharp", "php", "go", "rust", "c", "cpp"}
)
ON = frozenset({"call", "mark", "base", "path", "signature", "constant", "type"})
OF = frozenset({"argument", "symbol", "receiver", "sql", "signature", "path", "type"})
NEEDS = frozenset({"import", "use", "both", "either", "manifest"})


@dataclass(frozen=True, slots=True)
class Use:
    """A form of code that only users of a library write.

    Attributes:
        on: what is looked at: a call, a mark (decorator, attribute, annotation), a base class, the path of
            the file, a symbol's signature, a constant or property, or a written type.
        names: of the call, mark, base, constant or type, without what is before the last dot; `*` matches.
        receivers: what may stand before the name; empty: anything.
        argument: expression that the first literal text has to match.
        pattern: expression on path or signature; its group is what is captured.
        captures: route, table or nothing.
        of: where the captured text comes from.
        method: of a route: a fixed one; `name`: it is in the name; `inner`: in calls on the same line.
        alone: whether it counts in a file that does not import the library.
        prefix: whether the text of a mark at a class stands before the routes of its methods.
        population: whom the symbol belongs to: handlers, models …; conventions are counted over it.
        evidence: whether it shows that the library is used; otherwise it only tells who belongs to whom.
    """

    on: str
    names: tuple[str, ...] = ()
    receivers: tuple[str, ...] = ()
    argument: re.Pattern[str] | None = None
    pattern: re.Pattern[str] | None = None
    captures: str = ""
    of: str = "argument"
    method: str = ""
    alone: bool = False
    prefix: bool = False
    population: str = ""
    evidence: bool = True


@dataclass(frozen=True, slots=True)
class Detector:
    """How a library or practice is recognised.

    Attributes:
        name: for people.
        kind: framework, orm or practice.
        category: of a practice; otherwise the kind.
        languages: in which its code is written.
        needs: beside the manifest: an import, a use, both or either of them, or nothing more.
        manifest: names of dependencies by ecosystem; `*` matches, also more path segments of a Go module.
        files: names of files that stand for a manifest: a header that was copied, a configuration.
        standard: whether it belongs to the language and needs no manifest.
        imports: modules; what lies below them counts too.
        uses: forms of its code.
        implies: properties that the library itself asks for, `suffix:Controller`; they are not told.
    """

    name: str
    kind: str
    category: str
    languages: frozenset[str]
    needs: str = "either"
    manifest: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    standard: bool = False
    imports: tuple[str, ...] = ()
    uses: tuple[Use, ...] = ()
    implies: tuple[str, ...] = ()


@cache
def detectors() -> tuple[Detector, ...]:
    """All of them: frameworks, object mappers, practices.

    Raises:
        InvalidInputError: a file is not of this form; it names the file and what is wrong.
    """
    return tuple(one for path in sorted(FOLDER.glob("*/*.toml")) for one in read(path))


def read(path: Path) -> Iterator[Detector]:
    """The detectors of a file."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        if path.parent.name == "categories":
            _known(data, {"category", "practices"})
            for row in data["practices"]:
                yield _detector({"kind": "practice", "category": data["category"], **row})
        else:
            yield _detector({"category": data["kind"], **data})
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, re.error) as error:
        raise InvalidInputError(
            f"{path.parent.name}/{path.name}: {error}.",
            hint="Compare it with the other files of its folder; `rules.py` lists the keys.",
        ) from error


def _known(row: Mapping[str, Any], keys: set[str]) -> None:
    if unknown := sorted(row.keys() - keys):
        raise ValueError(f"unknown key {', '.join(unknown)}")


def _among(values: Any, allowed: frozenset[str]) -> None:
    wrong = set(values) - allowed
    if wrong:
        raise ValueError(f"{', '.join(sorted(wrong))} is none of {', '.join(sorted(allowed))}")


def _detector(row: Mapping[str, Any]) -> Detector:
    _known(row, {one.name for one in fields(Detector)})
    _among([row["kind"]], frozenset({"framework", "orm", "practice"}))
    _among(row["languages"], LANGUAGES)
    _among([row.get("needs", "either")], NEEDS)
    _among(row.get("manifest", {}), ECOSYSTEMS)
    found = Detector(
        name=row["name"],
        kind=row["kind"],
        category=row["category"],
        languages=frozenset(row["languages"]),
        needs=row.get("needs", "either"),
        manifest={key: tuple(names) for key, names in row.get("manifest", {}).items()},
        files=tuple(row.get("files", ())),
        standard=row.get("standard", False),
        imports=tuple(row.get("imports", ())),
        uses=tuple(_use(one) for one in row.get("uses", ())),
        implies=tuple(row.get("implies", ())),
    )
    if not (found.manifest or found.files or found.standard):
        raise ValueError(f"{found.name} has no evidence in manifests")
    if found.needs != "manifest" and not (found.imports or found.uses):
        raise ValueError(f"{found.name} has no evidence in code")
    return found


def _use(row: Mapping[str, Any]) -> Use:
    _known(row, {one.name for one in fields(Use)})
    _among([row["on"]], ON)
    _among([row.get("of", "argument")], OF)
    _among([row.get("captures", "")], frozenset({"", "route", "table"}))
    if row["on"] in {"path", "signature"} and "pattern" not in row:
        raise ValueError(f"a use on {row['on']} needs a pattern")
    if row["on"] not in {"path", "signature"} and not row.get("names"):
        raise ValueError(f"a use on {row['on']} needs names")
    expressions = {key: re.compile(row[key]) for key in ("argument", "pattern") if key in row}
    lists = {key: tuple(row[key]) for key in ("names", "receivers") if key in row}
    return Use(**{**row, **expressions, **lists})
