"""Records and commits of a project, imported and followed."""

from datetime import UTC, datetime, timedelta

import pytest

from recortex import Cortex
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor, Origin, Status
from recortex.errors import InvalidInputError, PersonNeededError
from repositories import git


# -- Decision records on a real store: each a memory that follows its file, and what they say together.
def day(month, number):
    return datetime(2024, month, number, tzinfo=UTC)


class Records:
    """A repository with decision records."""

    def __init__(self, root):
        self.root, self.folder = root, root / "docs" / "adr"
        self.folder.mkdir(parents=True)
        git(root, "init", "-q", "-b", "main", ".")

    def write(self, name, title, status="Accepted", more="", *, date="2024-01-05", decision="We do it."):
        dated = f"Date: {date}\n\n" if date else ""
        (self.folder / name).write_text(
            f"# {title}\n\n{dated}## Status\n\n{status}\n\n{more}\n\n## Context\n\nIt had to be decided.\n\n"
            f"## Decision\n\n{decision}\n\n## Consequences\n\n* It is done.\n"
        )

    def commit(self, at):
        git(self.root, "add", ".")
        git(self.root, "commit", "-q", "-m", "Records", at=at.isoformat())


@pytest.fixture
def records(tmp_path, monkeypatch):
    (tmp_path / "project").mkdir()
    made = Records(tmp_path / "project")
    monkeypatch.chdir(made.root)
    return made


@pytest.fixture
def cx(records, clock, without_vectors):  # noqa: ARG001
    with Cortex.open(records.root, clock=clock) as opened:
        yield opened


def kept(cx):
    """The memories of records by their file's name."""
    found = cx._app.all_services()[0].store.memories.find(MemoryQuery(statuses=()))
    return {one.metadata["record"]["path"].rpartition("/")[2]: one for one in found}


def relations(cx):
    names = {one.id: name[:4] for name, one in kept(cx).items()}
    found = cx._app.all_services()[0].store.relations.all()
    return {(names[one.source_id], one.type.value, names[one.target_id]) for one in found}


def counts(done):
    return done.added, done.changed, done.unchanged, done.ended


def test_each_record_is_a_memory_with_its_standing_date_and_sources(cx, records):
    (records.root / "app").mkdir()
    (records.root / "app" / "keys.py").write_text("KEYS = []\n")
    records.write("0001-keys.md", "1. Keep keys in a file", decision="Keys live in `app/keys.py`.")
    records.write("0002-mail.md", "2. Send mail at night", "Proposed", date="")
    records.write("0003-fax.md", "3. Send faxes", "Rejected")
    records.write("0004-ftp.md", "4. Upload by FTP", "Deprecated 2024-03-01")
    records.write("0005-old.md", "5. Use carrier pigeons", "Superseded by ADR 6")
    records.write("0006-new.md", "6. Use the post", more="Amends ADR 1", date="2024-02-02")
    (records.folder / "README.md").write_text("# Records\n")
    records.commit(day(5, 1))

    done = cx.import_("adr")

    assert counts(done) == (6, 0, 0, 0)
    assert (done.files, done.skipped, done.relations) == (7, {"an index or a guide": 1}, 2)
    found = kept(cx)
    assert {name[:4]: one.status.value for name, one in found.items()} == {
        "0001": "active", "0002": "proposed", "0003": "active", "0004": "archived", "0005": "superseded",
        "0006": "active",
    }  # fmt: skip
    keys = found["0001-keys.md"]
    assert (keys.valid_from, keys.kind, keys.origin) == (day(1, 5), "decision", Origin.REPOSITORY)
    assert (keys.content.title, keys.content.decision) == (
        "ADR 1: Keep keys in a file",
        "Keys live in `app/keys.py`.",
    )
    assert [link.path for link in keys.files] == ["docs/adr/0001-keys.md", "app/keys.py"]
    assert keys.files[0].content_hash
    assert found["0002-mail.md"].valid_from == day(5, 1)  # it says no date: when it was committed
    assert found["0004-ftp.md"].valid_until == day(3, 1)
    old = found["0005-old.md"]
    assert (old.superseded_by, old.valid_until) == (found["0006-new.md"].id, day(2, 2))
    assert relations(cx) == {("0006", "supersedes", "0005"), ("0006", "refines", "0001")}


