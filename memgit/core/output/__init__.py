"""The shape of what ``--json`` prints."""
