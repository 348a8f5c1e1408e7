"""One module per store shape: reading a live store, finding it, installing into it."""
