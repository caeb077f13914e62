"""What instruction files say, and whether a statement is written there already."""
