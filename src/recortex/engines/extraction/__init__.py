"""Finds by rules what a session taught: `extractor.extract` makes candidates of turns."""
