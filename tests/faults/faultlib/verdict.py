"""The one check after every fault: the store opens, perhaps after `recover`.

What was acknowledged is there, or was named.
"""

from __future__ import annotations

import re
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from faultlib.model import Record
from faultlib.told import Expected, Fact, Key, relations, state, stored
from recortex.errors import RecortexError

if TYPE_CHECKING:
    from faultlib.workbench import Ended, Site

    Relations = dict[tuple[str, ...], dict[str, Any]]

KEPT_BACKUPS = 5
GONE = ("was deleted, moved or replaced while it was open", "are missing from the file's end")
"""How it is told that the store, or the end of it, is gone as a whole, with what no backup holds."""


def verdict(site: Site, fault: str, name: str, *children: Ended, prefix: bool = False) -> Record:
    """Open a store that was broken, and hold it against what was acknowledged.

    Args:
        site: the store.
        fault: the class.
        name: what exactly was done.
        children: the processes that wrote while it was broken.
        prefix: the last acknowledged writes may be gone if those before them are there: what a power cut
            may take.
    """
    promised = site.expected()
    record = Record(fault, name, acknowledged=len(promised.facts))
    said: list[str] = []
    for child in children:
        record.problems += child.problems()
        said += [error[2] for error in child.out.get("errors", ())]
        record.problems += [
            f"{error[0]}: {error[1]} says not what to do"
            for error in child.out.get("errors", ())
            if not error[3]
        ]
    try:
        _opened(site, record, said)
        with site.open() as cortex:
            _compare(cortex, promised, record, " ".join(said), prefix=prefix)
            _whole(cortex, record)
            _usable(cortex, record)
    except RecortexError as error:
        record.opens = False
        record.problems.append(f"{error.code}: {error.message}")
    except Exception as error:  # noqa: BLE001  whatever it is, a user would see it raw
        record.opens = False
        where = traceback.extract_tb(error.__traceback__)[-1]
        record.problems.append(
            f"raw {type(error).__name__}: {error} ({where.name} in {Path(where.filename).name})"
        )
    return record


def _opened(site: Site, record: Record, said: list[str]) -> None:
    """Open the store and ask the doctor; recover where either says that it is not whole."""
    try:
        with site.open() as cortex:
            cortex.status()
            found = cortex.doctor()
        complaints = [
            one.message for one in found.findings if one.level == "problem" and "store" in one.check
        ]
    except RecortexError as error:
        complaints = [error.message]
    said += complaints
    if not complaints:
        return
    with site.open() as cortex:
        done = cortex.recover()
    record.ended = done.outcome
    record.kept = done.kept
    said += [*done.steps, *done.lost]


def _compare(cortex: Any, promised: Expected, record: Record, said: str, *, prefix: bool) -> None:
    there = relations(cortex) if promised.of("relation") else {}
    gone: dict[Key, str] = {}
    for key, fact in promised.facts.items():
        if (why := _why_gone(cortex, key, fact, promised, there)) is not None:
            gone[key] = why
    cut = prefix and _after_the_cut(cortex, promised, gone)
    nameless = said.count("the memory number")
    named = {key for key in gone if cut or key[1] in said or any(whole in said for whole in GONE)}
    whole_ids = [match.group(1) for match in _SAID_ID.finditer(said)]
    for key in [key for key in gone if key[0] in {"state", "text"} and gone[key] == "gone"]:
        if any(_nearly(key[1], one) for one in whole_ids):
            named.add(key)
        elif key not in named and nameless:
            nameless -= 1
            named.add(key)
    ends = {key[1] for key in named if key[0] == "state" and gone[key] == "gone"}
    named |= {key for key in gone if key[0] == "relation" and ends & {*key[1:3]}}  # lost with a memory
    for key, why in gone.items():
        (record.named if key in named else record.lost).append(f"{' '.join(key)}: {why}")


_SAID_ID = re.compile(r"'([^']{36,60})' is what its own was changed to", re.DOTALL)


def _nearly(id_: str, said: str) -> bool:
    """Whether an id is told as the damage left it.

    Of two that are not the same memory's, a sixteenth agrees.
    """
    return sum(one == other for one, other in zip(id_, said, strict=False)) > len(id_) * 3 // 4


