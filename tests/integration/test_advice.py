"""`warnings` and `suggest` on a real store."""

from datetime import UTC, datetime, timedelta

import pytest

from recortex import Cortex
from recortex.errors import InvalidInputError

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def clock():
    return [NOW]


@pytest.fixture
def cortex(tmp_path, monkeypatch, clock):
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "pay.py").write_text("def pay():\n    return 1\n")
    monkeypatch.chdir(folder)
    with Cortex.open(folder, url=f"sqlite:///{tmp_path}/c.db", clock=lambda: clock[0]) as opened:
        yield opened


def test_the_gravest_warning_comes_first_and_the_same_is_said_once(cortex):
    cortex.remember("Refunds are not idempotent", kind="tribal", files=["src/pay.py"])
    cortex.remember(
        "Refunds are not really idempotent", kind="incident", files=["src/pay.py"], importance="low"
    )
    grave = cortex.remember(
        "Never retry a charge", kind="tribal", importance="critical", files=["src/pay.py"]
    )
    found = cortex.warnings(["src/pay.py"])
    assert [one.severity for one in found.warnings] == ["critical", "warning"]
    assert found.warnings[0].id == grave.id
    assert found.warnings[0].about == ("src/pay.py",)
    assert found.warnings[0].freshness == "fresh"


def test_a_folder_and_a_focus_are_looked_at_and_advice_comes_along(cortex):
    content = {"description": "Money as a float", "suggestion": "Use Decimal", "severity": "error"}
    cortex.remember(kind="code_smell", content=content)
    cortex.remember("The ledger is written twice", kind="incident", files=["src/pay.py"])
    by_focus = cortex.warnings(focus="money as a float in payments").warnings
    assert [one.severity for one in by_focus] == ["error"]
    assert "Use Decimal" in by_focus[0].text + by_focus[0].advice
    assert [one.kind for one in cortex.warnings(["src/"]).warnings] == ["incident"]
    assert cortex.warnings(["src/other.py"]).warnings == ()


def test_what_is_related_stale_or_waiting_is_suggested(cortex, tmp_path, clock):
    stale = cortex.remember("pay returns 1", kind="semantic", files=["src/pay.py:2"])
    how = cortex.remember("Charge, then write the ledger", kind="procedural", files=["src/pay.py"])
    other = cortex.remember("The ledger is append-only", kind="decision")
    cortex.link(how.id, other.id, relation="requires")
    (tmp_path / "project" / "src" / "pay.py").write_text("def pay():\n    return 2\n")
    found = {one.id: one.reason for one in cortex.suggest(["src/pay.py"]).suggestions}
    assert found[stale.id] == "check"
    assert found[other.id] == "related"
    clock[0] = NOW + timedelta(days=400)
    late = {
        one.id: one.because for one in cortex.suggest(["src/pay.py"], focus="charge the ledger").suggestions
    }
    assert "confirmed" in late[how.id] or "cites" in late[how.id]


@pytest.mark.parametrize("wrong", [{}, {"files": ["a"] * 51}, {"focus": "x", "limit": 0}])
def test_what_cannot_be_used_is_refused(cortex, wrong):
    with pytest.raises(InvalidInputError):
        cortex.warnings(**wrong)


def test_what_recall_knows_of_the_work_is_suggested(cortex, tmp_path):
    ledger = cortex.remember("Refunds are booked in the ledger of the day before", kind="semantic")
    about = cortex.remember("Amounts are whole cents", kind="tribal", files=["src/pay.py"])
    cortex.remember("The office plants are watered on Mondays", kind="semantic")
    guide = tmp_path / "project" / "refunds.md"
    guide.write_text("# Refunds\n\nA refund is approved by two clerks before the bank gets its file.\n")
    cortex.ingest(["refunds.md"])
    found = cortex.suggest(["src/pay.py"], focus="refunds in the ledger, approved by clerks").suggestions
    assert {one.id for one in found} >= {ledger.id, about.id}
    assert [(one.text, one.because) for one in found if one.kind == "document"] == [
        ("Refunds", "in refunds.md:1")
    ]
    assert not [one for one in found if "plants" in one.text]
    assert [one.id for one in cortex.suggest(["src/pay.py"]).suggestions] == [about.id]
    assert cortex.suggest(focus="paint the fence").suggestions == ()


def test_what_fits_the_task_comes_before_what_is_only_linked_to_it(cortex, tmp_path):
    fits = [
        cortex.remember("Refunds are booked in the ledger of the day before", kind="semantic"),
        cortex.remember("A refund over 500 euros needs two clerks", kind="semantic"),
    ]
    linked = [
        cortex.remember(f"Report {one} is sent to the office in {one}", kind="semantic") for one in "AB"
    ]
    for one in linked:
        cortex.link(fits[0].id, one.id, relation="supports")
    guide = tmp_path / "project" / "refunds.md"
    guide.write_text("# Refunds\n\nA refund is approved by two clerks before the bank gets its file.\n")
    cortex.ingest(["refunds.md"])
    found = cortex.suggest(focus="refunds, booked in the ledger by clerks").suggestions
    assert {one.id for one in found[:2]} == {one.id for one in fits}
    assert found[2].kind == "document"
    assert {one.id for one in found[3:]} == {one.id for one in linked}


def test_an_exception_is_told_with_the_files_that_it_holds_for(cortex):
    content = {
        "constraint_name": "no network in tests",
        "scope_type": "directory",
        "scope_target": "tests/contract/",
        "reason": "They check the bank's sandbox.",
    }
    one = cortex.remember(kind="constraint_override", content=content)
    (found,) = cortex.warnings(["tests/contract/test_pay.py"]).warnings
    assert (found.id, found.about) == (one.id, ("tests/contract/test_pay.py",))
    assert cortex.warnings(["tests/test_pay.py"]).warnings == ()
    cortex.remember("Never call `requests` in tests, the network is slow", kind="tribal")
    code = "answer = requests.get(url)"
    told = cortex.generation_context("test", files=["tests/contract/test_pay.py"], code=code)
    assert told.conflicts == ()
    assert cortex.generation_context("test", files=["tests/test_pay.py"], code=code).conflicts


def test_of_two_that_contradict_each_other_the_later_is_told_alone(cortex, clock):
    earlier = cortex.remember("Never retry a charge", kind="tribal", files=["src/pay.py"])
    clock[0] += timedelta(days=1)
    later = cortex.remember("Charges that time out are sent again", kind="tribal", files=["src/pay.py"])
    other = cortex.remember("The ledger is append-only", kind="decision", files=["src/ledger.py"])
    cortex.link(other.id, earlier.id, relation="requires")
    cortex.link(later.id, earlier.id, relation="contradicts")
    assert [one.id for one in cortex.warnings(["src/pay.py"]).warnings] == [later.id]
    assert earlier.id not in {one.id for one in cortex.suggest(["src/pay.py"]).suggestions}
    assert earlier.id not in {one.id for one in cortex.suggest(["src/ledger.py"]).suggestions}
    assert "Never retry" not in cortex.generation_context("charges", files=["src/pay.py"]).text
