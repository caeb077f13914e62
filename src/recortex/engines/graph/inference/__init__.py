"""Finds what probably led to what: six strategies that are weighed, and sequences that sessions show.

`strategies/` has a file for each of the specification's six signals, `sequences/` one for each course of
events. A relation needs a sequence, or an explicit reference, and enough of the signals (`scorer.py`).
"""
