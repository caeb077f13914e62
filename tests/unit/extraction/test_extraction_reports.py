"""What reports and compaction summaries teach."""

import pytest

from recortex.engines.extraction.agent_rules import whole_form
from recortex.engines.extraction.report_entries import ACTIVE
from recortex.engines.extraction.report_rules import from_message, from_summary, is_summary
from recortex.engines.extraction.sentences import objection

SUMMARY = """This session is being continued.

Analysis:
1. The user asked for `Broker`. The `Broker` class always wins because of analysis.

Summary:
1. Primary Request and Intent:
   The user wants `Broker` because queues must never be lost.

2. Key Technical Concepts:
   - Message queues, workers, retries
   - Dead letters (kept in `queue/dead/` for seven days)

3. Files and Code Sections:
   - **`src/broker.py`**: Connects the workers to the queue and retries what failed
     - Changed `timeout` from `5` to `30` to prevent duplicate deliveries

4. Errors and fixes:
   - **Lost messages on restart**: `Broker.close()` returned before the flush ended.
     - Fix: Awaited `flush()` in `Broker.close()`
     - User feedback: never drop messages in `Broker`, even on SIGTERM
   - **Missing import**: `os` was not imported. Fixed by adding the import.

6. All user messages:
   - "always use `Broker` because I say so"

7. Pending Tasks:
   - `Broker` must be documented because nobody knows it
"""


def texts(found):
    return {one.rule: one.text for one in found}


def test_each_section_of_a_summary_is_read_by_its_own_rules():
    assert is_summary(SUMMARY)
    found = texts(from_summary(SUMMARY))
    assert found == {
        "summary_concept": "Dead letters (kept in `queue/dead/` for seven days).",
        "definition": "`src/broker.py`: Connects the workers to the queue and retries what failed.",
        "change_reason": (
            "`src/broker.py`: Changed `timeout` from `5` to `30` to prevent duplicate deliveries."
        ),
        "summary_fix": "Lost messages on restart: `Broker.close()` returned before the flush ended. "
        "Fix: Awaited `flush()` in `Broker.close()`.",
        "summary_feedback": (
            "Feedback on Lost messages on restart: never drop messages in `Broker`, even on SIGTERM."
        ),
    }


def test_headings_may_label_cause_and_fix():
    text = (
        "## Root cause\n\n`Pool` kept the closed socket in `_open`, "
        "and `send()` raised `BrokenPipeError`.\n\n"
        "## Fix\n\nRemoved the socket from `_open` in the `finally` block of `handle()`."
    )
    found = texts(from_message(text))["report_fix"]
    assert found.startswith("`Pool` kept the closed socket in `_open`")
    assert found.endswith("Fix: Removed the socket from `_open` in the `finally` block of `handle()`.")


def test_advice_of_a_review_is_not_a_repair():
    text = "**1. Slow lookup in `find()`**\n\n**Issue:** `find()` scans the list.\n\n**Fix:** Use a dict."
    (found,) = [one for one in from_message(text) if "Fix:" in one.text]
    assert (found.rule, found.confidence < ACTIVE) == ("review_finding", True)


def test_a_lead_and_its_short_list_become_one_statement():
    text = (
        "`ensure_ignore` runs:\n- When a project is initialised\n- At the start of each session (via hooks)"
    )
    (found,) = from_message(text)
    assert found.text == (
        "`ensure_ignore` runs: When a project is initialised; At the start of each session (via hooks)."
    )


def test_a_fix_and_its_means_become_one_statement():
    text = (
        "- Fixed `Client.close()` blocking the exit by setting:\n  - `linger: 1s` for the socket\n"
        "  - a daemon thread"
    )
    found = texts(from_message(text))
    assert found["joined_fix"].startswith("Fixed `Client.close()` blocking the exit by setting: `linger: 1s`")


def test_names_are_defined_but_changes_tests_and_options_are_not():
    text = (
        "The parts are these.\n\n- **`TokenStore`** - keeps one-time tokens in memory until they expire\n"
        "- **`TokenTest`** - checks that tokens expire in the memory of the store\n"
        "- **`TokenCleaner`** - added a timer to remove the tokens that have expired\n"
    )
    assert [one.text for one in from_message(text) if one.rule == "definition"] == [
        "`TokenStore`: keeps one-time tokens in memory until they expire."
    ]
    options = (
        "There are two approaches:\n- **`RedisStore`** - keeps the tokens in Redis until they expire there"
    )
    assert list(from_message(options)) == []


def test_plans_and_status_sections_are_not_read():
    text = "## Next steps\n\n- `Broker` must be documented because the API requires `docs/`\n"
    assert list(from_message(text)) == []


LOST = """**Loader crash**

**Problem:** `load()` crashed because `cfg` was nil.

**Fix:** Modified `load()` in `loader.go` to:

```go
if cfg == nil { return }
```

- `TestLoad` covers it
"""
COMPLETE = """4. Errors and fixes:
   - **Nil pointer in the loader**:
     - Problem: `load()` crashed because `cfg` was nil
     - Fix: Modified `load()` in `loader.go` to:
       - check `cfg` first
       - return an error early
   - **Fix**: Changed `save.go` so that `store()` handles an empty list
   - **Root Cause Found**: `render()` dropped the last row. Fixed by flushing `out` in `render.go`.
   - **Bug: Files of sibling folders are dropped**:
     - `rel()` gives paths that begin with `..`
     - Fix: Use `root()` instead of `getwd()`
"""


def told(text, role):
    return [one.text for one in (from_summary if role == "summary" else from_message)(text)]


def test_a_repair_whose_object_stood_in_a_block_of_code_is_not_kept():
    assert not [text for text in told(LOST, "assistant") if "Fix:" in text]


def test_a_repair_that_goes_on_in_a_list_is_completed_from_it_and_idle_titles_go():
    found = told(f"Summary:\n1. Primary Request and Intent: x\n{COMPLETE}", "summary")
    assert (
        "Nil pointer in the loader: `load()` crashed because `cfg` was nil. "
        "Fix: Modified `load()` in `loader.go` to: check `cfg` first; return an error early." in found
    )
    assert "`render()` dropped the last row. Fixed by flushing `out` in `render.go`." in found
    assert any(text.startswith("Files of sibling folders are dropped. `rel()`") for text in found)
    assert not [text for text in found if text.startswith("Fix")]


@pytest.mark.parametrize(
    "text",
    [
        "The repair of the loader changed `run()` to.",
        "The loader in `a.py` calls `b()` which returns the.",
        "Postgres keeps `seq` in memory and.",
    ],
)
def test_what_ends_before_its_object_is_half(text):
    assert objection(text) == "half"


def test_a_part_of_the_suite_is_not_told_as_the_whole():
    assert whole_form("go test ./cmd/app/...") is None
    assert whole_form("go test -race ./...") == "go test -race ./..."
