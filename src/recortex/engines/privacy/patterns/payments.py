"""Keys of payment, shop and banking services."""

from __future__ import annotations

from recortex.engines.privacy.rule import provider

PAYMENTS = (
    provider(
        "stripe_key",
        r"(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9]{10,255}|whsec_[A-Za-z0-9+/]{24,80}={0,2}",
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ pk_live_ pk_test_ pk_prod_ whsec_",
        ("sk_live_<<A24>>", "pk_live_<<A24>>", "rk_test_<<A99>>", "whsec_<<A32>>"),
        ("sk_live_...", "sk_test_x", "whsec_xxx"),
    ),
    provider(
        "square_token",
        r"sq0[a-z]{3}-[A-Za-z0-9_\-]{22,60}|EAAA[A-Za-z0-9_\-]{60}(?![A-Za-z0-9_\-])",
        "sq0 eaaa",
        ("sq0atp-<<w22>>", "sq0csp-<<w43>>", "EAAA<<A60>>"),
        ("sq0atp-x",),
        inside=True,
    ),
    provider(
        "paypal_token",
        r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
        "access_token$",
        ("access_token$production$<<a16>>$<<h32>>",),
        ("access_token$",),
    ),
    provider(
        "plaid_token",
        (
            r"(?:access|link|public|processor)-(?:sandbox|development|"
            r"production)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"
        ),
        "-sandbox- -development- -production-",
        ("access-sandbox-<<h8>>-<<h4>>-<<h4>>-<<h4>>-<<h12>>",),
        ("access-sandbox-name",),
        inside=True,
    ),
    provider(
        "razorpay_key",
        r"rzp_(?:live|test)_[A-Za-z0-9]{14,24}",
        "rzp_",
        ("rzp_live_<<A14>>",),
        ("rzp_test_x",),
    ),
    provider(
        "shopify_token",
        r"shp(?:at|ca|pa|ss|ua|tka)_[a-fA-F0-9]{32,64}",
        "shpat_ shpca_ shppa_ shpss_ shpua_ shptka_",
        ("shpat_<<h32>>", "shpss_<<h32>>"),
        ("shpat_short",),
    ),
    provider(
        "shippo_token",
        r"shippo_(?:live|test)_[a-fA-F0-9]{40}",
        "shippo_",
        ("shippo_live_<<h40>>",),
        ("shippo_test_x",),
    ),
    provider(
        "easypost_key",
        r"EZ[AT]K[A-Za-z0-9]{54}(?![A-Za-z0-9])",
        "ezak eztk",
        ("EZAK<<A54>>", "EZTK<<A54>>"),
        ("EZAKshort",),
    ),
    provider(
        "duffel_token",
        r"duffel_(?:test|live)_[A-Za-z0-9_\-=]{43}",
        "duffel_",
        ("duffel_test_<<w43>>",),
        ("duffel_test_x",),
    ),
    provider(
        "flutterwave_key",
        r"FLW(?:PUB|SEC)K(?:_TEST)?-[A-Fa-f0-9]{12,32}(?:-X)?",
        "flwpubk flwseck",
        ("FLWSECK_TEST-<<h32>>-X", "FLWPUBK-<<h32>>-X"),
        ("FLWSECK_TEST-",),
    ),
    provider(
        "lob_key",
        r"(?:live|test)_(?:pub_)?[a-f0-9]{31,35}(?![a-f0-9])",
        "live_ test_",
        ("live_<<h35>>", "test_pub_<<h31>>"),
        ("test_pub_sub",),
    ),
    provider(
        "mollie_key",
        r"(?:live|test)_[A-Za-z0-9]{30}(?![A-Za-z0-9_])",
        "mollie",
        ("mollie: live_<<A30>>",),
        ("mollie test_case",),
        inside=True,
    ),
    provider(
        "gocardless_token",
        r"live_[A-Za-z0-9_\-=]{40}(?![A-Za-z0-9_\-=])",
        "gocardless",
        ("gocardless: live_<<w40>>",),
        ("gocardless live_mode",),
        inside=True,
    ),
    provider(
        "mercadopago_token",
        r"APP_USR-[A-Za-z0-9\-]{32,90}",
        "app_usr-",
        ("APP_USR-<<d16>>-<<d6>>-<<h32>>-<<d9>>",),
        ("APP_USR-x",),
    ),
    provider(
        "checkout_key",
        r"sk_(?:sbox_|test_)?[a-z0-9]{8}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{12}",
        "sk_",
        ("sk_test_<<h8>>-<<h4>>-<<h4>>-<<h4>>-<<h12>>",),
        ("sk_test_a-b",),
    ),
    provider(
        "adyen_key",
        r"AQE[a-z][A-Za-z0-9+/]{60,300}={0,2}(?:-[A-Za-z0-9+/]{20,64}={0,2}){0,2}",
        "aqe",
        ("AQEy<<b90>>==-<<b43>>=",),
        ("AQExshort",),
    ),
    provider(
        "shop_key",
        r"lmnsqz_(?:live|test)_[A-Za-z0-9]{24,64}|pdl_(?:live|sdbx)_apikey_[A-Za-z0-9_]{30,80}",
        "lmnsqz_ pdl_",
        ("pdl_live_apikey_<<a26>>_<<A22>>_<<A3>>",),
        ("pdl_live_apikey_x",),
    ),
    provider(
        "bitcoin_private_key",
        r"[xyzt]prv[1-9A-HJ-NP-Za-z]{100,112}",
        "xprv yprv zprv tprv",
        ("xprv9s21ZrQH143K<<l95>>",),
        ("xprv", "tprv_value"),
    ),
)
