"""All that a person, or a reader of ``--json``, sees. stdout is the answer; stderr is progress and warnings.

Functions that end a command return its exit code.
"""
