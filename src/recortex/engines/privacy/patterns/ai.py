"""Keys of model providers and of the services around them."""

from __future__ import annotations

from recortex.engines.privacy.rule import provider

AI = (
    provider(
        "anthropic_key",
        r"sk-ant-[a-z]{2,8}\d{2}-[A-Za-z0-9_\-]{70,160}",
        "sk-ant-",
        ("sk-ant-api03-<<w93>>AA", "sk-ant-admin01-<<w93>>AA", "sk-ant-oat01-<<w93>>AA"),
        ("sk-ant-api03-your-key", "sk-ant-api03-..."),
    ),
    provider(
        "openai_key",
        (
            r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_\-]{20,220}|"
            r"sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|"
            r"sk-[A-Za-z0-9]{32,64}(?![A-Za-z0-9_\-])"
        ),
        "sk-",
        ("sk-proj-<<w74>>T3BlbkFJ<<w74>>", "sk-<<A20>>T3BlbkFJ<<A20>>", "sk-<<A48>>"),
        ("sk-your-key-here", "task-<<a32>>", "sk-spinner-fade"),
    ),
    provider(
        "openrouter_key", r"sk-or-(?:v\d-)?[a-f0-9]{64}", "sk-or-", ("sk-or-v1-<<h64>>",), ("sk-or-v1-...",)
    ),
    provider(
        "huggingface_token",
        r"(?:hf|api_org)_[A-Za-z0-9]{34,40}(?![A-Za-z0-9_])",
        "hf_ api_org_",
        ("hf_<<m34>>", "api_org_<<m34>>"),
        ("hf_<<x40>>", "hf_hub_download", "_hf_generatedByAppForDebuggingKey"),
    ),
    provider("replicate_token", r"r8_[A-Za-z0-9]{37}(?![A-Za-z0-9])", "r8_", ("r8_<<A37>>",), ("r8_unorm",)),
    provider("groq_key", r"gsk_[A-Za-z0-9]{40,64}", "gsk_", ("gsk_<<A52>>",), ("gsk_shader_compile",)),
    provider("xai_key", r"xai-[A-Za-z0-9]{70,90}", "xai-", ("xai-<<A80>>",), ("xai-sdk-python",)),
    provider("perplexity_key", r"pplx-[A-Za-z0-9]{40,64}", "pplx-", ("pplx-<<A48>>",), ("pplx-api",)),
    provider("nvidia_key", r"nvapi-[A-Za-z0-9_\-]{50,90}", "nvapi-", ("nvapi-<<w64>>",), ("nvapi-client",)),
    provider(
        "langchain_key",
        r"(?:lsv2_|ls__)(?:pt_|sk_)?[a-f0-9]{32}(?:_[a-f0-9]{10})?",
        "lsv2_ ls__",
        ("lsv2_pt_<<h32>>_<<h10>>", "ls__<<h32>>"),
        ("lsv2_pt_short",),
    ),
    provider(
        "langfuse_key",
        r"(?:sk|pk)-lf-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
        "-lf-",
        ("sk-lf-<<h8>>-<<h4>>-<<h4>>-<<h4>>-<<h12>>",),
        ("sk-lf-...",),
        inside=True,
    ),
    provider(
        "pinecone_key",
        r"pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,80}",
        "pcsk_",
        ("pcsk_<<A6>>_<<A63>>",),
        ("pcsk_short",),
    ),
    provider(
        "tavily_key",
        r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,48}",
        "tvly-",
        ("tvly-dev-<<A32>>",),
        ("tvly-your-key",),
    ),
    provider(
        "jina_key",
        r"jina_[a-f0-9]{32}[A-Za-z0-9_\-]{20,40}",
        "jina_",
        ("jina_<<h32>><<A28>>",),
        ("jina_embeddings_v3",),
    ),
    provider(
        "voyage_key",
        r"(?:pa|al)-[A-Za-z0-9_\-]{43}(?![A-Za-z0-9_\-])",
        "voyage",
        ("VOYAGE: pa-<<A43>>",),
        ("voyage pa-rt-one",),
        inside=True,
    ),
    provider(
        "elevenlabs_key", r"sk_[a-f0-9]{48}(?![a-f0-9])", "sk_", ("sk_<<h48>>",), ("sk_buff", "sk_sp-<<a20>>")
    ),
    provider(
        "together_key", r"tgp_v\d_[A-Za-z0-9_\-]{40,60}", "tgp_v", ("tgp_v1_<<w43>>",), ("tgp_v1_short",)
    ),
    provider(
        "fireworks_key",
        r"fw_3Z[A-Za-z0-9]{22}(?![A-Za-z0-9_])",
        "fw_3z",
        ("FIREWORKS=fw_3Z<<A22>>",),
        ("fw_version", "fw_loadFirmwareImageFromDisk"),
    ),
    provider("cerebras_key", r"csk-[a-z0-9]{40,64}", "csk-", ("csk-<<a48>>",), ("csk-short",)),
    provider(
        "weights_and_biases_key",
        r"wandb_v\d_[A-Za-z0-9_\-]{40,90}|local-[a-f0-9]{40}(?![a-f0-9])",
        "wandb_v local-",
        ("local-<<h40>>", "wandb_v1_<<A60>>"),
        ("local-cache-dir",),
    ),
    provider(
        "firecrawl_key", r"fc-[a-f0-9]{32}(?![a-f0-9])", "fc-", ("fc-<<h32>>",), ("fc-list", "fc-cache")
    ),
    provider("e2b_key", r"e2b_[a-f0-9]{40}", "e2b_", ("e2b_<<h40>>",), ("e2b_sandbox",)),
    provider(
        "browserbase_key",
        r"bb_(?:live|test)_[A-Za-z0-9_\-]{24,40}",
        "bb_live_ bb_test_",
        ("bb_live_<<A27>>",),
        ("bb_test_case",),
    ),
    provider(
        "apify_token",
        r"apify_(?:api|proxy)_[A-Za-z0-9]{30,48}",
        "apify_",
        ("apify_api_<<A36>>",),
        ("apify_api_client",),
    ),
    provider("kaggle_token", r"KGAT_[a-f0-9]{32}", "kgat_", ("KGAT_<<h32>>",), ("KGAT_short",)),
    provider("llama_cloud_key", r"llx-[A-Za-z0-9]{40,60}", "llx-", ("llx-<<A48>>",), ("llx-short",)),
    provider(
        "helicone_key",
        r"sk-helicone-[a-z0-9\-]{20,60}|pk-helicone-[a-z0-9\-]{20,60}",
        "-helicone-",
        ("sk-helicone-<<a7>>-<<a7>>-<<a7>>-<<a7>>",),
        ("sk-helicone-x",),
        inside=True,
    ),
    provider(
        "composio_key",
        r"ak_[A-Za-z0-9_\-]{19,21}(?![A-Za-z0-9_\-])",
        "composio",
        ("COMPOSIO=ak_<<A20>>",),
        ("composio ak_short",),
        inside=True,
    ),
    provider(
        "openai_session",
        r"sess-[A-Za-z0-9]{40}(?![A-Za-z0-9])",
        "sess-",
        ("sess-<<A40>>",),
        ("sess-id-one",),
    ),
)