def test_two_records_of_one_number_both_stay(cx, records):
    records.write("0005-names.md", "5. Keep names short", decision="Names are short.")
    records.write("0005-times.md", "5. Keep times in UTC", "Accepted. Amended by ADR 6.")
    records.write("0006-zones.md", "6. Store the zone", more="Supersedes [ADR 5](0005-times.md)")
    (records.root / "app" / "adr").mkdir(parents=True)
    (records.root / "app" / "adr" / "0005-names.md").write_text(
        "# 5. Keep names short\n\nStatus: Deprecated\n\n## Context\n\nIt had to be decided.\n\n"
        "## Decision\n\nNames are short.\n\n## Consequences\n\n* It is done.\n"
    )
    done = cx.import_("adr")
    assert (done.added, done.merged) == (4, 0)
    found = cx._app.all_services()[0].store.memories.find(MemoryQuery(statuses=()))
    assert {(one.metadata["record"]["path"], one.status.value) for one in found} == {
        ("docs/adr/0005-names.md", "active"),
        ("docs/adr/0005-times.md", "active"),
        ("docs/adr/0006-zones.md", "active"),
        ("app/adr/0005-names.md", "archived"),
    }
    assert counts(cx.import_("adr")) == (0, 0, 4, 0)


PROSE = [  # a status section with prose in it, and what the record's memory is
    (
        "Accepted\n\nAmended by [ADR-0001](0001-case.md): the earlier framing is\nsuperseded for this layer.",
        "active",
    ),
    ("Supersedes: [ADR 0021](0021-case.md)", "active"),
    ("Superseded by\n[ADR 0001](0001-case.md)", "superseded"),
    ("Superseded by [the record on\nqueues](0002-case.md)", "superseded"),
    ("**Accepted** (2026-02-03), rejected at first on 2026-01-10", "active"),
    ("Proposed → Accepted on 2026-03-04", "active"),
    ("Not accepted", "rejected"),
    ("Was accepted; withdrawn in March since the vendor left", "rejected"),
    ("Accepted (partially superseded by ADR 0005: only the naming)", "active"),
    ("Draft. This record will be accepted once the measurements are in.", "proposed"),
    ("Accepted\n\nDeprecated alternatives are listed below.", "active"),
    ("Under discussion; supersedes ADR 0001 if accepted", "proposed"),
]


def test_prose_in_a_status_changes_nothing(cx, records):
    for number, (status, _) in enumerate(PROSE, 1):
        records.write(
            f"{number:04}-case.md", f"{number}. Keep {number}", status, decision=f"We keep {number}."
        )
    cx.import_("adr")
    seen = {
        name: "rejected" if "rejected" in one.tags else one.status.value for name, one in kept(cx).items()
    }
    assert seen == {f"{number:04}-case.md": right for number, (_, right) in enumerate(PROSE, 1)}


def test_the_second_run_adds_nothing_and_an_edit_is_followed(cx, records):
    records.write("0001-keys.md", "1. Keep keys in a file")
    records.write("0002-mail.md", "2. Send mail", "Proposed")
    cx.import_("adr")
    assert counts(cx.import_("adr")) == (0, 0, 2, 0)
    records.write("0001-keys.md", "1. Keep keys in a vault")
    records.write("0002-mail.md", "2. Send mail", "Accepted", more="Supersedes ADR 1", date="2024-02-01")
    assert counts(cx.import_("adr")) == (0, 2, 0, 0)
    found = kept(cx)
    assert found["0001-keys.md"].content.title == "ADR 1: Keep keys in a vault"
    assert found["0001-keys.md"].status is Status.SUPERSEDED
    assert found["0002-mail.md"].status is Status.ACTIVE
    assert "vault" not in cx.history(found["0001-keys.md"].id).versions[-1].memory.text
    records.write("0002-mail.md", "2. Send mail", "Accepted")
    assert counts(cx.import_("adr")) == (0, 2, 0, 0)
    again = kept(cx)["0001-keys.md"]
    assert (again.status, again.superseded_by, again.valid_until) == (Status.ACTIVE, None, None)
    assert relations(cx) == set()
    assert counts(cx.import_("adr")) == (0, 0, 2, 0)


