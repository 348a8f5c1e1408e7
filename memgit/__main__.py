"""``python -m memgit`` is the command ``memgit``."""

from memgit._entry import main

main()
