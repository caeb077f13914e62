// Writes `memory.jsonl` with the server itself (npm @modelcontextprotocol/server-memory 2026.8.31), called as a
// client calls it: over its standard input and output.
//
//     npm install --prefix /tmp/sm @modelcontextprotocol/server-memory@2026.8.31
//     node server_memory_store.mjs /tmp/sm FOLDER
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { resolve } from "node:path";

const [installed, folder] = process.argv.slice(2).map((one) => resolve(one));
mkdirSync(folder, { recursive: true });
const server = spawn("node", [`${installed}/node_modules/@modelcontextprotocol/server-memory/dist/index.js`], {
  env: { ...process.env, MEMORY_FILE_PATH: `${folder}/memory.jsonl` },
  stdio: ["pipe", "pipe", "ignore"],
});
const waiting = new Map();
createInterface({ input: server.stdout }).on("line", (line) => {
  const answer = JSON.parse(line);
  waiting.get(answer.id)?.(answer);
});
let last = 0;
const ask = (method, params) =>
  new Promise((done) => {
    last += 1;
    waiting.set(last, done);
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params })}\n`);
  });
const call = async (name, args) => {
  const { result } = await ask("tools/call", { name, arguments: args });
  console.log(name, result.isError ? "ERROR" : "", JSON.stringify(result.content[0].text).slice(0, 160));
};
await ask("initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "make", version: "1" },
});
server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
const entity = (name, entityType, ...observations) => ({ name, entityType, observations });
await call("create_entities", {
  entities: [
    entity("checkout", "service", "takes orders over HTTP", "is written in Go"),
    entity("ledger", "service", "posts double entries", "posts double entries"),
    entity("Robin", "person", "prefers small pull requests"),
    entity("ledger", "database", "is partitioned by month"),
    entity("search", "service"),
  ],
});
await call("create_entities", { entities: [entity("checkout", "service", "retries payments twice")] });
await call("add_observations", {
  observations: [{ entityName: "checkout", contents: ["is written in Go", "is deployed by Argo CD"] }],
});
await call("create_relations", {
  relations: [
    { from: "checkout", to: "ledger", relationType: "depends_on" },
    { from: "Robin", to: "checkout", relationType: "owns" },
    { from: "checkout", to: "nowhere", relationType: "calls" },
  ],
});
await call("delete_observations", {
  deletions: [{ entityName: "checkout", observations: ["is deployed by Argo CD"] }],
});
server.kill();
