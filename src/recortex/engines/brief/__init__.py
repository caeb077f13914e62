"""The brief that a session starts with: ranked, chosen within a budget, worded as statements."""
