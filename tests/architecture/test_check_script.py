"""How the checks of the project are run and told."""

import os

import check

SLOW = ("python", "-c", "print('tests begin', flush=True); import time; time.sleep(.3); print('tests end')")


def test_what_runs_beside_the_tests_is_told_whole_after_them(capfd):
    beside = [("python", "-c", f"print('{name} 1'); print('{name} 2')") for name in ("types", "imports")]
    assert check.run([SLOW], beside, os.environ) == 0
    told = [line for line in capfd.readouterr().out.splitlines() if not line.startswith(("==", "--"))]
    assert told == ["tests begin", "tests end", "types 1", "types 2", "imports 1", "imports 2"]


def test_each_that_fails_is_named_and_the_first_gives_the_exit_code(capfd):
    beside = [("python", "-c", f"import sys; sys.exit('no {code}' if {code} else {code})") for code in (0, 3)]
    assert check.run([SLOW], beside, os.environ) == 1
    assert check.run([(*SLOW[:2], "raise SystemExit(5)")], beside, os.environ) == 5
    told = capfd.readouterr().out
    assert told.splitlines().count("no 3") == 2
    assert [line for line in told.splitlines() if line.startswith("FAILED")][1:] == [
        "FAILED: python -c raise SystemExit(5)",
        f"FAILED: {' '.join(beside[1])}",
    ]


def test_nothing_follows_a_step_that_fails(capfd):
    assert check.run([("python", "-c", "raise SystemExit(2)"), SLOW], [SLOW], os.environ) == 2
    assert "tests begin" not in capfd.readouterr().out
