"""All rules for credentials, from the most specific to the most generic; the first that matches counts."""

import re
from collections.abc import Callable

from msgspec import Struct

from inspector.credentials.checks import (
    is_basic_pair,
    is_bot_token,
    is_json_web_token,
    is_key_block,
    is_mixed,
    is_signature,
    is_url_password,
    is_varied,
)


class CredentialRule(Struct, frozen=True, kw_only=True):
    """A rule that recognises one kind of credential by its format."""

    id: str
    """The identifier, in kebab-case. Stable, because policies and findings use it."""
    title: str
    """The name of the credential for users: `GitHub token`."""
    keywords: tuple[str, ...]
    """Words in lower-case ASCII. The pattern is skipped if the case-folded text contains none of them."""
    pattern: re.Pattern[str]
    """The pattern. It matches in linear time: repetitions are limited, and possessive for character classes.

    A group `secret` narrows the match to the secret.
    """
    accepts: Callable[[str], bool] | None = None
    """An additional check of the match (entropy, a decoded header); None accepts every match."""


_ALONE = r"(?![A-Za-z0-9])"
_ALONE_URL = r"(?![A-Za-z0-9_-])"


def _rule(
    identifier: str,
    title: str,
    keywords: str,
    pattern: str,
    *,
    accepts: Callable[[str], bool] = is_varied,
) -> CredentialRule:
    return CredentialRule(
        id=identifier,
        title=title,
        keywords=tuple(keywords.split()),
        pattern=re.compile(pattern, re.ASCII),
        accepts=accepts,
    )


