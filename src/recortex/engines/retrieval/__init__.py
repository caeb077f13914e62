"""Recall: gather candidates by words and vectors, score them, and answer if the store can."""
