"""Pages and screens."""
