"""What replicas send each other: versions, keys, what was applied; and how what arrives is judged.

A version is immutable, so merging is a union: order, repetition and pieces make no difference. A replica
numbers its versions 1, 2, 3 … without a gap, so a vector of the highest numbers says which ones somebody has.
Everything here is pure and takes nothing that arrives on trust; `keys.py` makes and checks signatures.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeVar

from recortex.errors import InvalidInputError, RecortexError
from recortex.lean import Value, field, msgspec, sha256

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


T = TypeVar("T")

PROTOCOL = 1
"""What a batch means. A field more is no new protocol: what a replica does not know in a body, it keeps."""
MOST_BYTES = 1_000_000
"""Of a batch as JSON, before it is compressed."""
MOST_VERSIONS = 2_000
"""In a batch."""
MOST_BODY = 256_000
"""Bytes of a body."""
MOST_PARENTS = 64
MOST_REPLICAS = 5_000
"""In a vector: more machines than a team has."""
MOST_NAME = 100
"""Characters of an author's or a workspace's name."""
MOST_OPERATION = 20
"""Characters of an operation's word."""
MOST_NUMBER = 2**53
"""Of a counter; beyond that, JSON's numbers are no longer exact everywhere."""
AHEAD_MS = 5 * 60 * 1000
"""How far a clock may run ahead of the receiver's before the receiver's own no longer follows it."""
PURGE = "purge"
OPERATIONS = frozenset({"create", "update", "archive", "restore", "merge", PURGE})
_LOGICAL = 16
MODULUS = 2**256

Vector = dict[str, int]
"""The highest number that is there of each replica, and so all below it."""


class SyncError(RecortexError):
    """The memories could not be synchronised."""

    code = "sync_failed"
    hint = "`recortex sync status` shows what waits. Nothing is lost: the next sync tries again."


class RefusedError(SyncError):
    """What arrived was refused, because it is not what it says."""

    code = "sync_refused"


class RunningError(SyncError):
    """Another process synchronises the same store."""

    code = "sync_running"
    hint = "It sends and fetches what this one would have; if it stays, look for a stuck `recortex` process."


class OfflineError(SyncError):
    """The other side cannot be reached now."""

    code = "sync_offline"
    hint = "Local work goes on; what changed is sent when it can be reached again."


# -- values


class SyncVersion(Value, frozen=True, kw_only=True):
    """A state of one thing, as one replica wrote it. Nothing of it ever changes.

    Attributes:
        id: see `id_of`: what it says and what it replaces, but not who carried it.
        memory_id: the memory's id; a relation has one of its own (`bodies.py`).
        parents: ids of the versions that it replaces, sorted; more than one when it ends a conflict.
        replica: see `replica_of`.
        counter: of the replica: 1, 2, 3 … without a gap.
        clock: hybrid logical time, see `clock_after`.
        operation: one of `OPERATIONS`; another one is kept and taken for an update.
        author: the person's name.
        body: JSON of what replicates, kept as it was written, with fields that only newer versions know.
            None of a purge, and of everything that was purged.
        signature: of the replica, by its key, over `signed`.
    """

    id: str
    memory_id: str
    parents: tuple[str, ...] = ()
    replica: str
    counter: int
    clock: int
    operation: str
    author: str
    body: str | None = None
    signature: str = ""


class Card(Value, frozen=True, kw_only=True):
    """The key of a replica, and whose it is.

    Attributes:
        replica, public: as `replica_of` says; the key in hex.
        author: the person's name, which no other key has unless one of that name vouches for it.
        since: milliseconds since 1970.
        signature: of this key, over `signed_card`.
        voucher, vouch: a replica of the same person, and its signature over the same.
    """

    replica: str
    public: str
    author: str
    since: int
    signature: str = ""
    voucher: str = ""
    vouch: str = ""


class Applied(Value, frozen=True, kw_only=True):
    """What a replica has applied, purges included: its acknowledgement, signed over `signed_applied`."""

    replica: str
    vector: Vector
    clock: int
    signature: str = ""


class Batch(Value, frozen=True, kw_only=True):
    """What is sent in one piece, in both directions.

    Attributes:
        versions: of each replica in the order of their counters.
        vector, set_hash: of everything the sender has, sent or not: after the last batch both sides agree.
        purges: of the versions here whose text is gone, the purge of each record, wherever that stands in
            the log: without a signed purge, nobody takes a version without its text.
        cards, applied: the latest of each replica that the sender knows.
        more: the sender has versions that had no room.
    """

    protocol: int = PROTOCOL
    workspace: str
    versions: tuple[SyncVersion, ...] = ()
    vector: Vector = field(default_factory=dict)
    set_hash: str = ""
    purges: tuple[SyncVersion, ...] = ()
    cards: tuple[Card, ...] = ()
    applied: tuple[Applied, ...] = ()
    more: bool = False


