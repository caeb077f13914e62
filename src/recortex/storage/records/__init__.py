"""Where memories are kept, in records: what both engines share."""
