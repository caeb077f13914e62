"""Tokens of chat, mail, telephony and social services."""

from __future__ import annotations

from recortex.engines.privacy.rule import Rule, provider

MESSAGING = (
    provider(
        "slack_token",
        (
            r"xox[abeoprs](?:\.xox[bp])?-(?:\d-)?(?:\d{6,14}-){1,4}[A-Za-z0-9\-]{8,64}|"
            r"xox[abeoprsc](?:\.xox[bp])?-\d-[A-Za-z0-9]{120,300}|xox[abeoprscd]-[A-Za-z0-9%\-]{24,250}|"
            r"xapp-\d-[A-Z0-9]{6,16}-\d{8,16}-[a-z0-9]{32,80}"
        ),
        "xox xapp-",
        (
            "xoxb-<<d12>>-<<d12>>-<<A24>>",
            "xoxp-<<d11>>-<<d10>>-<<d11>>-<<h32>>",
            "xapp-1-A<<U10>>-<<d13>>-<<h64>>",
            "xoxe.xoxp-1-<<A160>>",
        ),
        ("xoxb-xxxxxxxxx-xxxxxxxxxx-xxxxxxxxxxxx", "xoxb-abcdef-abcdef", "xoxo-love-from-me"),
    ),
    provider(
        "slack_webhook",
        r"hooks\.slack\.com/(?P<v>(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,80})",
        "hooks.slack.com",
        ("https://hooks.slack.com/services/T<<U8>>/B<<U8>>/<<A24>>",),
        ("https://hooks.slack.com/services/T00000000/B00000000/<<X24>>",),
    ),
    provider(
        "discord_token",
        r"[MNO][A-Za-z0-9_\-]{23,25}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,38}|mfa\.[A-Za-z0-9_\-]{84}",
        ". mfa.",
        ("M<<A23>>.<<A6>>.<<A27>>",),
        ("Name.method.call",),
        inside=True,
        gate="long",
    ),
    provider(
        "discord_webhook",
        r"discord(?:app)?\.com/api/webhooks/(?P<v>\d{17,20}/[A-Za-z0-9_\-]{60,72})",
        "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
        ("https://discord.com/api/webhooks/<<d18>>/<<w68>>",),
        ("https://discord.com/api/webhooks/ID/TOKEN",),
    ),
    provider(
        "teams_webhook",
        (
            r"[a-z0-9\-]{1,64}\.webhook\.office\.com/(?P<v>webhookb2/[A-Za-z0-9\-@]{36,80}/IncomingWebhook"
            r"/[A-Z"
            r"a-z0-9]{32}/[A-Za-z0-9\-]{36}[A-Za-z0-9/_\-]{0,64})"
        ),
        ".webhook.office.com",
        (
            (
                "https://acme.webhook.office.com/webhookb2/<<h8>>-<<h4>>-<<h4>>-<<h4>>-<<h12>>@<<h8>>-<<h4>>"
                "-<<h"
                "4>>-<<h4>>-<<h12>>/IncomingWebhook/<<h32>>/<<h8>>-<<h4>>-<<h4>>-<<h4>>-<<h12>>"
            ),
        ),
        ("https://acme.webhook.office.com/webhookb2/",),
        inside=True,
    ),
    provider(
        "google_chat_webhook",
        (
            r"chat\.googleapis\.com/v1/spaces/[A-Za-z0-9_\-]{6,20}/messages\?(?P<v>key=[A-Za-z0-9_\-]{20,6"
            r"0}&to"
            r"ken=[A-Za-z0-9_\-%]{20,80})"
        ),
        "chat.googleapis.com",
        ("https://chat.googleapis.com/v1/spaces/<<A11>>/messages?key=<<A39>>&token=<<A43>>",),
        ("https://chat.googleapis.com/v1/spaces/x",),
    ),
    provider(
        "automation_webhook",
        (
            r"(?:hooks\.zapier\.com/hooks/catch|maker\.ifttt\.com/use|hook\.[a-z0-9]{2,4}\.make\.com|"
            r"outlook\.office\.com/webhook)/(?P<v>[A-Za-z0-9/@_\-]{16,200})"
        ),
        "hooks.zapier.com maker.ifttt.com .make.com outlook.office.com/webhook",
        ("https://hooks.zapier.com/hooks/catch/<<d7>>/<<a7>>/<<a8>>",),
        ("https://hooks.zapier.com/hooks/catch/1",),
        inside=True,
    ),
    provider(
        "telegram_token",
        r"\d{8,10}:A[A-Za-z0-9_\-]{33,34}",
        ":a",
        ("<<d10>>:AA<<A33>>", "https://api.telegram.org/bot<<d9>>:AA<<A33>>/getMe".replace("bot", "bot/")),
        ("12:Ab", "<<d10>>:AAshort"),
        inside=True,
        gate="long",
    ),
    Rule(
        name="telegram_bot_url",
        category="secret",
        pattern=r"api\.telegram\.org/bot(?P<v>\d{6,12}:[A-Za-z0-9_\-]{30,40})",
        keywords=("api.telegram.org",),
        anchored=True,
        confidence=0.95,
        positives=("https://api.telegram.org/bot<<d9>>:AA<<A33>>/sendMessage",),
        negatives=("https://api.telegram.org/bot<token>/sendMessage",),
    ),
    provider(
        "twilio_key",
        r"SK[a-f0-9]{32}(?![a-f0-9A-Z])|AC[a-f0-9]{32}(?![a-f0-9A-Z])",
        "sk ac",
        ("SK<<h32>>", "AC<<h32>>"),
        ("SKshort", "ACCESS"),
        gate="long",
    ),
    provider(
        "sendgrid_key",
        r"SG\.[A-Za-z0-9_\-=.]{60,80}",
        "sg.",
        ("SG.<<w22>>.<<w43>>",),
        ("SG.x.y", "msg.payload.value"),
    ),
    provider(
        "mailgun_key",
        (
            r"key-[a-f0-9]{32}(?![a-f0-9])|[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}(?![a-f0-9\-])|"
            r"pubkey-[a-f0-9]{32}"
        ),
        "key- mailgun mg",
        ("key-<<h32>>", "mailgun: <<h32>>-<<h8>>-<<h8>>"),
        ("key-value", "key-press-1"),
        inside=True,
        gate="long",
    ),
    provider(
        "mailchimp_key",
        r"[a-f0-9]{32}-us\d{1,2}(?![0-9])|md-[A-Za-z0-9_\-]{22}(?![A-Za-z0-9_\-])",
        "-us md-",
        ("<<h32>>-us12",),
        ("eu-us12", "md-button-icon"),
        inside=True,
    ),
    provider(
        "sendinblue_key",
        r"x(?:keysib|smtpsib)-[a-f0-9]{64}-[A-Za-z0-9]{16}",
        "xkeysib- xsmtpsib-",
        ("xkeysib-<<h64>>-<<a16>>",),
        ("xkeysib-short",),
    ),
    provider(
        "resend_key",
        r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,28}(?![A-Za-z0-9_])",
        "re_",
        ("re_<<A8>>_<<A24>>",),
        ("re_compiled_pattern", "re_internal_functions_registered"),
    ),
    provider(
        "facebook_token",
        r"EAA[A-Za-z][A-Za-z0-9]{100,400}|\d{14,17}(?:\||%7C|%7c)[A-Za-z0-9_\-]{27,40}",
        "eaa | %7c",
        ("EAAM<<A180>>", "<<d16>>|<<A27>>"),
        ("EAAshort", "1 | 2"),
        inside=True,
        gate="long",
    ),
    provider(
        "instagram_token",
        r"IG(?:QV|QW|AA)[A-Za-z0-9_\-]{100,300}",
        "igqv igqw igaa",
        ("IGQV<<A150>>",),
        ("IGQVshort",),
    ),
    provider(
        "twitter_bearer",
        r"A{18,24}[A-Za-z0-9%]{60,150}",
        "aaaaaaaaaaaaaaaaaa",
        ("AAAAAAAAAAAAAAAAAAAAA<<A92>>",),
        ("AAAAAAAAAAAAAAAAAAAAAA",),
        inside=True,
    ),
    provider(
        "linkedin_secret",
        r"WPL_AP\d\.[A-Za-z0-9]{16}\.[A-Za-z0-9+/]{6,8}={0,2}",
        "wpl_ap",
        ("WPL_AP1.<<A16>>.<<A6>>==",),
        ("WPL_AP1.x",),
    ),
    provider(
        "dropbox_token",
        r"sl\.(?:u\.)?[A-Za-z0-9_\-]{100,1500}",
        "sl.",
        ("sl.<<w138>>",),
        ("sl.append", "ssl.create_default_context"),
    ),
    provider(
        "mapbox_token",
        r"[ps]k\.[A-Za-z0-9]{60,120}\.[A-Za-z0-9_\-]{20,24}",
        "pk. sk.",
        ("pk.<<a60>>.<<a22>>", "sk.eyJ<<A70>>.<<w22>>"),
        ("pk.field", "sk.learn.model"),
    ),
    provider(
        "ably_key",
        r"[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{6}:[A-Za-z0-9_\-]{43}(?![A-Za-z0-9_\-])",
        "ably",
        ("ABLY=<<A6>>.<<A6>>:<<A43>>",),
        ("ably.connection: open",),
        inside=True,
    ),
    provider(
        "onesignal_key",
        r"os_v2_(?:app|org)_[a-z0-9]{80,120}",
        "os_v2_",
        ("os_v2_app_<<a103>>",),
        ("os_v2_app_x",),
    ),
    provider(
        "notion_token",
        r"ntn_[0-9]{11}[A-Za-z0-9]{32,40}|secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])",
        "ntn_ secret_",
        ("ntn_<<d11>><<A35>>", "secret_<<A43>>"),
        ("ntn_12345678901abc", "secret_manager_client"),
    ),
    provider(
        "airtable_token",
        r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}",
        "pat",
        ("pat<<A14>>.<<h64>>",),
        ("path.join", "patch.object"),
    ),
    provider(
        "asana_token",
        r"[12]/\d{12,19}(?:/\d{12,19})?:[a-f0-9]{32}",
        ":",
        ("2/<<d16>>/<<d16>>:<<h32>>", "1/<<d16>>:<<h32>>"),
        ("1/2:3",),
        inside=True,
        gate="long",
    ),
)