class Reply(Value, frozen=True, kw_only=True):
    """What the other side has after a push; the sender compares it with its own."""

    vector: Vector
    set_hash: str
    protocol: int = PROTOCOL


class Transport(Protocol):
    """A way to the others: a server, a branch of a git repository.

    Both methods may be repeated, and raise `OfflineError` where the other side cannot be reached.
    """

    name: str
    """Under which the state of this way is kept: a URL, or a remote and its branch. No password in it."""

    def push(self, batch: Batch) -> Reply:
        """Hand over versions, cards and what was applied; what is there already changes nothing."""

    def pull(self, vector: Vector, limit: int) -> Batch:
        """At most so many versions that a replica with this vector does not have, and all cards."""


# -- identities, hashes, clocks


def canonical(value: object) -> str:
    """JSON in one spelling: keys sorted, no spaces."""
    return msgspec.json.encode(value, order="sorted").decode()


def id_of(memory_id: str, parents: Iterable[str], operation: str, body: str | None) -> str:
    """The id of a version: SHA-256 of what it says, of what, and after what."""
    return sha256(canonical([memory_id, sorted(parents), operation, body]).encode()).hexdigest()


def replica_of(public: str) -> str:
    """The id of a replica follows from its public key, so nobody else can claim it."""
    return sha256(bytes.fromhex(public)).hexdigest()[:32]


def signed(version: SyncVersion, workspace: str) -> bytes:
    """What the signature of a version covers. The workspace keeps it from being replayed into another."""
    said = [workspace, version.id, version.replica, version.counter, version.clock, version.author]
    return b"recortex-sync-version\n" + canonical(said).encode()


def signed_card(card: Card, workspace: str) -> bytes:
    """What the signatures of a card cover."""
    return (
        b"recortex-sync-card\n"
        + canonical([workspace, card.replica, card.public, card.author, card.since]).encode()
    )


def signed_applied(applied: Applied, workspace: str) -> bytes:
    """What the signature of an acknowledgement covers."""
    return (
        b"recortex-sync-applied\n"
        + canonical([workspace, applied.replica, applied.vector, applied.clock]).encode()
    )


def add_to_hash(set_hash: str, versions: Iterable[SyncVersion]) -> str:
    """The hash of a set after these joined it, in any order; "" is the empty set's.

    A sum modulo 2**256 of each version's SHA-256, so that it is kept up to date without reading the set.
    """
    total = int(set_hash or "0", 16)
    for one in versions:
        said = canonical([one.id, one.replica, one.counter, one.clock, one.author])
        total += int(sha256(said.encode()).hexdigest(), 16)
    return f"{total % MODULUS:064x}"


def clock_after(ms: int, seen: Iterable[int] = ()) -> int:
    """The clock of what was done at a time: milliseconds, 16 bits to count on; after all clocks seen."""
    return max([ms << _LOGICAL, *(clock + 1 for clock in seen)])


def ms_of(clock: int) -> int:
    """Milliseconds since 1970 of a clock."""
    return clock >> _LOGICAL