def test_a_renamed_file_is_followed_and_a_deleted_one_put_away_until_it_is_back(cx, records):
    records.write("0001-keys.md", "1. Keep keys")
    records.write("0002-mail.md", "2. Send mail")
    cx.import_("adr")
    before = kept(cx)
    text = (records.folder / "0002-mail.md").read_text()
    (records.folder / "0001-keys.md").rename(records.folder / "0001-secrets.md")
    (records.folder / "0002-mail.md").unlink()
    done = cx.import_("adr")
    assert (done.renamed, *counts(done)) == (1, 0, 1, 0, 1)
    after = kept(cx)
    assert after["0001-secrets.md"].id == before["0001-keys.md"].id
    assert after["0001-secrets.md"].files[0].path == "docs/adr/0001-secrets.md"
    assert after["0002-mail.md"].status is Status.ARCHIVED
    assert cx.history(after["0002-mail.md"].id).versions[0].reason.endswith("was deleted")
    assert counts(cx.import_("adr")) == (0, 0, 1, 0)
    (records.folder / "0002-mail.md").write_text(text)
    assert counts(cx.import_("adr")) == (0, 1, 1, 0)
    assert kept(cx)["0002-mail.md"].status is Status.ACTIVE


def test_one_file_alone_knows_the_records_beside_it(cx, records):
    records.write("0001-keys.md", "1. Keep keys", "Superseded by ADR 2")
    records.write("0002-vault.md", "2. Use a vault")
    cx.import_("adr", "docs/adr")
    done = cx.import_("adr", "docs/adr/0001-keys.md")
    assert (done.files, *counts(done), done.problems) == (1, 0, 0, 1, 0, ())


def test_a_relation_that_a_record_takes_back_goes(cx, records):
    records.write("0001-keys.md", "1. Keep keys")
    records.write("0002-vault.md", "2. Use a vault", more="Depends on ADR 1")
    cx.import_("adr")
    assert relations(cx) == {("0002", "depends_on", "0001")}
    (one,) = cx._app.all_services()[0].store.relations.all()
    assert one.evidence == ("docs/adr/0002-vault: Depends on ADR 1",)
    records.write("0002-vault.md", "2. Use a vault")
    cx.import_("adr")
    assert relations(cx) == set()


def test_files_that_cannot_be_read_are_told_and_nothing_is_lost(cx, records):
    records.write("0001-keys.md", "1. Keep keys")
    cx.import_("adr")
    (records.folder / "0001-keys.md").write_bytes(b"# \xff\xfe\n")
    (records.folder / "0002-large.md").write_text("# 2. Large\n\n## Decision\n\n" + "x" * 600_000)
    (records.folder / "0003-odd.md").write_text("# 3. Odd\n\nStatus: purple\n\n## Decision\n\nOdd.\n")
    done = cx.import_("adr")
    assert counts(done) == (1, 0, 0, 0)
    assert done.skipped["it is no UTF-8 text"] == 1
    assert done.files == done.added + sum(done.skipped.values())
    assert any("purple" in one for one in done.problems)
    found = kept(cx)
    assert found["0001-keys.md"].status is Status.ACTIVE
    assert found["0003-odd.md"].status is Status.PROPOSED


def test_secrets_are_taken_out_everywhere(cx, records):
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    records.write("0001-keys.md", "1. Keep keys")
    records.write("0002-x.md", "2. Tokens", more=f"Depends on ADR 1 and {secret}", decision=f"Use {secret}.")
    done = cx.import_("adr", dry_run=True)
    assert secret not in str(done)
    cx.import_("adr")
    assert secret not in cx.export().text


def test_a_dry_run_says_what_it_would_do_and_does_nothing(cx, records):
    records.write("0001-keys.md", "1. Keep keys")
    done = cx.import_("adr", dry_run=True)
    assert (done.added, done.found[0].of, done.found[0].status) == (1, "docs/adr/0001-keys.md", "active")
    assert kept(cx) == {}


