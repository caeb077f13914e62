"""International personal data: addresses of all kinds, phone and payment numbers, birth dates."""

from __future__ import annotations

import re

from recortex.engines.privacy.checks import digits_of, luhn, mod97
from recortex.engines.privacy.expressions import compiled
from recortex.engines.privacy.rule import Place, Rule

_ROLE_MAIL = (
    r"(?:no-?reply|do-?not-?reply|git|you|your[._-]?(?:name|email)?|actions|"
    r"dependabot(?:\[bot\])?)(?:\+[\w.]+)?@"
)
_RESERVED_HOST = (
    r"@(?:[\w\-]+\.)*(?:example\.(?:com|org|net|edu)|(?:test|invalid|localhost|local|internal|lan|example)|"
    r"users\.noreply\.github\.com"
    r"|noreply\.[\w.\-]+|(?:domain|yourdomain|your-?company|host|server|test|foo|bar)\.(?:com|org|net|io))\Z"
)
_FILE_END = (
    r"\.(?:png|jpe?g|gif|svg|webp|js|ts|tsx|jsx|mjs|css|py|go|rs|md|json|ya?ml|so|dll|service|socket|target|"
    r"sh|html|lock|toml|whl)\Z"
)
_RESOLVERS = {
    "8.8.8.8",
    "8.8.4.4",
    "1.1.1.1",
    "1.0.0.1",
    "9.9.9.9",
    "208.67.222.222",
    "208.67.220.220",
    "4.2.2.2",
}
_VERSION = r"(?:version|ver|release|v|chrome|build|firmware|[a-z]/)[\"'\s:=/\-]{0,4}\Z"
_CARD = (
    r"4\d{12}(?:\d{3})?|(?:5[1-5]\d\d|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720))\d{12}|3[47]\d{13}|"
    r"6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}"
)


def _is_personal_mail(place: Place) -> bool:
    mail = place.value.lower()
    return not (
        compiled(_ROLE_MAIL).match(mail)
        or compiled(_RESERVED_HOST).search(mail)
        or compiled(_FILE_END).search(mail)
    )


def _is_card(place: Place) -> bool:
    number = digits_of(place.value)
    return compiled(_CARD).fullmatch(number) is not None and luhn(number) and len(set(number)) > 1


def _is_public_ipv4(place: Place) -> bool:
    value = place.value
    octets = [int(part) for part in value.split(".")]
    first, second, third, _ = octets
    start = place.match.start()
    if not 100 <= max(octets) <= 255 or value in _RESOLVERS or octets[1:] == [0, 0, 0]:  # noqa: PLR2004
        return False
    if (
        first in (0, 10, 127)
        or first > 223  # noqa: PLR2004  multicast and above
        or (first, second) in ((192, 168), (169, 254), (198, 18), (198, 19))
    ):
        return False
    if (first == 172 and 16 <= second < 32) or (first == 100 and 64 <= second < 128):  # noqa: PLR2004
        return False
    if (first, second, third) in ((192, 0, 2), (198, 51, 100), (203, 0, 113), (192, 0, 0)):
        return False
    return not compiled(_VERSION).search(place.text[max(0, start - 12) : start].lower())


def _is_public_ipv6(place: Place) -> bool:
    from ipaddress import AddressValueError, IPv6Address

    try:
        address = IPv6Address(place.value)
    except AddressValueError:
        return False
    return address.is_global and place.value.count(":") > 2  # noqa: PLR2004


def _is_phone(place: Place) -> bool:
    number = digits_of(place.value)
    return 8 <= len(number) <= 15 and len(set(number)) > 3  # noqa: PLR2004  E.164


def _is_iban(place: Place) -> bool:
    return 15 <= sum(c.isalnum() for c in place.value) <= 34 and mod97(place.value)  # noqa: PLR2004


def _is_routing_number(place: Place) -> bool:
    weights = (3, 7, 1, 3, 7, 1, 3, 7, 1)
    return sum(int(d) * w for d, w in zip(place.value, weights, strict=True)) % 10 == 0


