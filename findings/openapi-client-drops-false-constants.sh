#!/usr/bin/env bash
# openapi-python-client leaves out a model that has a property which is always false, so that functions give
# None in its place, and ends with success.
#
# Guessed before: `enum: [false]` is a valid schema in OpenAPI 3.1 (`type: boolean` with one value), so the
# property becomes a `Literal[False]`, or a `bool` at worst; what cannot be read makes the run fail.
#
# Seen with openapi-python-client 0.29.1 on Python 3.11: of two answers that differ in one property,
# `enum: [false]` against `enum: ["yes"]`, the first has no model. Its function is there, and gives None
# whatever the server answers. A warning is printed, and the exit code is 0.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check openapi-python-client==0.29.1
cat >"$work/api.json" <<'JSON'
{"openapi": "3.1.0", "info": {"title": "Example", "version": "1"}, "paths": {
  "/fixed": {"get": {"operationId": "fixed", "responses": {"200": {"description": "ok", "content": {
    "application/json": {"schema": {"$ref": "#/components/schemas/Fixed"}}}}}}},
  "/named": {"get": {"operationId": "named", "responses": {"200": {"description": "ok", "content": {
    "application/json": {"schema": {"$ref": "#/components/schemas/Named"}}}}}}}},
 "components": {"schemas": {
  "Fixed": {"type": "object", "properties": {"done": {"enum": [false]}, "text": {"type": "string"}}},
  "Named": {"type": "object", "properties": {"done": {"enum": ["yes"]}, "text": {"type": "string"}}}}}}
JSON
cd "$work"
PATH="$work/venv/bin:$PATH" openapi-python-client generate --path api.json --output-path made --meta none \
  >told 2>&1
grep -i "removal of" -A 1 told
ls made/models
[ -e made/models/named.py ]
[ ! -e made/models/fixed.py ] || { echo "the model is there now"; exit 1; }
"$work/venv/bin/python" - <<'PYTHON'
import httpx

from made import Client
from made.api.default import fixed, named

answer = httpx.MockTransport(lambda _: httpx.Response(200, json={"done": False, "text": "kept"}))
client = Client(base_url="http://example.com", httpx_args={"transport": answer})
found = fixed.sync_detailed(client=client)
print("the answer is read as", found.parsed, "though the server said", found.content)
assert found.parsed is None, "the answer is read now"
PYTHON
