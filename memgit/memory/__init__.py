"""One memory file, the index, and a whole store as values: read, changed, written, merged. No I/O."""
