"""Answers of our tools carry no marker: readers know them by the tool's name, as each client writes it."""

import pytest

from recortex.formats.transcripts.pieces import tool_call

NAMES = (
    "mcp__plugin_recortex_recortex__recall",  # Claude Code, from the plug-in
    "mcp__recortex__recall",  # Claude Code, Codex, Qwen
    "mcp_recortex_recall",  # Gemini CLI
    "recortex_recall",  # opencode
)


@pytest.mark.parametrize("name", NAMES)
def test_a_call_of_our_own_is_known(name):
    assert tool_call("1", name, {"query": "x"}).injected
