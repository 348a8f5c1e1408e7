"""What personal data looks like, by simple rules: mail and postal addresses, phone numbers, accounts, health.

It is flagged where it stands, never moved into another memory, and masked on request. Addresses of roles
(``support@``), machines and examples name no person. Patterns are text until they are needed: a hook that
starts with every session does not pay for them.
"""

from __future__ import annotations

import re

from memgit.core.screening.secret_shapes import Shape

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
