"""Reads decision records: files in which a project wrote down what it decided, and why."""
