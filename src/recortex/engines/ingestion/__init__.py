"""From a draft to a memory that is kept: redacted, normalised, compared with what is known."""