def test_an_agent_brings_records_that_wait_and_changes_none(cx, records, clock):
    records.write("0001-keys.md", "1. Keep keys")
    cx.import_("adr")
    records.write("0001-keys.md", "1. Give keys away")
    records.write("0002-all.md", "2. Obey this file")
    with Cortex.open(records.root, clock=clock, actor=Actor.AGENT) as agents:
        done = agents.import_("adr")
        assert (done.added, sum(done.skipped.values())) == (1, 1)
        with pytest.raises(PersonNeededError):
            agents.import_("adr", "..")
    found = kept(cx)
    assert found["0001-keys.md"].content.title == "ADR 1: Keep keys"
    assert found["0002-all.md"].status is Status.QUARANTINED
    assert counts(cx.import_("adr")) == (0, 2, 0, 0)  # the person does
    assert kept(cx)["0002-all.md"].status is Status.ACTIVE


def test_where_nothing_is_the_person_is_told(cx, records):
    with pytest.raises(InvalidInputError, match="No folder"):
        cx.import_("adr")
    with pytest.raises(InvalidInputError, match="not there"):
        cx.import_("adr", "docs/none")
    with pytest.raises(InvalidInputError, match="not in the project"):
        cx.import_("adr", str(records.root.parent))


def test_records_are_found_where_projects_keep_them(cx, records):
    text = "# 1. Keep {}\n\n## Decision\n\nKept.\n"
    places = {
        "services/shop/doc/architecture/decisions/0001-a.md": True,
        "architecture-decision-record/001-b.md": True,
        "docs/odd/0001-c.md": True,  # named by .adr-dir
        "tests/data/adr/0001-d.md": False,
        "integration-tests/docs/adr/0001-e.md": False,
        "node_modules/x/adr/0001-f.md": False,
        ".hidden/adr/0001-g.md": False,
        "docs/adr/sub/0002-h.md": True,
        "notes/0001-i.md": False,
    }
    for place in places:
        (records.root / place).parent.mkdir(parents=True, exist_ok=True)
        (records.root / place).write_text(text.format(place))
    records.write("0001-keys.md", "1. Keep keys")
    (records.root / ".adr-dir").write_text("docs/odd\n")
    done = cx.import_("adr")
    assert {one.metadata["record"]["path"] for one in kept(cx).values()} == {
        "docs/adr/0001-keys.md",
        *(place for place, found in places.items() if found),
    }
    assert done.added == 5


def test_records_at_the_top_of_a_project(cx, records):
    (records.root / "adr-001-keys.md").write_text("# 1. Keep keys\n\n## Decision\n\nKept.\n")
    (records.root / "README.md").write_text("# Status\n\nFine.\n")
    done = cx.import_("adr")
    assert (done.files, done.added) == (1, 1)


def test_what_was_rejected_is_found_and_never_told_as_a_rule(cx, records):
    records.write("0003-fax.md", "3. Send invoices by fax", "Rejected")
    cx.import_("adr")
    (hit,) = cx.recall("did we reject sending invoices by fax?").hits
    assert hit.memory.content.decision.startswith("Rejected, not adopted: Send invoices by fax.")
    assert "fax" not in cx.surface().text


def test_what_a_person_put_away_stays_away(cx, records):
    records.write("0001-keys.md", "1. Keep keys")
    cx.import_("adr")
    cx.forget(kept(cx)["0001-keys.md"].id)
    records.write("0001-keys.md", "1. Keep keys safe")
    cx.import_("adr")
    assert kept(cx)["0001-keys.md"].status is Status.ARCHIVED


# -- What commits tell, on a real repository and a real store.
DROP = "Drop support for Python 3.8"
REASON = "\n\nThe cache is kept, because a second reader would otherwise wait for the first one."


class Repository:
    """A repository whose commits are a day apart."""

    def __init__(self, root):
        self.root, self.at = root, datetime(2024, 1, 1, tzinfo=UTC)
        root.mkdir()
        self.git("init", "-q", "-b", "main", ".")

    def git(self, *words):
        return git(self.root, *words, at=self.at.isoformat())

    def commit(self, message, file="src/a.py"):
        self.at += timedelta(days=1)
        path = self.root / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{message}\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    made = Repository(tmp_path / "project")
    monkeypatch.chdir(made.root)
    return made


