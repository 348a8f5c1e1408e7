"""What secrets look like: token shapes by issuer, and values that stand after a key that names a secret."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_LEFT = r"(?<![A-Za-z0-9_])"
_RIGHT = r"(?![A-Za-z0-9_])"


def _always(_: re.Match[str]) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of secret. ``gates`` are literals (lower case) of which one must stand in the lowered
    text before the pattern is tried at all; the group ``secret``, where there is one, is what gets masked.

    The pattern is compiled when a gate first opens: a hook that meets no secret does not wait for it.
    """

    kind: str
    gates: tuple[str, ...]
    pattern: str
    is_secret: Callable[[re.Match[str]], bool] = _always
    flags: re.RegexFlag = re.NOFLAG

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """Where the secret stands in a text that opens one of the gates."""
        return filter(self.is_secret, re.compile(self.pattern, self.flags).finditer(text))


def _token(kind: str, gates: str, pattern: str, is_secret: Callable[[re.Match[str]], bool] = _always) -> Shape:
    return Shape(kind, tuple(gates.split()), f"{_LEFT}(?:{pattern}){_RIGHT}", is_secret)


def _has_digit(match: re.Match[str]) -> bool:
    return any(char.isdigit() for char in match["secret"] if char.isascii())


_TOKENS = (
    _token("AWS access key", "akia asia abia acca", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    _token("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    _token("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    _token("GitLab token", "gl", r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct|oas)-[A-Za-z0-9_-]{20,}"),
    _token("Slack token", "xox xapp-", r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{12,}"),
    _token(
        "Slack webhook", "hooks.slack.com", r"https://hooks\.slack\.com/(?:services|workflows)/(?P<secret>[\w/-]{20,})"
    ),
    _token(
        "Discord webhook", "/api/webhooks/", r"https://discord(?:app)?\.com/api/webhooks/(?P<secret>\d+/[\w-]{30,})"
    ),
    _token("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _token("Stripe webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/]{24,}=*"),
    _token("Google API key", "aiza", r"AIza[A-Za-z0-9_-]{35}"),
    _token("Google OAuth token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,}"),
    _token("Google client secret", "gocspx-", r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    _token("Anthropic key", "sk-ant-", r"sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{20,}"),
    _token("OpenRouter key", "sk-or-", r"sk-or-v1-[0-9a-f]{40,}"),
    _token(
        "OpenAI key",
        "sk-",
        r"(?P<secret>sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,}))",
        _has_digit,
    ),
    _token("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,}"),
    _token("npm token", "npm_", r"npm_[A-Za-z0-9]{36,}"),
    _token("PyPI token", "pypi-", r"pypi-Ag[A-Za-z0-9_-]{30,}"),
    _token("Telegram bot token", ":aa", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}"),
    _token("SendGrid key", "sg.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    _token("Twilio key", "sk", r"SK[0-9a-f]{32}"),
    _token("Mailgun key", "key-", r"key-[0-9a-f]{32}"),
    _token("DigitalOcean token", "_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _token("Databricks token", "dapi", r"dapi[0-9a-f]{32}(?:-\d)?"),
    _token("Shopify token", "shp", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _token("Docker token", "dckr_pat_", r"dckr_pat_[A-Za-z0-9_-]{20,}"),
    _token("Linear key", "lin_api_", r"lin_api_[A-Za-z0-9]{32,}"),
    _token("Notion token", "ntn_ secret_", r"(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43})"),
    _token("Vault token", "hvs. hvb.", r"hv[sb]\.[A-Za-z0-9_-]{20,}"),
    _token("Groq key", "gsk_", r"gsk_[A-Za-z0-9]{40,}"),
    _token("Replicate token", "r8_", r"r8_[A-Za-z0-9]{30,}"),
    _token("xAI key", "xai-", r"xai-[A-Za-z0-9]{40,}"),
    _token("Supabase token", "sbp_", r"sbp_[0-9a-f]{40}"),
    _token("Grafana token", "glsa_", r"glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}"),
    _token("New Relic key", "nrak-", r"NRAK-[A-Z0-9]{27}"),
    _token("age secret key", "age-secret-key-", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _token("JSON web token", "eyj", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
)

# A value that only stands for a secret: a variable, a template, a call, a path, an algorithm's name.
_PLACEHOLDER = re.compile(
    r"[$<{(\[%*@/~.]|https?:|(?:x|\*|\.)+$|v?\d+(?:\.\d+)+|\d{4}-\d\d-\d\d"
    r"|(?:see|from|env|none|null|true|false|undefined|redacted|masked|hidden|required|optional|unset|empty)\b"
    r"|(?:your|my|the|some|example|dummy|fake|sample|test|placeholder|change)[_-]?(?:me|this|it)?[_-]?"
    r"(?:api|secret|token|key|password|pass|here|value)*$"
    r"|(?:pass(?:word|wd)?|pwd|secret|token|key|user(?:name)?|string|str|bytes|int|bool|any)$"
    r"|(?:base64|sha-?\d|md5|argon2|bcrypt|scrypt|pbkdf2|utf-?\d|aes|rsa|ed25519|ecdsa|hmac|x509|oauth|http|hs256|rs256)"
    r"|(?:process|os|sys|self|config|settings|secrets|vault|import|args|request|ctx)\.",
    re.IGNORECASE,
)
_CODE = re.compile(r"[(){}\[\]<>|]|->|=>|::|\$\{")


def _plain(value: str) -> bool:
    """True for what stands in for a value and is none itself."""
    return bool(_PLACEHOLDER.match(value) or _CODE.search(value))


def _mixed(value: str) -> bool:
    """True for a value that no word of a language is: letters with digits, or with inner punctuation and cases."""
    letters = any(char.isalpha() for char in value)
    digits = any(char.isdigit() for char in value)
    symbols = any(char in "!#$%^&*+?~@" for char in value.rstrip("!?*"))
    return letters and (digits or symbols)


def _is_password(match: re.Match[str]) -> bool:
    value = match["secret"].rstrip(".,;:)!?")
    if len(value) < 6 or _plain(value):
        return False
    return _mixed(value) or value.isdigit() or _is_environment(match)


def _is_environment(match: re.Match[str]) -> bool:
    """``DB_PASSWORD=word``: an assignment as shells and env files write it is a value whatever it is made of."""
    key = match["key"]
    return key.isupper() and len(key) > 4 and match["sep"] == "="


def _is_key(match: re.Match[str]) -> bool:
    value = match["secret"].rstrip(".,;:)!?")
    if len(value) < 12 or _plain(value) or not _mixed(value) or "public" in match["key"].lower():
        return False
    return len(set(value.lower())) >= 8 and not re.fullmatch(r"[a-z]+(?:[-_./][a-z0-9]{1,6}|[-_./][a-z]+)*", value)


_VALUE = r"(?P<secret>(?:[^\s\"'`,;]|,(?=[^\s,\"'`])){4,})"
_SEP = r"[\"'`]?(?P<sep>\s*(?:=>|:=|=|:)\s*|\s+(?:is|ist|lautet|est|es|é)\s+)[\"'`]?"
_FLAG = r"--(?P<key>%s)(?P<sep>[ =])[\"']?"
_PASSWORD = r"pass(?:word|wd|phrase|wort)?|pwd|passcode|kennwort|contrase[ñn]a|mot de passe|senha"
_KEY = (
    r"secret|token|api[_ -]?key|access[_-]?key(?:[_-]?id)?|secret[_-]?key|private[_-]?key|auth[_-]?key|account[_-]?key"
    r"|signing[_-]?key|encryption[_-]?key|shared[_-]?access[_-]?(?:key|signature)|client[_-]?secret|credentials?"
)


def _keyed(kind: str, gates: str, key: str, is_secret: Callable[[re.Match[str]], bool]) -> tuple[Shape, ...]:
    named = rf"(?<![A-Za-z])(?P<key>(?:(?<![A-Za-z0-9_])[A-Za-z0-9_.-]{{0,40}}[_.-])?(?:{key})){_SEP}{_VALUE}"
    camel = (
        rf"(?<![A-Za-z])(?P<key>[a-z]{{1,20}}(?-i:Pass(?:word|phrase)?|Secret|Token|ApiKey|AccessKey)){_SEP}{_VALUE}"
    )
    flag = _FLAG % key + _VALUE
    words = tuple(gates.split())
    return tuple(Shape(kind, words, text, is_secret, re.IGNORECASE) for text in (named, camel, flag))


def _is_credential(match: re.Match[str]) -> bool:
    return not _plain(match["secret"]) and len(match["secret"]) >= 3


_PASSWORD_GATES = "pass pwd kennwort contrase senha"
_KEY_GATES = "secret token key signature credential"

_CONTEXTS = (
    Shape(
        "private key",
        ("-----begin ",),
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]{0,20000}?-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|(?:\s*[A-Za-z0-9+/=\\]{16,})*)",
    ),
    Shape(
        "credentials in a URL",
        ("://",),
        r"://[^\s/:@'\"<>`]{0,100}:(?P<secret>[^\s/@'\"<>`]{3,200})@(?=[\w.\[-])",
        _is_credential,
    ),
    Shape("bearer token", ("bearer",), r"\bbearer\s+(?P<secret>[A-Za-z0-9._~+/-]{20,}=*)", _has_digit, re.IGNORECASE),
    Shape(
        "basic authorization",
        ("authorization",),
        r"\bauthorization[\"']?\s*[:=]\s*[\"']?basic\s+(?P<secret>[A-Za-z0-9+/]{8,}=*)",
        flags=re.IGNORECASE,
    ),
    Shape(
        "password on a command line",
        ("curl ", "sshpass "),
        r"\bcurl\b[^\n|;]{0,200}?\s(?:-u|--user)\s*[\"']?[^\s:\"'$<]{1,80}:(?P<secret>[^\s\"']{4,})"
        r"|\bsshpass\s+-p\s*[\"']?(?P<other>[^\s\"'$<]{4,})",
        lambda match: not _plain(match["secret"] or match["other"]),
    ),
    *_keyed("password", _PASSWORD_GATES, _PASSWORD, _is_password),
    *_keyed("secret value", _KEY_GATES, _KEY, _is_key),
)

SHAPES = (*_TOKENS, *_CONTEXTS)
"""Every kind that memgit knows, issuers' tokens first."""
