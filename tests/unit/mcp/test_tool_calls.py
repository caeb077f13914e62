import pytest

from recortex.mcp.arguments import LONGEST_TEXT


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "says"),
    [
        ("nothing", {}, "unknown_tool", "nothing"),
        ("__class__", {}, "unknown_tool", "__class__"),
        ("import_", {}, "unknown_tool", "import_"),
        ("\ud800", {}, "unknown_tool", "tool"),
        ("recall", {}, "invalid_input", "query"),
        ("recall", {"query": None}, "invalid_input", "query"),
        ("recall", {"query": ["x"]}, "invalid_input", "query"),
        ("recall", {"query": "x", "limit": "many"}, "invalid_input", "limit"),
        ("recall", {"query": "x", "limit": 1.5}, "invalid_input", "limit"),
        ("recall", {"query": "x", "limit": True}, "invalid_input", "limit"),
        ("recall", {"query": "x", "limit": -1}, "invalid_input", "limit"),
        ("recall", {"query": "x", "limit": 10**40}, "invalid_input", "limit"),
        ("recall", {"query": "x", "limit": float("nan")}, "invalid_input", "limit"),
        ("remember", {"text": "x", "metadata": {"a": [float("inf")]}}, "invalid_input", "metadata"),
        ("recall", {"query": "x", "colour": "red"}, "invalid_input", "colour"),
        ("recall", {"query": "x", "self": 1}, "invalid_input", "self"),
        ("recall", {"query": "x\0y"}, "invalid_input", "query"),
        ("recall", {"query": "\udc00"}, "invalid_input", "query"),
        ("recall", {"query": "x" * (LONGEST_TEXT + 1)}, "invalid_input", "query"),
        ("remember", {"text": "x", "tags": ["a", "\0"]}, "invalid_input", "tags"),
        ("remember", {"text": "x", "tags": 5}, "invalid_input", "tags"),
        ("remember", {"text": "x", "tags": '["a", "\\u0000"]'}, "invalid_input", "tags"),
        ("recall", {"query": "x", "limit": "1.5"}, "invalid_input", "limit"),
        ("recall", {"query": "x", "limit": "[3]"}, "invalid_input", "limit"),
        ("recall", {"query": "x", "budget": "0"}, "invalid_input", "budget"),
        ("remember", {"text": "x", "tags": {"a": 1}}, "invalid_input", "tags"),
        ("remember", {"text": "x", "importance": "huge"}, "invalid_input", "importance"),
        ("remember", {"text": "x", "valid_from": "yesterday"}, "invalid_input", "valid_from"),
        ("remember", {"text": "x", "metadata": {"a": {"\0": 1}}}, "invalid_input", "metadata"),
        ("get", {"id": "abc"}, "memory_not_found", "abc"),
    ],
)
def test_bad_arguments_get_a_code_a_message_and_a_hint(desk, small, tool, arguments, code, says):
    answer = desk.call(tool, arguments)
    assert answer.failed
    assert set(answer.data) == {"code", "message", "hint"}
    assert answer.data["code"] == code
    assert says in answer.data["message"] + answer.data["hint"]
    assert answer.data["hint"]
    assert len(answer.data["message"]) <= 1_000
    assert "Traceback" not in str(answer.data)
    str(answer.data).encode()
    assert small.kept == []


def test_a_fault_inside_is_logged_but_not_shown(desk, capsys):
    answer = desk.call("recall", {"query": "break"})
    assert answer.data["code"] == "internal_error"
    assert "nobody" not in str(answer.data)
    logged = capsys.readouterr()
    assert "a detail that nobody outside may see" in logged.err
    assert logged.out == ""
