"""Tokens of code hosts, package registries and build services."""

from __future__ import annotations

from recortex.engines.privacy.rule import Rule, provider

CODE_HOSTS = (
    provider(
        "github_token",
        r"gh[pousr]_[A-Za-z0-9_]{36,255}",
        "ghp_ gho_ ghu_ ghs_ ghr_",
        ("ghp_<<A36>>", "gho_<<A36>>", "ghs_<<A36>>"),
        ("ghp_short", "ghu_<<x36>>", "ghp_" + "*" * 36),
    ),
    provider(
        "github_fine_grained_token",
        r"github_pat_[A-Za-z0-9_]{50,255}",
        "github_pat_",
        ("github_pat_<<A22>>_<<A59>>",),
        ("github_pat_<<x22>>_<<x59>>", "github_pat_name"),
    ),
    provider(
        "gitlab_token",
        r"gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_\-.=]{20,300}",
        "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-",
        ("glpat-<<w20>>", "glrt-t1_<<w27>>.<<a9>>", "glcbt-64_<<A20>>", "gloas-<<h64>>"),
        ("glpat-short", "glpat-<<x8>>-<<x18>>.<<x9>>"),
    ),
    provider(
        "gitlab_runner_token",
        r"GR1348941[A-Za-z0-9_\-]{20,24}",
        "gr1348941",
        ("GR1348941<<w20>>",),
        ("GR1348941<<X20>>", "GR1348941"),
    ),
    provider(
        "gitlab_session",
        r"_gitlab_session=(?P<v>[A-Za-z0-9]{32})",
        "_gitlab_session=",
        ("_gitlab_session=<<h32>>",),
        ("_gitlab_session=",),
    ),
    provider(
        "bitbucket_token",
        r"ATBB[A-Za-z0-9]{32}|BBDC-[A-Za-z0-9+/@_\-]{40,50}|ATCTT3xFfG[A-Za-z0-9+/=_\-]{60,400}",
        "atbb bbdc- atctt3",
        ("ATBB<<A32>>", "BBDC-<<A44>>"),
        ("ATBBshort",),
    ),
    provider(
        "atlassian_token",
        r"ATATT3[A-Za-z0-9_\-=]{60,400}|ATSTT3[A-Za-z0-9_\-=]{60,400}",
        "atatt3 atstt3",
        ("ATATT3<<w180>>",),
        ("ATATT3short",),
    ),
    provider(
        "npm_token",
        r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9_])",
        "npm_",
        ("npm_<<A36>>",),
        ("npm_config_registry", "npm_<<x36>>"),
    ),
    Rule(
        name="npm_auth",
        category="secret",
        pattern=r"(?i::_(?:authToken|auth|password)\s{0,2}=\s{0,2})(?P<v>[^\s\"'${}]{8,512})",
        keywords=(":_auth", ":_password"),
        anchored=True,
        confidence=0.95,
        positives=("//registry.npmjs.org/:_authToken=<<h8>>-<<h4>>-<<h4>>-<<h4>>-<<h12>>",),
        negatives=("//registry.npmjs.org/:_authToken=${NPM_TOKEN}",),
    ),
    provider(
        "pypi_token",
        r"pypi-A[A-Za-z0-9_\-]{50,1024}",
        "pypi-a",
        ("pypi-AgEIcHlwaS5vcmc<<w120>>",),
        ("pypi-attestations",),
    ),
    provider(
        "rubygems_token", r"rubygems_[a-f0-9]{48}", "rubygems_", ("rubygems_<<h48>>",), ("rubygems_version",)
    ),
    provider(
        "clojars_token",
        r"CLOJARS_[A-Za-z0-9]{48,60}",
        "clojars_",
        ("CLOJARS_<<a60>>",),
        ("CLOJARS_USERNAME",),
    ),
    provider(
        "cargo_token", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])", "cio", ("cio<<A32>>",), ("cioran", "cio_context")
    ),
    provider("nuget_key", r"oy2[a-z0-9]{43}(?![A-Za-z0-9])", "oy2", ("oy2<<a43>>",), ("oy2short",)),
    provider(
        "docker_token",
        r"dckr_(?:pat|oat)_[A-Za-z0-9_\-]{20,64}",
        "dckr_",
        ("dckr_pat_<<w27>>",),
        ("dckr_pat_short",),
    ),
    provider(
        "packagist_token",
        r"packagist_[ao][cru]t_[a-f0-9]{60,80}|packagist_[a-z]{2,4}_[A-Za-z0-9]{32,80}",
        "packagist_",
        ("packagist_out_<<h68>>",),
        ("packagist_api_url",),
    ),
    provider("hex_token", r"hexpm_[A-Za-z0-9]{20,64}", "hexpm_", ("hexpm_<<a32>>",), ("hexpm_repo",)),
    provider(
        "sourcegraph_token",
        (
            r"sourcegraph[\"': =]{1,6}(?P<v>[a-fA-F0-9]{40})(?![a-fA-F0-9])|sgp_(?:[a-fA-F0-9]{16}_|"
            r"local_)?[a-fA-F0-9]{40}(?![a-fA-F0-9])|sgd_[a-fA-F0-9]{64}|slk_[a-fA-F0-9]{64}"
        ),
        "sgp_ sgd_ slk_ sourcegraph",
        ("sgp_<<h16>>_<<h40>>", "sgp_local_<<h40>>", "slk_<<h64>>"),
        ("sgp_short",),
    ),
    provider(
        "circleci_token",
        r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}",
        "ccipat_ cciprj_",
        ("CCIPAT_<<A22>>_<<h40>>",),
        ("CCIPAT_short",),
    ),
    provider(
        "buildkite_token",
        r"bk(?:ua|aj|at|ct|pt|rt)_[A-Za-z0-9]{38,64}",
        "bkua_ bkaj_ bkat_ bkct_ bkpt_ bkrt_",
        ("bkua_<<h40>>",),
        ("bkua_short",),
    ),
    provider(
        "sonar_token",
        r"sq[apu]_[a-f0-9]{40}(?![a-f0-9])",
        "sqa_ sqp_ squ_",
        ("squ_<<h40>>",),
        ("sqp_short", "sqa_session"),
    ),
    provider(
        "snyk_token",
        r"snyk_(?:uat|sat)\.[a-f0-9]{8}\.[A-Za-z0-9_\-]{40,200}\.[A-Za-z0-9_\-]{20,200}",
        "snyk_",
        ("snyk_uat.<<h8>>.<<w60>>.<<w43>>",),
        ("snyk_uat.short",),
    ),
    provider(
        "launchdarkly_key",
        r"(?:sdk|api|mob)-[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[a-f0-9]{4}-[a-f0-9]{12}",
        "sdk- api- mob-",
        ("sdk-<<h8>>-<<h4>>-4<<h3>>-<<h4>>-<<h12>>",),
        ("sdk-v2-1", "api-gateway-4"),
    ),
    provider(
        "linear_token",
        r"lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,64}",
        "lin_api_ lin_oauth_ lin_wh_",
        ("lin_api_<<A40>>",),
        ("lin_api_key",),
    ),
    provider(
        "postman_key",
        r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}|PMAT-[A-Z0-9]{26}",
        "pmak- pmat-",
        ("PMAK-<<h24>>-<<h34>>",),
        ("PMAK-short",),
    ),
    provider(
        "prefect_token",
        r"pn[ub]_[A-Za-z0-9]{36}(?![A-Za-z0-9])",
        "pnu_ pnb_",
        ("pnu_<<A36>>",),
        ("pnu_short",),
    ),
    provider(
        "figma_token",
        r"fig[dour]_[A-Za-z0-9_\-]{38,64}",
        "figd_ figo_ figu_ figr_",
        ("figd_<<w40>>",),
        ("figd_short",),
    ),
    provider(
        "jfrog_reference_token",
        r"eyJ2ZXIiOi[A-Za-z0-9_\-]{60,1024}",
        "eyj2zxiioi",
        ("eyJ2ZXIiOi<<w120>>",),
        ("eyJ2ZXIiOi",),
    ),
    provider(
        "editor_key",
        r"(?:key_|crsr_|sk-ws-01-)[a-f0-9]{64}(?![a-f0-9])",
        "key_ crsr_ sk-ws-",
        ("crsr_<<h64>>",),
        ("crsr_short", "key_press"),
    ),
    provider(
        "travis_secure",
        r"secure:\s{1,4}\"(?P<v>[A-Za-z0-9+/]{80,1024}={0,2})\"",
        "secure:",
        ('secure: "<<b170>>=="',),
        ('secure: "true"',),
        inside=True,
    ),
)
