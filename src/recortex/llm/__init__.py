"""The optional language model: a file for each wire protocol, and the budget that stands before all of them."""
