"""Tokens of clouds, hosts, databases and infrastructure tools."""

from __future__ import annotations

from recortex.engines.privacy.rule import TOKEN, Rule, provider

CLOUD = (
    Rule(
        name="aws_access_key",
        category="secret",
        pattern=r"(?<![A-Za-z0-9+/])(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        keywords=("akia", "asia", "abia", "acca", "a3t"),
        anchored=True,
        confidence=TOKEN,
        positives=("AKIA<<U16>>", "aws_access_key_id=ASIA<<U16>>"),
        negatives=("AKIAIOSFODNN7EXAMPLE", "AKIA<<X16>>", "ASIAPACIFIC"),
    ),
    Rule(
        name="aws_secret_key",
        category="secret",
        pattern=(
            r"(?:secret_?access_?key|aws_?secret(?:_?key)?|secretaccesskey)[\"'\]]{0,3}[ \t]{0,8}(?:=>|:?=|"
            r":|,)[ \t]{0,8}[\"'`]{0,3}"
            r"(?P<v>[a-z0-9/+]{40})(?![a-z0-9/+=])"
        ),
        keywords=("secret",),
        confidence=TOKEN,
        positives=("aws_secret_access_key = <<b40>>", '"SecretAccessKey": "<<b40>>"'),
        negatives=(
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "aws_secret_access_key = ${AWS_SECRET}",
        ),
        folded=True,
    ),
    provider(
        "aws_bedrock_key",
        r"ABSK[A-Za-z0-9+/]{100,300}={0,2}|bedrock-api-key-[A-Za-z0-9+/=_\-]{20,2048}",
        "absk bedrock-api-key-",
        ("ABSK<<b130>>=", "bedrock-api-key-<<A60>>"),
        ("ABSK<<A20>>", "bedrock-api-key-name"),
    ),
    provider(
        "aws_mws_token",
        r"amzn\.mws\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        "amzn.mws.",
        ("amzn.mws.<<h8>>-<<h4>>-<<h4>>-<<h4>>-<<h12>>",),
        ("amzn.mws.example",),
    ),
    provider(
        "google_api_key",
        r"AIza[A-Za-z0-9_\-]{35}",
        "aiza",
        ("AIza<<A35>>",),
        ("AIzaShort", "AIza<<x35>>"),
    ),
    provider(
        "google_oauth_secret",
        r"GOCSPX-[A-Za-z0-9_\-]{28}|ya29\.[A-Za-z0-9_\-]{20,1024}|1//0[A-Za-z0-9_\-]{40,256}",
        "gocspx- ya29. 1//0",
        ("GOCSPX-<<w28>>", "ya29.<<w120>>"),
        ("GOCSPX-short", "ya29.x"),
    ),
    provider(
        "firebase_messaging_key",
        r"AAAA[A-Za-z0-9_\-]{7}:[A-Za-z0-9_\-]{134,200}",
        "aaaa",
        ("AAAA<<A7>>:<<w140>>",),
        ("AAAA:short",),
        inside=True,
    ),
    Rule(
        name="gcp_private_key_id",
        category="secret",
        pattern=r"\"private_key_id\"\s{0,4}:\s{0,4}\"(?P<v>[0-9a-f]{40})\"",
        keywords=("private_key_id",),
        confidence=TOKEN,
        positives=('"private_key_id": "<<h40>>"',),
        negatives=('"private_key_id": ""', '"commit_id": "<<h40>>"'),
    ),
    provider(
        "azure_client_secret",
        r"[A-Za-z0-9_~.\-]{3}\dQ~[A-Za-z0-9_~.\-]{31,34}(?![A-Za-z0-9_~.\-])",
        "q~",
        ("client_secret=<<A3>>8Q~<<w34>>",),
        ("<<A3>>8Q~short",),
        inside=True,
    ),
    provider(
        "azure_devops_token",
        r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}|[a-z2-7]{52}(?=@dev\.azure\.com)",
        "azdo dev.azure.com",
        ("<<A76>>AZDO<<A4>>",),
        ("AZDO", "https://org@dev.azure.com/org"),
        inside=True,
    ),
    provider(
        "azure_key",
        (
            r"[A-Za-z0-9]{33}(?:AzCa|AzSe|ACDb|\+ASt|AIoT|ACRA|AFNW)[A-Za-z0-9+/]{5,12}={0,2}|"
            r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{10}AC[A-Za-z0-9]{14,16}"
        ),
        "azca azse acdb +ast aiot jqqj99",
        ("<<A52>>JQQJ99<<A10>>AC<<A14>>",),
        ("AzSearch", "JQQJ99"),
        inside=True,
    ),
    provider(
        "alibaba_access_key", r"LTAI[A-Za-z0-9]{12,26}(?![A-Za-z0-9])", "ltai", ("LTAI<<A20>>",), ("LTAI5",)
    ),
    provider(
        "tencent_secret_id",
        r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])",
        "akid",
        ("AKID<<A32>>",),
        ("AKID", "akid<<A8>>"),
    ),
    provider(
        "yandex_token",
        (
            r"t1\.[A-Za-z0-9_\-]{1,64}={0,2}\.[A-Za-z0-9_\-]{60,256}={0,2}|AQVN[A-Za-z0-9_\-]{35,38}|"
            r"YC[A-Za-z0-9_\-]{38}(?![A-Za-z0-9_\-])|y[0-3]_[A-Za-z0-9_\-]{50,62}"
        ),
        "t1. aqvn yc y0_ y1_ y2_ y3_",
        ("t1.<<A6>>==.<<w86>>==", "AQVN<<w36>>"),
        ("t1.micro", "AQVNshort"),
    ),
    provider(
        "digitalocean_token",
        r"do[oprt]_v1_[a-f0-9]{64}",
        "dop_v1_ doo_v1_ dor_v1_ dot_v1_",
        ("dop_v1_<<h64>>", "doo_v1_<<h64>>"),
        ("dop_v1_short",),
    ),
    provider("heroku_api_key", r"HRKU-[A-Za-z0-9_\-]{36,64}", "hrku-", ("HRKU-AA<<w58>>",), ("HRKU-AA",)),
    provider(
        "fly_token",
        r"fo1_[A-Za-z0-9_\-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{80,4096}={0,3}",
        "fo1_ fm1 fm2",
        ("fo1_<<w43>>", "fm2_<<b100>>="),
        ("fo1_short", "fo1_<<x43>>"),
    ),
    provider(
        "cloudflare_token",
        r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}|cf(?:ut|at|k|ot)_[A-Za-z0-9_\-]{40,64}",
        "v1.0- cfut_ cfat_ cfk_ cfot_",
        ("v1.0-<<h24>>-<<h146>>", "cfut_<<w48>>"),
        ("v1.0-beta-2",),
    ),
    provider(
        "doppler_token",
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_\-]{2,35}\.)?[A-Za-z0-9]{40,44}",
        "dp.",
        ("dp.pt.<<A43>>", "dp.st.prd.<<A40>>"),
        ("dp.pt.short", "dp.state.value"),
    ),
    provider("pulumi_token", r"pul-[a-f0-9]{40}(?![a-f0-9])", "pul-", ("pul-<<h40>>",), ("pul-short",)),
    provider(
        "terraform_token",
        r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{60,70}",
        ".atlasv1.",
        ("<<A14>>.atlasv1.<<w64>>",),
        ("<<x14>>.atlasv1.<<x64>>",),
        inside=True,
    ),
    provider(
        "vault_token",
        r"hv[sbr]\.[A-Za-z0-9_\-]{24,512}",
        "hvs. hvb. hvr.",
        ("hvs.<<w95>>", "hvb.<<w140>>"),
        ("hvs.value", "hvb."),
    ),
    Rule(
        name="vault_legacy_token",
        category="secret",
        pattern=r"(?<![A-Za-z0-9_.])s\.[A-Za-z0-9]{24}(?![A-Za-z0-9_.])",
        keywords=("s.",),
        anchored=True,
        confidence=0.8,
        positives=("VAULT=s.<<A24>>", "token: s.<<A24>>"),
        negatives=("s.<<x24>>", "s.thisstringisalllowercase", "s.AcceptanceTimeoutSeconds", "this.<<A24>>"),
        check=lambda place: (
            sum(c.isdigit() for c in place.value) > 1
            and place.value[2:] != place.value[2:].lower()
            and not place.value.isupper()
        ),
    ),
    provider(
        "defined_networking_token",
        r"dnkey-[a-z0-9=_\-]{26}-[a-z0-9=_\-]{52}",
        "dnkey-",
        ("dnkey-<<a26>>-<<a52>>",),
        ("dnkey-short",),
    ),
    provider(
        "databricks_token",
        r"dapi[a-f0-9]{32}(?:-\d)?(?![a-f0-9])|dose[a-f0-9]{32}",
        "dapi dose",
        ("dapi<<h32>>-2",),
        ("dapi", "dapi_client"),
    ),
    provider(
        "planetscale_token",
        r"pscale_(?:tkn|oauth|pw|pass)_[A-Za-z0-9=._\-]{32,64}",
        "pscale_",
        ("pscale_tkn_<<w43>>", "pscale_pw_<<w32>>"),
        ("pscale_tkn_short",),
    ),
    provider(
        "supabase_key",
        r"sbp_[a-f0-9]{40}|sb_(?:secret|publishable)_[A-Za-z0-9_\-]{20,64}",
        "sbp_ sb_secret_ sb_publishable_",
        ("sbp_<<h40>>", "sb_secret_<<w31>>"),
        ("sbp_short",),
    ),
    provider(
        "neon_key",
        r"napi_[a-z0-9]{48,80}|npg_[A-Za-z0-9]{12,16}(?![A-Za-z0-9_])",
        "napi_ npg_",
        ("napi_<<a64>>", "npg_<<A12>>"),
        ("napi_create_function", "npg_pool"),
    ),
    provider(
        "render_key",
        r"rnd_[A-Za-z0-9]{28,40}(?![A-Za-z0-9_])",
        "rnd_",
        ("rnd_<<A32>>",),
        ("rnd_seed", "rnd_uniform_float_32"),
    ),
    provider(
        "vercel_token",
        r"vercel_blob_rw_[A-Za-z0-9_]{30,80}|vc[kpairt]_[A-Za-z0-9]{24,80}",
        "vercel_blob_rw_ vck_ vcp_ vca_ vci_ vcr_ vct_",
        ("vercel_blob_rw_<<A16>>_<<A30>>", "vcp_<<A56>>"),
        ("vercel_blob_rw_token", "vcp_plugin"),
    ),
    provider(
        "netlify_token",
        r"nf[pcob]_[A-Za-z0-9]{36,64}",
        "nfp_ nfc_ nfo_ nfb_",
        ("nfp_<<A36>>",),
        ("nfp_short",),
    ),
    provider(
        "openshift_token",
        r"sha256~[A-Za-z0-9_\-]{43}(?![A-Za-z0-9_\-])",
        "sha256~",
        ("--token=sha256~<<w43>>",),
        ("sha256~<<x43>>", "sha256~short"),
    ),
    provider(
        "age_secret_key",
        r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}|AGE-PLUGIN-[A-Z0-9]{1,20}-1[A-Z0-9]{50,200}",
        "age-secret-key- age-plugin-",
        ("AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE",),
        ("AGE-SECRET-KEY-1...",),
    ),
    provider(
        "infracost_token",
        r"ico-[A-Za-z0-9]{32}(?![A-Za-z0-9])",
        "ico-",
        ("ico-<<A32>>",),
        ("ico-short", "favico-<<h32>>"),
    ),
    provider(
        "harness_token",
        r"(?:pat|sat)\.[A-Za-z0-9_\-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}",
        "pat. sat.",
        ("pat.<<A22>>.<<h24>>.<<A20>>",),
        ("pat.smith.example",),
    ),
    provider(
        "octopus_api_key",
        r"API-[A-Z0-9]{26}(?![A-Z0-9])",
        "api-",
        ("API-<<U26>>",),
        ("API-<<U32>>", "api-<<a26>>"),
    ),
    provider(
        "clickhouse_key",
        r"4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])",
        "4b1d",
        ("4b1d<<A38>>",),
        ("4b1d", "<<A3>>4b1d<<A38>>"),
    ),
    provider(
        "tailscale_key",
        r"tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{6,32}-[A-Za-z0-9]{16,64}",
        "tskey-",
        ("tskey-auth-<<A12>>-<<A32>>",),
        ("tskey-auth-short",),
    ),
    provider(
        "ngrok_token",
        r"(?:ak|cr|2)_?[A-Za-z0-9]{25,32}_[0-9][A-Za-z0-9]{20,24}(?![A-Za-z0-9_])",
        "ak_ cr_ ngrok",
        ("ngrok: 2<<A26>>_5<<A20>>",),
        ("ak_short", "ngrok http 80"),
        inside=True,
    ),
    provider(
        "scaleway_key",
        r"SCW[A-Z0-9]{17}(?![A-Z0-9])",
        "scw",
        ("SCW<<U17>>",),
        ("SCW_ACCESS_KEY", "scwconfig"),
    ),
    provider(
        "flutter_cloud_key",
        r"CKEY-[A-Z0-9]{8}(?:-[A-Z0-9]{4}){3}-[A-Z0-9]{12}",
        "ckey-",
        ("CKEY-<<U8>>-<<U4>>-<<U4>>-<<U4>>-<<U12>>",),
        ("CKEY-short",),
    ),
    provider(
        "artifactory_token",
        r"AKCp[A-Za-z0-9]{66,73}(?![A-Za-z0-9])|cmVmd[A-Za-z0-9]{59}(?![A-Za-z0-9])",
        "akcp cmvmd",
        ("AKCp<<A69>>", "cmVmd<<A59>>"),
        ("AKCp<<X69>>", "AKCpshort"),
    ),
    provider(
        "onepassword_token",
        (
            r"ops_eyJ[A-Za-z0-9+/=_\-]{200,4096}|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|"
            r"[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"
        ),
        "ops_eyj a3-",
        ("ops_eyJ<<b260>>", "A3-<<U6>>-<<U11>>-<<U5>>-<<U5>>-<<U5>>"),
        ("ops_eyJshort...", "A3-<<X6>>-<<X6>>-<<X5>>-<<X5>>-<<X5>>-<<X5>>"),
    ),
    provider(
        "adobe_client_secret",
        r"p8es?-[A-Za-z0-9]{32}(?![A-Za-z0-9])",
        "p8e",
        ("p8e-<<a32>>",),
        ("p8e-short",),
    ),
)
