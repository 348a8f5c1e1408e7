"""What secrets look like by themselves: tokens by issuer, blocks of keys, and the places where tools keep secrets.

Each row is one shape. What only a word beside it tells is found by ``named_secrets``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from memgit.evidence.masks import Span
from memgit.evidence.named_secrets import Variety, variety


def _always(_: re.Match[str]) -> bool:
    return True


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """One kind of secret. ``gates`` are literals (lower case) of which one must stand in the lowered
    text before the pattern is tried at all, so many characters ``before`` and ``after`` it; the group ``secret``, where
    there is one, is what gets masked.

    The pattern is compiled when a gate first opens: a hook that meets no secret does not wait for it.
    """

    kind: str
    gates: tuple[str, ...]
    pattern: str
    is_secret: Callable[[re.Match[str]], bool] = _always
    flags: re.RegexFlag = re.NOFLAG
    before: int = 200
    after: int = 600

    def spans(self, text: str, places: Iterable[int]) -> Iterator[Span]:
        """Where the secret stands round the places of a gate, and its kind."""
        pattern = re.compile(self.pattern, self.flags)
        for start, end in self._windows(places):
            for match in pattern.finditer(text, start, end):
                if self.is_secret(match):
                    yield *match.span(_group(match)), self.kind

    def _windows(self, places: Iterable[int]) -> Iterator[tuple[int, int]]:
        start, end = -1, -1
        for place in places:
            if start >= 0 and place - self.before > end:
                yield start, end
                start = -1
            start, end = start if start >= 0 else max(0, place - self.before), place + self.after
        if start >= 0:
            yield start, end


def _group(match: re.Match[str]) -> str | int:
    """The group that is the secret: ``secret`` or, of a second form, ``other``; else all of it."""
    return next((name for name in ("secret", "other") if match.groupdict().get(name) is not None), 0)


_WORD, _HEX, _URL64 = "[A-Za-z0-9]", "[0-9a-f]", "[A-Za-z0-9_-]"

TOKENS: tuple[tuple[str, str, str], ...] = (
    ("AWS access key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}"),
    ("AWS access key", "ABSK", r"[A-Za-z0-9+/]{100,}={0,2}"),
    ("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_WORD}{{30,255}}"),
    ("GitHub token", "github_pat_", r"\w{22,255}"),
    (
        "GitLab token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- gloas- GR1348941",
        rf"{_URL64}{{20,}}",
    ),
    ("Bitbucket token", "ATBB ATCTT3xFfG", r"[A-Za-z0-9_=-]{24,}"),
    ("Atlassian token", "ATATT3xFfG", r"[A-Za-z0-9_=-]{40,}"),
    ("Trello token", "ATTA", rf"{_HEX}{{60,}}"),
    ("Slack token", "xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp-", r"[A-Za-z0-9.-]{12,}"),
    ("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_", rf"{_WORD}{{16,}}"),
    ("Stripe webhook secret", "whsec_", r"[A-Za-z0-9+/]{24,}=*"),
    ("Square token", "sq0atp- sq0csp- EAAAE EAAAl", rf"{_URL64}{{22,}}"),
    ("PayPal token", "access_token$production$ access_token$sandbox$", r"[0-9a-z]{16}\$[0-9a-f]{32}"),
    ("Google API key", "AIza", rf"{_URL64}{{35}}"),
    ("Google OAuth token", "ya29.", rf"{_URL64}{{20,}}"),
    ("Google client secret", "GOCSPX-", rf"{_URL64}{{20,}}"),
    ("Anthropic key", "sk-ant-", rf"[a-z]+[0-9]{{2}}-{_URL64}{{20,}}"),
    ("OpenRouter key", "sk-or-v1-", rf"{_HEX}{{40,}}"),
    ("OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-lf-", rf"(?=[A-Za-z_-]*\d){_URL64}{{20,}}"),
    ("OpenAI key", "sk-", rf"(?=[A-Za-z]*\d){_WORD}{{32,}}"),
    ("Hugging Face token", "hf_ api_org_", rf"{_WORD}{{30,}}"),
    ("Perplexity key", "pplx-", rf"{_WORD}{{32,}}"),
    ("Groq key", "gsk_", rf"{_WORD}{{40,}}"),
    ("xAI key", "xai-", rf"{_WORD}{{40,}}"),
    ("Cerebras key", "csk-", rf"{_WORD}{{40,}}"),
    ("Replicate token", "r8_", rf"{_WORD}{{30,}}"),
    ("Fireworks key", "fw_", rf"(?=[A-Za-z]*\d){_WORD}{{22,}}"),
    ("Pinecone key", "pcsk_", r"\w{40,}"),
    ("LangSmith key", "lsv2_pt_ lsv2_sk_ ls__", r"[0-9a-f_]{32,}"),
    ("npm token", "npm_", rf"{_WORD}{{36,}}"),
    ("PyPI token", "pypi-Ag", rf"{_URL64}{{30,}}"),
    ("RubyGems key", "rubygems_", rf"{_HEX}{{40,}}"),
    ("NuGet key", "oy2", r"[a-z0-9]{43}"),
    ("Clojars token", "CLOJARS_", r"[0-9a-f]{50,}"),
    ("Open VSX token", "ovsxp_ ovsxat_", rf"{_URL64}{{30,}}"),
    ("SendGrid key", "SG.", rf"{_URL64}{{16,32}}\.{_URL64}{{16,64}}"),
    ("Brevo key", "xkeysib-", rf"{_HEX}{{64}}-\w{{16}}"),
    ("Twilio key", "SK", rf"{_HEX}{{32}}"),
    ("Mailgun key", "key-", rf"{_HEX}{{32}}"),
    ("Resend key", "re_", rf"{_WORD}{{6,10}}_{_WORD}{{20,}}"),
    ("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", rf"{_HEX}{{64}}"),
    ("Databricks token", "dapi", rf"{_HEX}{{32}}(?:-\d)?"),
    ("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}"),
    ("Docker token", "dckr_pat_ dckr_oat_", rf"{_URL64}{{20,}}"),
    ("Heroku key", "HRKU-", rf"{_URL64}{{36,}}"),
    ("Fly.io token", "fo1_ fm1a_ fm1r_ fm2_", r"[A-Za-z0-9+/_-]{40,}={0,3}"),
    ("Netlify token", "nfp_", rf"{_WORD}{{36,}}"),
    ("Render key", "rnd_", rf"{_WORD}{{24,}}"),
    ("Neon key", "napi_", rf"{_WORD}{{40,}}"),
    ("Supabase token", "sbp_", rf"{_HEX}{{40}}"),
    ("PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w.=-]{32,}"),
    ("Pulumi token", "pul-", rf"{_HEX}{{40}}"),
    ("Doppler token", "dp.pt. dp.st. dp.ct. dp.scim.", r"[\w.-]{40,}"),
    ("Vault token", "hvs. hvb. hvr.", rf"{_URL64}{{20,}}"),
    ("Tailscale key", "tskey-", rf"[a-z]+-{_WORD}{{8,}}-{_WORD}{{16,}}"),
    ("1Password token", "ops_eyJ", r"[A-Za-z0-9+/]{60,}={0,3}"),
    ("1Password key", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    ("Linear key", "lin_api_ lin_oauth_", rf"{_WORD}{{32,}}"),
    ("Notion token", "ntn_", rf"{_WORD}{{40,}}"),
    ("Notion token", "secret_", rf"{_WORD}{{43}}"),
    ("Figma token", "figd_ figo_ figu_", rf"{_URL64}{{36,}}"),
    ("Postman key", "PMAK-", rf"{_HEX}{{24}}-{_HEX}{{34}}"),
    ("Contentful token", "CFPAT-", rf"{_URL64}{{40,}}"),
    ("Sentry token", "sntrys_ sntryu_", r"[\w=+/-]{40,}"),
    ("Grafana token", "glsa_", rf"{_WORD}{{32}}_{_HEX}{{8}}"),
    ("Grafana token", "glc_", r"[A-Za-z0-9+/]{32,}={0,2}"),
    ("New Relic key", "NRAK- NRII- NRJS-", r"[A-Za-z0-9_-]{19,}"),
    ("Dynatrace token", "dt0c01. dt0s16.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("Buildkite token", "bkua_ bkat_", rf"{_HEX}{{40}}"),
    ("CircleCI token", "CCIPAT_ CCIPRJ_", r"\w{22}_[0-9a-f]{40}"),
    ("Sourcegraph token", "sgp_", rf"(?:{_HEX}{{16}}_)?{_HEX}{{40}}"),
    ("Artifactory key", "AKCp cmVmd", rf"{_WORD}{{59,73}}"),
    ("OpenShift token", "sha256~", rf"{_URL64}{{43}}"),
    ("Alibaba access key", "LTAI", rf"{_WORD}{{16,24}}"),
    ("Tencent access key", "AKID", rf"{_WORD}{{32}}"),
    ("Baidu key", "bce-v3/", rf"ALTAK-{_WORD}{{16,}}/{_HEX}{{40}}"),
    ("Yandex key", "AQVN", rf"{_URL64}{{35,}}"),
    ("Facebook token", "EAAM EAAC", rf"{_WORD}{{90,}}"),
    ("Flutterwave key", "FLWSECK- FLWSECK_TEST-", r"[0-9a-zA-Z]{12,}(?:-X)?"),
    ("Typeform token", "tfp_", r"[\w.-]{50,}"),
    ("Duffel token", "duffel_test_ duffel_live_", r"[\w=-]{40,}"),
    ("Shippo token", "shippo_live_ shippo_test_", rf"{_HEX}{{40}}"),
    ("age secret key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{58}"),
    ("JSON web token", "eyJ", rf"{_URL64}{{8,}}\.eyJ{_URL64}{{8,}}\.{_URL64}{{8,}}"),
)
"""Kind; how it begins (any of these); what follows. Neither a letter, a digit nor ``_`` stands before or behind."""


def _is_random(match: re.Match[str]) -> bool:
    return variety(match[_group(match)]) is Variety.RANDOM


def _is_mixed(match: re.Match[str]) -> bool:
    return variety(match[_group(match)]) >= Variety.MIXED


def _is_no_stand_in(match: re.Match[str]) -> bool:
    return variety(match[_group(match)]) is not Variety.STAND_IN


def _has_a_random_part(match: re.Match[str]) -> bool:
    return any(variety(part) >= Variety.MIXED for part in re.split(r"[/@]", match[_group(match)]))


_HEADERS = r"(?:[A-Z][\w-]{1,30}: [^\n]*\n[ \t>|#*]*){0,6}"
_EDGE = r"(?:\\[nr]|[\s>|#*\"'+,]|//){1,12}"
_LINE = rf"{_EDGE}[A-Za-z0-9+/]{{16,}}={{0,2}}(?![A-Za-z0-9+/=])"
_LAST_LINE = rf"{_EDGE}=?[A-Za-z0-9+/]{{2,15}}={{0,2}}(?=\s*(?:\n|$))"
_BODY = rf"(?:{_LINE})+(?:{_LAST_LINE})?"
_END = r"-----END [A-Z0-9 ]{0,40}(?:PRIVATE KEY|MESSAGE)[A-Z ]{0,12}-----"
_VALUE = r"[^\s\"'<>|;&]"
_QUOTE = r"[\"']?"

LONG = ""
"""The gate of shapes that are tried on whatever has a run of letters and digits as long as keys are."""

SHAPES = (
    Shape(
        "private key",
        ("-----begin ",),
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}(?:PRIVATE KEY(?: BLOCK)?|PGP MESSAGE)-----"
        rf"(?:(?:(?!-----BEGIN)[\s\S]){{0,20000}}?{_END}|(?:\s|\\[nr]|[>|#*])*{_HEADERS}{_BODY})?",
        before=0,
        after=24_000,
    ),
    Shape(
        "private key",
        ("private-lines:",),
        r"(?P<secret>Private-Lines: \d+\s+(?:[ \t>|]*[A-Za-z0-9+/=]{4,}\s+)+)",
        after=8_000,
    ),
    Shape("private key", ("private-mac:",), r"Private-MAC: (?P<secret>[0-9a-f]{20,})"),
    Shape("private key", ('"kty"',), r"\"(?:d|p|q|dp|dq|qi|k)\"\s*:\s*\"(?P<secret>[A-Za-z0-9+/_-]{16,})\""),
    Shape(
        "webhook",
        ("hook",),
        r"https?://[^\s\"'<>`]{0,80}hook[^\s/\"'<>`]{0,40}/(?P<secret>[^\s\"'<>`)]{20,})",
        _has_a_random_part,
        re.IGNORECASE,
    ),
    Shape("Telegram bot token", (":aa",), r"(?<!\w)[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}(?![\w-])"),
    Shape("API key", (LONG,), r"(?<![\w.])[0-9a-f]{32}\.(?=\w*\d)[A-Za-z0-9]{16}(?!\w)", _is_random),
    Shape("Azure client secret", ("q~",), r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~-])"),
    Shape("Terraform token", (".atlasv1.",), r"(?<!\w)\w{14}\.atlasv1\.[\w-]{60,70}"),
    Shape("Mailchimp key", ("-us",), r"(?<!\w)[0-9a-f]{32}-us\d{1,2}(?!\w)"),
    Shape("Discord bot token", (LONG,), r"(?<!\w)[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?!\w)", _is_random),
    Shape(
        "password hash",
        ("$", "{ssha", "pbkdf2"),
        r"\$(?:[156y]|2[abxy]|7|gy|sha1|apr1|scrypt|argon2(?:id|i|d)|pbkdf2[\w-]*)\$[A-Za-z0-9./$=,+*_-]{20,}"
        r"|\{(?:S(?:SHA|MD5)|SSHA\d+|PBKDF2\w*)\}[A-Za-z0-9+/=]{20,}|pbkdf2_sha\d+\$\d+\$[^\s$\"']+\$[A-Za-z0-9+/=]{20,}",
        flags=re.IGNORECASE,
    ),
    Shape(
        "credentials in a URL",
        ("://",),
        r"://[^\s/:@'\"<>`]{0,100}:(?P<secret>[^\s/@'\"<>`]{3,200})@(?=[\w.\[-])",
        _is_no_stand_in,
    ),
    Shape(
        "credentials in a URL", ("://",), r"://(?P<secret>[^\s/:@'\"<>`$]{16,200})(?::[\w-]*)?@(?=[\w.\[-])", _is_mixed
    ),
    Shape(
        "credentials in a URL",
        ("@",),
        r"(?<![\w/@.-])(?:[\w:.-]{0,40}?[:/])?\w[\w.-]{0,40}[:/](?P<secret>[^\s:/@\"'<>`]{6,80})@(?:(?:tcp|unix)\(|[\w.-]+:\d)",
        _is_mixed,
    ),
    Shape(
        "signature in a URL",
        ("sig", "x-amz-", "code=", "key=", "auth="),
        r"[?&](?:sig|signature|x-amz-(?:signature|security-token|credential)|x-goog-signature|code|key|auth)"
        r"=(?P<secret>[A-Za-z0-9%+/_.-]{16,}=*)",
        _is_mixed,
        re.IGNORECASE,
    ),
    Shape("bearer token", ("bearer",), r"\bbearer\s+(?P<secret>[A-Za-z0-9._~+/-]{16,}=*)", _is_mixed, re.IGNORECASE),
    Shape(
        "authorization",
        ("authorization",),
        r"\bauthorization[\"']?\s*[:=]\s*[\"']?(?:(?!basic|bearer)[\w-]{2,20}\s+)?(?P<secret>[A-Za-z0-9._~+/-]{16,}=*)",
        _is_mixed,
        re.IGNORECASE,
    ),
    Shape(
        "basic authorization",
        ("authorization",),
        r"\bauthorization[\"']?\s*[:=]\s*[\"']?basic\s+(?P<secret>[A-Za-z0-9+/]{8,}=*)",
        flags=re.IGNORECASE,
    ),
    Shape(
        "cookie",
        ("cookie",),
        r"cookie[\"']?\s*[:=]\s*[\"'`]?(?P<secret>[^\s\"'`=;]+=[^\n\"'`]{12,})",
        lambda match: any(variety(part) >= Variety.MIXED for part in re.split(r"[=;\s]+", match[_group(match)])),
        re.IGNORECASE,
    ),
    Shape(
        "password",
        (":*:", ":5432:", ":5433:", ":6432:", ":6543:"),
        r"(?<![\w.*-])[\w.*-]+:(?:\d{2,5}|\*):[\w*.-]+:[\w*.-]+:(?P<secret>[^\s\"'<>|;&:/%]{6,})(?!\S)",
        _is_mixed,
    ),
    Shape(
        "password on a command line",
        (" -u", " -a ", "--user", "--auth"),
        rf"\s(?:-[uUa]|--user|--auth)[ =]?{_QUOTE}[^\s:%\"'$<-][^\s:%\"'$<]{{0,80}}[:%](?P<secret>[^\s\"']{{4,}})",
        _is_mixed,
    ),
    Shape(
        "password on a command line",
        (" -p", " -a ", " -w", " -k ", " /p:", " -b "),
        rf"\s(?:-[pPaAwWkb]{{1,2}}(?: +|=)?|/p(?:ass(?:word)?)?:){_QUOTE}(?P<secret>{_VALUE}{{6,}})",
        _is_mixed,
        re.IGNORECASE,
    ),
    Shape(
        "password on a command line",
        ("mysql", "mariadb", "sshpass", "docker login", "redis-cli", "mongo", "7z", "unzip", "zip -"),
        r"\b(?:mysql\w*|mariadb[\w-]*|sshpass|docker login|redis-cli|mongo(?:sh|dump|restore)?|7z\w?|(?:un)?zip)\b"
        rf"[^\n|;]{{0,160}}?\s-[paP] ?{_QUOTE}(?P<secret>(?!\d+\b){_VALUE}{{6,}})",
        lambda match: variety(match[_group(match)]) >= Variety.NAMED,
    ),
    Shape(
        "password on a command line",
        ("-stdin", "chpasswd", "sudo -s"),
        r"\b(?:echo|printf)(?: -\w+)* +[\"']?(?P<secret>[^\s\"'|]{6,})[\"']?[^\n|]{0,20}\|[^\n|]{0,120}"
        r"(?:password-stdin|chpasswd|sudo -S|--stdin)",
        _is_no_stand_in,
    ),
    Shape(
        "recovery phrase",
        ("phrase", "mnemonic", "seed"),
        r"\b(?:seed|recovery|mnemonic)(?: (?:phrase|words))?\W{1,6}(?:is\W+)?"
        r"(?P<secret>(?:[a-z]{3,8}[ ,\n]+){11,23}[a-z]{3,8})\b",
        flags=re.IGNORECASE,
    ),
)
"""Where tools and people keep secrets in a form of its own."""

# --- personal shapes ---
# What personal data looks like, by simple rules: mail and postal addresses, phone numbers, accounts, health.
#
# It is flagged where it stands, never moved into another memory, and masked on request. Addresses of roles
# (``support@``), machines and examples name no person. Patterns are text until they are needed: a hook that
# starts with every session does not pay for them.

_ROLES = (
    r"(?:no-?reply|do-?not-?reply|git|hg|root|admin|administrator|postmaster|hostmaster|webmaster|abuse|security|support"
    r"|help(?:desk)?|info|hello|contact|team|ops|oncall|on-call|dev|devs|devops|builds?|ci|bot|alerts?|billing|sales"
    r"|legal|privacy|press|jobs|hr|office|mail|user(?:name)?|you|me|name|someone|foo|bar|test|example)"
    r"(?:[+._-][\w.+-]*)?@"
)
_NO_PERSONS_DOMAIN = (
    r"(?:.*\.)?(?:example(?:\.\w+)?|test|invalid|local|localhost|internal|lan"
    r"|noreply\.github\.com|gserviceaccount\.com)"
)


def _is_a_persons_mail(match: re.Match[str]) -> bool:
    address: str = match["secret"].lower()
    return not re.match(_ROLES, address) and not re.fullmatch(_NO_PERSONS_DOMAIN, address.rpartition("@")[2])


def _is_phone(match: re.Match[str]) -> bool:
    """As many digits as E.164 allows, and enough that no version or amount has them."""
    return 9 <= len(re.findall(r"\d", match["secret"])) <= 15


def _is_card(match: re.Match[str]) -> bool:
    """The check digit of ISO/IEC 7812 (Luhn)."""
    digits = [int(char) for char in match["secret"] if char.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return 13 <= len(digits) <= 19 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1


def _is_iban(match: re.Match[str]) -> bool:
    """The check digits of ISO 13616: the number, rearranged, is 1 modulo 97."""
    number = match["secret"].replace(" ", "")
    turned = number[4:] + number[:4]
    return 15 <= len(number) <= 34 and int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


_MAIL = (
    r"(?<![\w.+@/:-])(?P<secret>[A-Za-z0-9][\w.+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,5}[A-Za-z]{2,24})"
    r"(?!\.?[\w@-]|:\S)"
)
_INTERNATIONAL = r"(?<![\w+.])(?P<secret>\+[1-9]\d{0,2}[ ./(-]{1,2}\d[\d ./()-]{5,20}\d)(?!\w)"
_CALLED = (
    r"\b(?:tele)?(?:phone|tel|mobile|cell|whatsapp|handy|call|sms)\b[^\n\d+]{0,24}"
    r"(?P<secret>(?!\d{4}[.-]\d\d?[.-])\+?\(?\d[\d ./()-]{6,20}\d)(?!\w)"
)
_CARD = r"(?<![\w.-])(?P<secret>\d{4}(?:[ -]?\d{2,6}){2,4})(?![\w.-])"
_IBAN = r"\b(?P<secret>[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?)\b"
_NUMBER = (
    r"\b(?:ssn|social security|passport|driver'?s? licen[cs]e|tax id|(?:health )?insurance|patient|national id)"
    r"(?: (?:no\.?|number|id|nr\.?))?(?: is|:|=|#)? ?#?"
    r"(?P<secret>(?=(?:[A-Z -]*\d){3})[A-Z\d](?:[ -]?[A-Z\d]){5,14})\b"
)
_BIRTH = (
    r"\b(?:date of birth|birth ?day|born(?: on)?|dob)\b[ :=]{1,3}(?:is )?"
    r"(?P<secret>\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|(?:\d{1,2} )?[A-Z][a-z]{2,8}\.? \d{1,4}(?:, \d{4})?)"
)
_STREET = (
    r"(?<![\w.:-])(?P<secret>\d{1,5}[a-z]? (?:[A-Z][a-z'.]{1,20} ){1,3}"
    r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Boulevard|Blvd|Drive|Court)\b\.?"
    r"(?:,? [A-Z][\w .'-]{2,30},? [A-Z]{0,2} ?\d{4,5})?"
    r"|[A-ZÄÖÜ][a-zäöüß-]{2,30}(?:straße|strasse|platz|gasse) \d{1,4}[a-z]?\b(?:,? \d{5} [A-ZÄÖÜ]\w+)?)"
)
_HEALTH = (
    r"\b(?:i|he|she|they|[a-z]{2,20}'s|(?-i:[A-Z][a-z]{2,20})) (?:am|is|are|was|were|has been|have been|has|have|got) "
    r"(?P<secret>(?:diagnosed with|allergic to|pregnant|on sick leave|on medication|in therapy|prescribed)\b"
    r"[^\n.,;]{0,60})|\bblood (?:type|group) (?:is )?(?P<other>(?:AB|[ABO])[+-])"
)


PERSONAL = (
    Shape("mail address", ("@",), _MAIL, _is_a_persons_mail),
    Shape("phone number", ("+",), _INTERNATIONAL, _is_phone),
    Shape(
        "phone number",
        ("phone", "tel", "mobile", "cell", "whatsapp", "handy", "call ", "sms"),
        _CALLED,
        _is_phone,
        re.IGNORECASE,
    ),
    Shape("card number", ("card", "visa", "amex", "karte"), _CARD, _is_card),
    Shape("bank account", ("iban", "bank", "account", "konto"), _IBAN, _is_iban),
    Shape(
        "personal number",
        ("ssn", "social security", "passport", "driver", "tax id", "insurance", "patient", "national id"),
        _NUMBER,
        flags=re.IGNORECASE,
    ),
    Shape("date of birth", ("birth", "born", "dob"), _BIRTH, flags=re.IGNORECASE),
    Shape(
        "postal address",
        (
            " str",
            " st",
            " av",
            " road",
            " rd",
            " lane",
            " ln",
            " b",
            " drive",
            " court",
            "straße",
            "strasse",
            "platz",
            "gasse",
        ),
        _STREET,
    ),
    Shape(
        "health data",
        ("diagnos", "allerg", "pregnan", "blood", "sick leave", "prescri", "medication", "therapy"),
        _HEALTH,
        flags=re.IGNORECASE,
    ),
)
"""Every kind of personal data that memgit knows."""
