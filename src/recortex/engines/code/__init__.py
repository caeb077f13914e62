"""What calls what, what matters most, what is used and how it is written: from facts of files alone."""
