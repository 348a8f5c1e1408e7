"""``python -m memgit`` is the command ``memgit``."""

from memgit._entry import main

if __name__ == "__main__":  # processes that read beside this one import it again
    main()
