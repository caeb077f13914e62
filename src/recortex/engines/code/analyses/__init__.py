"""Questions that facts answer: tests of a file, cycles, risky calls, routes without a guard, wrappers."""
