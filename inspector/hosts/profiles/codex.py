"""`codex`: Codex CLI, with a model that it has no metadata of."""

from inspector.hosts.codex_output import Budget, handing_over
from inspector.hosts.profile import Host

HOST = Host(
    name="codex",
    title="Codex CLI (model without bundled metadata)",
    version="0.169.0",
    as_of="2026-11",
    how="observed: the binary against a mock of the provider's API",
    source="npm @openai/codex 0.169.0, linux x64 binary: output of the function_call_output item of the next request",
    notes="Model gpt-5: output of more than about 12,000 characters is cut.",
    hand_over=handing_over(Budget(amount=12_000, in_tokens=False, image_detail="high")),
)
