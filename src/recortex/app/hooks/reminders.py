"""What a prompt or a touched file brings to mind."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import threading
import time
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from recortex.app.hooks import room, session_limits
from recortex.codebase.git import read
from recortex.domain.kinds import KINDS
from recortex.domain.memory import is_rule
from recortex.domain.search import ANSWERING, MemoryQuery
from recortex.domain.session import Outcome, Receipt
from recortex.domain.text import LOADED_BY, loads, name_of_file, places, to_micros, word_of_file
from recortex.domain.vocabulary import Scope
from recortex.engines.decay import MOST_UNUSED, faded, is_exhausted, risen
from recortex.engines.relevance_gate import (
    FOR_PROMPT,
    LEAST,
    ORDERED,
    asked,
    block,
    calling,
    chance,
    for_file,
    is_about,
    line,
    quote_line,
    words_of,
)
from recortex.errors import UntrustedFileError
from recortex.formats.hook_events import HookEvent
from recortex.lean import NamedTuple, asdict, replace, sha256
from recortex.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from socket import socket

    from recortex.app.application import StoreServices
    from recortex.app.hooks import HookContext
    from recortex.domain.code import FileFacts
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory
    from recortex.domain.search import Recipe
    from recortex.domain.session import Channel, Session
    from recortex.engines.retrieval.service import Meaning


# -- the functions that an edit touches, and what is known of them and of what calls them


MOST = 5
"""Functions of one file that one call of a tool touches."""


class Known(NamedTuple):
    """A memory that hangs on a function; `called`: the function that is touched, if it is about a caller."""

    memory: Memory
    called: str = ""


def tree_of(context: HookContext, session: Session) -> Path:
    """The working tree that a session works in."""
    return context.project.tree(Path(session.cwd)) if session.cwd else context.root


def touched(context: HookContext, session: Session, event: HookEvent, path: str) -> list[str]:
    """The plain names of the functions of a file that an edit touches, as the file is before it.

    Facts of the file say so where they are known as it is; else its indentation does.
    """
    data = read(tree_of(context, session), path) if event.replaced else None
    if data is None:
        return []
    numbers = sorted({number for text in event.replaced for number in _functions_lines(data, text)})
    facts = _facts(context.project.facts, path, data) if numbers else None
    # Two texts of one edit often lie in the same function: it is named once.
    names = _by_facts(facts, numbers) if facts else _by_layout(data, numbers)
    return list(dict.fromkeys(names))[:MOST]


def _functions_lines(data: bytes, text: str) -> Iterator[int]:
    """The first and the last line of a text in a file, from 1; none where it is not in it."""
    # White space around the text is left out: what is looked for is where the text begins and ends.
    inner = text.strip().encode()
    at = data.find(inner) if inner else -1
    if at >= 0:
        first = data.count(b"\n", 0, at) + 1
        yield from (first, first + inner.count(b"\n"))


def _facts(kept: Path, path: str, data: bytes) -> FileFacts | None:
    """The facts of a file, where its code was read as it is."""
    if not kept.is_file():
        return None
    from recortex.codebase.grammars import KeptFacts, key_of

    with suppress(apsw.Error, OSError, UntrustedFileError), closing(KeptFacts(kept)) as known:
        # By the content and not by the path alone: after an edit, the same lines are of other functions.
        return known.facts(key_of(path, data))
    return None


def _by_facts(facts: FileFacts, numbers: list[int]) -> Iterator[str]:
    for number in numbers:
        # The innermost function first, by its number of lines: it is what the edit is about.
        around = sorted(
            (one.last - one.first, one.plain) for one in facts.symbols if one.first <= number <= one.last
        )
        yield from (name for _, name in around)


def _by_layout(data: bytes, numbers: list[int]) -> Iterator[str]:
    from recortex.domain.code import enclosing

    lines = data.decode("utf-8", "replace").split("\n")
    for number in numbers:
        if found := enclosing(lines, number):
            yield found.name


def hanging(context: HookContext, path: str, names: Sequence[str]) -> list[Known]:
    """The memories that hang on functions of a file, those about a function itself first."""
    now = context.clock()
    found: dict[str, Known] = {}
    for services in context.app.readable_services():
        rows = services.store.symbols.hanging(path, names) if services.facts else ()
        kept = services.store.memories.get([id_ for id_, _, _ in rows])
        memories = {one.id: one for one in faded(kept, services.store, to_micros(now))}
        for id_, role, name in rows:
            memory = memories[id_]
            if memory.kind in ANSWERING and memory.was_valid_at(now):
                found.setdefault(id_, Known(memory, name if role == "caller" else ""))
    return list(found.values())


# -- what a prompt or a touched file brings to mind


ASKED = 2_000
"""Characters of a prompt that are asked for: what follows is mostly pasted text."""
EXPANDED = 120
"""Characters from which a prompt may be a command's text, which some clients send in the person's name."""
WARNINGS = 3
"""Memories about one file: more would be skimmed."""
WORTH_ASKING = 0.1
"""The least chance with which a memory's past is asked for: no use raises a lower one enough."""
LOOKED = 6
"""Memories that are looked at for a prompt, beside those that are passed over; with 10 or 20 as many relevant
prompts get theirs (bench/prompts.py)."""
UNASKED: tuple[Channel, ...] = ("prompt", "file")
"""How memories are given for a reason; the brief is given to every session."""
WRITTEN = 10
"""Memories that may be passed over since the client loads the files in which they stand."""
DECISIONS = 20
"""Exchanges that decided something about one file, of which one is told."""
WARNING_KINDS = tuple(kind for kind, content in KINDS.items() if content.category in {"gotcha", "decision"})


