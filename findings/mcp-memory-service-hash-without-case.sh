#!/usr/bin/env bash
# To mcp-memory-service two texts that differ only in upper and lower case are one, and a type of memory that
# it does not know becomes another one.
#
# Guessed before: its `content_hash` is the SHA-256 of the text as it is, so that another case is another
# memory; a `memory_type` of one's own is kept as given; what has no tags is stored with none.
#
# Seen with mcp-memory-service 12.4.0: the text is made lower case and its edges are stripped before it is
# hashed; the second spelling is refused as an exact duplicate. An unknown type is replaced by `observation`,
# with a warning in the log alone, and an empty list of tags by `untagged`.
#
# A program that reads its store can compare neither hashes with texts nor types with what was stored, and
# has to leave `untagged` out.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check mcp-memory-service==12.4.0
MCP_MEMORY_BASE_DIR="$work/base" "$work/venv/bin/python" - <<'PYTHON'
import hashlib

from mcp_memory_service.models.memory import Memory
from mcp_memory_service.utils.hashing import generate_content_hash

text = "The Queue runs on Redis"
print("hash:", generate_content_hash(text))
assert generate_content_hash(text) == generate_content_hash(f"  {text.upper()} "), "the case counts now"
assert generate_content_hash(text) != hashlib.sha256(text.encode()).hexdigest(), "it is the text's own now"
made = Memory(content=text, content_hash=generate_content_hash(text), memory_type="my_own_type")
print("type:", made.memory_type, "tags:", made.tags)
assert made.memory_type == "observation", "a type of one's own is kept now"
assert made.tags == ["untagged"], "no tags are no tags now"
PYTHON
echo "as it was seen: case does not count, unknown types and missing tags are replaced"
