"""Facts of one session on their way into a store."""
