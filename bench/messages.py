"""How many messages of the person are found in published sessions, against counts made by another rule.

    python bench/messages.py FOLDER … --counts README.md [--json FILE]

Each FOLDER holds projects: folders with the files of their sessions, or archives `PROJECT.tar.xz`, which are
unpacked to a temporary folder. The counts stand in a Markdown table with the columns `archive` and
`human prompts`. `prompts` are messages of their own, which such counts count; what was said in other ways
(`queued`, `answer`, `refusal`, `note`, `command`) is shown beside them. `again` tells how many messages
another file of the project has told already. No text is printed.
"""

from __future__ import annotations

import argparse
import json
import tarfile
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.errors import RecortexError
from recortex.formats.transcripts import open_transcript

if TYPE_CHECKING:
    from collections.abc import Iterator

ARCHIVE = ".tar.xz"


def counts(path: Path) -> dict[str, int]:
    """The number of human prompts of each project in the first table that has them."""
    rows = [
        [cell.strip(" `") for cell in line.strip().strip("|").split("|")]
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    head = next(row for row in rows if {"archive", "human prompts"} <= set(row))
    name, number = head.index("archive"), head.index("human prompts")
    return {
        row[name].removesuffix(ARCHIVE): int(row[number])
        for row in rows[rows.index(head) + 1 :]
        if len(row) == len(head) and row[number].isdigit()
    }


def projects(folder: Path, scratch: Path) -> Iterator[Path]:
    """The projects of a folder; archives are unpacked below `scratch`."""
    for place in sorted(folder.iterdir()):
        if place.name.endswith(ARCHIVE):
            with tarfile.open(place) as archive:
                archive.extractall(scratch, filter="data")
            yield scratch / place.name.removesuffix(ARCHIVE)
        elif place.is_dir():
            yield place


def measure(project: Path) -> dict[str, Any]:
    """What is found in a project's files."""
    forms: Counter[str] = Counter()
    clients: Counter[str] = Counter()
    seen: set[str] = set()
    unread: list[str] = []
    for path in sorted(path for path in project.rglob("*") if path.is_file()):
        try:
            reader = open_transcript(path)
            said = [turn for turn in reader if turn.role == "user" and turn.text and not turn.sidechain]
        except RecortexError:
            unread.append(path.name)
            continue
        clients[reader.client] += 1
        new = [turn for turn in said if turn.uuid not in seen]
        forms.update(turn.form for turn in said)
        forms["again"] += len(said) - len(new)
        seen.update(turn.uuid for turn in new)
    return {"forms": dict(forms), "clients": dict(clients), "unread": unread}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("folders", nargs="+", type=Path)
    arguments.add_argument("--counts", type=Path, required=True)
    arguments.add_argument("--only", nargs="*", default=[])
    arguments.add_argument("--json", type=Path)
    given = arguments.parse_args()
    known = counts(given.counts)
    report: dict[str, Any] = {}
    print("project              files unread prompts  count          other ways, again; clients")
    with tempfile.TemporaryDirectory() as scratch:
        for folder in given.folders:
            for project in projects(folder, Path(scratch)):
                name = project.name
                if name not in known or (given.only and name not in given.only):
                    continue
                one = report[name] = measure(project) | {"count": known[name]}
                forms, clients = one["forms"], one["clients"]
                found = forms.pop("prompt", 0)
                share = (found - known[name]) / known[name]
                files = sum(clients.values()) + len(one["unread"])
                others = ", ".join(f"{count} {form}" for form, count in sorted(forms.items()) if count)
                print(
                    f"{name[:20]:20} {files:5} {len(one['unread']):6} {found:7} {known[name]:6} {share:+7.1%}"
                    f"  {others or '-'}; {', '.join(sorted(clients))}"
                )
                one["prompts"] = found
    if given.json:
        given.json.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
