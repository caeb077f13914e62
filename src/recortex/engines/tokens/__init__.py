"""Counting tokens, and dividing a budget of them (A, crate 2)."""
