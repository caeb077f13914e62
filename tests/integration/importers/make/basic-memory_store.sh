#!/usr/bin/env bash
# Lets basic-memory 0.24.1 write stores/basic-memory: `pip install basic-memory==0.24.1` (Python 3.12), then
# run this with its program on the path.
set -euo pipefail
store=$(cd "$(dirname "$0")/../stores" && pwd)/basic-memory
export HOME=$(mktemp -d) BASIC_MEMORY_NO_PROMOS=1 BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED=false
unset BASIC_MEMORY_HOME XDG_CONFIG_HOME
write() { basic-memory tool write-note --local --title "$1" --folder "$2" "${@:3}" >/dev/null; }
write "Authentication" decisions --tags auth --tags security <<'NOTE'
# Authentication

How people sign in. See [[Session Store]] for where it ends up.

## Observations
- [decision] Tokens are signed with EdDSA, not RS256 #auth #tokens (agreed with the mobile team)
- [method] Refresh tokens rotate in rotate(token)
- [gotcha] Clock skew above 30 s breaks the login of old phones
- [ ] write the migration guide
- [x] remove the old cookie
- plain item without a category
- [method] Refresh tokens rotate in rotate(token)

```
- [fact] this stands in a fence
```

## Relations
- depends_on [[Session Store|where sessions are]]
- replaces [[Cookie Login]] (since spring)
- [[Über uns]]
NOTE
write "Session Store" architecture <<'NOTE'
# Session Store

- [tech] Sessions live in Redis with a TTL of 30 days
- [tip] Run `make redis` before the tests
NOTE
write "Über uns" "" <<<"Text only, no observation."
mkdir -p "$store"
cp -r "$HOME/basic-memory" "$store/notes"
