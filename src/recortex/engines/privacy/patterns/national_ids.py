"""Numbers that a state gives to a person, known by their check digits or by their name."""

from __future__ import annotations

import re

from recortex.engines.privacy.checks import digits_of, luhn, verhoeff, weighted
from recortex.engines.privacy.rule import Place, Rule

_SAYS = r"(?:[ _\-]?(?:number|num|no\.?|nr\.?|#|id))?[\"']?\s{0,3}(?:is|:|=|#)?\s{0,3}[\"']?"
_CPF = ((10, 9, 8, 7, 6, 5, 4, 3, 2), (11, 10, 9, 8, 7, 6, 5, 4, 3, 2))
_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_FISCAL_MONTH = "ABCDEHLMPRST"


def _has_digits(place: Place) -> bool:
    return sum(map(str.isdigit, place.value)) >= 4  # noqa: PLR2004  a word is no number


def _is_cpf(place: Place) -> bool:
    number = digits_of(place.value)
    for weights in _CPF:
        rest = sum(int(d) * w for d, w in zip(number, weights, strict=False)) * 10 % 11 % 10
        if rest != int(number[len(weights)]):
            return False
    return len(set(number)) > 1


def _is_dni(place: Place) -> bool:
    number = place.value.upper().replace("-", "").replace(" ", "")
    body = str("XYZ".find(number[0])) + number[1:-1] if number[0] in "XYZ" else number[:-1]
    return body.isdigit() and _DNI[int(body) % 23] == number[-1]


def _is_nir(place: Place) -> bool:
    number = digits_of(place.value)
    return len(number) == 15 and 97 - int(number[:13]) % 97 == int(number[13:])  # noqa: PLR2004


def _is_fiscal_code(place: Place) -> bool:
    return place.value[8] in _FISCAL_MONTH


def _is_tax_id_de(place: Place) -> bool:
    number = digits_of(place.value)
    product = 10
    for digit in number[:10]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return len(number) == 11 and (11 - product) % 10 == int(number[10])  # noqa: PLR2004


def _named(
    name: str,
    words: str,
    shape: str,
    keywords: tuple[str, ...],
    positives: tuple[str, ...],
    negatives: tuple[str, ...],
) -> Rule:
    """Build the row of a number that only its name tells apart from others."""
    return Rule(
        name=name,
        category="pii",
        pattern=rf"\b(?:{words})\b{_SAYS}(?P<v>{shape})(?![\w\-])",
        keywords=keywords,
        confidence=0.75,
        positives=positives,
        negatives=negatives,
        check=_has_digits,
        folded=True,
        anchored=True,
    )


