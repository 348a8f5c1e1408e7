"""What memories name, looked up in the working tree."""
