"""memgit curates an AI coding agent's memory store and keeps every step reversible with git."""

__version__ = "0.1.0"
