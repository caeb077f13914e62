"""Around a tool call: from untrusted JSON to arguments, and what an answer may cost.

They are read with goodwill, since clients send lists, numbers and truths as text, and 5.0 for 5: what decodes
to the declared type is taken. Where it is a text that is wanted, a text stays what it is.
"""

from __future__ import annotations

import math
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from recortex import codec
from recortex.errors import InvalidInputError, RecortexError
from recortex.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from recortex.operations.registry import Operation, Parameter

    Data = dict[str, Any]


# A memory is a statement, not a document: far above any honest one, far below what could fill the memory of a
# machine.
LONGEST_TEXT = 200_000
_LARGEST_NUMBER = 2**63 - 1
_NUL = "\0"
_NOTHING = frozenset(("", "null", "None"))
_AROUND_WORDS = " \t\r\n\"'"


def converted(operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the operation's method.

    Raises:
        InvalidInputError: one is unknown, missing, of another type, too long, or no proper text.
    """
    parameters = {parameter.name: parameter for parameter in operation.parameters()}
    tool, hint = operation.name, takes(operation)
    if unknown := sorted(set(given) - set(parameters)):
        raise InvalidInputError(f"`{tool}` has no argument {unknown[0][:40]!r}.", hint=hint)
    missing = [name for name, parameter in parameters.items() if parameter.required and name not in given]
    if missing:
        raise InvalidInputError(f"`{tool}` needs the argument `{missing[0]}`.", hint=hint)
    left_out = {
        name
        for name, value in given.items()
        if _is_nothing(value, parameters[name]) and not operation.traits.destructive
    }
    return {name: _argument(parameters[name], value) for name, value in given.items() if name not in left_out}


def is_true(value: object) -> bool:
    """Whether a truth was sent, as one or as text."""
    return value is True or (isinstance(value, str) and value.strip().lower() == "true")


def taken(value: Any, hint: Any) -> Any:
    """A value as the declared type.

    Raises:
        InvalidInputError: it is no such value, nor decodes to one.
    """
    try:
        return codec.convert(value, hint)
    except InvalidInputError as error:
        for reading in _readings(value):
            with suppress(InvalidInputError):
                return codec.convert(reading, hint, strict=False)
        raise error from None


def _readings(value: Any) -> Iterator[Any]:
    """What a value may have been meant as: JSON, itself, a list of one, a word or a list of them."""
    for reading in (*_decoded(value), value):
        yield reading
        yield [] if isinstance(reading, str) and not reading.strip() else [reading]
    if isinstance(value, str):
        for written in (value, value.lower(), value.upper()):
            yield written.strip(_AROUND_WORDS)
            yield [word.strip(_AROUND_WORDS) for word in written.strip(" []").split(",")]


def _decoded(value: Any) -> Iterator[Any]:
    """A text as JSON where that is a list, an object, a number or a truth, also within another text."""
    if isinstance(value, str):
        with suppress(InvalidInputError, UnicodeEncodeError):
            if isinstance(reading := codec.loads(value), str):
                yield from _decoded(reading)
            else:
                yield reading


def _is_nothing(value: Any, parameter: Parameter) -> bool:
    """Whether an argument that may be left out was sent as nothing, where only something has its type.

    A filter that is left out widens what is done, so this is for calls that remove nothing.
    """
    if parameter.required or not (value is None or (isinstance(value, str) and value.strip() in _NOTHING)):
        return False
    try:
        codec.convert(value, parameter.hint)
    except InvalidInputError:
        return True
    return False


def takes(operation: Operation) -> str:
    """The names of an operation's arguments in a sentence."""
    parameters = operation.parameters()
    names = [parameter.name + (" (required)" if parameter.required else "") for parameter in parameters]
    return f"`{operation.name}` takes: {', '.join(names) or 'no arguments'}."


def _argument(parameter: Parameter, value: Any) -> Any:
    for reading in (value, *_decoded(value)):  # what a text hides counts as what stands open
        for item in _scalars(reading):
            _check(parameter.name, item)
    try:
        return taken(value, parameter.hint)
    except InvalidInputError as error:
        wanted = codec.dumps(codec.schema(parameter.hint)).decode()
        hint = f"{parameter.help} Its JSON schema: {wanted}".strip()
        raise InvalidInputError(f"`{parameter.name}`: {error.message}", hint=hint) from None


def _scalars(value: Any) -> Iterator[Any]:
    """Every value in a JSON value that holds no others, and every key, however deep."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, dict):
            waiting.extend(item)
            waiting.extend(item.values())
        else:
            yield item


def _check(name: str, value: Any) -> None:
    """Refuse a text or a number that no store can keep. Raises InvalidInputError."""
    if isinstance(value, int | float) and not -_LARGEST_NUMBER <= value <= _LARGEST_NUMBER:
        raise InvalidInputError(
            f"`{name}` has a number that is too large.", hint="Numbers are at most 64 bits wide."
        )
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        raise InvalidInputError(
            f"`{name}` has a text of {len(value)} characters; {LONGEST_TEXT} are allowed.",
            hint="Keep what matters, in a few sentences; several memories are better than a long one.",
        )
    if isinstance(value, str) and (_NUL in value or value.encode(errors="ignore").decode() != value):
        raise InvalidInputError(
            f"`{name}` has a character that is no text (NUL, or half of a surrogate pair).",
            hint="Send it again without that character.",
        )


# -- bounds what an answer costs, since it takes an agent's context


BUDGET = "budget"
USUAL, LEAST, MOST = 2_000, 100, 20_000
"""Tokens (cl100k_base) of a whole result; Claude Code warns from 10,000 on and takes at most 25,000."""
TWICE = 2
"""How often an answer stands in the result of a call: as data and as text."""
# Claude Code puts a result of more than 50,000 characters into a file and shows a preview only.
LONGEST_ANSWER = 40_000
AROUND = 60
"""Tokens of a result besides the answer: the names of its parts, the protocol's own fields, the server's name
and version (51 or 52 with MCP SDK 2, and one where two parts meet)."""
_PACKED = (BUDGET, "tokens")
"""What operations that pack their text call their own limit."""
_SHARE = 0.4
"""Of a budget for the text that an operation packs: it stands in the result twice, with what is beside it."""
_TEXT_LENGTHS = (8_000, 2_000, 1_000, 500, 300, 200)
"""Lengths to which inner texts are cut, one after the other, until the answer fits."""
_INNER = 5
"""Entries of a list in an item of a list, once texts are cut."""
_CARD = frozenset(("id", "kind", "text", "status"))
_BRIEF_CARD = (
    "subject",
    "id",
    "kind",
    "text",
    "quote",
    "status",
    "confidence",
    "origin",
    "files",
    "valid_from",
)
_ID, _DAY = 13, 10  # characters
_FIGURES = frozenset(("signals", "tokens", "relevance", "level"))
_LIKELY = "Texts are cut at 200 characters, and only 10 of 100 memories, 10 of 100 neighbours are here."
"""What is said of an answer before it is known what was done to it."""
_STEPS = 7
"""Halvings in a search for how much fits."""


class AnswerTooLongError(RecortexError):
    """The answer is too long for a tool."""

    code = "answer_too_long"
    hint = (
        "Ask for less (a smaller `limit`, a filter) or give a larger `budget`; `recortex … --json` in a "
        "shell gives all of it."
    )


def takes_budget(operation: Operation) -> bool:
    """Whether a tool has a budget of its own: whatever reads, and whatever lists before it changes."""
    traits, names = operation.traits, {parameter.name for parameter in operation.parameters()}
    return traits.read_only or BUDGET in names or {"action", "limit"} <= names


def budgeted(operation: Operation, given: Mapping[str, Any]) -> tuple[int, Data]:
    """The budget of a call's whole result, and the arguments for the operation itself.

    Raises:
        InvalidInputError: there is no such budget.
    """
    if not takes_budget(operation):
        return USUAL, dict(given)
    rest = {name: value for name, value in given.items() if name != BUDGET}
    budget = _tokens(given.get(BUDGET))
    names = {parameter.name for parameter in operation.parameters()}
    own = next((name for name in _PACKED if name in names), "")
    if own and own not in rest:
        rest[own] = max(LEAST, int((budget - AROUND) * _SHARE))
    return budget, rest


def _tokens(given: object) -> int:
    if given is None:
        return USUAL
    budget: int = taken(given, int)
    if not LEAST <= budget <= MOST:
        raise InvalidInputError(
            f"`budget`: a whole answer has from {LEAST} to {MOST:,} tokens, not {budget}.",
            hint=f"Leave it out for {USUAL:,}.",
        )
    return budget


def bounded(data: Data, budget: int = USUAL, *, copies: int = TWICE) -> Data:
    """The same answer, in a result of at most `budget` tokens.

    Args:
        data: the answer as a JSON object.
        budget: tokens of the whole result.
        copies: how often the answer stands in it.

    Raises:
        AnswerTooLongError: it cannot be shortened to that.
    """
    if _fits(data, budget, copies):
        return data
    lean = {name: _lean(value) for name, value in _untold_twice(data).items()}
    for shorter, done in _shorter(lean, lambda one: _fits(one | _note(_LIKELY, budget), budget, copies)):
        noted = shorter | _note(done, budget)
        if _fits(noted, budget, copies):
            return noted
    raise AnswerTooLongError


def _fits(data: Data, budget: int, copies: int) -> bool:
    text = codec.dumps(data).decode()
    if len(text) > LONGEST_ANSWER:
        return False
    left = budget - AROUND
    if copies == 1:
        return _count(text) <= left
    if len(text.encode()) * 3 <= left:  # a token has at least one byte, and quotes are escaped in the text
        return True
    return _count(text) + _count(codec.dumps(text).decode()) <= left


def _count(text: str) -> int:
    return _counter()(text)


@cache
def _counter() -> Callable[[str], int]:
    return TokenCounter().count


def _note(done: str, budget: int) -> dict[str, str]:
    more = "`get` shows one whole" if budget == MOST else f"a larger `budget` gives more (this is {budget})"
    return {"shortened": f"{done} {more[:1].upper()}{more[1:]}."}


def _shorter(data: Data, fits: Callable[[Data], bool]) -> Iterator[tuple[Data, str]]:
    """The answer, shorter with each step, and what was done to it."""
    yield data, "Empty fields and figures are left out."
    cut = data
    for most in _TEXT_LENGTHS:
        cut = {name: _cut(value, most) for name, value in data.items()}
        yield cut, f"Texts are cut at {most} characters."
    some = _largest(lambda share: _beginnings(cut, share), fits)
    yield some, _missing(data, some)
    few = _beginnings(cut, 0)
    longest = max((len(value) for value in few.values() if isinstance(value, str)), default=0)
    yield _largest(lambda share: _ends(few, int(longest * share)), fits), "It is cut at its end."
    bare = {name: [] if isinstance(value, list) else value for name, value in few.items()}
    yield _largest(lambda share: _ends(bare, int(longest * share)), fits), "Its lists are left out."


def _largest(of: Callable[[float], Data], fits: Callable[[Data], bool]) -> Data:
    """What fits with the largest share, found by halving; that with none where nothing does."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(of(middle)) else (low, middle)
    return of(low)


def _beginnings(data: Data, share: float) -> Data:
    """Of each list its beginning, at least the first entry."""
    return {name: _beginning(value, share) for name, value in data.items()}


def _beginning(value: Any, share: float) -> Any:
    if isinstance(value, list):
        return value[: max(1, math.floor(len(value) * share))]
    if isinstance(value, dict):
        return {name: _beginning(item, share) for name, item in value.items()}
    return value


def _ends(data: Data, most: int) -> Data:
    """The answer with its own texts cut, at the end of a line where there is one."""
    return {name: _line_end(value, most) if isinstance(value, str) else value for name, value in data.items()}


def _line_end(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    kept = text[:most]
    whole = kept.rpartition("\n")[0]
    return f"{whole or kept[: most - 1]}…"


def _missing(before: Data, after: Data) -> str:
    left = [
        f"{len(after[name])} of {len(value)} {name}"
        for name, value in before.items()
        if isinstance(value, list) and len(after[name]) < len(value)
    ]
    cut = f"Texts are cut at {_TEXT_LENGTHS[-1]} characters"
    return f"{cut}, and only {', '.join(left)} are here." if left else f"{cut}, and lists are cut."


def _untold_twice(data: Data) -> Data:
    """The answer without what its own text says already, item by item."""
    text = data.get("text")
    if not isinstance(text, str):
        return data
    return {name: _unlike(value, text) if name != "text" else value for name, value in data.items()}


def _unlike(value: Any, text: str) -> Any:
    if isinstance(value, list):
        return [_unlike(item, text) for item in value]
    if isinstance(value, dict):
        return {
            name: _unlike(item, text)
            for name, item in value.items()
            if not isinstance(item, str) or name == "id" or len(item) < _ID or item not in text
        }
    return value


def _lean(value: Any) -> Any:
    """A part of an answer without what is empty, and with memories as short as they can be told."""
    if isinstance(value, list):
        return [_lean(item) for item in value]
    if not isinstance(value, dict):
        return value
    shown = _brief(value) if value.keys() >= _CARD else value
    return {
        name: _lean(item)
        for name, item in shown.items()
        if item not in _BOUNDS_NOTHING and name not in _FIGURES
    }


_BOUNDS_NOTHING: tuple[Any, ...] = (None, "", [], {})


def _brief(memory: Data) -> Data:
    short = {name: memory[name] for name in _BRIEF_CARD if name in memory}
    day = {"valid_from": memory["valid_from"][:_DAY]} if isinstance(memory.get("valid_from"), str) else {}
    return short | {"id": str(memory["id"])[:_ID]} | day


def _cut(value: Any, most: int, depth: int = 0) -> Any:
    """A part of an answer with its inner texts and lists cut; the answer's own texts are left whole."""
    if isinstance(value, str):
        return value if not depth or len(value) <= most else f"{value[: most - 1]}…"
    if isinstance(value, list):
        return [_cut(item, most, depth + 1) for item in (value if depth < TWICE else value[:_INNER])]
    if isinstance(value, dict):
        return {key: _cut(item, most, depth + 1) for key, item in value.items()}
    return value
