#!/usr/bin/env bash
# The MCP reference memory server takes relations whose ends do not exist, and loses the fields of a line that
# it does not know.
#
# Guessed before: `create_relations` refuses a relation to an entity that is not there, as `add_observations`
# does; and a field that another program added to a line of the file is kept when the file is written again.
#
# Seen with @modelcontextprotocol/server-memory 2026.8.31: the relation is kept without a word. Any change
# writes the whole file anew from three fields of each entity and of each relation: an id or a time that was
# added is gone, and so is every line of another type.
#
# A reader has to expect relations that lead nowhere; nothing can be noted in the file beside what it knows.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --prefix "$work" --no-audit --no-fund --silent @modelcontextprotocol/server-memory@2026.8.31
cat > "$work/memory.jsonl" <<'LINES'
{"type":"entity","name":"a","entityType":"service","observations":["one"],"createdAt":"2026-01-01"}
{"type":"note","text":"a line of another type"}
LINES
cat > "$work/ask.mjs" <<'NODE'
import { readFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
const work = process.argv[2];
const main = `${work}/node_modules/@modelcontextprotocol/server-memory/dist/index.js`;
const env = { ...process.env, MEMORY_FILE_PATH: `${work}/memory.jsonl` };
const server = spawn("node", [main], { env, stdio: ["pipe", "pipe", "ignore"] });
const waiting = new Map();
createInterface({ input: server.stdout }).on("line", (line) => {
  const answer = JSON.parse(line);
  waiting.get(answer.id)?.(answer.result);
});
const tell = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
let last = 0;
const ask = (method, params) =>
  new Promise((done) => {
    waiting.set((last += 1), done);
    tell({ id: last, method, params });
  });
const clientInfo = { name: "finding", version: "1" };
await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
tell({ method: "notifications/initialized" });
const relations = [{ from: "a", to: "nowhere", relationType: "calls" }];
const { isError } = await ask("tools/call", { name: "create_relations", arguments: { relations } });
server.kill();
const file = readFileSync(`${work}/memory.jsonl`, "utf-8");
console.log(file);
const kept = file.includes('"to":"nowhere"') && !isError;
if (!kept || file.includes("createdAt") || file.includes('"note"')) {
  console.error("this is not as it was seen any more");
  process.exit(1);
}
NODE
node "$work/ask.mjs" "$work"
echo "as it was seen: a relation to nothing is kept, unknown fields and lines are lost"
