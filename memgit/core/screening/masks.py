"""What stands where a secret stood. Apart from what finds secrets, because most who print need no more than this."""

from __future__ import annotations

import re

MASK = re.compile(r"\[masked: [A-Za-z0-9 -]+\]")
"""The marker that stands where a secret stood."""

Span = tuple[int, int, str]
"""Where something stands in a text, and its kind."""
