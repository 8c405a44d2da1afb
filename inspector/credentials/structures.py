"""Credentials known by the structure they stand in: a block, a URL, a header, an assignment.

From the most specific to the most generic.
"""

import re

from inspector.credentials.checks import (
    is_basic_pair,
    is_json_web_token,
    is_key_block,
    is_mixed,
    is_url_password,
)
from inspector.credentials.rule import CredentialRule

_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,12} )?(?:[A-Z0-9]{1,12} )?PRIVATE KEY(?: BLOCK)?-----"
    # Lines, whether their ends are line feeds or escaped ones, and the headers of older forms.
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
    # The name, or the end of a longer one: `db_password`, `clientSecret`. Its first letter stands apart,
    # since the search for a class of characters is several times faster than one that ignores case.
    r"[AaPpSsTt](?:"
    r"(?<=[Pp])(?i:ass(?:word|wd|phrase)|wd)"
    r"|(?<=[Ss])(?i:ecret(?:[_-]?(?:access)?[_-]?key)?)"
    # The token of a page of results opens nothing.
    r"|(?<=[Tt])(?i:oken)(?<!(?i:pagetoken))(?<!(?i:page[_-]token))"
    r"|(?<=[Aa])(?i:pi[ _-]?key|ccess[_-]?key)"
    r")"
    # What stands between: quotes, escaped where JSON is in a string, and a sign.
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
