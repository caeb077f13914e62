"""Recall: gather candidates by words and by vectors, score them, and answer only what the store can answer."""