NATIONAL_IDS = (
    Rule(
        name="ssn",
        category="pii",
        pattern=r"(?<![\w\-.])(?!000|666|9\d\d)\d{3}([ \-])(?!00)\d{2}\1(?!0000)\d{4}(?![\w\-]|\.\d)",
        keywords=("-", "ssn", "social"),
        gate="digits",
        confidence=0.85,
        positives=("SSN 123-45-6789", "078-05-1120"),
        negatives=("000-12-3456", "666-12-3456", "2024-11-21", "123-45-67890", "1.123-45-6789"),
        check=lambda place: (
            "-" in place.value
            or re.search(
                r"ssn|social", place.text[max(0, place.match.start() - 40) : place.match.start()].lower()
            )
            is not None
        ),
    ),
    _named(
        "ssn_labelled",
        "ssn|social security|itin|ein",
        r"\d{9}|\d{2}-\d{7}|9\d{2}-\d{2}-\d{4}",
        ("ssn", "social security", "itin", "ein"),
        ("SSN: 123456789", "EIN 12-3456789"),
        ("ssn: str", "einen 12"),
    ),
    _named(
        "passport",
        "passport|reisepass|passeport",
        r"[a-z]{0,2}\d{6,9}[a-z]?",
        ("passport", "reisepass", "passeport"),
        ("passport number: C01X00T47".replace("C01X00T47", "X12345678"), "Passport No. 533380006"),
        ("passport.js 0.6.0", "passport: required"),
    ),
    _named(
        "drivers_license",
        r"driver'?s?[ _\-]?(?:licen[cs]e|lic\.?)|driving[ _\-]licen[cs]e|dl|führerschein",
        r"[a-z]{0,5}[\d\-]{6,16}[a-z0-9]{0,4}",
        ("driver", "driving", "dl", "führerschein"),
        ("driver's license: D1234-5678", "DL# A1234567", "driving licence number MORGA753116"),
        ("driver license text", "dl: 12"),
    ),
    _named(
        "uk_nino",
        "ni|nino|national insurance",
        r"[a-ceghj-prtw-z]{2} ?\d{2} ?\d{2} ?\d{2} ?[a-d]",
        ("ni", "national insurance"),
        ("NINO: AB123456C", "national insurance number QQ 12 34 56 C".replace("QQ", "JG")),
        ("ni: 12",),
    ),
    Rule(
        name="uk_nhs_number",
        category="pii",
        pattern=r"\bnhs" + _SAYS + r"(?P<v>\d{3}[ \-]?\d{3}[ \-]?\d{4})(?!\w)",
        keywords=("nhs",),
        gate="digits",
        anchored=True,
        confidence=0.8,
        positives=("NHS number: 943 476 5919",),
        negatives=("NHS number: 943 476 5918",),
        check=lambda place: weighted(place.value, (10, 9, 8, 7, 6, 5, 4, 3, 2, 1), 11),
        folded=True,
    ),
    Rule(
        name="canadian_sin",
        category="pii",
        pattern=r"\b(?:sin|social insurance|nas)" + _SAYS + r"(?P<v>\d{3}[ \-]\d{3}[ \-]\d{3}|\d{9})(?!\w)",
        keywords=("sin", "social insurance", "nas"),
        gate="digits",
        anchored=True,
        confidence=0.8,
        positives=("SIN: 046 454 286",),
        negatives=("SIN: 046 454 287", "sin(x) = 0.5"),
        check=lambda place: luhn(place.value),
        folded=True,
    ),
    Rule(
        name="brazilian_cpf",
        category="pii",
        pattern=r"(?<![\w.\-])\d{3}\.\d{3}\.\d{3}-\d{2}(?![\w\-])",
        keywords=("-",),
        gate="digits",
        confidence=0.85,
        positives=("CPF 529.982.247-25",),
        negatives=("529.982.247-26", "111.111.111-11"),
        check=_is_cpf,
    ),
    Rule(
        name="indian_aadhaar",
        category="pii",
        pattern=r"\b(?:aadhaar|aadhar|uidai|uid)" + _SAYS + r"(?P<v>[2-9]\d{3}[ \-]?\d{4}[ \-]?\d{4})(?!\w)",
        keywords=("aadhaar", "aadhar", "uid"),
        gate="digits",
        anchored=True,
        confidence=0.85,
        positives=("Aadhaar: 2341 2341 2346",),
        negatives=("Aadhaar: 2341 2341 2345", "uid: 1000"),
        check=lambda place: verhoeff(place.value),
        folded=True,
    ),
    _named(
        "indian_pan",
        "pan|permanent account",
        r"[a-z]{3}[abcfghljpt][a-z]\d{4}[a-z]",
        ("pan", "permanent account"),
        ("PAN: ABCPE1234F",),
        ("pan: 12", "span: abc"),
    ),
    Rule(
        name="spanish_dni",
        category="pii",
        pattern=r"\b(?:dni|nie|nif)" + _SAYS + r"(?P<v>[xyz]?\d{7,8}[ \-]?[a-z])(?!\w)",
        keywords=("dni", "nie", "nif"),
        anchored=True,
        confidence=0.85,
        positives=("DNI: 12345678Z", "NIE X1234567L"),
        negatives=("DNI: 12345678A", "niet 5"),
        check=_is_dni,
        folded=True,
    ),
    Rule(
        name="italian_fiscal_code",
        category="pii",
        pattern=r"(?<![A-Za-z0-9])[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z](?![A-Za-z0-9])",
        keywords=(),
        confidence=0.85,
        positives=("CF RSSMRA85T10A562S",),
        negatives=("RSSMRA85Z10A562S", "ABCDEF12"),
        check=_is_fiscal_code,
    ),
    Rule(
        name="french_nir",
        category="pii",
        pattern=r"(?<![\w.\-])[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?\d{2} ?\d{3} ?\d{3} ?\d{2}(?![\w\-]|\.\d)",
        keywords=(),
        gate="digits",
        confidence=0.8,
        positives=("NIR 2 55 08 14 168 025 38",),
        negatives=("2 55 08 14 168 025 39", "1700000000000"),
        check=_is_nir,
    ),
    Rule(
        name="german_tax_id",
        category="pii",
        pattern=r"\b(?:steuer-?id(?:entifikationsnummer|nr\.?)?|idnr\.?|tax[ \-]?id)"
        + _SAYS
        + r"(?P<v>\d{2} ?\d{3} ?\d{3} ?\d{3})(?!\w)",
        keywords=("steuerid", "steuer-id", "idnr", "taxid", "tax id", "tax-id"),
        gate="digits",
        anchored=True,
        confidence=0.85,
        positives=("Steuer-ID: 86095742719",),
        negatives=("Steuer-ID: 86095742718",),
        check=_is_tax_id_de,
        folded=True,
    ),
    Rule(
        name="dutch_bsn",
        category="pii",
        pattern=r"\b(?:bsn|burgerservicenummer)" + _SAYS + r"(?P<v>\d{9})(?!\w)",
        keywords=("bsn", "burgerservicenummer"),
        gate="digits",
        anchored=True,
        confidence=0.85,
        positives=("BSN: 111222333",),
        negatives=("BSN: 111222334",),
        check=lambda place: weighted(place.value, (9, 8, 7, 6, 5, 4, 3, 2, -1), 11),
        folded=True,
    ),
    Rule(
        name="swedish_personnummer",
        category="pii",
        pattern=r"\bperson(?:al identity )?(?:nummer|number)"
        + _SAYS
        + r"(?P<v>(?:19|20)?\d{6}[\-+]?\d{4})(?!\w)",
        keywords=("personnummer", "personnumber", "personal identity "),
        gate="digits",
        anchored=True,
        confidence=0.85,
        positives=("personnummer: 811218-9876",),
        negatives=("personnummer: 811218-9875",),
        check=lambda place: luhn(digits_of(place.value)[-10:]),
        folded=True,
    ),
    Rule(
        name="australian_tfn",
        category="pii",
        pattern=r"\b(?:tfn|tax file)" + _SAYS + r"(?P<v>\d{3} ?\d{3} ?\d{3})(?!\w)",
        keywords=("tfn", "tax file"),
        gate="digits",
        anchored=True,
        confidence=0.85,
        positives=("TFN: 123 456 782",),
        negatives=("TFN: 123 456 783",),
        check=lambda place: weighted(place.value, (1, 4, 3, 7, 5, 8, 6, 9, 10), 11),
        folded=True,
    ),
    _named(
        "medical_record_number",
        r"mrn|medical record|patient id|health insurance|krankenversichertennummer|medicare",
        r"[a-z]{0,3}\d{6,12}[a-z]?",
        ("mrn", "medical record", "patient id", "health insurance", "krankenversichertennummer", "medicare"),
        ("MRN: 00482913", "medical record number 7718203"),
        ("mrn: str", "patient id"),
    ),
    _named(
        "identity_card",
        "national id|identity card|id card|personalausweis|ausweisnummer|cédula|cedula|curp|dni number|hkid",
        r"[a-z]{0,4}\d[a-z0-9\-.]{5,18}",
        (
            "national id",
            "identity card",
            "id card",
            "personalausweis",
            "ausweisnummer",
            "cédula",
            "cedula",
            "curp",
            "dni number",
            "hkid",
        ),
        ("national ID: 29001011234567", "Personalausweis: L01X00T471".replace("L01X00T471", "L0100T4712")),
        ("national idea 1", "id card component"),
    ),
)
