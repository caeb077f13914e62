"""Typed contents and metadata: each string of a JSON value is cleaned, and a key names the secret by it."""

from __future__ import annotations

import json

from privacy_rules import expand
from recortex.engines.privacy import redact_json


def test_strings_at_every_depth_are_cleaned():
    key = expand("ghp_<<A36>>")
    value, findings = redact_json({"a": [{"b": f"use {key}"}], "n": 3, "t": True, "z": None})
    assert value == {"a": [{"b": "use [GITHUB_TOKEN]"}], "n": 3, "t": True, "z": None}
    assert [finding.rule for finding in findings] == ["github_token"]


def test_key_names_the_secret():
    value, findings = redact_json(
        {"password": "hunter2hunter2", "apiToken": expand("<<a32>>"), "note": "hunter2hunter2"}
    )
    assert value == {"password": "[PASSWORD]", "apiToken": "[SECRET]", "note": "hunter2hunter2"}
    assert len(findings) == 2


def test_keys_are_cleaned_and_kept_apart():
    value, _ = redact_json({"ada@lovelace.org": 1, "grace@navy-archive.net": 2})
    assert value == {"[EMAIL]": 1, "[EMAIL] 2": 2}


def test_too_deep_is_replaced_rather_than_kept():
    value: object = "ada@lovelace.org"
    for _ in range(500):
        value = [value]
    assert "lovelace" not in json.dumps(redact_json(value)[0])


def test_scalars_come_back():
    assert redact_json(5) == (5, ())
    assert redact_json("plain") == ("plain", ())