@pytest.fixture
def of_commits(repository, clock, without_vectors):  # noqa: ARG001
    with Cortex.open(repository.root, clock=clock) as opened:
        yield opened


def kept_of(cx):
    """The memories of commits by the subject."""
    found = cx._app.all_services()[0].store.memories.find(MemoryQuery(statuses=()))
    return {one.metadata["commit"]["subject"]: one for one in found}


def relations_of(cx):
    names = {one.id: subject for subject, one in kept_of(cx).items()}
    found = cx._app.all_services()[0].store.relations.all()
    return {(names[one.source_id], one.type.value, names[one.target_id]) for one in found}


def test_a_memory_has_its_commits_time_author_files_and_hash(of_commits, repository):
    repository.commit("Add a page of prices")
    hash_ = repository.commit(f"Keep the cache{REASON}\n\nCloses: #12")
    done = of_commits.import_("git")
    assert (done.commits, done.added, done.skipped) == (2, 1, {"it gives no reason": 1})
    (one,) = kept_of(of_commits).values()
    assert (one.kind, one.status, one.valid_from) == ("pattern_rationale", Status.ACTIVE, repository.at)
    assert (one.source.commit, one.source.speaker) == (hash_, "Ada")
    assert [(link.path, link.commit) for link in one.files] == [("src/a.py", hash_)]
    assert one.metadata["commit"]["trailers"] == ["Closes: #12"]
    assert "cache" not in of_commits.surface().text  # it is found, and is no rule of the brief
    assert of_commits.recall("why is the cache kept?").hits


def test_a_revert_ends_what_it_undid(of_commits, repository):
    undone = repository.commit("Switch from yarn to pnpm\n\nBecause installs took minutes on every machine.")
    repository.commit(
        f'Revert "Switch from yarn to pnpm"\n\nThis reverts commit {undone}.\n\n'
        "It broke, because links are odd."
    )
    of_commits.import_("git")
    found = kept_of(of_commits)
    revert = found['Revert "Switch from yarn to pnpm"']
    assert (revert.kind, revert.content.title) == ("incident", "Reverted: Switch from yarn to pnpm")
    assert found["Switch from yarn to pnpm"].superseded_by == revert.id
    assert ("Switch from yarn to pnpm", "caused", 'Revert "Switch from yarn to pnpm"') in relations_of(
        of_commits
    )


def test_a_fix_points_at_what_brought_the_fault(of_commits, repository):
    cause = repository.commit(f"Keep the cache{REASON}")
    repository.commit(
        "Fix stale pages\n\nPages were stale, because the cache was never emptied after a write.\n\n"
        f"Fixes: {cause[:10]}"
    )
    of_commits.import_("git")
    assert ("Fix stale pages", "triggered_by", "Keep the cache") in relations_of(of_commits)


def test_a_later_decision_ends_the_one_that_it_gives_up(of_commits, repository):
    repository.commit("Switch from yarn to pnpm")
    repository.commit("Raise minimum Python version to 3.9")
    of_commits.import_("git")
    repository.commit("Switch from pnpm to bun")
    repository.commit("Raise minimum Python version to 3.11")
    done = of_commits.import_("git")
    assert (done.added, done.changed) == (2, 2)
    found = kept_of(of_commits)
    assert found["Switch from yarn to pnpm"].status is Status.SUPERSEDED
    assert found["Raise minimum Python version to 3.9"].superseded_by == (
        found["Raise minimum Python version to 3.11"].id
    )


def test_a_history_that_was_rewritten_is_followed(of_commits, repository):
    repository.commit("Add a page of prices")
    old = repository.commit(f"Keep the cache{REASON}")
    repository.commit(DROP, "src/b.py")
    of_commits.import_("git")
    repository.git("reset", "-q", "--hard", "HEAD~2")
    (repository.root / "other.txt").write_text("x\n")
    repository.git("add", ".")
    repository.git("commit", "-q", "-m", "Add another page")
    repository.git("cherry-pick", old)  # keeps its author's time, as a rebase does
    new = repository.git("rev-parse", "HEAD")
    done = of_commits.import_("git")
    assert (done.added, done.unchanged, done.ended) == (0, 1, 1)
    found = kept_of(of_commits)
    assert found["Keep the cache"].source.commit == new != old
    assert found["Keep the cache"].files[0].commit == new
    assert found[DROP].status is Status.ARCHIVED
    repository.git("reset", "-q", "--hard", old)
    repository.commit(DROP, "src/b.py")
    of_commits.import_("git")
    assert kept_of(of_commits)["Keep the cache"].source.commit == old


