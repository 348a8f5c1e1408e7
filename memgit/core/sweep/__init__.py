"""The rules of a sweep: what a memory of a beads store is, where it belongs, and what becomes of it."""
