"""All rules, from the most specific to the most generic: where two find the same text, the first counts."""

from inspector.core.credentials.rule import CredentialRule
from inspector.core.credentials.structures import STRUCTURES
from inspector.core.credentials.vendors import VENDORS

RULES: tuple[CredentialRule, ...] = (*VENDORS, *STRUCTURES)
