"""The lines memgit keeps in the settings of the agent's client."""
