"""Words of any language: what counts as one, stems, stop words, synonyms; languages; counts of tokens."""
