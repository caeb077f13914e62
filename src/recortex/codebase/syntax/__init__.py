"""Facts of source files, read with tree-sitter: the extra `code`. Nothing here is imported by hooks."""
