"""The facade and the only composition root."""
