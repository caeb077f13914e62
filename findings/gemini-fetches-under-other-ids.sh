#!/usr/bin/env bash
# Gemini CLI writes a conversation that `/chat resume` fetches as if it were said once more, then and there.
#
# Guessed before: messages that `/chat save` kept come back under the ids that they have, as with `--resume`,
# or a line says where they come from; and after going back so within a session a `$rewindTo` names the first
# message that was taken back, as it does after `/rewind`.
#
# Seen with @google/gemini-cli 0.61.0 on Node 24.21: each message is written again under an id of its own and
# with the time of the command, and then all of them as the whole history. Nothing names the session that they
# are from, or what was taken back. That nobody said it then shows in nothing but the form of an answer: a
# list of parts, where the model's own answers are plain texts.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" node@24.21.0 @google/gemini-cli@0.61.0
mkdir -p "$work/home/.gemini" "$work/project"
echo '{"security": {"auth": {"selectedType": "gemini-api-key"}}}' > "$work/home/.gemini/settings.json"
cat > "$work/run.py" <<'PYTHON'
import fcntl, json, os, pty, select, struct, subprocess, sys, termios, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

work = Path(sys.argv[1])
asked = []


class Model(BaseHTTPRequestHandler):
    """Answers every request with a word."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        asked.append(self.rfile.read(int(self.headers["content-length"])))
        one = {"content": {"role": "model", "parts": [{"text": "Understood."}]}, "finishReason": "STOP"}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        said = json.dumps({"candidates": [one], "usageMetadata": usage, "totalTokens": 1})
        streamed = "stream" in self.path
        data = (f"data: {said}\n\n" if streamed else said).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if streamed else "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=model.serve_forever, daemon=True).start()
environment = {
    "PATH": f"{work}/node_modules/.bin:{os.environ['PATH']}", "HOME": str(work / "home"),
    "TERM": "xterm-256color", "GEMINI_API_KEY": "none", "GEMINI_CLI_TRUST_WORKSPACE": "true",
    "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{model.server_port}",
}
terminal, other = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 110, 0, 0))
client = subprocess.Popen(
    [str(work / "node_modules/.bin/gemini"), "-m", "gemini-2.5-flash"],
    cwd=work / "project", env=environment, stdin=other, stdout=other, stderr=other, start_new_session=True,
)
shown = b""


def until(done, seconds=300):
    global shown
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 65536)
    assert seconds < 300 or done(), shown[-1500:]


def keys(text):
    for key in text:
        os.write(terminal, key.encode())
        until(lambda: False, 0.1)
    until(lambda: False, 3)


def does(command, what):
    keys(command)
    before = len(shown)
    os.write(terminal, b"\r")
    until(lambda: what in shown[before:])
    until(lambda: False, 3)


def lines():
    (file,) = (work / "home/.gemini/tmp").glob("*/chats/*.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


try:
    until(lambda: b"Type your message" in shown)
    until(lambda: False, 5)
    does("Have a look at the parsers.", b"Understood.")
    does("/chat save here", b"saved with tag")
    does("Use no tabs.", b"Understood.")
    before = lines()
    does("/chat resume here", b"Understood.")
    added = lines()[len(before):]
finally:
    client.kill()
known = {one["id"] for one in before if "id" in one}
again = [one for one in added if one.get("type") in {"user", "gemini"}]
history = [one["$set"]["messages"] for one in added if "messages" in one.get("$set", {})]
answers = [one["content"] for one in before if one.get("type") == "gemini"]
print("written again:", [(one["type"], one["id"], one["timestamp"]) for one in again])
assert [one["type"] for one in again] == ["user", "gemini"], "it is not written again any more"
assert "Have a look at the parsers." in json.dumps(again[0]), "it is something else that is written"
assert not known & {one["id"] for one in again}, "the messages keep their ids now"
assert history == [again], "the whole history is another one"
assert not any("$rewindTo" in one for one in added), "it says what was taken back now"
assert all(isinstance(one, str) for one in answers), "the model's own answers are no plain texts any more"
assert isinstance(again[1]["content"], list), "an answer that was fetched looks like the model's own now"
PYTHON
python3 "$work/run.py" "$work"
echo "as it was seen: what is fetched is written under other ids, and nothing says that it was"
