"""Who spoke, and what may be cited of it."""
