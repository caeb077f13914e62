"""Documents: reads their text, cuts it into chunks, and guesses what each is about."""
