"""Secrets, personal data and steering text: found by shape, masked, taken out."""
