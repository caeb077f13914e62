"""Memories, contents and queries for properties."""

import types
import typing
import uuid
from dataclasses import fields, replace
from datetime import UTC, datetime

from hypothesis import settings
from hypothesis import strategies as st

from recortex.domain.kinds import KINDS
from recortex.domain.memory import ConstraintLink, FileLink, FunctionLink, Memory, PatternLink, Source
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Domain, Origin, Scope, Status, Trust
from recortex.formats.transcripts import open_transcript

WORDS = ("cache", "queue", "login", "retry", "schema", "lock", "naïve", "日本語", "O'Brien", '"quoted"')
TAGS = ("db", "auth", "slow", "a b", "ä", '"')
PATHS = ("src/a.py", "src/b/c.py", "src0", "src", "src/b", "sr", "docs/Ä.md", "src/a.py.orig", "src/%_x")
NAMES = ("load", "Load", "save", "User.save")
SESSIONS = ("", "s1", "s2")


def drawn(most):
    """How many examples a property draws: `most`, or fewer in the quick checks."""
    return max(3, most * min(settings.default.max_examples, 25) // 25)


texts = st.text(max_size=60)
# NUL is left out where text is kept, and nothing but NUL says nothing.
said = st.text(min_size=1, max_size=60).filter(lambda text: bool(text.replace("\0", "").strip()))
numbers = st.integers(-(2**53), 2**53)
fractions = st.floats(0, 1)
_FIRST, _LAST = datetime(1900, 1, 1), datetime(2500, 1, 1)  # noqa: DTZ001  hypothesis adds the zone
instants = st.datetimes(_FIRST, _LAST, timezones=st.just(UTC))
days = st.integers(0, 8).map(lambda day: datetime(2026, 1, 1 + day, tzinfo=UTC))
plain_json = st.recursive(
    st.none() | st.booleans() | numbers | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
ids = st.uuids(version=4).map(str)


def of_type(hint):
    """Values of a content field's type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    simple = {
        str: texts, types.NoneType: st.none(), bool: st.booleans(), int: numbers, float: fractions,
        typing.Any: plain_json, datetime: instants,
    }  # fmt: skip
    if hint in simple:
        return simple[hint]
    made = {
        typing.Literal: lambda: st.sampled_from(arguments),
        tuple: lambda: st.lists(of_type(arguments[0]), max_size=2).map(tuple),
        dict: lambda: st.dictionaries(texts, of_type(arguments[1]), max_size=2),
        types.UnionType: lambda: st.one_of(*map(of_type, arguments)),
        typing.Union: lambda: st.one_of(*map(of_type, arguments)),
    }
    return made[origin]() if origin in made else built(hint)


def built(of):
    """Instances of a dataclass with every field generated."""
    hints = typing.get_type_hints(of)
    return st.builds(of, **{field.name: of_type(hints[field.name]) for field in fields(of)})


def contents(kind):
    """Contents of a kind that say something; half of them by the main field alone."""
    cls = KINDS[kind]
    alone = said.map(cls.from_text)
    whole = st.builds(lambda whole, main: replace(whole, **{cls.main: main}), built(cls), said)
    return alone | (st.builds(_ending, whole, instants) if hasattr(cls, "expires_at") else whole)


def _ending(whole, until):
    """Its end is a date, as is asked of whoever gives one."""
    return replace(whole, expires_at=whole.expires_at and until.isoformat())


kinds = st.sampled_from(sorted(KINDS))
file_links = st.builds(
    FileLink, texts, st.none() | st.integers(1, 999), st.none() | st.integers(1, 999),
    st.sampled_from(["", "ab" * 32]), st.sampled_from(["", "c0ffee"]),
)  # fmt: skip


def accounted(counts):
    """Whether every line of a transcript that was read went somewhere."""
    return counts.lines == counts.used + sum(counts.skipped.values()) + counts.malformed + counts.torn


def read_whole(path, **options):
    """The reader of a transcript and its turns, where every line of it went somewhere."""
    reader = open_transcript(path, **options)
    turns = list(reader)
    assert accounted(reader.counts)
    return reader, turns


def unique(strategy, key):
    """Tuples of links, each target once, in the order in which a store gives them back."""
    return st.lists(strategy, max_size=3, unique_by=key).map(lambda found: tuple(sorted(found, key=key)))


@st.composite
def memories(draw, kind=kinds):
    """Any memory whatever, whole."""
    kind = draw(kind)
    content = draw(contents(kind))
    start, end = sorted((draw(instants), draw(instants)))
    recorded, updated = sorted((draw(instants), draw(instants)))
    return Memory(
        id=draw(ids), kind=kind, text=draw(said) if draw(st.booleans()) else content.text(),
        summary=draw(texts), content=content, recorded_at=recorded, updated_at=updated, valid_from=start,
        valid_until=draw(st.none() | st.just(end)), status=draw(st.sampled_from(Status)),
        scope=draw(st.sampled_from(Scope)), confidence=draw(fractions), priority=draw(st.integers(1, 10)),
        pinned=draw(st.booleans()), tags=tuple(draw(st.lists(texts, max_size=3))),
        domain=draw(st.sampled_from(Domain)), files=tuple(draw(st.lists(file_links, max_size=3))),
        functions=tuple(draw(st.lists(st.builds(FunctionLink, texts, texts, texts), max_size=3))),
        patterns=draw(unique(st.builds(PatternLink, texts, texts), lambda link: link.id.encode())),
        constraints=draw(unique(st.builds(ConstraintLink, texts, texts), lambda link: link.id.encode())),
        source=draw(built(Source)), origin=draw(st.sampled_from(Origin)),
        trust=draw(st.sampled_from(Trust)), evidence=draw(st.integers(1, 99)),
        validated_at=draw(st.none() | instants), last_accessed_at=draw(st.none() | instants),
        access_count=draw(st.integers(0, 99)), supersedes=draw(st.none() | ids),
        superseded_by=draw(st.none() | ids), metadata=draw(st.dictionaries(texts, plain_json, max_size=3)),
        content_hash=draw(st.binary(min_size=32, max_size=32)).hex(), tokens=draw(st.integers(0, 999)),
        version=draw(st.integers(1, 99)),
    )  # fmt: skip


@st.composite
def alike_memories(draw, number=0):
    """Memories that have so few different values that filters hit some and miss some."""
    kind = draw(st.sampled_from(["tribal", "decision", "insight"]))
    text = f"{number} {draw(st.sampled_from(WORDS))}"
    start = draw(days)
    recorded = draw(days)
    some = {"max_size": 2, "unique": True}
    return Memory(
        id=str(uuid.UUID(int=number, version=4)), kind=kind, text=text, summary=text,
        content=KINDS[kind].from_text(text), recorded_at=recorded, updated_at=recorded, valid_from=start,
        valid_until=draw(st.none() | days.filter(lambda day: day >= start)),
        status=draw(st.sampled_from(Status)), scope=draw(st.sampled_from(Scope)),
        confidence=draw(st.sampled_from([0.0, 0.25, 0.5, 1.0])), priority=draw(st.integers(1, 10)),
        pinned=draw(st.booleans()), tags=tuple(draw(st.lists(st.sampled_from(TAGS), **some))),
        domain=draw(st.sampled_from([Domain.DB, Domain.UI, Domain.GENERAL])),
        files=tuple(FileLink(path) for path in draw(st.lists(st.sampled_from(PATHS), **some))),
        functions=tuple(FunctionLink(name) for name in draw(st.lists(st.sampled_from(NAMES), **some))),
        patterns=tuple(
            PatternLink(name)
            for name in sorted(draw(st.lists(st.sampled_from(NAMES), **some)))
        ),
        constraints=tuple(
            ConstraintLink(name)
            for name in sorted(draw(st.lists(st.sampled_from(NAMES), **some)))
        ),
        source=Source(session=draw(st.sampled_from(SESSIONS)), turn=draw(st.none() | st.integers(0, 3))),
        origin=draw(st.sampled_from([Origin.USER, Origin.WEB, Origin.IMPORT])),
        last_accessed_at=draw(st.none() | days), content_hash=f"{number:064x}",
    )  # fmt: skip


@st.composite
def stores(draw, most=12):
    """Several memories, each with its own id."""
    return [draw(alike_memories(number)) for number in range(draw(st.integers(0, most)))]


def _some(values):
    return st.just(()) | st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


queries = st.builds(
    MemoryQuery, kinds=_some(["tribal", "decision", "core"]), statuses=_some(list(Status)),
    tags=_some([*TAGS, "none"]), domains=_some([Domain.DB, Domain.UI, Domain.AUTH]),
    files=_some([*PATHS, "src/", "src/b/", "docs/", "none/", "src/%"]), functions=_some([*NAMES, "LOAD"]),
    patterns=_some(NAMES), constraints=_some(NAMES), origins=_some([Origin.USER, Origin.WEB, Origin.TOOL]),
    scope=st.none() | st.sampled_from(Scope), session=st.sampled_from(SESSIONS),
    pinned=st.none() | st.booleans(), min_priority=st.none() | st.integers(1, 10),
    max_priority=st.none() | st.integers(1, 10),
    min_confidence=st.none() | st.sampled_from([0.0, 0.25, 0.3, 1.0]),
    max_confidence=st.none() | st.sampled_from([0.0, 0.25, 0.3, 1.0]), recorded_after=st.none() | days,
    recorded_before=st.none() | days, valid_at=st.none() | days,
    order=st.sampled_from(["recorded", "updated", "accessed", "importance", "confidence"]),
    descending=st.booleans(), limit=st.none() | st.integers(0, 5), offset=st.integers(0, 4),
)  # fmt: skip
