"""The optional language model: a module for each protocol, behind one budget."""
