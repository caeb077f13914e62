"""Asking a language model: what may be sent, how it is asked, and what of its answer is believed."""
