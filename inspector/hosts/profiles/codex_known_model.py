"""`codex-known-model`: Codex CLI, with a model that it has metadata of."""

from inspector.hosts.codex_output import Budget, handing_over
from inspector.hosts.profile import Host

HOST = Host(
    name="codex-known-model",
    title="Codex CLI (model with bundled metadata)",
    version="0.169.0",
    as_of="2026-11",
    how="observed: the binary against a mock of the provider's API",
    source="npm @openai/codex 0.169.0, linux x64 binary: output of the function_call_output item of the next request",
    notes="Model gpt-5.5: output of more than about 48,000 characters is cut. Its MCP tools are behind a tool search.",
    hand_over=handing_over(Budget(amount=12_000, in_tokens=True, image_detail="original")),
)
