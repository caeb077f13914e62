"""The envelope of every operation: its warnings are sentences, its data are what it says they are."""

import json
import re
from functools import cache
from typing import get_args

import pytest
from jsonschema import Draft202012Validator

from places import store_folder
from recortex import Cortex, codec
from recortex.cli import execution
from recortex.operations.registry import operations_of

OPERATIONS = operations_of(Cortex)
ARGUMENTS = {
    "id": "ID", "query": "the index", "task": "the index", "focus": "the index", "about": "the index",
    "path": "docs/notes.md", "outcome": "accepted", "generation": "GENERATION", "answer": "confirm",
    "host": "claude-code", "format": "adr", "to": "global",
    "memories": [{"text": "The cache is cold after a deployment.", "kind": "semantic"}],
}  # fmt: skip
MORE = {
    "warnings": {"focus": "the index"}, "suggest": {"focus": "the index"},
    "remember": {"text": "The index is rebuilt at night.", "kind": "semantic"},
    "learn": {"text": "Never rebuild the index by hand."},
    "edit": {"text": "Never rebuild the index by day, it takes five hours."},
    "link": {"target": "OTHER", "relation": "caused"}, "unlink": {"target": "OTHER", "relation": "caused"},
    "restore": {"BEFORE": "forget"}, "undo": {"BEFORE": "edit"},
    "extract": {"path": "PROJECT/session.jsonl"},
    "index": {"path": "src/index.py", "description": "It rebuilds the index of a name."},
    "ingest": {"paths": ["docs"]}, "purge": {"id": "ID"}, "install": {"dry_run": True},
    "uninstall": {"dry_run": True}, "erase": {"dry_run": True},
    "migrate_store": {"source": "STORE", "target": "COPY"}, "import": {"path": "PROJECT/docs"},
}  # fmt: skip
NEEDS_TARGET = {"infer", "intervention", "counterfactual"}
SAID = {
    "type": "user", "uuid": "u1", "sessionId": "s", "timestamp": "2026-03-01T12:00:00Z",
    "message": {"role": "user", "content": "please remember that we use uv and not pip in this repository"},
}  # fmt: skip
REPR = re.compile(
    r"\b[A-Z]\w+\([a-z_]+=|\bobject at 0x|<[A-Z]\w+\.\w+: |\bPosixPath\(|\bdatetime\.datetime\("
)


@cache
def schemas(name):
    """Of what an operation gives: one of them has to fit."""
    given = OPERATIONS[name].returns()
    return [Draft202012Validator(codec.schema(one)) for one in get_args(given) or (given,)]


@pytest.fixture
def known(project, monkeypatch):
    """A project in which there is something for each operation to work on."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    for path, text in {
        "docs/notes.md": "# The index\n\nIt is rebuilt at night, since it takes hours.\n",
        "docs/0001-index.md": "# 1. Keep one index\n\n## Status\n\nAccepted\n\n## Decision\n\nOne index.\n",
        "src/index.py": "def rebuild(name: str) -> int:\n    return len(name)\n",
        "session.jsonl": json.dumps(SAID) + "\n",
    }.items():
        (project / path).parent.mkdir(exist_ok=True, parents=True)
        (project / path).write_text(text)
    with Cortex.open(project) as cortex:
        yield project, cortex


def arguments(name, project, cortex):
    """What an operation is called with here, after what has to be done before it."""
    one = cortex.remember("Never rebuild the index by day, it takes four hours.", kind="tribal")
    other = cortex.remember(
        "The index broke when the disk was full.", kind="incident", files=["src/index.py"]
    )
    given = {part.name: ARGUMENTS.get(part.name, "the index") for part in OPERATIONS[name].parameters()
             if part.required} | MORE.get(name, {})  # fmt: skip
    before = given.pop("BEFORE", "")
    if before:
        getattr(cortex, before)(one.id, **MORE.get(before, {}))
    if name in NEEDS_TARGET | {"unlink"}:
        cortex.link(one.id, other.id, relation="caused")
    stands = {
        "ID": one.id, "OTHER": other.id, "GENERATION": cortex.generation_context("the index").generation,
        "STORE": f"sqlite:///{store_folder(project)}/cortex.db",
        "PROJECT/session.jsonl": str(project / "session.jsonl"), "PROJECT/docs": str(project / "docs"),
        "COPY": f"sqlite:///{project.parent}/copy.db",
    }  # fmt: skip
    return {
        key: stands.get(value, value) if isinstance(value, str) else value for key, value in given.items()
    }


@pytest.mark.parametrize("name", OPERATIONS)
def test_warnings_are_sentences_and_data_fit_their_schema(known, name):
    project, cortex = known
    operation = OPERATIONS[name]
    result = getattr(cortex, operation.method)(**arguments(name, project, cortex))
    answer = json.loads(execution.success(name, result, execution.warnings_of(result), 0.1))
    assert set(answer) == {"status", "command", "data", "warnings", "duration_ms"}
    assert all(isinstance(one, str) for one in answer["warnings"])
    assert not REPR.search(json.dumps(answer)), REPR.search(json.dumps(answer))
    wrong = [[error.message[:300] for error in one.iter_errors(answer["data"])] for one in schemas(name)]
    assert min(wrong, key=len) == []
    if name == "warnings":
        assert result.warnings
        assert answer["warnings"] == []
