"""Whether a call may leave, and what becomes of its answer: rules over facts."""

from inspector.core.policy.default import DEFAULT_POLICY, confirmations

__all__ = ["DEFAULT_POLICY", "confirmations"]
