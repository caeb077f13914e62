"""An edit of a function brings what is known of it, and what the functions that call it rely on."""

import json
import subprocess

from agents.knowledge import standing
from agents.script import Call

EDITS = ("--allowedTools", "Read", "Edit")
TAX = '''"""Totals."""


def rounded_total(lines):
    total = sum(lines)
    return round(total, 2)


def invoice_header():
    return "Invoice"
'''
REPORT = """from tax import rounded_total


def monthly_report(months):
    return [rounded_total(month) for month in months]
"""
ABOUT = "`rounded_total` rounds once, at the end: the tax office counts cents per invoice."
CALLER = "`monthly_report` must get plain numbers: the template adds the currency."


def committed(project):
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("add", "."), ("commit", "-qm", "invoices")):
        subprocess.run(["git", *who, *words], cwd=project, check=True, capture_output=True)


def test_an_edit_brings_what_is_known_of_the_function_and_of_its_callers(newest):
    file = newest.project / "tax.py"
    file.write_text(TAX)
    (newest.project / "report.py").write_text(REPORT)
    committed(newest.project)
    others = [one | {"kind": "tribal"} for one in standing(80)]  # what the brief has room for
    (newest.project / "rows.json").write_text(json.dumps(others))
    newest.memory("remember_many", "@rows.json")
    for text in (ABOUT, CALLER):
        newest.memory("remember", text, "--kind", "tribal", "--importance", "low")
    first = newest.session(["hello"], ["hello"])
    assert first.unharmed, first
    newest.settle()

    edits = [
        [Call("Read", {"file_path": str(file)})],
        [Call("Edit", {"file_path": str(file), "old_string": '"Invoice"', "new_string": '"Bill"'})],
        [Call("Edit", {"file_path": str(file), "old_string": "total, 2", "new_string": "total, 3"})],
        "done",
    ]
    ran = newest.session(["Round to three digits."], edits, words=EDITS)
    assert ran.unharmed, ran
    told = ran.given("PreToolUse")
    # The file brings what hangs on it; only the edit of the function brings what its caller relies on.
    assert [ABOUT in text for text in told] == [True, False]
    assert CALLER not in told[0]
    assert CALLER in told[1]
    assert "(about a caller of rounded_total)" in told[1]
    assert "total, 3" in file.read_text()
