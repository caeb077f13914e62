"""Six invented sessions, one for each kind of project: what must be learned of them, and what must not.

What the agent tells stays in the record of what was said; its habits only count where they are active.
"""

from recortex.domain.exchange import SessionInfo, ToolCall, Turn
from recortex.engines.extraction.extractor import extract

INFO = SessionInfo(session_id="s", client="claude-code", path="s.jsonl")


def ran(command, output="", *, ok=True):
    return ToolCall(id=command, name="Bash", command=command, ok=ok, output=output)


def wrote(path):
    return ToolCall(id=path, name="Edit", files=(f"/r/{path}",), writes=True, ok=True)


def learned(*turns):
    made = [
        Turn(index=index, role=role, text=text, tools=tuple(tools), uuid=str(index), cwd="/r")
        for index, (role, text, *tools) in enumerate(turns)
    ]
    found = extract(made, INFO)
    return [one.text for one in found if one.active or not one.rule.startswith("command_")]


def holds(texts, *parts):
    return any(all(part in text for part in parts) for text in texts)


def test_a_python_importer():
    texts = learned(
        ("user", "the nightly import dies with a timeout, it only happens with the big tenants"),
        ("assistant", "I'll look at the importer first.", ran('rg -n "bulk_insert" src')),
        ("user", "please don't use COPY there, the managed database forbids it"),
        (
            "assistant",
            "I'll batch instead.",
            wrote("src/bulk.py"),
            ran("uv run pytest"),
            ran("uv run pytest"),
        ),
        ("user", "also we always write a changelog entry under changelog.d, never edit CHANGELOG.md by hand"),
        (
            "assistant",
            (
                "Done.\n\n**Root cause:** `bulk_insert` issued one INSERT per row, "
                "and the database closes statements after 15 minutes.\n\n"
                "**Fix:** `bulk_insert` groups rows with `execute_values` in `src/bulk.py`.\n\n"
                "- All 214 tests pass."
            ),
        ),
    )
    assert holds(texts, "Don't use COPY")
    assert holds(texts, "We always write a changelog entry")
    assert holds(texts, "`uv run pytest`")
    assert not holds(texts, "bulk_insert")
    assert not holds(texts, "214")


def test_a_typescript_date_picker():
    texts = learned(
        ("user", "Why does the date picker show yesterday for users in Brazil?"),
        ("assistant", "Let me check the component.", ran("pnpm vitest run src/date")),
        ("user", "no, use date-fns-tz not moment, moment is banned here"),
        ("assistant", "Switching.", wrote("src/date/format.ts"), ran("pnpm vitest run src/date")),
        (
            "assistant",
            (
                "Fixed. The picker was one day off because `parseISO` reads date-only strings as UTC "
                "midnight. Fixed in `src/date/format.ts` - now it uses the zone.\n\n"
                "You can reproduce the bug with:\n\n```bash\n"
                "TZ=America/Sao_Paulo pnpm vitest run src/date\n```\n"
            ),
        ),
    )
    assert texts == ["Use date-fns-tz not moment, moment is banned here."]


def test_a_rust_build():
    texts = learned(
        ("user", "cargo build fails on my mac since yesterday"),
        ("assistant", "Let me see.", ran("cargo build"), ran("cargo build")),
        ("user", "good. keep native-tls out of the tree from now on, our musl builds can't link openssl"),
        (
            "assistant",
            (
                "## Decisions\n- Chose `rustls-tls` over vendored OpenSSL "
                "because the vendored build doubles CI time.\n"
                "- `Worker::spawn` must be called before `Runtime::block_on`, "
                "otherwise the first job is lost."
            ),
            ran("cargo clippy --all-targets -- -D warnings"),
            ran("cargo clippy --all-targets -- -D warnings"),
        ),
    )
    assert holds(texts, "Keep native-tls out of the tree")
    assert holds(texts, "`cargo clippy --all-targets -- -D warnings`")
    assert not holds(texts, "`cargo build`")
    assert not holds(texts, "`rustls-tls`")


def test_a_go_service():
    texts = learned(
        ("user", "requests to /export hang in staging"),
        ("assistant", "Looking at the handler.", ran("make test-integration"), ran("make test-integration")),
        ("user", "I told you not to touch the generated mocks, run `make mocks` instead of editing them"),
        (
            "assistant",
            (
                "1. **Connection leak**: `rows.Close()` was only deferred after the first `Scan`, "
                "so an early return leaked the connection. "
                "Fixed by deferring it right after `QueryContext`.\n\n"
                "**Log location:** `.cache/exporter/current.json` (rotated daily)"
            ),
        ),
    )
    assert holds(texts, "Do not touch the generated mocks, run `make mocks`")
    assert holds(texts, "`make test-integration`")
    assert not holds(texts, "`rows.Close()`")


def test_a_terraform_module():
    texts = learned(
        ("user", "terraform plan wants to recreate the whole cluster!"),
        ("assistant", "Checking the diff.", ran("terraform plan", "must be replaced")),
        (
            "user",
            (
                "never run terraform apply from here, only the pipeline applies. "
                "And prod state is in the eu-central-1 bucket, not in us-east-1"
            ),
        ),
        (
            "assistant",
            (
                "Key points:\n- `data.aws_subnets` returns ids in no fixed order, "
                "so wrap it in `sort()` to keep plans stable.\n"
                "- Let me know if I should open a PR."
            ),
        ),
    )
    assert holds(texts, "Never run terraform apply")
    assert "Prod state is in the eu-central-1 bucket, not in us-east-1." in texts
    assert len(texts) == 2


def test_a_rails_application():
    texts = learned(
        ("user", "The signup spec is flaky, please find out why"),
        ("assistant", "Running it a few times.", ran("bin/rspec spec/system/signup_spec.rb")),
        ("user", "we don't stub the mailer in system specs, that's a rule here"),
        (
            "assistant",
            (
                "The spec was flaky because `mailer_spec.rb` left `queue_adapter` set to `:test`. "
                "Fixed by resetting it in `spec/rails_helper.rb`."
            ),
        ),
        ("user", "no, I did not say commit anything"),
        ("user", "thanks, looks good"),
    )
    assert holds(texts, "We don't stub the mailer in system specs")
    assert "Do not commit unless asked to." in texts
    assert len(texts) == 2
