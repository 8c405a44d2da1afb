"""All rules, from the most specific to the most generic: where two find the same text, the first counts."""

from inspector.credentials.rule import CredentialRule
from inspector.credentials.structures import STRUCTURES
from inspector.credentials.vendors import VENDORS

RULES: tuple[CredentialRule, ...] = (*VENDORS, *STRUCTURES)
