"""What follows from facts about code: who calls whom, what a project is built with, how it is written."""
