// Writes `claude-mem.db` with claude-mem's own storage class (npm claude-mem 13.25.3, run by bun 1.4.5), as its
// worker calls it; no model is asked, since the observations are given.
//
//     npm pack claude-mem@13.25.3 && tar xzf claude-mem-13.25.3.tgz && npm install bun@1.4.5
//     CLAUDE_MEM_DATA_DIR=$(mktemp -d) bun claude_mem_store.cjs package FOLDER
const { mkdirSync } = require("node:fs");
const { resolve } = require("node:path");

const [installed, folder] = process.argv.slice(2).map((one) => resolve(one));
mkdirSync(folder, { recursive: true });
const { SessionStore } = require(`${installed}/plugin/sqlite/SessionStore.js`);
const store = new SessionStore(`${folder}/claude-mem.db`);
const began = Date.UTC(2026, 9, 5, 9, 30);

const observation = (type, title, more = {}) => ({
  type,
  title,
  subtitle: null,
  facts: [],
  narrative: null,
  concepts: [],
  files_read: [],
  files_modified: [],
  ...more,
});

function session(name, project, prompt, observations, summary) {
  const id = store.createSDKSession(`content-${name}`, project, prompt);
  store.ensureMemorySessionIdRegistered(id, `memory-${name}`);
  store.saveUserPrompt(`content-${name}`, 1, prompt);
  return store.storeObservations(`memory-${name}`, project, observations, summary, 1, 900, began);
}

const pool = observation("bugfix", "Connection pool exhausted under load", {
  subtitle: "Idle connections were never returned",
  facts: [
    "The pool in src/db/pool.ts holds 20 connections",
    "A connection is returned in a finally block since this fix",
  ],
  narrative: "Requests hung because early returns skipped the release. The release moved to a finally block.",
  concepts: ["problem-solution", "gotcha"],
  files_read: ["src/db/pool.ts", "src/server.ts"],
  files_modified: ["src/db/pool.ts"],
});
const decided = observation("decision", "Sessions are kept in Redis", {
  narrative: "Sessions moved from the database to Redis, because the table was locked at each login.",
  concepts: ["trade-off"],
});
console.log(session("one", "shop", "why do requests hang?", [pool, decided, pool], {
  request: "Find out why requests hang",
  investigated: "The connection pool",
  learned: "Early returns skipped the release of connections",
  completed: "The release stands in a finally block",
  next_steps: "Add a metric for idle connections",
  notes: null,
}));
console.log(session("two", "shop", "look again", [pool, observation("discovery", "Only a title")], null));
console.log(session("three", "other-project", "hello", [decided], null));
store.close?.();