_CLOUDS = (
    _rule(
        "aws-access-key-id",
        "AWS access key ID",
        "akia asia",
        rf"A(?:KIA|SIA)(?<![A-Za-z0-9]....)[A-Z0-9]{{16}}{_ALONE}",
    ),
    _rule(
        "aws-secret-access-key",
        "AWS secret access key",
        "access",
        r"[Ss](?i:ecret[ _-]?access[ _-]?key)\\?[\"'`]?\s{0,4}(?:=>|:=|[:=>,|])\s{0,4}\\?[\"'`]?"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    _rule(
        "google-api-key",
        "Google API key",
        "aiza",
        rf"AIza(?<![A-Za-z0-9]....)[A-Za-z0-9_-]{{35}}{_ALONE_URL}",
    ),
    _rule(
        "google-oauth-secret",
        "Google OAuth client secret",
        "gocspx-",
        rf"GOCSPX-(?<![A-Za-z0-9].{{7}})[A-Za-z0-9_-]{{28}}{_ALONE_URL}",
    ),
    _rule(
        "google-oauth-token",
        "Google OAuth access token",
        "ya29.",
        r"ya29\.(?<![A-Za-z0-9].{5})[A-Za-z0-9_-]{40,2000}+",
    ),
    _rule(
        "azure-storage-key",
        "Azure storage account key",
        "accountkey=",
        r"AccountKey=(?P<secret>[A-Za-z0-9+/]{86}==)",
    ),
    _rule(
        "azure-sas-signature",
        "Azure shared access signature",
        "sig=",
        r"sig=(?<![A-Za-z]....)(?P<secret>[A-Za-z0-9+/%]{43,132}+=?)",
        accepts=is_signature,
    ),
    _rule(
        "cloudflare-token",
        "Cloudflare API token",
        "cfk_ cfut_ cfat_",
        r"cf(?:k|ut|at)_(?<![A-Za-z0-9]cfk_)(?<![A-Za-z0-9]cf[ua]t_)[A-Za-z0-9]{44,64}+",
    ),
    _rule(
        "cloudflare-origin-ca-key",
        "Cloudflare origin CA key",
        "v1.0-",
        rf"v1\.0-(?<![A-Za-z0-9].{{5}})[0-9a-f]{{24}}-[0-9a-f]{{146}}{_ALONE}",
    ),
    _rule(
        "digitalocean-token",
        "DigitalOcean token",
        "dop_v1_ doo_v1_ dor_v1_",
        rf"do[opr]_v1_(?<![A-Za-z0-9].{{7}})[0-9a-f]{{64}}{_ALONE}",
    ),
    _rule(
        "databricks-token",
        "Databricks token",
        "dapi",
        rf"dapi(?<![A-Za-z0-9]....)[0-9a-f]{{32}}(?:-[0-9]{{1,2}})?{_ALONE}",
    ),
)

_CODE = (
    _rule(
        "github-token",
        "GitHub token",
        "ghp_ gho_ ghu_ ghr_",
        r"gh[opru]_(?<![A-Za-z0-9]....)[A-Za-z0-9]{36,255}+",
    ),
    _rule(
        "github-app-token",
        "GitHub App installation token",
        "ghs_",
        r"ghs_(?<![A-Za-z0-9]....)[A-Za-z0-9][A-Za-z0-9_-]{35,2000}+(?:\.[A-Za-z0-9_-]{8,4000}+\.[A-Za-z0-9_-]{8,2000}+)?",
    ),
    _rule(
        "github-fine-grained-token",
        "GitHub fine-grained token",
        "github_pat_",
        rf"github_pat_(?<![A-Za-z0-9].{{11}})[A-Za-z0-9]{{22}}_[A-Za-z0-9]{{59}}{_ALONE}",
    ),
    _rule(
        "gitlab-token",
        "GitLab token",
        "glpat- gldt- glrt- glptt- glcbt- glsoat-",
        r"gl(?:pat|dt|rt|ptt|cbt|soat)-[A-Za-z0-9_-]{20,300}+(?:(?:\.[0-9a-z]{2})?\.[0-9a-z]{9})?",
    ),
    _rule("npm-token", "npm token", "npm_", rf"npm_(?<![A-Za-z0-9]....)[A-Za-z0-9]{{36}}{_ALONE}"),
    _rule("pypi-token", "PyPI token", "pypi-age", r"pypi-AgE[A-Za-z0-9_-]{50,1000}+"),
    _rule(
        "linear-key",
        "Linear API key",
        "lin_api_",
        rf"lin_api_(?<![A-Za-z0-9].{{8}})[A-Za-z0-9]{{40}}{_ALONE}",
    ),
    _rule(
        "postman-key",
        "Postman API key",
        "pmak-",
        rf"PMAK-(?<![A-Za-z0-9].{{5}})[0-9a-f]{{24}}-[0-9a-f]{{34}}{_ALONE}",
    ),
)

_MODELS = (
    _rule(
        "anthropic-key",
        "Anthropic key",
        "sk-ant-",
        r"sk-ant-(?<![A-Za-z0-9].{7})[a-z]{2,10}[0-9]{2}-[A-Za-z0-9_-]{80,200}+",
    ),
    _rule(
        "openai-key",
        "OpenAI key",
        "sk-",
        r"sk-(?<![A-Za-z0-9]...)(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,250}+|[A-Za-z0-9]{48}(?![A-Za-z0-9_-]))",
    ),
    _rule(
        "hugging-face-token", "Hugging Face token", "hf_", rf"hf_(?<![A-Za-z0-9]...)[A-Za-z0-9]{{34}}{_ALONE}"
    ),
)

_MESSAGES = (
    _rule(
        "slack-token",
        "Slack token",
        "xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp-",
        r"x(?:ox(?:e\.xox[bp]|[abeoprs])|app)-(?<![A-Za-z0-9].{5})[A-Za-z0-9-]{24,250}+",
    ),
    _rule(
        "slack-webhook",
        "Slack webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9+/]{40,120}+)",
    ),
    _rule(
        "discord-bot-token",
        "Discord bot token",
        "discord bot",
        r"[MNO](?<![A-Za-z0-9_-].)[A-Za-z0-9_-]{22,27}+\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}+"
        + _ALONE_URL,
        accepts=is_bot_token,
    ),
    _rule(
        "discord-webhook",
        "Discord webhook",
        "/api/webhooks/",
        r"/api/webhooks/(?<=\.com.{14})(?P<secret>[0-9]{17,20}+/[A-Za-z0-9_-]{60,80}+)",
    ),
    _rule(
        "telegram-bot-token",
        "Telegram bot token",
        ":aa",
        rf"[0-9](?<![0-9][0-9])[0-9]{{7,9}}+:AA[A-Za-z0-9_-]{{33}}{_ALONE_URL}",
    ),
    _rule(
        "sendgrid-key",
        "SendGrid API key",
        "sg.",
        rf"SG\.(?<![A-Za-z0-9]...)[A-Za-z0-9_-]{{22}}\.[A-Za-z0-9_-]{{43}}{_ALONE_URL}",
    ),
    _rule("twilio-key", "Twilio API key", "sk", rf"SK(?<![A-Za-z0-9]..)[0-9a-f]{{32}}{_ALONE}"),
)

_SHOPS_AND_VAULTS = (
    _rule(
        "stripe-key",
        "Stripe key",
        "sk_live_ sk_test_ rk_live_ rk_test_",
        r"[rs]k_(?:live|test)_(?<![A-Za-z0-9].{8})[A-Za-z0-9]{16,247}+",
    ),
    _rule(
        "shopify-token",
        "Shopify token",
        "shpat_ shpca_ shppa_ shpss_",
        rf"shp(?:[cp]?at|ca|pa|ss)_(?<![A-Za-z0-9].{{6}})[0-9a-fA-F]{{32}}{_ALONE}",
    ),
    _rule(
        "vault-token",
        "HashiCorp Vault token",
        "hvs. hvb. hvr.",
        r"hv[bsr]\.(?<![A-Za-z0-9]....)[A-Za-z0-9_-]{24,300}+",
    ),
    _rule(
        "one-password-token",
        "1Password service account token",
        "ops_eyj",
        r"ops_eyJ(?<![A-Za-z0-9].{7})[A-Za-z0-9+/_-]{200,4000}+={0,3}",
    ),
    _rule(
        "doppler-token",
        "Doppler token",
        "dp.ct. dp.pt. dp.sa. dp.scim. dp.audit. dp.st.",
        r"dp\.(?<![A-Za-z0-9]...)(?:ct|pt|sa|scim|audit|st(?:\.[a-z0-9_-]{2,35}+)?)\.[A-Za-z0-9]{40,44}"
        + _ALONE,
    ),
    _rule(
        "age-secret-key",
        "age secret key",
        "age-secret-key-1",
        rf"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{{58}}{_ALONE}",
    ),
)

VENDORS: tuple[CredentialRule, ...] = (*_CLOUDS, *_CODE, *_MODELS, *_MESSAGES, *_SHOPS_AND_VAULTS)
"""The rules for single vendors, whose matches do not overlap. `sk-ant-` comes before its prefix `sk-`."""


_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,12} )?(?:[A-Z0-9]{1,12} )?PRIVATE KEY(?: BLOCK)?-----"
    # Lines with literal or escaped line feeds, and headers of older formats.
    r"(?:[A-Za-z0-9+/=\s\\:,.()]|-(?!----)){40,16384}+"
    r"(?:-----END [A-Z0-9 ]{1,48}+-----)?",
    re.ASCII,
)

