"""The index of a store: its lines, its limits, its drift, and the one written anew."""
