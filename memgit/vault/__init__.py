"""The vault: a bare side repository that holds a store's whole history, one operation after the other."""

from __future__ import annotations

from memgit.vault.layout import vault_folder
from memgit.vault.log import Standing
from memgit.vault.repository import Vault
from memgit.vault.transaction import Transaction

__all__ = ["Standing", "Transaction", "Vault", "vault_folder"]
