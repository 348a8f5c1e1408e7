"""What is known of the use of memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Recalls:
    """When agents last read or wrote memories, by id, as far as transcripts show. ``sessions`` were looked through, the
    earliest from ``since``. Without a single recall there is no signal, and silence means nothing; unless the store
    itself is ``counting`` them. ``cited`` are references that the store keeps beside the texts, by id; ``lacks`` says
    which signal it would have to keep for anybody to tell that a memory is not used."""

    last: Mapping[str, datetime] = field(default_factory=dict)
    sessions: int = 0
    since: datetime | None = None
    counting: bool = False
    cited: Mapping[str, int] = field(default_factory=dict)
    lacks: str = ""

    @property
    def of_store(self) -> bool:
        """Whether the store itself says what is used, or would have to; else transcripts do."""
        return self.counting or bool(self.lacks)

    def covers(self, moment: datetime) -> bool:
        """Whether transcripts show recalls, and reach back to a moment."""
        return self.counting or (bool(self.last) and self.since is not None and self.since <= moment)