def for_prompt(context: HookContext, event: HookEvent) -> str:
    """The few memories that answer a prompt and were not given before; mostly none."""
    prompt = event.prompt.strip()
    session = context.note_session(event)
    if not context.settings["hooks.prompt"]:
        return ""
    # Only of this context: after a compaction the agent no longer has what it was given before.
    receipts = _receipts(context, session)
    left = room(receipts, session_limits(context.settings))
    # Before anything is looked up: a session that had its share gets no more, whatever is asked.
    if not left:
        return ""
    prompt = _typed(context, event, prompt)
    likely = likely_to_help(context, session, prompt[:ASKED], {one.memory for one in receipts})
    budget = min(context.settings["hooks.prompt_tokens"], left)
    few = list(_within(budget, likely[: context.settings["hooks.prompt_limit"]]))
    given = _give(context, session, few, "prompt")
    return block(FOR_PROMPT, _lines(context, session, given))


def _typed(context: HookContext, event: HookEvent, prompt: str) -> str:
    """What the person typed of a prompt: of one that a command of the repository made, its arguments."""
    if len(prompt) < EXPANDED:
        return prompt
    from recortex.app.past_sessions import RepositoryCommands

    words = RepositoryCommands(context.root).typed(prompt, event.cwd)
    return prompt if words is None else words.words


def for_files(context: HookContext, event: HookEvent, paths: Sequence[str]) -> str:
    """The warnings and decisions about the files that a tool is to touch, once per session and file."""
    session = context.sessions.get(event.session) or context.note_session(event)
    receipts = _receipts(context, session)
    if not room(receipts, session_limits(context.settings)):
        return ""
    told = {one.subject for one in receipts}
    return "\n".join(filter(None, (_describe_file(context, session, event, path, told) for path in paths)))


def _describe_file(
    context: HookContext, session: Session, event: HookEvent, path: str, told: Collection[str]
) -> str:
    """What is known of the functions of a file that are touched, then of the file."""
    # Once for each function and session, as the same place is edited again and again.
    names = [one for one in touched(context, session, event, path) if f"{path}:{one}" not in told]
    found = hanging(context, path, names) if names else []
    callers = {one.memory.id: one.called for one in found if one.called}
    own = _new(context, session, [one.memory for one in found])
    given = _give(context, session, own, "file", subject=f"{path}:{names[0]}" if names else path)
    decided: Iterator[str] = iter(())
    if path not in told:
        new = _new(context, session, _about(context, session, path))
        given += _give(context, session, new, "file", subject=path)
        decided = _decision(context, session, path)
    lines = [
        f"{text} {calling(callers[memory.id])}" if memory.id in callers else text
        for memory, text in zip(given, _lines(context, session, given), strict=True)
    ]
    return block(for_file(path), [*lines, *decided])


def _about(context: HookContext, session: Session, path: str) -> list[Memory]:
    """The weightiest warnings and decisions about a file; of equals first what was predicted for it."""
    query = MemoryQuery(
        files=(path,),
        kinds=WARNING_KINDS,
        valid_at=context.clock(),
        order="importance",
        # More than are shown, as those that the client loads by itself fall out afterwards.
        limit=WARNINGS + WRITTEN,
    )
    now = to_micros(context.clock())
    found = [
        memory
        for services in context.app.readable_services()
        for memory in faded(services.store.memories.find(query), services.store, now)
        # What the file says itself is read with it.
        if path not in places(memory.metadata)
    ]
    if len(found) > WARNINGS:
        predicted = _predicted(context, session, path)
        found.sort(key=lambda one: (-one.priority, -predicted.get(one.id, 0)))
    return found


