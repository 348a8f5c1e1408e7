"""The one linguistic layer: sentences, words, amounts, and what a language has of its own, as data."""