_STREET = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Square|Sq|Terrace|Ter|Place|"
    r"Pl|Parkway|Pkwy|Highway|Hwy|Way)"
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = (
    rf"(?:\d{{1,2}}[/.\-]\d{{1,2}}[/.\-]\d{{2,4}}|\d{{4}}-\d{{2}}-\d{{2}}|{_MONTH}\.? \d{{1,2}},? \d{{4}}|"
    rf"\d{{1,2}}\.? {_MONTH}\.?,? \d{{4}})"
)
_SAYS = r"[\"']?\s{0,3}(?:number|no\.?|nr\.?|#|id)?\s{0,3}(?:is|:|=|#)?\s{0,3}[\"']?"

PERSONAL = (
    Rule(
        name="email",
        category="pii",
        pattern=r"(?<![A-Za-z0-9._%+\-/])[A-Za-z0-9][A-Za-z0-9._%+\-]{0,63}@(?:[A-Za-z0-9]"
        r"[A-Za-z0-9\-]{0,62}\.){1,5}[A-Za-z]{2,24}(?![A-Za-z0-9\-])",
        keywords=("@",),
        confidence=0.9,
        positives=("write to ada.lovelace@analytical-engine.co.uk", "<j_doe+news@gmail.com>"),
        negatives=(
            "noreply@anthropic.com",
            "user@example.com",
            "git@github.com:org/repo.git",
            "icon@2x.png",
            "@app.route('/x')",
            "pkg@1.2.3",
            "user@host",
        ),
        check=_is_personal_mail,
    ),
    Rule(
        name="phone",
        category="pii",
        pattern=(
            r"(?<![\w.\-+/:@#=])(?:\+?1[ .\-]?)?(?:\([2-9]\d{2}\)[ ]?\d{3}[ .\-]|"
            r"[2-9]\d{2}(?P<sign>[ .\-])\d{3}(?P=sign))\d{4}"
            r"(?![\w\-/]|\.\d)"
        ),
        keywords=("-", ".", ")"),
        gate="digits",
        confidence=0.75,
        positives=("call (415) 867-5309", "reach me: 212-867-5309", "+1 415-867-5309"),
        negatives=(
            "123-456-7890",
            "2024-11-21",
            "10.0.19041.4522",
            "id 550e8400-e29b-41d4-a716-446655440000",
            "clause 252.227-7013",
        ),
        check=_is_phone,
    ),
    Rule(
        name="phone_international",
        category="pii",
        pattern=r"(?<![\w+\-.])\+(?:[2-9]\d{0,2}|1)(?:[ .\-]?\(\d{1,4}\))?(?:[ .\-]\d{2,5}){2,5}(?![\w\-]|"
        r"\.\d)",
        keywords=("+",),
        gate="digits",
        confidence=0.75,
        positives=("+44 20 7946 0958", "Tel. +49-30-9018-2012", "+33 6 12 34 56 78".replace(" 6 ", " 61 ")),
        negatives=("+1 -1 @@ -10,6 +10,8", "x +20 30", "+2.5e-3", "1 + 22 333 4444"),
        check=_is_phone,
    ),
    Rule(
        name="phone_labelled",
        category="pii",
        pattern=r"\b(?:phone|tel(?:ephone)?|mobile|cell|fax|whatsapp|handy|call me (?:at|on))\b"
        + _SAYS
        + r"(?P<v>\+?\(?\d[\d ().\-]{6,18}\d)(?![\w\-])",
        keywords=("phone", "tel", "mobile", "cell", "fax", "whatsapp", "handy", "call me"),
        gate="digits",
        anchored=True,
        confidence=0.8,
        positives=("phone number: +14158675309", "tel:+4930901820", '"mobile": "07700 900461"'),
        negatives=("phone: unknown", "telemetry 20241121093000", "cell 12"),
        check=_is_phone,
        folded=True,
    ),
    Rule(
        name="credit_card",
        category="pii",
        pattern=r"(?<![\w.\-])(?:\d{4}[ \-]\d{4}[ \-]\d{4}[ \-]\d{4}|3\d{3}[ \-]\d{6}[ \-]\d{4,5}|"
        r"\d{13,19})(?![\w\-]|\.\d)",
        keywords=(),
        gate="digits",
        confidence=0.85,
        positives=("card 4111 1111 1111 1111", "5500-0055-5555-5559", "378282246310005"),
        negatives=(
            "4111 1111 1111 1112",
            "1700000000000",
            "0000 0000 0000 0000",
            "timestamp 1732186524000000000",
        ),
        check=_is_card,
    ),
    Rule(
        name="card_security_code",
        category="pii",
        pattern=r"\b(?:cvv2?|cvc2?|card security code)\b" + _SAYS + r"(?P<v>\d{3,4})\b",
        keywords=("cvv", "cvc", "card security code"),
        anchored=True,
        confidence=0.8,
        positives=("CVV: 7341", "cvc is 9021"),
        negatives=("cvv: str", "cvc5 solver 1.0"),
        folded=True,
    ),
    Rule(
        name="iban",
        category="pii",
        pattern=r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])",
        keywords=(),
        gate="digits",
        confidence=0.9,
        positives=("DE89 3704 0044 0532 0130 00", "IBAN GB82WEST12345698765432"),
        negatives=("DE00 3704 0044 0532 0130 00", "AB12CDEF3456"),
        check=_is_iban,
    ),
    Rule(
        name="bank_account",
        category="pii",
        pattern=r"\b(?:bank )?account (?:number|no\.?|#)\s{0,3}(?:is|:|"
        r"=)?\s{0,3}(?P<v>\d{4}[\d \-]{3,16}\d)\b",
        keywords=("account ",),
        anchored=True,
        confidence=0.75,
        positives=("account number: 000123456789",),
        negatives=("account number of the user", "account no. 12"),
        folded=True,
    ),
    Rule(
        name="bank_routing_number",
        category="pii",
        pattern=r"\b(?:routing|aba)(?: number| no\.?)?\s{0,3}(?:is|:|=|#)\s{0,3}(?P<v>\d{9})\b",
        keywords=("routing", "aba"),
        anchored=True,
        confidence=0.8,
        positives=("routing number: 021000021",),
        negatives=("routing number: 021000022", "routing: enabled"),
        check=_is_routing_number,
        folded=True,
    ),
    Rule(
        name="ip_address",
        category="pii",
        pattern=r"(?<![\w.\-/])(?<!\d )(?:\d{1,3}\.){3}\d{1,3}(?![\w\-]|\.\w)",
        keywords=(".",),
        gate="dotted",
        confidence=0.7,
        positives=("client 93.184.216.34 connected", "ssh root@51.15.203.77"),
        negatives=(
            "127.0.0.1",
            "192.168.1.20",
            "203.0.113.7",
            "8.8.8.8",
            "Chrome/120.0.6099.109",
            "version 4.18.190.2",
            "1.2.3.4",
            "300.1.1.1",
        ),
        check=_is_public_ipv4,
    ),
    Rule(
        name="ipv6_address",
        category="pii",
        pattern=r"(?<![\w:.])[23][0-9a-f]{3}:(?:[0-9a-f]{0,4}:){1,6}[0-9a-f]{0,4}(?![\w:])",
        keywords=(":",),
        gate="paired",
        confidence=0.75,
        positives=("from 2a00:1450:4001:81b::200e",),
        negatives=("2001:db8::1", "::1", "2024:11:21", "fe80::1"),
        check=_is_public_ipv6,
        folded=True,
    ),
    Rule(
        name="mac_address",
        category="pii",
        pattern=r"(?<![\w:\-])(?!(?:00[:\-]){5}|(?:ff[:\-]){5})(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![\w:\-])",
        keywords=(":",),
        gate="paired",
        confidence=0.7,
        positives=("ether 3c:22:fb:9a:41:d7",),
        negatives=("00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "SHA256 3c:22:fb:9a:41:d7:11:22", "12:30:45"),
        folded=True,
    ),
    Rule(
        name="date_of_birth",
        category="pii",
        pattern=r"\b(?:date[ _]of[ _]birth|birth[ _\-]?da(?:te|y)|dob|d\.o\.b\.|born(?: on)?|"
        r"geboren(?: am)?|geburtsdatum)\b[\"']?\s{0,3}(?:is|:|=)?\s{0,3}[\"']?(?P<v>" + _DATE + r")\b",
        keywords=(
            "date of birth",
            "date_of_birth",
            "birth",
            "dob",
            "d.o.b",
            "born",
            "geboren",
            "geburtsdatum",
        ),
        anchored=True,
        confidence=0.85,
        positives=("DOB: 04/12/1985", "born on 3 March 1979", '"date_of_birth": "1990-07-02"'),
        negatives=("birthday: datetime", "released 2024-11-21", "born in the cloud"),
        folded=True,
    ),
    Rule(
        name="street_address",
        category="pii",
        pattern=(
            r"(?<![\w.\-/])\d{1,5}(?:[A-Z])?(?: [NSEW]\.?)?(?: [A-Z][a-z]{2,20}){1,3} " + _STREET + r"\b\.?"
            r"(?:,? (?:Apt|Suite|Ste|Unit|Floor|Fl|#)\.? ?[A-Za-z0-9\-]{1,6})?"
            r"(?:,? [A-Z][a-z]{2,20}(?: [A-Z][a-z]{2,20}){0,2})?(?:,? [A-Z]{2}(?: \d{5}(?:-\d{4})?)?)?"
        ),
        keywords=(
            "st",
            "ave",
            "road",
            "rd",
            "boulevard",
            "blvd",
            "lane",
            "ln",
            "drive",
            "dr",
            "court",
            "ct",
            "square",
            "terrace",
            "place",
            "parkway",
            "highway",
            "way",
        ),
        confidence=0.7,
        positives=("ships to 1600 Pennsylvania Avenue, Washington, DC 20500", "lives at 221 Baker Street"),
        negatives=("3 Easy Ways to test", "2 Google Drive files", "step 1 Place the file", "10 New Squares"),
        check=lambda place: (
            re.search(
                r"\b(?:Google|Franklin|Temple|One|Data|Test|Disk|Hard|No|This|That|Each|Same|Other|Better|"
                r"Right|Only|Best|First|Second) ",
                place.value,
            )
            is None
        ),
    ),
    Rule(
        name="street_address_de",
        category="pii",
        pattern=r"\b[A-ZÄÖÜ][a-zäöüß]{2,30}(?:straße|strasse|str\.|platz|allee|gasse|"
        r"weg) \d{1,4}[a-z]?, \d{5} [A-ZÄÖÜ][a-zäöüß]{2,30}",
        keywords=("stra", "str.", "platz", "allee", "gasse", "weg"),
        confidence=0.8,
        positives=("Musterweg 12, 10115 Berlin".replace("Muster", "Linden"),),
        negatives=("Einweg 3 mal", "str. 5"),
    ),
    Rule(
        name="po_box",
        category="pii",
        pattern=r"\b(?:p\.? ?o\.? box|postfach) (?P<v>\d{2,6}(?:, [a-z .]{2,30})?)",
        keywords=("po box", "p.o. box", "p o box", "p.o box", "p. o. box", "postfach"),
        anchored=True,
        confidence=0.7,
        positives=("P.O. Box 48213, Springfield",),
        negatives=("a box 3 wide", "po box"),
        folded=True,
    ),
    Rule(
        name="coordinates",
        category="pii",
        pattern=r"\b(?:gps|lat(?:itude)?|location|coordinates)\b[\"']?\s{0,3}(?:is|:|"
        r"=)?\s{0,3}[\[(]?(?P<v>-?\d{1,3}\.\d{4,8}\s{0,2},\s{0,2}-?\d{1,3}\.\d{4,8})",
        keywords=("gps", "lat", "location", "coordinates"),
        anchored=True,
        confidence=0.7,
        positives=("location: 52.520008, 13.404954",),
        negatives=("location: 12, 14", "latency: 0.5, 0.7"),
        folded=True,
    ),
)
