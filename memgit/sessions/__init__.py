"""One module per transcript format, and the search for a project's sessions."""
