"""The vocabulary: frozen values and enums, standard library only, no I/O."""
