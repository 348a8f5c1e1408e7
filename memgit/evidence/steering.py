"""What text looks like that tries to steer the agent that reads it, instead of telling it a fact."""

from __future__ import annotations

import re

CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
BIDI = "\u202a-\u202e\u2066-\u2069"
HIDDEN = "\u200b\u2060-\u2064\ufeff\u180e\U000e0000-\U000e007f\U000e0100-\U000e01ef"

_TAGS = (
    r"system-reminder|command-(?:name|message|args)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)"
    r"|task-notification|function_calls|function_results|tool_use_error|tool_result|tool_use|user-prompt-submit-hook"
)
_ROLE_TAG = (
    r"</?(?:system|assistant|human|developer)>|</user>|<\|(?:im_start|im_end|system|user|assistant|end|eot_id"
    r"|start_header_id|endoftext)\|>|\[/?INST\]|<</?SYS>>"
)
_FRAMING = (
    r"^[ \t>*]{0,8}(?:(?:Human|Assistant)\*{0,2}:(?=\s|$)"
    r"|#{2,3} ?(?:System|Instruction|Assistant|Human):[ \t]*$"
    r"|(?:System|SYSTEM|Developer)(?: (?:message|prompt|note|override|instruction))?\*{0,2}:\*{0,2}[ \t]*"
    r"(?=[^\n]{0,120}\b(?:[Yy]ours?|[Yy]ou|[Ii]gnore|[Dd]isregard|[Ff]orget|[Aa]lways|[Nn]ever|[Mm]ust|[Dd]o not)\b))"
)
_OVERRIDE = (
    r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|every|the|your|these|those|of)\s+){0,3}"
    r"(?:previous|prior|above|earlier|preceding|former|existing|system|safety|other)\s+"
    r"(?:(?:user|system|developer|safety)\s+)?(?:instructions?|prompts?|rules|guidelines|directions|directives|messages)\b"
    r"|\byou\s+are\s+now\s+(?:in\s+)?(?:an?\s+|the\s+)?(?:unrestricted|jailbroken|developer\s+mode|DAN\b|root\s+mode)"
    r"|\b(?:new|updated|real)\s+system\s+(?:prompt|instructions?)\s*:"
)
_PLANTING = (
    r"\b(?:please\s+)?(?:remember|memori[sz]e)\s+(?:this|the\s+following|these)\s+(?:\w+\s+)?(?:rules?|instructions?|commands?)\b"
    r"|\b(?:add|save|store|write|put|commit)\s+(?:this|the\s+following|these)\s+(?:\w+\s+){0,2}?(?:in|to|into)\s+"
    r"(?:your|the\s+agent'?s|claude'?s|long[- ]term)\s+memor(?:y|ies)\b"
)
_SEND = r"(?:send|post|upload|forward|transmit|exfiltrate|e-?mail|copy|leak)"
_PLACE = r"(?:https?://|ftp://|\b[\w.+-]{1,64}@[\w-]{1,64}\.\w)"
_PRIVATE = (
    r"(?:secrets?|tokens?|credentials?|passwords?|api\s+keys?|private\s+keys?|\.env\b|env(?:ironment)?\s+(?:variables|vars|files?)"
    r"|conversations?|transcripts?|chat\s+history|source\s+code)"
)
_EXFILTRATION = (
    rf"\b(?:always|whenever|every\s+time|each\s+time|after\s+(?:each|every))\b[^.!?\n]{{0,80}}?\b{_SEND}\b[^!?\n]{{0,120}}?{_PLACE}"
    rf"|\b{_SEND}\b[^.!?\n]{{0,60}}?\b{_PRIVATE}[^!?\n]{{0,80}}?{_PLACE}"
)
_CONCEALMENT = (
    r"\bwithout\s+(?:telling|informing|notifying|asking|alerting)\s+the\s+user\b"
    r"|\b(?:do\s+not|don'?t|never)\s+(?:tell|inform|alert|notify)\s+the\s+user\s+(?:about\s+)?(?:this|that\s+you|it\b|of\s+this)"
    r"|\b(?:do\s+not|don'?t|never)\s+(?:tell|inform|alert|notify)\s+the\s+user[^\S\n]*(?:[.!,;)]|-->|$)"
    r"|\b(?:do\s+not|don'?t|never)\s+(?:mention|reveal|disclose)\s+(?:this|these|it)\b[^.\n]{0,40}\bto\s+the\s+user\b"
)
_DOWNLOADED = (
    r"\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n|]{0,200}\|\s*(?:sudo\s+(?:-\w+\s+)*)?(?:env\s+)?"
    r"(?:/(?:usr/)?bin/)?(?:(?:ba|z|da|k|fi)?sh|python3?|perl|ruby|node|iex)\b"
    r"|\b(?:(?:ba|z|da)?sh|eval|source|\.)\s+(?:-c\s+)?[\"']?(?:<\(|\$\()\s*(?:curl|wget)\b"
)

MARK_UP: tuple[tuple[str, str, re.RegexFlag], ...] = (
    ("control character", f"[{CONTROL}]", re.NOFLAG),
    ("hidden character", f"[{HIDDEN}]|(?<=[A-Za-z])[\u200c\u200d](?=[A-Za-z])", re.NOFLAG),
    ("text direction override", f"[{BIDI}]", re.NOFLAG),
    ("harness tag", rf"</?(?:antml:\w+|{_TAGS})\b[^<>\n]{{0,200}}>", re.IGNORECASE),
    ("role tag", _ROLE_TAG, re.IGNORECASE),
)
"""What is told by characters and tags, whatever the words say: each kind with its pattern."""

STEERING_WORDS: tuple[tuple[str, str, re.RegexFlag], ...] = (
    ("role framing", _FRAMING, re.MULTILINE),
    ("instruction override", _OVERRIDE, re.IGNORECASE),
    ("memory planting", _PLANTING, re.IGNORECASE),
    ("exfiltration", _EXFILTRATION, re.IGNORECASE),
    ("concealment", _CONCEALMENT, re.IGNORECASE | re.MULTILINE),
    ("download run in a shell", _DOWNLOADED, re.IGNORECASE),
)
"""What only reads like it: marked, and neither refused nor withheld for it."""
