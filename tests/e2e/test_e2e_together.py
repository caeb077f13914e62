"""Four sessions at once on one project."""

from concurrent.futures import ThreadPoolExecutor

SAID = (
    "We always restart the mailer with `make mailer`, because a plain restart loses its queue.",
    "Never edit the generated client by hand, because `make api` overwrites it.",
    "I prefer dataclasses over dictionaries in the billing code, because the fields are documented there.",
    "Remember: the load test needs port 8089, which the proxy holds during the day.",
)
NOTE = "Remember: "


def test_four_sessions_at_once_keep_everything(newest):
    newest.memory("remember", "The office closes at six.")

    def one(said: str):
        return newest.session([said, "Thank you."], ["I will.", "You're welcome."])

    with ThreadPoolExecutor(len(SAID)) as pool:
        ran = list(pool.map(one, SAID))
    assert all(session.unharmed for session in ran), ran
    assert not [session.errors for session in ran if "lock" in session.errors.lower()]
    newest.settle()
    kept = [one["text"] for one in newest.memories()]
    missed = [said for said in SAID if not any(said.removeprefix(NOTE)[1:] in text for text in kept)]
    assert not missed
    assert len(kept) == len(SAID) + 1
    log = "".join(file.read_text() for file in newest.home.rglob("*.log"))
    assert "locked" not in log
