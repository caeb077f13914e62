"""What the person says again in session after session: the wishes in their messages, matched and worded."""
