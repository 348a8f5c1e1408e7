"""One memory file: read, written back, named, linked."""
