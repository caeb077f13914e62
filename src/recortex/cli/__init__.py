"""Operations as verbs of a command line."""
