"""The project's working tree, with git or without."""
