"""Every operation over HTTP, and the document that describes them."""

import json

import jsonschema
import pytest
from openapi_spec_validator import validate

from recortex.operations import manifest

KEPT = "Passwords are hashed by bcrypt with 12 rounds"


@pytest.fixture(scope="module")
def described(program):
    return program.get("/api/v1/openapi.json").json()


def test_the_document_is_openapi_and_names_every_operation(described):
    validate(described)
    assert {path.rpartition("/")[2] for path in described["paths"]} == {
        one["name"] for one in manifest.operations()
    }


def test_answers_are_what_the_document_says(program, described):
    kept = program.post("/api/v1/remember", json={"text": KEPT, "kind": "tribal", "files": ["src/auth.py"]})
    id_ = kept.json()["data"]["id"]
    asked = {
        "remember": {"text": "The server listens on port 8080", "kind": "environment"},
        "recall": {"query": "how are passwords hashed?", "explain": True}, "get": {"id": id_},
        "list": {"kinds": ["tribal"]}, "history": {"id": id_}, "related": {"id": id_},
        "explain": {"about": id_}, "review": {}, "sessions": {}, "status": {}, "kinds": {}, "metrics": {},
        "why": {"about": id_}, "edit": {"id": id_, "tags": ["auth"]},
        "feedback": {"id": id_, "answer": "confirm"}, "tokens": {},
        "context": {"task": "change how passwords are hashed"}, "warnings": {"files": ["src/auth.py"]},
        "forget": {"id": id_}, "undo": {"id": id_}, "purge": {"id": id_, "dry_run": True},
    }  # fmt: skip
    for name, arguments in asked.items():
        answer = program.post(f"/api/v1/{name}", json=arguments)
        assert answer.status_code == 200, (name, answer.text)
        schema = described["paths"][f"/api/v1/{name}"]["post"]["responses"]["200"]
        whole = {**schema["content"]["application/json"]["schema"], "components": described["components"]}
        jsonschema.Draft202012Validator(whole).validate(answer.json())
        taken = described["paths"][f"/api/v1/{name}"]["post"]["requestBody"]["content"]["application/json"]
        jsonschema.Draft202012Validator(taken["schema"]).validate(arguments)


@pytest.mark.parametrize(
    ("name", "body", "status", "code"),
    [
        ("nothing", "{}", 404, "unknown_operation"),
        ("recall", "{}", 400, "invalid_input"),
        ("recall", "[]", 400, "invalid_input"),
        ("recall", '{"query": "x"', 400, "invalid_input"),
        ("recall", '{"query": "x", "wrong": 1}', 400, "invalid_input"),
        ("recall", '{"query": "x", "limit": "many"}', 400, "invalid_input"),
        ("get", '{"id": "none"}', 404, "memory_not_found"),
        ("remember", '{"text": "x", "kind": "none"}', 400, "invalid_kind"),
        ("purge", '{"text": "a long text"}', 409, "not_confirmed"),
        ("recall", '{"query": "x\\u0000"}', 400, "invalid_input"),
        ("recall", "[" * 5_000, 400, "invalid_input"),
    ],
)
def test_errors_are_the_envelope(program, name, body, status, code):
    answer = program.post(f"/api/v1/{name}", content=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.json()["status"] == "error"
    assert "Traceback" not in answer.text


def test_another_project_is_named_by_its_key(program):
    answer = program.post("/api/v1/list", json={}, params={"project": "../../etc"})
    assert answer.json()["error"]["code"] == "invalid_input"


def test_what_is_acknowledged_is_there(program, served):
    ids = [
        program.post(
            "/api/v1/remember", content=json.dumps({"text": f"Written over HTTP number {n}"})
        ).json()["data"]["id"]
        for n in range(5)
    ]
    assert {served.run("get", id_)["id"] for id_ in ids} == set(ids)
