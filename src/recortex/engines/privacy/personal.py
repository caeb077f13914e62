"""Checks of personal data: addresses and numbers, by check digits, reserved ranges and length."""

from __future__ import annotations

from ipaddress import AddressValueError, IPv6Address
from typing import TYPE_CHECKING

from recortex.engines.privacy.credentials import digits_of, luhn, mod97, verhoeff, weighted
from recortex.engines.privacy.table import compiled

if TYPE_CHECKING:
    from recortex.engines.privacy.table import Place

_ROLE_MAIL = (
    r"(?:no-?reply|do-?not-?reply|git|you|your[._-]?(?:name|email)?|actions|"
    r"dependabot(?:\[bot\])?)(?:\+[\w.]+)?@"
)
_RESERVED_HOST = (
    r"@(?:[\w\-]+\.)*(?:example\.(?:com|org|net|edu)|(?:test|invalid|localhost|local|internal|lan|example)|"
    r"users\.noreply\.github\.com|noreply\.[\w.\-]+|"
    r"(?:domain|yourdomain|your-?company|host|server|test|foo|bar)\.(?:com|org|net|io))\Z"
)
_FILE_END = (
    r"\.(?:png|jpe?g|gif|svg|webp|js|ts|tsx|jsx|mjs|css|py|go|rs|md|json|ya?ml|so|dll|service|socket|target|"
    r"sh|html|lock|toml|whl)\Z"
)
_RESOLVERS = frozenset(
    "8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1 9.9.9.9 208.67.222.222 208.67.220.220 4.2.2.2".split()
)
"""Public name servers: their addresses are nobody's personal data."""

_VERSION = r"(?:version|ver|release|v|chrome|build|firmware|[a-z]/)[\"'\s:=/\-]{0,4}\Z"
_CARD = (
    r"4\d{12}(?:\d{3})?|(?:5[1-5]\d\d|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720))\d{12}|3[47]\d{13}|"
    r"6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}"
)
_NO_STREET = (
    r"\b(?:Google|Franklin|Temple|One|Data|Test|Disk|Hard|No|This|That|Each|Same|Other|Better|Right|Only|"
    r"Best|First|Second) "
)
_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_FISCAL_MONTH = "ABCDEHLMPRST"


def is_personal_mail(place: Place) -> bool:
    """Whether an e-mail address is a person's, not a role's, a reserved host's or a file (`icon@2x.png`)."""
    mail = place.value.lower()
    return not (
        compiled(_ROLE_MAIL).match(mail)
        or compiled(_RESERVED_HOST).search(mail)
        or compiled(_FILE_END).search(mail)
    )


def is_street(place: Place) -> bool:
    """Whether capitalised words before `Street` or `Drive` are an address, not a product or sentence."""
    return compiled(_NO_STREET).search(place.value) is None


def is_phone(place: Place) -> bool:
    """Whether there are as many digits as a phone number has (E.164)."""
    number = digits_of(place.value)
    return 8 <= len(number) <= 15 and len(set(number)) > 3  # noqa: PLR2004


def is_public_ipv4(place: Place) -> bool:
    """Whether an IPv4 address is a public host's, not a version with four parts."""
    value = place.value
    octets = [int(part) for part in value.split(".")]
    first, second, third, _ = octets
    start = place.match.start()
    # Four small numbers are a version more often than an address.
    if not 100 <= max(octets) <= 255 or value in _RESOLVERS or octets[1:] == [0, 0, 0]:  # noqa: PLR2004
        return False
    if (
        # This host, private, loopback (RFC 1122, RFC 1918).
        first in (0, 10, 127)
        or first > 223  # noqa: PLR2004  multicast and above
        # Private, link-local, for benchmarks (RFC 1918, RFC 3927, RFC 2544).
        or (first, second) in ((192, 168), (169, 254), (198, 18), (198, 19))
    ):
        return False
    # Private (RFC 1918), and shared by the customers of a carrier (RFC 6598).
    if (first == 172 and 16 <= second < 32) or (first == 100 and 64 <= second < 128):  # noqa: PLR2004
        return False
    # For documentation (RFC 5737), and for protocols (RFC 6890).
    if (first, second, third) in ((192, 0, 2), (198, 51, 100), (203, 0, 113), (192, 0, 0)):
        return False
    return not compiled(_VERSION).search(place.text[max(0, start - 12) : start].lower())


