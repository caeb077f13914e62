#!/usr/bin/env bash
# Gemini CLI offers its model the tools of a server's first page alone.
#
# Guessed before: `tools/list` is answered in pages, and a client asks on with `nextCursor` until there is
# none, as the protocol says; all tools are offered.
#
# Seen with @google/gemini-cli 0.61.0 on Node 20 and 24: the server is asked once, without a cursor; the tool
# of the second page is offered in no request, and nothing is said of it. (Claude Code 2.1.332, Codex 0.171.0
# and Copilot CLI 1.0.102, against the same server, ask for the second page.) A server that is to work with
# it must list all of its tools at once.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" @google/gemini-cli@0.61.0
mkdir -p "$work/home/.gemini" "$work/project"
cat > "$work/server.py" <<'PYTHON'
import json, sys

seen = open(sys.argv[1], "a")
for line in sys.stdin:
    asked = json.loads(line)
    given = asked.get("params") or {}
    if asked["method"] == "tools/list":
        print(given.get("cursor", "first"), file=seen, flush=True)
    if "id" not in asked:
        continue
    if asked["method"] == "initialize":
        about = {"name": "toy", "version": "1"}
        result = {"protocolVersion": given["protocolVersion"], "serverInfo": about}
        result |= {"capabilities": {"tools": {}}}
    else:
        second = given.get("cursor") == "second"
        nothing = {"type": "object", "properties": {}}
        tool = {"name": "later" if second else "early", "description": "A tool.", "inputSchema": nothing}
        result = {"tools": [tool]} | ({} if second else {"nextCursor": "second"})
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
PYTHON
cat > "$work/run.py" <<'PYTHON'
import json, os, subprocess, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

work = Path(sys.argv[1])
offered = []


class Model(BaseHTTPRequestHandler):
    """Answers every request with a word."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        declared = [one for tool in body.get("tools", ()) for one in tool.get("functionDeclarations", ())]
        offered.extend(one["name"] for one in declared)
        said = {"content": {"role": "model", "parts": [{"text": "ok"}]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        data = f"data: {json.dumps({'candidates': [said], 'usageMetadata': usage})}\n\n".encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=model.serve_forever, daemon=True).start()
server = {"command": sys.executable, "args": [str(work / "server.py"), str(work / "seen")]}
login = {"auth": {"selectedType": "gemini-api-key"}}
settings = {"mcpServers": {"toy": server}, "security": login}
(work / "home/.gemini/settings.json").write_text(json.dumps(settings))
environment = {
    "PATH": os.environ["PATH"], "HOME": str(work / "home"), "GEMINI_API_KEY": "none",
    "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{model.server_port}", "GEMINI_CLI_TRUST_WORKSPACE": "true",
}
subprocess.run(
    [str(work / "node_modules/.bin/gemini"), "-m", "gemini-2.5-flash", "-y", "-p", "Hello."],
    cwd=work / "project", env=environment, check=True, stdin=subprocess.DEVNULL, capture_output=True,
    timeout=300,
)
ours = sorted({one for one in offered if one.endswith(("early", "later"))})
pages = (work / "seen").read_text().split()
print("offered:", ours, "- pages that were asked for:", pages)
assert any(one.endswith("early") for one in ours), "the server's tools are not offered at all"
assert not any(one.endswith("later") for one in ours) and "second" not in pages, "it reads all pages now"
PYTHON
python3 "$work/run.py" "$work"
echo "as it was seen: tools of later pages are never offered"
