"""What should never have been saved."""

TRIVIA = "passing state"