def is_public_ipv6(place: Place) -> bool:
    """Whether an IPv6 address is a public host's."""
    try:
        address = IPv6Address(place.value)
    except AddressValueError:
        return False
    return address.is_global and place.value.count(":") > 2  # noqa: PLR2004


def is_card(place: Place) -> bool:
    """Whether a number is a card's: of a known issuer, with its check digit."""
    number = digits_of(place.value)
    return compiled(_CARD).fullmatch(number) is not None and luhn(number) and len(set(number)) > 1


def is_iban(place: Place) -> bool:
    """Whether an IBAN has the right length and check digits."""
    # The shortest are Norway's with 15 characters; ISO 13616 allows 34.
    return 15 <= sum(c.isalnum() for c in place.value) <= 34 and mod97(place.value)  # noqa: PLR2004


def is_routing_number(place: Place) -> bool:
    """Whether a routing number of a bank in the USA fits its check digit."""
    return weighted(place.value, (3, 7, 1, 3, 7, 1, 3, 7, 1), 10)


def has_digits(place: Place) -> bool:
    """Whether the value after a label is a number, not a word."""
    return sum(map(str.isdigit, place.value)) >= 4  # noqa: PLR2004


def has_luhn_digit(place: Place) -> bool:
    """Whether a number ends in its Luhn check digit."""
    return luhn(place.value)


def is_ssn(place: Place) -> bool:
    """Whether a number has the dashes of a social security number, or its name before it."""
    start = place.match.start()
    before = place.text[max(0, start - 40) : start].lower()
    return "-" in place.value or "ssn" in before or "social" in before


def is_nhs_number(place: Place) -> bool:
    """Whether a number of the British health service fits its check digit."""
    return weighted(place.value, (10, 9, 8, 7, 6, 5, 4, 3, 2, 1), 11)


def is_bsn(place: Place) -> bool:
    """Whether a Dutch citizen service number fits its check digit."""
    return weighted(place.value, (9, 8, 7, 6, 5, 4, 3, 2, -1), 11)


def is_tfn(place: Place) -> bool:
    """Whether an Australian tax file number fits its check digit."""
    return weighted(place.value, (1, 4, 3, 7, 5, 8, 6, 9, 10), 11)


def is_aadhaar(place: Place) -> bool:
    """Whether an Indian Aadhaar number ends in its check digit."""
    return verhoeff(place.value)


def is_personnummer(place: Place) -> bool:
    """Whether a Swedish personal number ends in its check digit, with or without the century."""
    return luhn(digits_of(place.value)[-10:])


def is_cpf(place: Place) -> bool:
    """Whether a Brazilian CPF ends in its two check digits."""
    number = digits_of(place.value)
    for length in (9, 10):
        rest = sum(int(digit) * (length + 1 - at) for at, digit in enumerate(number[:length])) * 10 % 11 % 10
        if rest != int(number[length]):
            return False
    # Eleven equal digits fit their check digits, and are given to nobody.
    return len(set(number)) > 1


def is_dni(place: Place) -> bool:
    """Whether a Spanish identity number ends in its check letter."""
    number = place.value.upper().replace("-", "").replace(" ", "")
    # The number of a foreigner begins with X, Y or Z in place of 0, 1 or 2.
    body = str("XYZ".find(number[0])) + number[1:-1] if number[0] in "XYZ" else number[:-1]
    return body.isdecimal() and _DNI[int(body) % 23] == number[-1]


def is_nir(place: Place) -> bool:
    """Whether a French social security number ends in its two check digits."""
    number = digits_of(place.value)
    return len(number) == 15 and 97 - int(number[:13]) % 97 == int(number[13:])  # noqa: PLR2004


def is_fiscal_code(place: Place) -> bool:
    """Whether an Italian fiscal code names a month."""
    return place.value[8] in _FISCAL_MONTH


def is_german_tax_id(place: Place) -> bool:
    """Whether a German tax number ends in its check digit (ISO 7064, MOD 11,10)."""
    number = digits_of(place.value)
    product = 10
    for digit in number[:10]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return len(number) == 11 and (11 - product) % 10 == int(number[10])  # noqa: PLR2004
