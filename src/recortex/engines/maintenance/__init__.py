"""Maintenance of a store: due jobs, growth, and summaries of the audit log."""
