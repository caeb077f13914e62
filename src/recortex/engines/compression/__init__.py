"""Writing memories shorter, and packing them into a budget of tokens."""
