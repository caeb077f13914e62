"""Tokens of monitoring, content, identity and other services."""

from __future__ import annotations

from recortex.engines.privacy.rule import Rule, provider

SERVICES = (
    provider(
        "datadog_key",
        r"dd(?:p|a|w|z)[a-z]_[A-Za-z0-9]{34,64}|pub[a-f0-9]{32}(?![a-f0-9])",
        "ddp dda ddw ddz pub",
        ("ddpa_<<A36>>", "pub<<h32>>"),
        ("ddp_client", "public"),
    ),
    provider(
        "newrelic_key",
        r"NR(?:AK|II|JS|RA|BR|AA)-[A-Za-z0-9]{19,42}|eu01xx[a-f0-9]{34}|[a-f0-9]{36}NRAL",
        "nrak- nrii- nrjs- nrra- nrbr- nraa- eu01xx nral",
        ("NRAK-<<U27>>", "NRII-<<A32>>", "NRJS-<<h19>>", "<<h36>>NRAL"),
        ("NRAK-short",),
        inside=True,
    ),
    provider(
        "grafana_token",
        (
            r"glc_[A-Za-z0-9+/]{32,400}={0,2}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|"
            r"eyJrIjoi[A-Za-z0-9+/_\-]{50,400}={0,2}"
        ),
        "glc_ glsa_ eyjrijoi",
        ("glc_<<A60>>", "glsa_<<A32>>_<<h8>>", "eyJrIjoi<<A80>>"),
        ("glc_CreateLightmapTextureArrays", "glsa_short", "glc_<<x68>>"),
    ),
    provider(
        "sentry_token",
        r"sntrys_[A-Za-z0-9+/=]{60,300}_[A-Za-z0-9+/]{40,60}|sntryu_[a-f0-9]{64}",
        "sntrys_ sntryu_",
        ("sntryu_<<h64>>", "sntrys_eyJ<<A90>>_<<A43>>"),
        ("sntryu_short",),
    ),
    Rule(
        name="sentry_dsn",
        category="connection",
        pattern=r"https?://(?P<v>[a-f0-9]{32}(?::[a-f0-9]{32})?)@[\w.\-]{3,100}/\d{1,12}",
        keywords=("@",),
        confidence=0.9,
        positives=("https://<<h32>>@o12.ingest.sentry.io/345",),
        negatives=("https://key@sentry.internal/1",),
    ),
    provider(
        "honeycomb_key",
        r"hc[abx][lim][krw]_[A-Za-z0-9]{50,70}",
        "hca hcb hcx",
        ("hcaik_<<A58>>",),
        ("hcaik_short",),
    ),
    provider(
        "posthog_key", r"ph[cxrs]_[A-Za-z0-9]{32,60}", "phc_ phx_ phr_ phs_", ("phc_<<A43>>",), ("phx_short",)
    ),
    provider(
        "dynatrace_token",
        r"(?i:dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64})",
        "dt0",
        ("dt0c01.<<U24>>.<<U64>>",),
        ("dt0c01.short",),
    ),
    provider(
        "sumologic_id",
        r"su[A-Za-z0-9]{12}(?![A-Za-z0-9])",
        "sumo",
        ("SUMO_ACCESS_ID=su<<A12>>",),
        ("sumologic support",),
        inside=True,
    ),
    provider(
        "okta_token",
        r"(?i:okta|ssws)[\w.\- ]{0,24}[\"'=:> ]{1,8}(?P<v>00[A-Za-z0-9_\-]{40})(?![A-Za-z0-9_\-])",
        "okta ssws",
        ("Authorization: SSWS 00<<w40>>", "okta=00<<w40>>", "oktaApiToken: '00<<w40>>'"),
        ("okta 00123", "rookTable = 00<<w40>>"),
    ),
    provider(
        "auth0_refresh_token",
        r"(?<![_\-])rt_[A-Za-z0-9_\-]{40,90}(?![A-Za-z0-9_\-])",
        "auth0 rt_",
        ("refresh=rt_<<A64>>",),
        ("rt_priority",),
        inside=True,
    ),
    provider("typeform_token", r"tfp_[A-Za-z0-9_\-.=]{40,80}", "tfp_", ("tfp_<<w59>>",), ("tfp_short",)),
    provider(
        "hubspot_token",
        r"pat-(?:na|eu|ap)\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
        "pat-na pat-eu pat-ap",
        ("pat-na1-<<h8>>-<<h4>>-<<h4>>-<<h4>>-<<h12>>",),
        ("pat-na1-x",),
    ),
    provider("contentful_token", r"CFPAT-[A-Za-z0-9_\-]{43}", "cfpat-", ("CFPAT-<<w43>>",), ("CFPAT-x",)),
    provider("readme_key", r"rdme_[a-z0-9]{70}", "rdme_", ("rdme_<<a70>>",), ("rdme_short",)),
    provider("scalingo_token", r"tk-us-[A-Za-z0-9_\-]{48}", "tk-us-", ("tk-us-<<w48>>",), ("tk-us-x",)),
    provider(
        "settlemint_token",
        r"sm_(?:aat|pat|sat)_[A-Za-z0-9]{16}(?![A-Za-z0-9])",
        "sm_aat_ sm_pat_ sm_sat_",
        ("sm_pat_<<A16>>",),
        ("sm_aat_short",),
    ),
    provider("frameio_token", r"fio-u-[A-Za-z0-9_\-=]{64}", "fio-u-", ("fio-u-<<w64>>",), ("fio-u-x",)),
    provider(
        "intra42_secret", r"s-s4t2(?:ud|af)-[a-f0-9]{64}", "s-s4t2", ("s-s4t2ud-<<h64>>",), ("s-s4t2ud-x",)
    ),
    provider(
        "beamer_key",
        r"b_[A-Za-z0-9=_\-]{44}(?![A-Za-z0-9=_\-])",
        "beamer",
        ("beamer: b_<<w44>>",),
        ("beamer b_x",),
        inside=True,
    ),
    provider(
        "maxmind_key",
        r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk",
        "_mmk",
        ("<<A6>>_<<A29>>_mmk",),
        ("a_b_mmk",),
        inside=True,
    ),
    provider(
        "sidekiq_secret",
        (
            r"BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM[A-Za-z_\"']{0,16}\s{0,4}[:=]{1,3}\s{0,4}[\"']?(?"
            r"P<v>["
            r"a-f0-9]{8}:[a-f0-9]{8})"
        ),
        "contribsys",
        ("BUNDLE_ENTERPRISE__CONTRIBSYS__COM=<<h8>>:<<h8>>",),
        ("BUNDLE_ENTERPRISE__CONTRIBSYS__COM=user",),
        inside=True,
    ),
    provider(
        "freemius_secret",
        r"sk_[A-Za-z0-9+/!@#$%^&*~\-_=.,:;]{29}(?=[\"'])",
        "sk_",
        ("'secret_key' => 'sk_<<A29>>'",),
        ("'sk_short'",),
    ),
    provider(
        "cloudinary_url",
        r"cloudinary://(?P<v>\d{10,20}:[A-Za-z0-9_\-]{20,40})@",
        "cloudinary://",
        ("cloudinary://<<d15>>:<<A27>>@demo",),
        ("cloudinary://key:secret@demo",),
    ),
    provider(
        "infisical_token",
        r"st\.[a-f0-9]{24}\.[a-f0-9]{32}\.[a-f0-9]{32}",
        "st.",
        ("st.<<h24>>.<<h32>>.<<h32>>",),
        ("st.markdown",),
    ),
    provider(
        "statsig_key",
        r"secret-[A-Za-z0-9]{43}(?![A-Za-z0-9])|console-[A-Za-z0-9]{43}(?![A-Za-z0-9])",
        "secret- console-",
        ("secret-<<A43>>",),
        ("secret-manager", "console-log"),
    ),
    provider(
        "unkey_key",
        r"unkey_[A-Za-z0-9]{16,32}(?![A-Za-z0-9_])",
        "unkey_",
        ("unkey_<<A22>>",),
        ("unkey_x",),
    ),
    provider(
        "rootly_key",
        r"rootly_[a-f0-9]{64}",
        "rootly_",
        ("rootly_<<h64>>",),
        ("rootly_api",),
    ),
    provider(
        "pagerduty_key",
        r"(?:u\+|y_|w_)[A-Za-z0-9_+\-]{18}(?![A-Za-z0-9_+\-])",
        "pagerduty",
        ("pagerduty: u+<<A18>>",),
        ("pagerduty u+x",),
        inside=True,
    ),
    provider(
        "censys_key",
        r"censys_[A-Za-z0-9]{8}_[A-Za-z0-9]{24,40}",
        "censys_",
        ("censys_<<A8>>_<<A32>>",),
        ("censys_search",),
    ),
    provider(
        "bitwarden_token",
        r"0\.[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\.[A-Za-z0-9]{28,32}:[A-Za-z0-9+/]{22}==",
        "==",
        ("0.<<h8>>-<<h4>>-<<h4>>-<<h4>>-<<h12>>.<<A30>>:<<b22>>==",),
        ("0.5 == 1",),
        inside=True,
    ),
    provider(
        "gitter_token",
        r"gitter[A-Za-z0-9_\-]{40}",
        "gitter",
        ("gitter<<w40>>",),
        ("gitter room",),
        inside=True,
    ),
)
