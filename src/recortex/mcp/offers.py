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
"""Words of a question or task that Claude Code passes on: it gives each word as an argument of its own, in
order, also between quotes, and drops those for which there is none (2.1.330). Other clients give the whole
text as the first argument."""


def _prompt(name: str, title: str, description: str, first: str, what: str) -> dict[str, Any]:
    more = [
        {"name": f"word{number}", "description": "Where the client splits it: the next word."}
        for number in range(2, WORDS + 1)
    ]
    asked = {"name": first, "description": what, "required": True}
    arguments = [asked, *(one | {"required": False} for one in more)]
    return {"name": name, "title": title, "description": description, "arguments": arguments}


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
CAPABILITIES: dict[str, dict[str, bool]] = {
    "tools": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
    "prompts": {"listChanged": False},
}
