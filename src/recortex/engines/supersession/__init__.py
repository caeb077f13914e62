"""What a new statement means for what is known: whether it replaces it, who may do so, and whom it concerns."""
