"""Importance that follows use: signals, rules and safeguards, as functions of values."""
