"""Resources and prompts as the protocol lists them: what a person takes into a conversation beside the tools.

Claude Code shows resources as `@…` and to the agent by tools of its own, and prompts as commands such as
`/mcp__…__recall`. `reading.py` gives what is in them.
"""

from __future__ import annotations

from typing import Any

BRIEF, MEMORY = "recortex://brief", "recortex://memory/"
TEXT = "text/plain"
RESOURCES: list[dict[str, Any]] = [
    {
        "name": "brief",
        "title": "Brief",
        "uri": BRIEF,
        "description": "What a session starts with: rules, decisions, warnings about the files at work.",
        "mimeType": TEXT,
    }
]
TEMPLATES: list[dict[str, Any]] = [
    {
        "name": "memory",
        "title": "Memory",
        "uriTemplate": f"{MEMORY}{{id}}",
        "description": "One memory whole, by its id or the first characters of it.",
        "mimeType": TEXT,
    }
]
WORDS = 16
"""Words of a question or task that a client passes on which splits it."""
SPLITTING = frozenset({"claude-code"})
"""Clients that give each word as an argument of its own, in order, also between quotes, and drop those for
which there is none (Claude Code 2.1.330). Others give the whole text as the one argument that they are told
of, and show each argument as a field to fill in."""


def _prompt(name: str, title: str, description: str, first: str, what: str) -> dict[str, Any]:
    asked = {"name": first, "description": what, "required": True}
    return {"name": name, "title": title, "description": description, "arguments": [asked]}


def _split(prompt: dict[str, Any]) -> dict[str, Any]:
    more = [
        {"name": f"word{number}", "description": "The next word.", "required": False}
        for number in range(2, WORDS + 1)
    ]
    return prompt | {"arguments": [*prompt["arguments"], *more]}


PROMPTS = [
    _prompt("recall", "Recall", "Ask with what memory knows of it.", "question", "In plain words."),
    _prompt(
        "context",
        "Context",
        "Begin a task with what is known for it: warnings, rules, decisions, how it is done.",
        "task",
        "What is to be done, with the paths in view.",
    ),
]
LISTS: dict[str, dict[str, Any]] = {
    "resources/list": {"resources": RESOURCES},
    "resources/templates/list": {"resourceTemplates": TEMPLATES},
    "prompts/list": {"prompts": PROMPTS},
}
"""The answers to the requests for what there is, beside the tools."""
SPLIT_PROMPTS: dict[str, Any] = {"prompts": list(map(_split, PROMPTS))}
"""The answer to the request for prompts, for a client that splits what is typed."""


def listed_prompts(client: str) -> dict[str, Any]:
    """The prompts as a client is told of them, by the name that it gives itself."""
    return SPLIT_PROMPTS if client in SPLITTING else LISTS["prompts/list"]


CAPABILITIES: dict[str, dict[str, bool]] = {
    "tools": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
    "prompts": {"listChanged": False},
}
