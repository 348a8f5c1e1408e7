"""What a prune finds: copies, near copies, and what keeps two texts apart."""
