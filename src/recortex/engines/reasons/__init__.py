"""Why something is as it is: what accounts for it, in sentences with their evidence."""