def _predicted(context: HookContext, session: Session, path: str) -> dict[str, int]:
    """What was predicted for a file after the last turn, with the highest number for what comes first."""
    from recortex.app.predicted import PredictionCache

    now = context.clock().timestamp()
    found = PredictionCache(context.location).find(session.id, name_of_file(path), now) or ()
    return {one.id: number for number, one in enumerate(reversed(found), 1)}


def _new(context: HookContext, session: Session, found: Sequence[Memory]) -> list[tuple[Memory, float]]:
    """The first `WARNINGS` of some memories, without those that the context has."""
    few = [memory for memory in found if not _loaded(session, memory)][:WARNINGS]
    known = {one.memory for one in _receipts(context, session)}
    past = context.sessions.outcomes([memory.id for memory in few], UNASKED)
    return [
        (memory, memory.confidence)
        for memory in few
        if memory.id not in known and not is_exhausted(_past(memory, past), MOST_UNUSED)
    ]


def _decision(context: HookContext, session: Session, path: str) -> Iterator[str]:
    """The line of an exchange that decided something about a file, once in a context.

    Of several the one that was predicted for it (bench/RESULTS.md, "Prediction"), else the latest.
    """
    word = word_of_file(path)
    found = [
        exchange
        for services in context.app.all_services(Scope.PROJECT)
        for exchange in services.store.exchange_search.exchanges(
            [key for key, _ in services.store.exchange_search.match({word: 1}, DECISIONS, None)]
        ).values()
    ]
    if not found:
        return
    from recortex.engines.exchanges.service import decision
    from recortex.engines.privacy import redact

    predicted = _predicted(context, session, path) if len(found) > 1 else {}
    chosen = max(
        found, key=lambda one: (predicted.get(one.id, 0), one.ended_at.timestamp() if one.ended_at else 0.0)
    )
    past = context.sessions.outcomes([chosen.id], UNASKED)
    if is_exhausted(past.get(chosen.id, Outcome()), MOST_UNUSED):
        return
    said = redact(decision(chosen)).text
    if not said or _has(context, session, chosen, said):
        return
    line = quote_line(chosen, said)
    receipt = _receipt(context, session, chosen.id, Scope.PROJECT, "file", path)
    if context.give([replace(receipt, tokens=len(line) // 4)]):
        yield line


def _has(context: HookContext, session: Session, exchange: Exchange, said: str) -> bool:
    """Whether the context has a memory that was learned from an exchange, or says the same."""
    from recortex.engines.similarity import is_near_duplicate

    ids = [one.memory for one in _receipts(context, session)]
    given = [one for services in context.app.readable_services() for one in services.store.memories.get(ids)]
    return any(
        exchange.holds(one.source.session, one.source.turn)
        or is_near_duplicate(one.text, said)
        or is_near_duplicate(said, one.text)
        for one in given
    )


def likely_to_help(
    context: HookContext, session: Session, prompt: str, known: Collection[str]
) -> list[tuple[Memory, float]]:
    """The memories that are likely to help with a prompt, with the probability, the likeliest first.

    No access is counted.

    Args:
        context: of the project.
        session: that the prompt belongs to; what was learned in its present context is left out.
        prompt: what was typed, at most `ASKED` long.
        known: ids of memories that were given before.
    """
    # What this session taught is still in its context, unless that was compacted since.
    present = session.id if not session.context else ""

    def passed_over(memory: Memory) -> bool:
        told = memory.id in known or (bool(present) and memory.source.session == present)
        return told or _loaded(session, memory)

    hopeful = {
        memory.id: (memory, value) for memory, value in chances(context, prompt, len(known), passed_over)
    }
    past = context.sessions.outcomes(list(hopeful), UNASKED) if hopeful else {}
    found = [
        (memory, value)
        for memory, likely in hopeful.values()
        if (value := risen(likely, _past(memory, past))) >= _least(memory, prompt)
    ]
    # Of equal texts the first stays, which is the project's: a dict keeps what is set last, so the order is
    # turned round.
    once = {memory.content_hash: (memory, value) for memory, value in reversed(found)}
    return sorted(once.values(), key=lambda one: -one[1])


def _least(memory: Memory, prompt: str) -> float:
    """The chance from which a memory is given for a prompt."""
    rule = is_rule(memory.kind, memory.trust, memory.source.rule)
    return ORDERED if rule and is_about(memory.text, prompt) else LEAST


def _past(memory: Memory, outcomes: Mapping[str, Outcome]) -> Outcome:
    """What became of a memory; that a rule of the person seems unused counts nothing: it is obeyed."""
    known = outcomes.get(memory.id, Outcome())
    return (
        Outcome(known.used, known.used) if is_rule(memory.kind, memory.trust, memory.source.rule) else known
    )


def chances(
    context: HookContext,
    prompt: str,
    known: int = 0,
    passed_over: Callable[[Memory], bool] = lambda _: False,
) -> Iterator[tuple[Memory, float]]:
    """Memories with the probability that they hold and help, as far as it is worth asking for their past.

    The project's come before the person's own. `known` of them may have been given before.
    """
    wanted = words_of(prompt)
    stores = context.app.readable_services() if wanted else []
    # A model that has to be loaded first would keep the person waiting: words alone do then.
    recipe: Recipe = "hybrid" if context.ready() else "keyword"
    # Made once for each store: the frequencies of words need it, and so does the search.
    meanings = [one.retrieval.meaning(prompt, recipe=recipe) for one in stores]
    # Over all stores together, so that a chance means the same wherever a memory lies.
    about = asked(*_document_frequencies(stores, wanted, meanings))
    only = MemoryQuery(kinds=ANSWERING, valid_at=context.clock())
    for services, meaning in zip(stores, meanings, strict=True):
        recalled = services.retrieval.recall(
            prompt,
            limit=LOOKED + WRITTEN + known,
            now=context.clock(),
            recipe=recipe,
            only=only,
            # Without the floor of `recall` and without decay: the gate that follows has a probability of
            # its own.
            floor=False,
            decayed=False,
            meaning=meaning,
        )
        # What a later memory contradicts may have ended: the later one is given, and a person decides.
        new = (hit for hit in recalled.hits if not (hit.disputed or passed_over(hit.memory)))
        for hit in islice(new, LOOKED):
            likely = chance(about, hit.memory, hit.signals.get("semantic") or None)
            if likely >= WORTH_ASKING:
                yield hit.memory, likely * hit.signals["confidence"]


def _document_frequencies(
    stores: Sequence[StoreServices], wanted: Sequence[str], meanings: Sequence[Meaning]
) -> tuple[dict[str, int], int]:
    """How many memories and exchanges hold each word, and how many there are."""
    counts, size = dict.fromkeys(wanted, 0), 0
    for services, meaning in zip(stores, meanings, strict=True):
        exchanges = services.store.exchange_words
        size += meaning.vocabulary.size + exchanges.size()
        for word, count in zip(wanted, exchanges.frequencies(wanted), strict=True):
            counts[word] += count + meaning.vocabulary.frequency.get(word, 0)
    return counts, size


def _loaded(session: Session, memory: Memory) -> bool:
    """Whether a memory says what stands in a file that the session's client loads itself."""
    return loads(session.client, str(memory.metadata.get(LOADED_BY, "")))


def _within(budget: float, likely: Sequence[tuple[Memory, float]]) -> Iterator[tuple[Memory, float]]:
    for memory, value in likely:
        # A long memory that does not fit leaves room for a shorter one after it.
        budget -= memory.tokens
        if budget >= 0:
            yield memory, value


def _receipts(context: HookContext, session: Session) -> list[Receipt]:
    """Of what was given in the session's present context."""
    return [one for one in context.sessions.receipts(session.id) if one.context == session.context]


def _give(
    context: HookContext,
    session: Session,
    memories: Sequence[tuple[Memory, float]],
    channel: Channel,
    subject: str = "",
) -> list[Memory]:
    """Note what is given; what another hook of the session gave meanwhile is left out."""
    receipts = [
        replace(
            _receipt(context, session, memory.id, memory.scope, channel, subject),
            score=round(score, 4),
            tokens=memory.tokens,
        )
        for memory, score in memories
    ]
    # Two hooks of a session may run at once: the store says which of them gave a memory first.
    kept = {one.memory for one in context.give(receipts)} if receipts else set()
    return [memory for memory, _ in memories if memory.id in kept]


def _receipt(
    context: HookContext, session: Session, given: str, scope: Scope, channel: Channel, subject: str
) -> Receipt:
    return Receipt(
        session=session.id,
        context=session.context,
        memory=given,
        scope=scope,
        channel=channel,
        at=context.clock(),
        subject=subject,
    )


def _lines(context: HookContext, session: Session, memories: Sequence[Memory]) -> list[str]:
    if not memories:
        return []
    from recortex.app.citations import cited_by, worst
    from recortex.engines.privacy import all_output_redacted

    told = all_output_redacted(memories)
    cited = cited_by(context.app.readable_services(), told, tree=tree_of(context, session), parse=False)
    return [line(memory, worst(cited[memory.id])) for memory in told]


# -- how a hook asks a running server, whose model is loaded: a local socket that only its owner can reach


LONGEST = 512 * 1024
"""Bytes of an event or an answer."""
PATIENCE = 1.0
"""Seconds that a server waits for the rest of what a hook says."""
_NEWEST = 3  # servers of a store that a hook tries at most
_SHORTEST = 0.001  # seconds: a timeout of 0 would make the socket non-blocking


def folder() -> Path | None:
    """Where the sockets of this person are; None where there cannot be any, or somebody else made the folder.

    Not in the store's folder: a socket's path must be shorter than most projects' are.
    """
    if os.name != "posix":
        return None
    place = Path(f"/tmp/recortex-{os.getuid()}")  # noqa: S108  it must be ours alone, which is checked
    with contextlib.suppress(OSError):
        place.mkdir(mode=0o700, exist_ok=True)
        found = place.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
            return place
    return None


def _key(store: str) -> str:
    return sha256(store.encode()).hexdigest()[:16]


class Relay:
    """Answers the hooks of one store.

    Args:
        store: its URL or file, which hooks know it by.
        answer: gives the text for an event; called by one thread at a time.
    """

    def __init__(self, store: str, answer: Callable[[HookEvent], str]) -> None:
        from socket import AF_UNIX, SOCK_STREAM, socket  # a hook that no server answers does without

        self._answer = answer
        self._path: Path | None = None
        place = folder()
        if place is not None:
            path = place / f"{_key(store)}-{os.getpid()}.sock"
            with contextlib.suppress(OSError):  # such as a full disk: hooks then answer by themselves
                path.unlink(missing_ok=True)
                self._socket = socket(AF_UNIX, SOCK_STREAM)
                self._socket.bind(str(path))
                path.chmod(0o600)
                self._socket.listen(16)
                threading.Thread(target=self._serve, name="relay", daemon=True).start()
                self._path = path

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return  # closed
            # Whatever fails, the hook answers by itself, and the next one is to be served.
            with connection, contextlib.suppress(Exception):
                said = _parse_event(_received(connection, PATIENCE))
                if said is not None:
                    connection.sendall(json.dumps({"text": self._answer(said)}).encode())

    def close(self) -> None:
        """Listen no more."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
            # Closing alone does not end the thread that waits for a hook.
            from socket import SHUT_RDWR

            with contextlib.suppress(OSError):
                self._socket.shutdown(SHUT_RDWR)
            self._socket.close()


def ask(store: str, event: HookEvent, *, seconds: float) -> str | None:
    """What a running server of the store answers; None where none does, in time and in this version."""
    for path in _listening(store):
        from socket import AF_UNIX, SHUT_WR, SOCK_STREAM, socket

        with socket(AF_UNIX, SOCK_STREAM) as connection:
            connection.settimeout(seconds)
            try:
                connection.connect(str(path))
                connection.sendall(json.dumps({"version": __version__, "event": asdict(event)}).encode())
                connection.shutdown(SHUT_WR)
                answer = json.loads(_received(connection, seconds))
            except ConnectionRefusedError:
                path.unlink(missing_ok=True)  # its server died
                continue
            except (OSError, ValueError, RecursionError):
                return None
        text = answer.get("text") if isinstance(answer, dict) else None
        return text if isinstance(text, str) else None
    return None


def _listening(store: str) -> Iterator[Path]:
    place = folder()
    if place is None:
        return
    found = []
    for path in place.glob(f"{_key(store)}-*.sock"):
        with contextlib.suppress(OSError):
            found.append((path.stat().st_mtime, path))
    yield from [path for _, path in sorted(found, reverse=True)][:_NEWEST]


def _received(connection: socket, seconds: float) -> bytes:
    """All that comes until the other side ends.

    Raises:
        TimeoutError: it took longer, all in all.
    """
    parts = bytearray()
    end = time.monotonic() + seconds
    while len(parts) <= LONGEST:
        connection.settimeout(max(_SHORTEST, end - time.monotonic()))
        part = connection.recv(65_536)
        if not part:
            break
        if time.monotonic() > end:
            raise TimeoutError
        parts += part
    return bytes(parts)


def _parse_event(raw: bytes) -> HookEvent | None:
    """The event of a hook of the same version: only then do both understand it alike."""
    try:
        given: Any = json.loads(raw)
        if given["version"] != __version__:
            return None
        event = given["event"]
        return HookEvent(**{**event, "files": tuple(event["files"]), "replaced": tuple(event["replaced"])})
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
