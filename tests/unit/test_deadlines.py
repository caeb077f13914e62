"""What must end in time ends, also while one expression holds the interpreter."""

import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from recortex.deadlines import within

BUSY = "import re; re.match('(?:a|a)*b', 'a' * 200)"
"""An expression that would go on for longer than anybody lives."""


def _seconds(code):
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], timeout=20, check=False, capture_output=True)
    return time.monotonic() - began, done


def test_a_process_ends_while_an_expression_holds_the_interpreter():
    seconds, done = _seconds(f"from recortex.deadlines import Ending; Ending(0.3); {BUSY}")
    assert seconds < 5
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


def test_a_process_that_waits_ends_with_status_0():
    _, done = _seconds("from recortex.deadlines import Ending; Ending(0.3); import time; time.sleep(15)")
    assert done.returncode == 0


def test_an_end_that_was_called_off_does_not_come():
    code = (
        "import time\nfrom recortex.deadlines import Ending\nend = Ending(0.2)\nend.cancel()\ntime.sleep(0.7)"
    )
    _, done = _seconds(f"{code}\nprint('here')")
    assert done.stdout == b"here\n"


def test_work_on_one_file_is_stopped_within_an_expression():
    began = time.monotonic()
    with pytest.raises(TimeoutError), within(0.2):
        re.match("(?:a|a)*b", "a" * 200)
    assert time.monotonic() - began < 3
    with within(5):
        pass
    time.sleep(0.01)


def test_a_limit_within_another_one_leaves_that_alone():
    with pytest.raises(TimeoutError), within(0.2), within(60):
        re.match("(?:a|a)*b", "a" * 200)


def test_work_of_another_thread_is_stopped_too_and_what_ended_in_time_is_left_alone():
    def endless():
        with within(0.2):
            while True:
                pass

    def quick():
        for _ in range(200):
            with within(0.0005):
                sum(range(100))
        return sum(range(2_000_000))

    with ThreadPoolExecutor(1) as threads:
        began = time.process_time()
        with pytest.raises(TimeoutError):
            threads.submit(endless).result(20)
        assert time.process_time() - began < 3
        with suppress(TimeoutError):
            threads.submit(quick).result(20)
        assert threads.submit(sum, range(10)).result(20) == 45


@pytest.mark.parametrize("main", [True, False])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_error_that_was_caught_is_raised_again(main):
    class Busy:
        def __del__(self):
            while True:
                pass

    def work():
        with within(0.1):
            Busy()
            while True:
                pass

    with pytest.raises(TimeoutError), ThreadPoolExecutor(1) as threads:
        work() if main else threads.submit(work).result(20)


def test_a_signal_that_comes_as_the_limit_ends_leaves_nothing_that_comes_again():
    calls = 0

    def at_the_end(_frame, event, function):
        nonlocal calls
        if event == "c_call" and function is signal.setitimer:
            calls += 1
            if calls == 2:
                signal.raise_signal(signal.SIGPROF)

    sys.setprofile(at_the_end)
    try:
        with within(60):
            pass
    finally:
        sys.setprofile(None)
    assert calls == 2
    assert signal.getsignal(signal.SIGPROF) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_a_thread_that_ends_with_its_limit_is_asked_for_its_time_no_more():
    def work(seconds):
        end = time.thread_time() + seconds
        with suppress(TimeoutError), within(seconds):
            while time.thread_time() < end:
                pass

    for number in range(200):
        worker = threading.Thread(target=work, args=(0.0002 + number % 7 * 0.0003,))
        worker.start()
        worker.join()
    while any(one.name == "limit" for one in threading.enumerate()):
        time.sleep(0.01)


@pytest.mark.parametrize("seconds", [0.05, 60])
def test_a_limit_of_a_thread_leaves_an_interpreter_that_goes_on_under_a_profiler(seconds):
    code = f"""
import sys, threading
from contextlib import suppress
from recortex.deadlines import within

def work():
    with suppress(TimeoutError), within({seconds}):
        while {seconds} < 1:
            pass

worker = threading.Thread(target=work)
worker.start()
worker.join()
sys.setprofile(lambda *_: None)
(lambda: None)()
sys.setprofile(None)
print("here")
"""
    _, done = _seconds(code)
    assert done.stdout == b"here\n"


def test_nothing_comes_after_the_limit_of_a_thread():
    """Limits that end about when their work does: an error comes within or not at all."""

    def work(step):
        came = 0
        for number in range(150):
            seconds = 0.0005 + (number + step) % 9 * 0.0002
            end = time.thread_time() + seconds
            try:
                with within(seconds):
                    while time.thread_time() < end:
                        pass
            except TimeoutError:
                came += 1
            sum(range(2000))
        return came

    with ThreadPoolExecutor(3) as threads:
        came = [one.result(60) for one in [threads.submit(work, step) for step in range(3)]]
        assert [threads.submit(sum, range(10)).result(20) for _ in range(9)] == [45] * 9
    assert sum(came) < 450
