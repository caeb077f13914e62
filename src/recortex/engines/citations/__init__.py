"""What became of a cited place of code: fresh, moved, changed or gone."""
