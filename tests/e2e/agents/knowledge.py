"""What the people of these tests know, and how they say it."""

from __future__ import annotations

SHIP = (
    "We always deploy with `make ship`, never with `git push heroku`, "
    "because the migrations have to run first."
)
REVIEWED = "I prefer plain SQL in `queries.sql` over the ORM's query builder, because our DBA reviews it."
NIGHTLY = "Remember: the staging database is reset every night at 02:00, so never keep test data there."
QUEUE_THEN = (
    "let's use Postgres for the job queue instead of Kafka, because one database is enough to look after"
)
QUEUE_NOW = "let's use Redis for the job queue instead of Postgres, because Postgres locked up under load"

INVOICES = "Invoices are rounded per line and not per total, because the tax office audits single lines."
ASKED_INVOICES = "How are invoices rounded, per line or per total?"
ASKED_NOTHING = "What is seven times eight?"

PLACES = (
    "checkout", "mailer", "scheduler", "gateway", "crawler", "thumbnailer", "ledger", "notifier",
    "importer", "archiver",
)  # fmt: skip
HABITS = (
    "listens on port {n}, because the load balancer expects it there",
    "keeps its logs for {n} days, because support asks for them",
    "is restarted {n} minutes after a release, because its cache warms slowly",
    "holds at most {n} connections, because the pool is small",
    "retries a failed call {n} times, because the upstream drops some",
)


def standing(count: int) -> list[dict[str, object]]:
    """More pinned memories of the highest importance than a brief can hold, about nothing that is asked."""
    return [
        {
            "text": f"The {PLACES[n % 10]} of region {n // 10} {HABITS[n % 5].format(n=n + 3)}.",
            "kind": "semantic", "importance": "critical", "pinned": True,
        }
        for n in range(count)
    ]  # fmt: skip
