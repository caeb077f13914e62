"""Which frameworks, object mappers and practices a project uses: rules in TOML, a file for each."""
