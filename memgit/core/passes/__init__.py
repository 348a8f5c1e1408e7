"""A pass on paper: its record, its JSON, its commit message, and which passes stand."""