def bounded(versions: Iterable[SyncVersion]) -> list[SyncVersion]:
    """The first of some versions that fit into a batch, with room for cards and vectors."""
    size, fitting = 0, list[SyncVersion]()
    for one in versions:
        size += len(msgspec.json.encode(one)) + 1
        if fitting and (size > MOST_BYTES // 2 or len(fitting) >= MOST_VERSIONS):
            break
        fitting.append(one)
    return fitting


def missing(versions: Iterable[SyncVersion], vector: Mapping[str, int]) -> list[SyncVersion]:
    """Those that continue a vector without a gap, in an order in which they can be kept."""
    there, next_ = [], dict(vector)
    for one in sorted(versions, key=lambda version: (version.replica, version.counter)):
        if one.counter == next_.get(one.replica, 0) + 1:
            next_[one.replica] = one.counter
            there.append(one)
    return there


# -- what arrives


_HEX = frozenset("0123456789abcdef")


def check_version(version: SyncVersion, *, purged: bool = False) -> SyncVersion:
    """The same version, if it is well formed and its id is that of what it says. Signatures: `keys.py`.

    Args:
        version: as it arrived.
        purged: what it is about was purged, so its body may be gone and its id is taken on the signature.

    Raises:
        RefusedError: with what is wrong.
    """
    hollow = version.body is None and version.operation != PURGE
    for wrong, what in (
        (not (_hex(version.id, 64) and _hex(version.replica, 32)), "its id or replica is malformed"),
        (not 0 < len(version.memory_id) <= 2 * MOST_NAME, "it says no id of what it is about"),
        (not version.memory_id.isprintable(), "the id of what it is about is malformed"),
        (len(version.parents) > MOST_PARENTS, "it has too many parents"),
        (not all(_hex(one, 64) for one in version.parents), "a parent is malformed"),
        (list(version.parents) != sorted(set(version.parents)), "its parents are not in order"),
        (not 0 < version.counter < MOST_NUMBER, "its counter is impossible"),
        (not 0 <= version.clock < 2**63, "its clock is impossible"),
        (not named(version.author), "its author's name is missing or too long"),
        (not 0 < len(version.operation) <= MOST_OPERATION, "its operation is malformed"),
        (version.operation == PURGE and version.body is not None, "a purge says nothing"),
        (hollow and not purged, "its text is missing, and nobody purged it"),
        (version.body is not None and len(version.body.encode()) > MOST_BODY, "it is too long"),
        (not hollow and version.id != _id(version), "its id is not that of its content"),
    ):
        if wrong:
            raise RefusedError(f"Version {version.id[:12]} of {version.replica[:8]} was refused: {what}.")
    return version


def parse_batch(data: bytes, workspace: str, *, compressed: bool = False) -> Batch:
    """A batch from outside, with its form and sizes checked; versions still need `check_version`.

    Raises:
        RefusedError: it is too large, no batch, of a newer protocol, or of another workspace.
    """
    text = inflate(data) if compressed else data
    if len(text) > MOST_BYTES:
        raise RefusedError(f"A batch of {len(text):,} bytes was refused: at most {MOST_BYTES:,} are taken.")
    batch = parse(text, Batch)
    check_protocol(batch.protocol)
    if batch.workspace != workspace:
        raise RefusedError(
            f"A batch of the workspace {batch.workspace[:MOST_NAME]!r} was refused: this is {workspace!r}.",
            hint="`recortex sync status` shows which workspace this project syncs with.",
        )
    if len(batch.versions) > MOST_VERSIONS or len(batch.purges) > MOST_VERSIONS:
        raise RefusedError(f"A batch of {len(batch.versions):,} versions was refused.")
    for vector in (batch.vector, *(one.vector for one in batch.applied)):
        check_vector(vector)
    return batch


def parse(data: bytes | str, kind: type[T]) -> T:
    """A value of the wire; fields that only newer versions know are passed over.

    Raises:
        RefusedError: it is not one.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RefusedError(f"What arrived is no {kind.__name__.lower()}: {str(error)[:200]}.") from None


def inflate(data: bytes) -> bytes:
    """The content of a gzip stream, at most `MOST_BYTES` of it, however much it would become.

    Raises:
        RefusedError: it is larger, or no gzip stream.
    """
    reader = zlib.decompressobj(wbits=31)
    try:
        text = reader.decompress(data, MOST_BYTES + 1)
    except zlib.error:
        raise RefusedError("What arrived is not compressed as gzip.") from None
    if len(text) > MOST_BYTES or not reader.eof:
        raise RefusedError(f"A batch was refused: it is cut off, or larger than {MOST_BYTES:,} bytes.")
    return text


def check_vector(vector: Mapping[str, int]) -> Vector:
    """The same vector, if it is one.

    Raises:
        RefusedError: it is not.
    """
    good = len(vector) <= MOST_REPLICAS and all(
        _hex(replica, 32) and 0 <= counter < MOST_NUMBER for replica, counter in vector.items()
    )
    if not good:
        raise RefusedError("What arrived says impossibly what it has.")
    return dict(vector)


def check_protocol(protocol: int) -> None:
    """Take our own protocol and older ones.

    Raises:
        RefusedError: it is a newer one.
    """
    if not 1 <= protocol <= PROTOCOL:
        raise RefusedError(
            f"The other side speaks protocol {protocol}, this Recortex speaks {PROTOCOL}.",
            hint="Upgrade with `pip install --upgrade recortex`. What changed here waits until then.",
        )


def named(name: str) -> bool:
    """Whether it can be a person's name: short, printable, not blank."""
    return 0 < len(name.strip()) <= len(name) <= MOST_NAME and name.isprintable()


def parse_body(body: str) -> dict[str, object]:
    """The fields of a body.

    Raises:
        InvalidInputError: it is no JSON object.
    """
    try:
        return msgspec.json.decode(body, type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError):
        raise InvalidInputError("The body of a version is no JSON object.") from None


def _id(version: SyncVersion) -> str:
    return id_of(version.memory_id, version.parents, version.operation, version.body)


def _hex(text: str, length: int) -> bool:
    return len(text) == length and _HEX.issuperset(text)


# -- what a team server and its clients agree on besides the protocol's values: paths, headers, proofs
#
# A token alone opens nothing once it belongs to a replica: each request is signed with the replica's key,
# too.


ROOT = "/sync/v1"
REPLICA, PROOF, PROTOCOL_HEADER = "recortex-replica", "recortex-proof", "recortex-protocol"
SKEW = 300.0
"""Seconds by which the time of a proof may differ from the server's."""
_WORTH = 512
"""Bytes from which on compression pays."""


def signed_request(method: str, path: str, moment: int, body: bytes) -> bytes:
    """What a replica signs to prove that a request is its own.

    Args:
        method: of HTTP.
        path: from `ROOT` on.
        moment: when, in milliseconds.
        body: as it is sent.
    """
    parts = ("recortex-request", method, path, str(moment), hashlib.sha256(body).hexdigest())
    return "\n".join(parts).encode()


def packed(body: bytes) -> tuple[bytes, str]:
    """A body, compressed where that pays, and the name of its encoding; empty where it is as it was."""
    if len(body) < _WORTH:
        return body, ""
    return gzip.compress(body, 1, mtime=0), "gzip"


class Access(Value, frozen=True, kw_only=True):
    """A token of the workspace, without its secret.

    Attributes:
        member: whose it is.
        token: the part of it that is no secret; `revoke` takes it, or the member's name.
        scope: read, write or admin.
        used_at: when it was last used.
    """

    member: str
    token: str
    scope: str
    made_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    used_at: datetime | None = None


# -- which version of a record holds: a pure function of the set of versions that are known of it


Strategy = Literal["last-write-wins", "local-wins", "remote-wins", "manual"]


class Settled(NamedTuple):
    """What holds.

    Attributes:
        head: the version to show.
        leaves: all that nobody replaced, by id, the head among them.
        purged: the record is gone for good.
    """

    head: SyncVersion
    leaves: tuple[SyncVersion, ...]
    purged: bool = False

    @property
    def conflict(self) -> bool:
        """Whether two leaves say something different."""
        return not self.purged and len({one.body for one in self.leaves}) > 1


def settle(
    versions: Iterable[SyncVersion], strategy: Strategy, author: str, shown: str = ""
) -> Settled | None:
    """What holds of a record; None where nothing is known of it.

    Args:
        versions: all that are known, in any order, repeated or not.
        strategy: which leaf is shown where there are several.
        author: whose store it is: their words are local.
        shown: the id of the version that is shown now, which "manual" keeps while it is a leaf.
    """
    nodes = by_id(versions)
    if not nodes:
        return None
    purges = [one for one in nodes.values() if one.operation == PURGE]
    if purges:
        head = min(purges, key=_order)
        return Settled(head, (head,), purged=True)
    replaced = {parent for one in nodes.values() for parent in one.parents}
    leaves = tuple(sorted((one for one in nodes.values() if one.id not in replaced), key=lambda one: one.id))
    local = [one for one in leaves if one.author == author]
    remote = [one for one in leaves if one.author != author]
    preferred = {
        "last-write-wins": leaves,
        "local-wins": local or leaves,
        "remote-wins": remote or leaves,
        "manual": [one for one in leaves if one.id == shown] or local or leaves,
    }[strategy]
    return Settled(max(preferred, key=_order), leaves)


def by_id(versions: Iterable[SyncVersion], author: str | None = None) -> dict[str, SyncVersion]:
    """One version for each id: two replicas may have done the same. The first counts.

    Args:
        versions: in any order.
        author: whose own counts before all others: nobody takes a person's words by repeating them.
    """
    found: dict[str, SyncVersion] = {}
    for one in versions:
        if one.id not in found or _rank(one, author) < _rank(found[one.id], author):
            found[one.id] = one
    return found


def speaker_of(head: SyncVersion, nodes: Mapping[str, SyncVersion]) -> str:
    """Whose words a version's text is: of who wrote it first, not of who filed it differently since.

    Nobody can claim another's words: only a version that its author signed has that author.
    """
    said, text = head, _text(head)
    while True:
        earlier = [nodes[id_] for id_ in said.parents if id_ in nodes and _text(nodes[id_]) == text]
        if not earlier:
            return said.author
        said = min(earlier, key=_order)


def _text(version: SyncVersion) -> object:
    return parse_body(version.body).get("text") if version.body else None


def _rank(version: SyncVersion, author: str | None) -> tuple[bool, tuple[int, str, str]]:
    return version.author != author, _order(version)


def _order(version: SyncVersion) -> tuple[int, str, str]:
    return version.clock, version.replica, version.id
