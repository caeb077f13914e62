#!/usr/bin/env bash
# The MCP reference memory server drops the observations of an entity that it knows, and keeps two entities
# of one name where one call brings both.
#
# Guessed before: `create_entities` with a name that is known adds its observations to the entity; within one
# call a name is kept once, too, and an observation that stands twice in the call is kept once.
#
# Seen with @modelcontextprotocol/server-memory 2026.8.31: a known name is answered with an empty list and no
# error, and its observations are lost. Names are only compared with the file as it was before the call, so
# two of one name in a call both stand in the file; `add_observations` reaches the first of them only. An
# observation that stands twice in `create_entities` is kept twice, while `add_observations` drops it.
#
# Whoever reads such a file therefore cannot take the name for an id, and who writes it has to call
# `add_observations` for what may be known.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --prefix "$work" --no-audit --no-fund --silent @modelcontextprotocol/server-memory@2026.8.31
cat > "$work/ask.mjs" <<'NODE'
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
const call = (name, args) => ask("tools/call", { name, arguments: args });
const clientInfo = { name: "finding", version: "1" };
await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
tell({ method: "notifications/initialized" });
const entity = (name, ...observations) => ({ name, entityType: "service", observations });
await call("create_entities", { entities: [entity("a", "one", "one"), entity("b", "x"), entity("b", "y")] });
const again = await call("create_entities", { entities: [entity("a", "two")] });
await call("add_observations", { observations: [{ entityName: "b", contents: ["z"] }] });
const { entities } = JSON.parse((await call("read_graph", {})).content[0].text);
server.kill();
const seen = entities.map((one) => `${one.name}: ${one.observations.join(", ")}`);
console.log(seen, "known again:", again.content[0].text, again.isError ?? "no error");
const same = JSON.stringify(seen) === JSON.stringify(["a: one, one", "b: x, z", "b: y"]);
if (!same || again.isError) {
  console.error("this is not as it was seen any more");
  process.exit(1);
}
NODE
node "$work/ask.mjs" "$work"
echo "as it was seen: observations of a known entity are dropped, and a name can stand twice"