_JSON_WEB_TOKEN = re.compile(
    r"eyJ(?<![A-Za-z0-9_-]...)[A-Za-z0-9_-]{10,4096}+\.[A-Za-z0-9_-]{10,65536}+\.[A-Za-z0-9_-]{10,4096}+",
    re.ASCII,
)

_URL_PASSWORD = re.compile(
    r"://(?<=[A-Za-z0-9+.-]...)[^\s/?#@:\"'`<>\\]{0,128}+:(?P<secret>[^\s/?#@\"'`<>\\]{3,256}+)@(?=[A-Za-z0-9\[])",
    re.ASCII,
)

_BEARER = re.compile(
    r"[Bb](?:earer|EARER)(?<![A-Za-z0-9_].{6})[ \t]{1,4}+(?P<secret>[A-Za-z0-9._~+/-]{16,4096}+={0,2})",
    re.ASCII,
)

_BASIC = re.compile(
    r"[Bb](?:asic|ASIC)(?<![A-Za-z0-9_].{5})[ \t]{1,4}+(?P<secret>[A-Za-z0-9+/]{6,1024}+={0,2})",
    re.ASCII,
)

_ASSIGNMENT = re.compile(
    # The name, or the end of a longer one: `db_password`, `clientSecret`. Its first letter is separate,
    # because a search for a character class is several times faster than one that ignores case.
    r"[AaPpSsTt](?:"
    r"(?<=[Pp])(?i:ass(?:word|wd|phrase)|wd)"
    r"|(?<=[Ss])(?i:ecret(?:[_-]?(?:access)?[_-]?key)?)"
    # A pagination token grants no access.
    r"|(?<=[Tt])(?i:oken)(?<!(?i:pagetoken))(?<!(?i:page[_-]token))"
    r"|(?<=[Aa])(?i:pi[ _-]?key|ccess[_-]?key)"
    r")"
    # The separator, such as `=` or `:`, between quotes (escaped if JSON is in a string).
    r"\\?[\"'`]?\s{0,4}+(?:=>|:=|[:=>])\s{0,4}+\\?[\"'`]?"
    r"(?P<secret>(?!@)[A-Za-z0-9+/_.~!@#$%^*-]{10,256}+={0,2})(?![^\s\"'`;,&<>)}\]\\|])",
    re.ASCII,
)

STRUCTURES: tuple[CredentialRule, ...] = (
    CredentialRule(
        id="private-key",
        title="private key",
        keywords=("private key",),
        pattern=_PRIVATE_KEY,
        accepts=is_key_block,
    ),
    CredentialRule(
        id="json-web-token",
        title="JSON Web Token",
        keywords=("eyj",),
        pattern=_JSON_WEB_TOKEN,
        accepts=is_json_web_token,
    ),
    CredentialRule(
        id="url-password",
        title="password in a URL",
        keywords=("://",),
        pattern=_URL_PASSWORD,
        accepts=is_url_password,
    ),
    CredentialRule(
        id="basic-authorization",
        title="Basic authorization",
        keywords=("basic",),
        pattern=_BASIC,
        accepts=is_basic_pair,
    ),
    CredentialRule(
        id="bearer-authorization",
        title="Bearer authorization",
        keywords=("bearer",),
        pattern=_BEARER,
        accepts=is_mixed,
    ),
    CredentialRule(
        id="secret-assignment",
        title="secret in an assignment",
        keywords=(
            "password",
            "passwd",
            "passphrase",
            "pwd",
            "secret",
            "token",
            "apikey",
            "api_key",
            "api-key",
            "api key",
            "accesskey",
            "access_key",
            "access-key",
        ),
        pattern=_ASSIGNMENT,
        accepts=is_mixed,
    ),
)


RULES: tuple[CredentialRule, ...] = (*VENDORS, *STRUCTURES)
