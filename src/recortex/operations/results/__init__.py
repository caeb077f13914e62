"""What operations give back, where a domain value alone does not say it.

A module for each group of operations.
"""
