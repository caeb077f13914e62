"""The optional language model.

A file for each wire protocol, and the budget that stands before all of them.
"""
