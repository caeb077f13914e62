"""Counting tokens, and dividing a budget of them."""
