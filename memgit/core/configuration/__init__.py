"""What a user or a project sets once and need not say again: the keys, what they take, and which file wins."""