def _why_gone(cortex: Any, key: Key, fact: Fact, promised: Expected, there: Relations) -> str | None:
    sort, *rest = key
    if sort == "state":
        return _missing(cortex, rest[0], fact.value, promised.doubtful)
    if sort == "text":
        return _text_missing(cortex, rest[0], fact.value, promised.doubtful)
    if sort == "relation":
        return (
            None if {*rest[:2]} & promised.doubtful else _relation_missing(there.get(tuple(rest)), fact.value)
        )
    if sort == "backup":
        return _backup_missing(Path(rest[0]), fact.value)
    return "purged, and there again" if _found(cortex, rest[0]) is not None else None


def _after_the_cut(cortex: Any, promised: Expected, gone: dict[Key, str]) -> bool:
    """Whether what is there is what there was after some earlier act.

    Nothing is gone of before, and nothing is there of after.
    """
    first = min((promised.facts[key].at for key in gone), default=0)
    if first <= 1:  # all that the template held was folded in and synced long ago
        return False
    for key, fact in promised.facts.items():
        if fact.at > first and key not in gone and key[0] != "backup":
            return False
        if key in gone and key[0] == "state" and fact.former:
            memory = _found(cortex, key[1])
            if memory is None or state(memory) not in fact.former:
                return False
    return True


def _relation_missing(found: dict[str, Any] | None, wanted: dict[str, Any]) -> str | None:
    if found is None:
        return "gone"
    changed = [name for name, value in wanted.items() if found.get(name) != value]
    return f"other {', '.join(changed)}" if changed else None


def _backup_missing(path: Path, memories: int) -> str | None:
    """Why an acknowledged backup is none; one that newer ones have pushed out is excused."""
    if not path.exists():
        newer = [other for other in path.parent.glob("*.db") if other.name > path.name]
        return None if len(newer) >= KEPT_BACKUPS else "gone"
    connection = apsw.Connection(
        f"file:{path}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    )
    try:
        whole = connection.execute("PRAGMA integrity_check(1)").get == "ok"
        return (
            None
            if whole and connection.execute("SELECT count(*) FROM memories").get >= memories
            else "not whole"
        )
    finally:
        connection.close()


def _found(cortex: Any, id_: str) -> Any:
    try:
        return stored(cortex, id_)
    except RecortexError as error:
        if error.code != "memory_not_found":
            raise
        return None


def _missing(cortex: Any, id_: str, wanted: dict[str, str], doubtful: set[str]) -> str | None:
    memory = _found(cortex, id_)
    if memory is None:
        return None if id_ in doubtful and _is_buried(cortex, id_) else "gone"
    states = [state(memory)]
    if id_ in doubtful:
        states += [state(one.memory) for one in cortex.history(id_).versions]
    if any(_as_acknowledged(one, wanted) for one in states):
        return None
    return "other " + ", ".join(key for key, value in wanted.items() if states[0].get(key) != value)


def _as_acknowledged(there: dict[str, str], wanted: dict[str, str]) -> bool:
    """Whether a state is the one that was acknowledged.

    Another writer, or an act that failed later, may have said the same
    once more, which adds to its evidence and to nothing else."""
    return there | {"evidence": wanted["evidence"]} == wanted and int(there["evidence"]) >= int(
        wanted["evidence"]
    )


def _is_buried(cortex: Any, id_: str) -> bool:
    try:
        return not cortex.history(id_).versions
    except RecortexError:
        return False


def _text_missing(cortex: Any, id_: str, text: str, doubtful: set[str]) -> str | None:
    memory = _found(cortex, id_)
    if memory is None:
        return "gone"
    return None if memory.text == text or id_ in doubtful else "another text"


def _whole(cortex: Any, record: Record) -> None:
    found = cortex.doctor()
    record.problems += [
        f"doctor: {one.message}" for one in found.findings if one.level == "problem" and "store" in one.check
    ]
    record.problems += [f"doctor: {one.message}" for one in found.findings if "signs" in one.message]


def _usable(cortex: Any, record: Record) -> None:
    kept = cortex.remember("Zanzibar lies in the Indian Ocean, and so it can be written again.")
    if kept.id not in {hit.memory.id for hit in cortex.recall("Zanzibar ocean", floor=False).hits}:
        record.problems.append("what is written now is not recalled")
