"""A whole store as a value: its hash, its changes, its merge with another, the store that decisions make of it."""
