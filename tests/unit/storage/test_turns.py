"""Whose turn it is: threads that wait for a place are served in the order in which they came."""

import threading

from recortex.storage.postgres.pool import Turns

LONGEST_SECONDS = 300


def test_who_waits_longest_is_next_however_quick_the_others_are():
    turns, done = Turns(2), threading.Event()

    def greedy():
        while not done.is_set():
            assert turns.acquire(LONGEST_SECONDS)
            turns.release()

    threads = [threading.Thread(target=greedy) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(200):
            assert turns.acquire(LONGEST_SECONDS)
            turns.release()
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert turns.acquire(0)
    assert turns.acquire(0)
    assert not turns.acquire(0.01)
    turns.release()
    assert turns.acquire(0)
