"""What operations give back, where a domain value alone does not say it: a module for each group of operations."""
