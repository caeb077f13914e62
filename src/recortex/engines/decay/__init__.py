"""Decay of confidence, and archiving and pruning what has faded."""
