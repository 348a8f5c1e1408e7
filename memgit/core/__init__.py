"""The rules: values in, values and their reasons out. No I/O."""
