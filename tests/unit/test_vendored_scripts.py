"""Scripts of others are those that browsers are told to expect, and nothing is asked of another server."""

import base64
import hashlib
import json
import re
from importlib.resources import files

STATIC = files("recortex.web") / "static"
VENDOR = STATIC / "vendor"
LISTED = json.loads((VENDOR / "vendor.json").read_bytes())


def test_each_file_has_the_hash_that_pages_name():
    for one in LISTED.values():
        digest = hashlib.sha384((VENDOR / one["file"]).read_bytes()).digest()
        assert one["integrity"] == f"sha384-{base64.b64encode(digest).decode()}"
        assert one["version"] in one["file"]
    assert {one["file"] for one in LISTED.values()} == {
        path.name for path in VENDOR.iterdir() if path.name != "vendor.json"
    }


def test_pages_name_no_other_server():
    own = [*(files("recortex.web") / "templates").iterdir(), *STATIC.glob("*.*")]
    assert not [path.name for path in own if re.search(r"https?:(?!//www\.w3\.org)", path.read_text("utf-8"))]