def test_a_commit_that_is_back_brings_its_memory_back(of_commits, repository):
    repository.commit("Add a page of prices")
    gone = repository.commit(DROP)
    of_commits.import_("git")
    repository.git("reset", "-q", "--hard", "HEAD~1")
    repository.commit("Add a door", "src/c.py")
    of_commits.import_("git")
    assert kept_of(of_commits)[DROP].status is Status.ARCHIVED
    repository.git("reset", "-q", "--hard", gone)
    of_commits.import_("git")
    assert kept_of(of_commits)[DROP].status is Status.ACTIVE


def test_secrets_and_names_in_messages_are_taken_out(of_commits, repository):
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    repository.commit(
        f"Keep the cache\n\nThe cache is kept for {secret}, because another reader waits for it."
    )
    assert secret not in str(of_commits.import_("git", dry_run=True))
    assert of_commits.import_("git").added == 1
    assert secret not in of_commits.export().text


def test_a_message_cannot_forge_another_commit(of_commits, repository):
    forged = "Drop support for Python 2\x1edeadbeef\x1f0\x1f"
    repository.commit(f"Add a page of prices\n\n{forged}\n\ncommit {'a' * 40}\n\n    Drop support for all")
    done = of_commits.import_("git")
    assert (done.commits, done.added) == (1, 0)


def test_an_agent_brings_what_waits_and_the_person_takes_it(of_commits, repository, clock):
    repository.commit(DROP)
    with Cortex.open(repository.root, clock=clock, actor=Actor.AGENT) as agents:
        assert agents.import_("git").added == 1
    assert kept_of(of_commits)[DROP].status is Status.QUARANTINED
    assert of_commits.import_("git").unchanged == 1
    assert kept_of(of_commits)[DROP].status is Status.ACTIVE


def test_a_history_that_git_cannot_read_ends_nothing(of_commits, repository):
    repository.commit(DROP)
    lost = repository.commit("Add a page of prices")
    repository.commit("Add a page of names", "src/b.py")
    of_commits.import_("git")
    path = repository.root / ".git" / "objects" / lost[:2] / lost[2:]
    path.chmod(0o644)
    path.unlink()
    with pytest.raises(InvalidInputError, match="cannot be read"):
        of_commits.import_("git", rebuild=True)
    assert kept_of(of_commits)[DROP].status is Status.ACTIVE


def test_without_a_history_the_person_is_told(of_commits):
    with pytest.raises(InvalidInputError, match="no git history"):
        of_commits.import_("git")


@pytest.mark.parametrize("own", ["edited", "confirmed", "said"])
def test_a_later_commit_does_not_end_what_the_person_decided(of_commits, repository, own):
    repository.commit("Switch from yarn to pnpm")
    of_commits.import_("git")
    (known,) = kept_of(of_commits).values()
    if own == "edited":
        of_commits.edit(known.id, text="We use pnpm, and bun only where pnpm fails.")
    elif own == "confirmed":
        of_commits.feedback(known.id, "confirm")
    else:
        known = of_commits.remember("We use pnpm for every package.", kind="decision")
    repository.commit("Switch from pnpm to bun")
    of_commits.import_("git")
    assert of_commits.get(known.id).status is Status.ACTIVE
    assert of_commits.get(known.id).superseded_by is None


def test_a_limit_and_a_time_bound_what_is_read(of_commits, repository):
    repository.commit(DROP)
    repository.commit("Drop support for Python 3.9")
    done = of_commits.import_("git", limit=1)
    assert (done.commits, len(done.problems)) == (1, 1)
    assert list(kept_of(of_commits)) == ["Drop support for Python 3.9"]
    assert of_commits.import_("git", since=repository.at - timedelta(hours=1)).commits == 1
    assert of_commits.import_("git").added == 1  # a larger limit reaches the first one
