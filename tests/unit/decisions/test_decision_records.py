"""Decision records in every form that they are written in; each record here was written for this test."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.decisions.collection import collected
from recortex.decisions.record import Record, Skipped, _parts_listed, dated, read_record
from recortex.domain.code import FileHistory
from recortex.domain.vocabulary import RelationType
from recortex.text.outline import Line, _in_rows, outline

HERE = Path(__file__).parent
NYGARD, MADR, MADR_2, RST, ADOC, Y = (
    (HERE / "records" / name).read_text(encoding="utf-8")
    for name in ("nygard.md", "madr.md", "madr_list.md", "record.rst", "record.adoc", "y_statement.txt")
)


def read(text, path="docs/adr/0004-a-record.md"):
    found = read_record(path, text)
    assert isinstance(found, Record), found
    return found


def test_the_form_of_nygard():
    one = read(NYGARD)
    assert (one.number, one.title, one.standing) == (4, "Keep sessions in Redis", "accepted")
    assert one.date == datetime(2021, 3, 9, tzinfo=UTC)
    assert (one.context, one.decision) == (
        "A restart of `app/server.py` logs everybody out.",
        "We will keep sessions in Redis.",
    )
    assert one.consequences == ("A restart logs nobody out.", "Redis must run.")
    assert [(m.type, m.backwards, m.target, m.stated) for m in one.mentions] == [
        (RelationType.SUPERSEDES, False, "docs/adr/0002-keep-sessions-in-memory", True),
        (RelationType.REFINES, False, "docs/adr/0003-sign-cookies", True),
    ]
    assert one.mentions[0].sentence == "Supercedes 2. Keep sessions in memory"
    assert "app/server.py" in one.files


def test_the_form_of_madr_with_front_matter():
    one = read(MADR)
    assert (one.standing, one.deciders) == ("superseded", "Ada, Grace")
    assert one.context == "Which store holds the ledger? Two writers at once."
    assert one.decision == 'Chosen option: "PostgreSQL", because it takes two writers.'
    assert one.consequences == ("Backups are known.", "A server to run.")
    assert one.options == (
        ("SQLite", "one writer waits for the other."),
        ("A file per day", "nothing can be joined"),
    )
    assert [(m.type, m.backwards, m.target) for m in one.mentions] == [
        (RelationType.SUPERSEDES, True, "docs/adr/0009-use-sqlite")
    ]


def test_the_form_of_madr_with_a_list():
    one = read(MADR_2)
    assert (one.standing, one.deciders) == ("proposed", "the kitchen team")
    assert one.date == datetime(2019, 11, 30, tzinfo=UTC)
    assert [(m.type, m.backwards) for m in one.mentions] == [(RelationType.REFINES, True)]


@pytest.mark.parametrize(
    ("text", "path", "number", "title", "standing", "decision"),
    [
        (RST, "adr/0001-utc.rst", 1, "Keep times in UTC", "accepted", "Times are kept in UTC."),
        (ADOC, "adr/svg.adoc", 7, "Draw with SVG", "rejected", "Charts are drawn with SVG."),
    ],
)
def test_other_markup(text, path, number, title, standing, decision):
    one = read(text, path)
    assert (one.number, one.title, one.standing, one.decision) == (number, title, standing, decision)


def test_titles_of_restructuredtext_are_marked_in_any_way():
    text = f"##########\nSort names\n##########\n\n{RST.partition('Context')[2]}"
    one = read(f"{text}\nStatus\n------\n\n**Draft**\n", "adr/0003-names.rst")
    assert (one.title, one.standing, one.decision) == ("Sort names", "proposed", "Times are kept in UTC.")


def test_a_y_statement_alone_is_a_record():
    one = read(Y, "decisions/20240102-thumbnails.md")
    assert one.decision == "Decided for a cache on disk, to achieve pages below a second."
    assert one.context == "In the context of the gallery, facing slow pages."
    assert one.options == (("a cache in memory", ""),)
    assert one.consequences == ("Accepted: the disk fills.",)
    assert (one.standing, one.number, one.date) == ("accepted", None, datetime(2024, 1, 2, tzinfo=UTC))


@pytest.mark.parametrize(
    ("status", "standing"),
    [
        ("Accepted", "accepted"), ("~~Proposed~~ Accepted", "accepted"),
        ("Proposed (2020-01-01)\nAccepted (2020-02-01)", "accepted"),
        ("Accepted 2020-02-01\nDraft 2020-01-01", "accepted"),
        ("Accepted\n\nSupersedes ADR 3", "accepted"), ("Superceded by ADR 12", "superseded"),
        ("Accepted, partially superseded by ADR 12", "accepted"),
        ("Not accepted", "rejected"), ("- [ ] Proposed\n- [x] Rejected", "rejected"),
        ("No longer valid since May 2022", "deprecated"), ("On hold", "proposed"),
        ("Amended by 7", "accepted"), ("Partly superseded", "accepted"),
        ("Supersedes: [ADR 3](0003-x.md)", "accepted"),
        ("Accepted\n\nAmended by ADR 9: the old framing is\nsuperseded for this layer.", "accepted"),
        ("Accepted\n\nDeprecated alternatives are listed below.", "accepted"),
        ("Proposed → Accepted on 2026-03-04", "accepted"),
        ("Was accepted; withdrawn in March since the vendor left", "rejected"),
        ("Initially rejected, then accepted", "accepted"),
        ("Accepted (superseded by ADR 12)", "superseded"),
        ("accepted\nsuperseded by [9](0009-x.md)", "superseded"),
        ("Superseded by\n[ADR 9](0009-x.md)", "superseded"),
        ("Accepted on 2020-01-01; superseded on 2021-02-03 by ADR 9", "superseded"),
        ("Superseded (partially) by ADR 9", "accepted"),
        ("Superseded by ADR 9 (only the naming)", "accepted"),
        ("Superseded for the HTTP layer by ADR 9", "accepted"),
        ("Accepted. The naming section is superseded by ADR 5.", "accepted"),
        ("Deprecated 2019-01-01\nAccepted 2021-01-01", "accepted"),
        ("- Proposed\n- Accepted\n- Deprecated", "deprecated"),
        ("| Date | Status |\n|---|---|\n| 2020-01-01 | Proposed |\n| 2020-02-01 | Accepted |", "accepted"),
        ("| Status | Accepted |\n|---|---|\n| Superseded by | - |", "accepted"),
        ("Reverted", "deprecated"),
        ("Draft. It will be accepted once the figures are in.", "proposed"),
    ],
)  # fmt: skip
def test_what_a_status_says(status, standing):
    one = read(f"# 4. Titles\n\n## Status\n\n{status}\n\n## Decision\n\nTitles are short.\n")
    assert one.standing == standing


BODY = {
    ".md": "\n\n## Context and Problem Statement\n\nLists are long.\n\n## Decision\n\nTitles are short.\n",
    ".rst": "\n\nContext\n-------\n\nLists are long.\n\nDecision\n--------\n\nTitles are short.\n",
    ".adoc": "\n\n== Context\n\nLists are long.\n\n== Decision\n\nTitles are short.\n",
}
STATES = [
    (*(one.strip() for one in head.split("|")), text)
    for case in (HERE / "states.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n@@ ")[1:]
    for head, _, text in [case.partition("\n")]
]


@pytest.mark.parametrize("form", sorted({form for form, *_ in STATES}))
def test_the_state_of_a_record_is_read_in_the_form_of_every_tool(form):
    heads = [one for one in STATES if one[0] == form]
    read_as = [
        (head, read(head + BODY[suffix], f"docs/adr/0004-titles{suffix}").standing)
        for _, suffix, _, head in heads
    ]
    assert read_as == [(head, state) for _, _, state, head in heads]


def test_a_status_below_an_option_is_not_the_state_of_the_record():
    (head,) = [head for *_, head in STATES if head.startswith("# 4. Titles\n\n## Status: Accepted")]
    one = read(f"{head}{BODY['.md']}\n## Options\n\n### By date\n\nStatus: rejected\n")
    assert one.standing == "accepted"


@pytest.mark.parametrize(
    "table",
    [
        "| Status | Date | By |\n|---|---|---|\n| Deprecated | 2021-05-04 | Ada |",
        "| Status | Deprecated |\n|---|---|\n| Date | 2021-05-04 |",
        "| | |\n|---|---|\n| **Status** | Deprecated |\n| **Date** | 2021-05-04 |",
    ],
)
def test_a_table_above_the_parts_has_the_status_and_the_date(table):
    one = read(f"# 4. Titles\n\n{table}\n\n## Decision\n\nTitles are short.\n")
    assert (one.standing, one.date) == ("deprecated", datetime(2021, 5, 4, tzinfo=UTC))


TABLES = {
    "html": (".md", "<table><tr><th>Status</th><td>{}</td></tr><tr><th>Date</th><td>{}</td></tr></table>"),
    "html with names above": (
        ".md", "<table>\n<tr><th>Status<th>Date</tr>\n<tr>\n<td><b>{}</b></td>\n<td>{}</td></tr>\n</table>",
    ),
    "html without ends": (".md", "<TABLE>\n<TR><TD>Status<TD>{}\n<TR><TD>Date<TD>{}\n</TABLE>"),
    "html terms": (".md", "<dl>\n<dt>Status</dt><dd>{}</dd>\n<dt>Date</dt>\n<dd>{}</dd>\n</dl>"),
    "rst list": (
        ".rst", ".. list-table::\n   :widths: 1 3\n\n   * - Status\n     - {}\n   * - Date\n     - {}",
    ),
    "rst list with names": (
        ".rst",
        ".. list-table:: About\n   :header-rows: 1\n\n   * - Status\n     - Date\n   * - {}\n     - {}",
    ),
    "rst csv": (".rst", '.. csv-table::\n   :widths: 1, 3\n\n   "Status", "{}"\n   "Date", "{}"'),
    "rst csv with names": (".rst", '.. csv-table::\n   :header: "Status", "Date"\n\n   "{}", "{}"'),
    "rst grid": (
        ".rst", "+-----+------+\n| Status | {} |\n+-----+------+\n| Date   | {} |\n+-----+------+",
    ),
    "rst grid with names": (
        ".rst", "+-----+------+\n| Status | Date |\n+=====+======+\n| {} | {} |\n+-----+------+",
    ),
    "rst simple": (".rst", "======  ==========\nStatus  {}\nDate    {}\n======  =========="),
    "rst simple with names": (
        ".rst",
        "==========  ==========\nStatus      Date\n==========  ==========\n{}  {}\n==========  ==========",
    ),
    "asciidoc cells": (".adoc", '[cols="1,1"]\n|===\n|Status\n|{}\n\n|Date\n|{}\n|==='),
    "asciidoc with names": (".adoc", '[cols="2*",options="header"]\n|===\n|Status |Date\n|{} |{}\n|==='),
    "asciidoc with names above": (".adoc", "|===\n|Status |Date\n\n|{}\n|{}\n|==="),
}  # fmt: skip


@pytest.mark.parametrize("form", TABLES)
@pytest.mark.parametrize("state", ["Deprecated", "Proposed", "Accepted", "Superseded"])
def test_a_table_of_every_markup_has_the_status_and_the_date(form, state):
    suffix, table = TABLES[form]
    head = {".md": "# Titles", ".rst": "Titles\n======", ".adoc": "= Titles"}[suffix]
    text = f"{head}\n\n{table.format(state.ljust(10), '2021-05-04')}"
    one = read(text + BODY[suffix], f"docs/adr/0004-titles{suffix}")
    assert (one.standing, one.date) == (state.lower(), datetime(2021, 5, 4, tzinfo=UTC))
    assert one.lines == len((text + BODY[suffix]).split("\n"))


@pytest.mark.parametrize(
    ("suffix", "head"),
    [
        (".md", "# Titles\n\n## Status\n\n<table><tr><td>Rejected</td><td>2021-05-04</td></tr></table>"),
        (".rst", "Titles\n======\n\nStatus\n------\n\n.. list-table::\n\n   * - Rejected\n     - 2021-05-04"),
        (".md", "# Titles\n\n<p>Status &rarr; Rejected</p>"),
        (".md", "# Titles\n\n![Status](https://img.example.org/badge/status-rejected-red.svg)"),
        (".md", "# Titles\n\n<table>\n<tr><td>Status</td><td>Rejected</td></tr>"),
        (".md", "# Titles\n\nStatus → Rejected"),
        (".rst", "Titles\n======\n\n|status| Rejected"),
    ],
)
def test_a_status_that_cannot_be_read_is_not_taken_for_accepted(suffix, head):
    one = read(head + BODY[suffix], f"docs/adr/0004-titles{suffix}")
    assert one.standing in {"rejected", ""}
    assert one.standing or one.problem


def test_prose_about_a_status_is_none():
    for said in ("The status of a job is shown.", "Jobs have a status.", "It tells the state of a list."):
        assert read(f"# Titles\n\n{said}{BODY['.md']}").standing == "accepted"


def test_an_unknown_status_is_told_and_none_counts_as_decided():
    body = "## Decision\n\nTitles are short.\n"
    odd = read(f"# Titles\n\nStatus: purple\n\n{body}")
    assert odd.standing == ""
    assert "'purple'" in odd.problem
    assert read(f"# Titles\n\n{body}").standing == "accepted"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Superseded by ADR-12", (RelationType.SUPERSEDES, True, 12)),
        ("Superseded: 2024-05-01 by ADR 12", (RelationType.SUPERSEDES, True, 12)),
        ("Superseded by 12", (RelationType.SUPERSEDES, True, 12)),
        ("**Supersedes**: ADR 3 §7 on retries", (RelationType.REFINES, False, 3)),
        ("Depends on [ADR-5: Keys](./0005-keys.md)", (RelationType.DEPENDS_ON, False, "adr/0005-keys")),
        ("Related to ADR 6", (RelationType.RELATED, False, 6)),
        ("Clarified by [8. Names](0008-names.md)", (RelationType.REFINES, True, "adr/0008-names")),
    ],
)
def test_what_a_record_says_of_others(line, expected):
    one = read(f"# 4. Titles\n\n## Status\n\nAccepted\n\n{line}\n", "adr/0004-titles.md")
    assert [(m.type, m.backwards, m.target) for m in one.mentions] == [expected]


@pytest.mark.parametrize(
    ("written", "first", "month", "number"),
    [
        ("05/02/2024", (3, 1), 2, 5), ("05/02/2024", (5, 3), 5, 2), ("28/02/2024", (3, 1), 2, 28),
        ("02/28/24", (3, 1), 2, 28), ("", (3, 1), 3, 1),
    ],
)  # fmt: skip
def test_a_date_is_read_by_the_files_history(written, first, month, number):
    committed = datetime(2024, *first, tzinfo=UTC)
    text = f"# 4. Titles\n\nDate: {written}\n\n## Decision\n\nTitles are short.\n"
    one = dated(read(text), FileHistory(committed, "c", committed))
    assert one.date == datetime(2024, month, number, tzinfo=UTC)


def test_what_an_addendum_says_of_something_else_is_not_said_of_the_record():
    head = "# 20. Alerts\n\nStatus: Accepted\n\n## Decision\n\nAlerts are few.\n\n"
    later = "- Item 27 (a shared volume) is fully\n  superseded by ADR 19 - it has its own.\n"
    for heading in ("## Addendum of May\n\n", "### Items\n\n", "## Consequences\n\n"):
        one = read(head + heading + later, "docs/adr/0020-alerts.md")
        assert one.standing == "accepted"
        assert not any(m.stated for m in one.mentions)
    own = read(head + "## Consequences\n\nRules are in one file. This\nsupersedes **ADR 19** on rules.\n")
    assert any(m.stated and m.target == 19 for m in own.mentions)
    above = read("# 20. Alerts\n\nStatus: Accepted\nSupersedes: ADR 19\n\n## Decision\n\nAlerts are few.\n")
    assert any(m.stated and m.target == 19 for m in above.mentions)


def test_a_record_that_only_occurs_in_the_text_is_a_reference():
    one = read("# 4. Titles\n\n## Decision\n\nThe store replaces what ADR 3 described.\n")
    assert [(m.type, m.target, m.stated) for m in one.mentions] == [(RelationType.REFERENCES, 3, False)]


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("adr/template.md", "# Title\n\n## Status\n\nProposed\n\n## Decision\n\nx\n", "a template"),
        (
            "adr/template.md", "# Name\n\n## Status\n\nProposed\n\n## Decision\n\nWhat is done?\n",
            "a template",
        ),
        ("adr/0000-new.md", "# {short title}\n\n## Decision\n\nx\n", "a template"),
        ("adr/0000-new.md", "# New\n\nStatus: proposed | accepted | rejected\n", "a template"),
        (
            "docs/adr/template.md",
            "# ADR template\n\n## Status\n\nProposed\n\n## Decision\n\nWe will do it.\n", "a template",
        ),
        (
            "docs/adr/nnnn-title.md", "# A title\n\n## Status\n\nTBD\n\n## Decision\n\nWe will do it.\n",
            "a template",
        ),
        (
            "docs/adr/0000-start.md",
            "# XXXX Short title\n\nStatus: proposed\n\n## Decision\n\nWe will do it.\n", "a template",
        ),
        (
            "docs/adr/0000-new.md",
            "# A title\n\nStatus: proposed\nDate: YYYY-MM-DD\n\n## Decision\n\nWe do it.\n", "a template",
        ),
        (
            "docs/adr/NNNN-title.md", "# NNNN-title\n\n## Status\n\nAccepted\n\n## Decision\n\nWe do it.\n",
            "a template",
        ),
        ("adr/README.md", "# Records\n\n## Status\n\nAccepted\n", "index"),
        ("adr/notes.md", "# Notes\n\nBring cake.\n", "no decision record"),
    ],
)  # fmt: skip
def test_what_is_no_record(path, text, reason):
    found = read_record(path, text)
    assert isinstance(found, Skipped)
    assert reason in found


@pytest.mark.parametrize("name", ["0012-mail-template.md", "template.md", "README.md", "index.md"])
def test_a_files_name_says_nothing_of_a_record_that_has_a_status_and_a_decision(name):
    assert read(NYGARD, f"adr/{name}").standing == "accepted"


def numbered(number, status, more="", name="x"):
    text = f"# {number}. Title {number}\n\n## Status\n\n{status}\n\n{more}\n\n## Decision\n\nDo {number}.\n"
    return read(text, f"adr/{number:04}-{name}.md")


def test_records_together_know_who_took_whose_place():
    whole = collected(
        [
            numbered(1, "Accepted"),
            numbered(2, "Superseded by ADR 3"),
            numbered(3, "Accepted", "Supersedes ADR 1"),
            numbered(4, "Proposed", "Supersedes ADR 3"),
            numbered(5, "Accepted", "Supersedes ADR 99"),
        ]
    )
    assert whole.successors == {"adr/0001-x": "adr/0003-x", "adr/0002-x": "adr/0003-x"}
    assert [path for path, _ in whole.problems] == ["adr/0005-x.md"]


@pytest.mark.parametrize(
    "status",
    [
        "Accepted. Amended by ADR 2.",
        "Accepted, partially superseded by ADR 2",
        "Superseded in part by ADR 2",
        "Accepted\n\nThe naming section is superseded by ADR 2.",
    ],
)
def test_the_end_of_a_part_is_not_the_end_of_the_record(status):
    whole = collected([numbered(1, status), numbered(2, "Accepted")])
    assert whole.successors == {}
    assert {one.type for one in whole.edges} == {RelationType.REFINES}


def test_a_record_that_says_itself_that_it_was_amended_is_not_superseded_by_the_others_word():
    whole = collected(
        [numbered(1, "Accepted. Amended by ADR 2."), numbered(2, "Accepted", "Supersedes ADR 1")]
    )
    assert whole.successors == {}


def test_records_that_take_each_others_place_are_told():
    whole = collected(
        [numbered(1, "Accepted", "Supersedes ADR 2"), numbered(2, "Accepted", "Supersedes ADR 1")]
    )
    assert len(whole.successors) == 1
    assert "each other" in whole.problems[0][1]


def test_a_number_that_several_records_have_is_no_guess():
    twins = [numbered(7, "Accepted", name="a"), numbered(7, "Accepted", name="b")]
    whole = collected([*twins, numbered(8, "Accepted", "Supersedes ADR 7")])
    assert (whole.edges, whole.successors) == ([], {})
    assert "several" in whole.problems[0][1]


@given(
    st.lists(
        st.sampled_from(
            [
                *NYGARD.splitlines(), *MADR.splitlines(), *RST.splitlines(), *ADOC.splitlines(), Y, "```",
                "|", "\x0b",
            ]
        ),
        max_size=60,
    ),
    st.sampled_from([".md", ".rst", ".adoc"]),
)  # fmt: skip
def test_any_text_is_a_record_or_is_left_out_with_a_reason(lines, suffix):
    found = read_record(f"adr/0001-any{suffix}", "\n".join(lines))
    if isinstance(found, Record):
        assert found.title
        assert max(map(len, (found.context, found.decision))) <= 2_000
        collected([found])
    else:
        assert found


@pytest.mark.parametrize(
    "piece", ["[a](", "a/", "**", "ADR 1 and 2 ", "in the context of facing to ", "<a ", "- a\n"]
)
@pytest.mark.parametrize("times", [100, pytest.param(20_000, marks=pytest.mark.full)])
def test_a_text_that_repeats_one_thing_is_read_to_its_end(piece, times):
    text = piece * times
    assert read_record("adr/0001-any.md", f"# T\n\n## Status\n\n{text}\n\n## Decision\n\n{text}")


class Counted(list):
    """Lines that count how many of them were given out."""

    given = 0

    def __getitem__(self, key):
        found = super().__getitem__(key)
        self.given += len(found) if isinstance(key, slice) else 1
        return found


@pytest.mark.parametrize(
    "line", ["", "text", "<table>", "<dl>", "[source]", "|===", "== ==", "+--+", ".. x::", "status"]
)
@pytest.mark.parametrize("suffix", [".md", ".rst", ".adoc"])
def test_lines_are_looked_at_a_few_times_however_many_there_are(line, suffix):
    lines = Counted(Line(number, line if number % 2 else "") for number in range(3_000))
    assert list(_in_rows(lines, suffix))
    assert lines.given < 12 * len(lines)
    texts = Counted(one.text for one in lines)
    assert list(_parts_listed(texts))
    assert texts.given < 12 * len(texts)


def test_of_many_blank_lines_a_few_are_kept():
    (blank,) = outline("\n" * 100_000).sections
    assert len(blank.lines) < 5
    text = "# 1. A\n\n## Status\n{0}\nAccepted\n{0}\n## Decision\n{0}\nWe use it.\n"
    for suffix in ("md", "rst", "adoc"):
        path = f"adr/0001-a.{suffix}"
        few, many = (read_record(path, text.format("\n" * number)) for number in (1, 500))
        assert isinstance(few, Record)
        assert isinstance(many, Record)
        assert replace(few, lines=0) == replace(many, lines=0)


@given(st.text(max_size=400))
def test_no_text_breaks_the_reader(text):
    assert read_record("adr/0001-any.md", f"# Status\n\n{text}\n\n## Decision\n{text}")


RECORD = "# ADR 7: One queue\n\n{}\n\n## Decision\n\nAll carriers write to one queue.\n{}"
LOG = "\n## Changelog\n\n* {}\n* {}\n\n## Status\n\nACCEPTED\n"
CHANGES = "| Date | Change |\n|---|---|\n| 2022-05-01 | A typo |\n| 2021-02-01 | {} |\n"


@pytest.mark.parametrize(
    ("above", "below", "date"),
    [
        (LOG.format("2021-03-05: Draft", "2021-06-10: Reworded"), "", "2021-03-05"),
        (LOG.format("2021-06-10: Reworded", "2021-03-05: Draft"), "", "2021-03-05"),
        (LOG.format("2019 Aug 2nd: first", "2020 April 27: more"), "", "2019-08-02"),
        (LOG.format("2021-03-05: Draft", "2021-04-01: Accepted"), "", "2021-04-01"),
        ("Status: accepted\n", "\n## Revision history\n\n" + CHANGES.format("Accepted"), "2021-02-01"),
        ("## Document history\n\n" + CHANGES.format("Begun") + "\n## Status\n\nAccepted", "", "2021-02-01"),
        ("Date: 2020-01-01\n", LOG.format("2021-01-01: reworded", "2022-01-01: more"), "2020-01-01"),
    ],
)
def test_a_changelog_in_a_record_gives_the_day_it_began_or_was_accepted(above, below, date):
    found = read_record("docs/adr/0007-one-queue.md", RECORD.format(above, below))
    assert isinstance(found, Record)
    assert found.date is not None
    assert f"{found.date:%Y-%m-%d}" == date


def test_a_placeholder_of_an_address_in_a_title_is_no_template():
    text = "# 16. Cache for `GET /herds/{id}`\n\nStatus: Accepted\n\n## Decision\n\nHerds are cached.\n"
    assert isinstance(read_record("docs/adr/0016-cache.md", text), Record)


def test_a_decision_about_templates_is_a_record():
    text = "# 4. One template for mails\n\n## Status\n\nAccepted\n\n## Decision\n\nMails have one template.\n"
    assert isinstance(read_record("docs/adr/0004-template-for-mails.md", text), Record)
