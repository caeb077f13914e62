import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recortex import codec
from recortex.errors import InvalidInputError
from recortex.mcp.arguments import AnswerTooLongError, bounded, converted
from recortex.mcp.greeting import Greeting
from recortex.mcp.session import ToolDispatcher
from recortex.operations.registry import operation, operations_of
from recortex.text.tokens import TokenCounter

LIMIT = 500
TEXTS = st.text(
    st.characters(exclude_categories=()), max_size=20
)  # lone surrogates and control characters too
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


class Echo:
    @operation(core=True)
    def echo(
        self, text: str, *, count: int = 1, tags: list[str] | None = None, more: dict[str, Any] | None = None
    ) -> str:
        """Say it again."""
        return text * min(max(count, 0), 100) + str(tags) + str(more)

    def close(self) -> None: ...


OPERATIONS = operations_of(Echo)
ARGUMENTS = st.dictionaries(st.sampled_from(["text", "count", "tags", "more"]) | TEXTS, JSON, max_size=5)


@given(ARGUMENTS)
def test_arguments_fit_or_are_refused(given_):
    try:
        fitting = converted(OPERATIONS["echo"], given_)
    except InvalidInputError:
        return
    assert isinstance(fitting["text"], str)
    fitting["text"].encode()
    assert set(fitting) <= {"text", "count", "tags", "more"}


@given(TEXTS | st.just("echo"), ARGUMENTS)
def test_a_call_always_gives_an_answer_that_can_be_sent(name, given_):
    answer = ToolDispatcher(OPERATIONS, Echo).call(name, given_)
    json.loads(codec.dumps(answer.data))
    assert answer.data.get("code") != "internal_error"


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.lists(st.text(max_size=400), max_size=40) | st.text(max_size=3_000),
        max_size=6,
    )
)
def test_an_answer_fits_or_is_refused(data):
    try:
        short = bounded(data, LIMIT)
    except AnswerTooLongError:
        return
    note = short.get("shortened", "") if short is not data else ""
    assert whole(short) <= LIMIT
    assert bool(note) == (short is not data)
    assert set(short) <= {*data, "shortened"}


def whole(data):
    """Tokens of the result of a call, as the protocol sends it."""
    text = {"type": "text", "text": codec.dumps(data).decode()}
    result = {"content": [text], "structuredContent": data, "isError": False}
    return TokenCounter().count(codec.dumps(result).decode())


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_the_greeting_takes_any_line(line):
    greeting = Greeting(server={"name": "x", "version": "1"}, instructions="", tools=[])
    assert greeting.answer(line) is None


MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": st.sampled_from(["initialize", "tools/list", "server/discover"])},
    optional={"id": JSON, "params": JSON},
)


@given(MESSAGES)
def test_the_greeting_takes_any_request(message):
    greeting = Greeting(server={"name": "x", "version": "1"}, instructions="", tools=[])
    assert greeting.answer(json.dumps(message).encode()) is None
